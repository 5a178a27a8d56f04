//! Approvals: one row each, changed in one transaction with the entry that tells it.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::approval::{Approval, Binding, State, Verdict};
use sayso_core::journal::{ApprovalDecided, ApprovalOpened, ApprovalSpent, Record, Timestamp};

use super::kept::random;
use super::work::Turn;
use crate::{ApprovalFilter, NewApproval, Spend, StoreError};

/// What an id is made of: no letters that look like others, in one case.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Letters of an id: 60 bits.
const ID_LETTERS: usize = 12;

type Done<T> = rusqlite::Result<Result<T, StoreError>>;

/// Makes of `?` on the inner error an early return.
macro_rules! or_return {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Ok(Err(error)),
        }
    };
}

/// The pending approval of equal binding, or else a new one.
pub(super) fn open(turn: &mut Turn<'_>, new: &NewApproval) -> Done<Approval> {
    let live = or_return!(live(turn, &new.binding, new.now)?);
    let pending = live
        .into_iter()
        .map(|(_, approval)| approval)
        .find(|approval| approval.state(new.now) == State::Pending);
    if let Some(pending) = pending {
        return Ok(Ok(pending));
    }
    let approval = Approval {
        answer: None,
        binding: new.binding.clone(),
        expires_at: new.expires_at,
        id: or_return!(id(turn.path)),
        opened_at: new.now,
        shown: new.shown.clone(),
        spent_at: None,
    };
    turn.connection
        .prepare_cached(
            "INSERT INTO approvals (id, binding, expires_at, spent, approval)
             VALUES (?1, ?2, ?3, 0, ?4)",
        )?
        .execute((
            &approval.id,
            approval.binding.key(),
            approval.expires_at.0,
            text(&approval),
        ))?;
    count(turn.connection)?;
    let opened = ApprovalOpened {
        approval: approval.id.clone(),
        binding: approval.binding.clone(),
        call: approval.shown.call.clone(),
        expires_at: approval.expires_at,
        reasons: approval.shown.reasons.clone(),
    };
    turn.append(new.now, &Record::ApprovalOpened(Box::new(opened)))?;
    Ok(Ok(approval))
}

/// Takes a person's answer.
pub(super) fn decide(
    turn: &mut Turn<'_>,
    id: &str,
    verdict: Verdict,
    by: &str,
    now: Timestamp,
) -> Done<Approval> {
    let found = or_return!(find(turn.connection, turn.path, id)?);
    let Some((number, mut approval)) = found else {
        return Ok(Err(StoreError::UnknownApproval(id.to_owned())));
    };
    if let Err(why) = approval.decide(verdict, by, now) {
        let id = id.to_owned();
        return Ok(Err(StoreError::NotDecided { id, why }));
    }
    save(turn.connection, number, &approval)?;
    let decided = ApprovalDecided {
        approval: approval.id.clone(),
        binding: approval.binding.clone(),
        by: by.to_owned(),
        verdict,
    };
    turn.append(now, &Record::ApprovalDecided(Box::new(decided)))?;
    Ok(Ok(approval))
}

/// Spends an approval of exactly this binding. A refusal that is newer than an answer in favour
/// stands.
pub(super) fn spend(turn: &mut Turn<'_>, binding: &Binding, now: Timestamp) -> Done<Spend> {
    let mut told = Spend::None;
    for (number, mut approval) in or_return!(live(turn, binding, now)?) {
        if approval.spend(binding, now) {
            save(turn.connection, number, &approval)?;
            let spent = ApprovalSpent {
                approval: approval.id.clone(),
                binding: approval.binding.clone(),
            };
            turn.append(now, &Record::ApprovalSpent(Box::new(spent)))?;
            return Ok(Ok(Spend::Spent(approval)));
        }
        match approval.state(now) {
            // What is older than a refusal counts no more.
            State::Denied if told == Spend::None => return Ok(Ok(Spend::Denied(approval))),
            State::Denied => return Ok(Ok(told)),
            State::Pending if told == Spend::None => told = Spend::Pending(approval),
            _ => {}
        }
    }
    Ok(Ok(told))
}

/// One approval, and its number.
pub(super) fn find(
    connection: &Connection,
    path: &Path,
    id: &str,
) -> Done<Option<(i64, Approval)>> {
    let row: Option<(i64, String)> = connection
        .prepare_cached("SELECT number, approval FROM approvals WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(row
        .map(|(number, text)| Ok((number, read(path, number, &text)?)))
        .transpose())
}

/// Approvals, the newest first.
pub(super) fn list(
    connection: &Connection,
    path: &Path,
    which: &ApprovalFilter,
) -> Done<Vec<Approval>> {
    let mut statement =
        connection.prepare_cached("SELECT number, approval FROM approvals ORDER BY number DESC")?;
    let mut rows = statement.query([])?;
    let mut approvals = Vec::new();
    while let Some(row) = rows.next()? {
        if approvals.len() >= which.limit {
            break;
        }
        let approval = or_return!(read(path, row.get(0)?, &row.get::<_, String>(1)?));
        if which
            .state
            .is_none_or(|state| approval.state(which.now) == state)
        {
            approvals.push(approval);
        }
    }
    Ok(Ok(approvals))
}

/// How often approvals were changed.
pub(super) fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT value FROM counters WHERE name = 'approvals'")?
        .query_row([], |row| row.get(0))
}

/// Those of a binding that are neither spent nor over, the newest first.
fn live(turn: &Turn<'_>, binding: &Binding, now: Timestamp) -> Done<Vec<(i64, Approval)>> {
    let mut statement = turn.connection.prepare_cached(
        "SELECT number, approval FROM approvals
         WHERE binding = ?1 AND expires_at > ?2 AND spent = 0 ORDER BY number DESC",
    )?;
    let rows = statement.query_map((binding.key(), now.0), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut found = Vec::new();
    for row in rows {
        let (number, text) = row?;
        found.push((number, or_return!(read(turn.path, number, &text))));
    }
    Ok(Ok(found))
}

fn save(connection: &Connection, number: i64, approval: &Approval) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE approvals SET spent = ?2, approval = ?3 WHERE number = ?1")?
        .execute((number, approval.spent_at.is_some(), text(approval)))?;
    count(connection)
}

fn count(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE counters SET value = value + 1 WHERE name = 'approvals'")?
        .execute([])?;
    Ok(())
}

fn text(approval: &Approval) -> String {
    // Nothing in an approval can fail to be written.
    serde_json::to_string(approval).unwrap_or_default()
}

fn read(path: &Path, number: i64, text: &str) -> Result<Approval, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Damaged {
        path: path.to_owned(),
        said: format!("approval number {number} cannot be read: {error}"),
    })
}

fn id(path: &Path) -> Result<String, StoreError> {
    let bytes: [u8; ID_LETTERS] = random(path)?;
    let letter = |byte: u8| LETTERS.get(usize::from(byte % 32)).copied();
    Ok(bytes
        .into_iter()
        .filter_map(letter)
        .map(char::from)
        .collect())
}
