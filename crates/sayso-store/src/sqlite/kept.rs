//! The smaller things that are kept: secrets, outcomes by idempotency key, first pins, evidence.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::journal::Timestamp;

use super::work::Turn;
use crate::{FirstPin, Raised, Reservation, Reserve, StoreError};

type Done<T> = rusqlite::Result<Result<T, StoreError>>;

/// Random bytes.
pub(super) fn random<const N: usize>(path: &Path) -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Failed {
        path: path.to_owned(),
        said: format!("the system gives no random bytes: {error}"),
    })?;
    Ok(bytes)
}

/// The secret of this name, made at its first use.
pub(super) fn secret(turn: &mut Turn<'_>, name: &str) -> Done<[u8; 32]> {
    let known = turn
        .connection
        .prepare_cached("SELECT secret FROM secrets WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(Ok(known));
    }
    let made: [u8; 32] = match random(turn.path) {
        Ok(made) => made,
        Err(error) => return Ok(Err(error)),
    };
    turn.connection
        .prepare_cached("INSERT INTO secrets (name, secret) VALUES (?1, ?2)")?
        .execute((name, &made))?;
    Ok(Ok(made))
}

/// Takes an idempotency key.
pub(super) fn reserve(turn: &mut Turn<'_>, run: [u8; 16], new: &Reservation) -> Done<Reserve> {
    let known = turn
        .connection
        .prepare_cached(
            "SELECT fingerprint, call, run, result FROM outcomes WHERE caller = ?1 AND key = ?2",
        )?
        .query_row((&new.caller, &new.key), |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, [u8; 16]>(2)?,
                row.get::<_, Option<String>>(3)?,
            ))
        })
        .optional()?;
    Ok(Ok(match known {
        None => {
            turn.connection
                .prepare_cached(
                    "INSERT INTO outcomes (caller, key, fingerprint, call, run, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute((
                    &new.caller,
                    &new.key,
                    &new.fingerprint,
                    &new.call,
                    &run,
                    new.now.0,
                ))?;
            Reserve::Fresh
        }
        Some((fingerprint, call, ..)) if fingerprint != new.fingerprint => Reserve::Differs(call),
        Some((_, call, _, Some(result))) => Reserve::Finished(call, result),
        Some((_, call, of, None)) if of == run => Reserve::Running(call),
        Some((_, call, ..)) => Reserve::Unknown(call),
    }))
}

/// Keeps the result of the call a key was taken for.
pub(super) fn finish(turn: &mut Turn<'_>, caller: &str, key: &str, result: &str) -> Done<()> {
    turn.connection
        .prepare_cached(
            "UPDATE outcomes SET result = ?3 WHERE caller = ?1 AND key = ?2 AND result IS NULL",
        )?
        .execute((caller, key, result))?;
    Ok(Ok(()))
}

/// Gives a key back.
pub(super) fn release(turn: &mut Turn<'_>, caller: &str, key: &str) -> Done<()> {
    turn.connection
        .prepare_cached("DELETE FROM outcomes WHERE caller = ?1 AND key = ?2 AND result IS NULL")?
        .execute((caller, key))?;
    Ok(Ok(()))
}

/// Forgets keys that were taken before this time.
pub(super) fn forget_outcomes(turn: &mut Turn<'_>, before: Timestamp) -> Done<u64> {
    let forgotten = turn
        .connection
        .prepare_cached("DELETE FROM outcomes WHERE at < ?1")?
        .execute([before.0])?;
    Ok(Ok(forgotten as u64))
}

/// Keeps a pin, unless there is one.
pub(super) fn pin(turn: &mut Turn<'_>, pin: &FirstPin) -> Done<bool> {
    let made = turn
        .connection
        .prepare_cached("INSERT OR IGNORE INTO pins (server, lock, at) VALUES (?1, ?2, ?3)")?
        .execute((&pin.server, &pin.lock, pin.at.0))?;
    Ok(Ok(made > 0))
}

/// Every pin.
pub(super) fn pins(connection: &Connection) -> rusqlite::Result<Vec<FirstPin>> {
    let mut statement =
        connection.prepare_cached("SELECT server, lock, at FROM pins ORDER BY server")?;
    let rows = statement.query_map([], |row| {
        Ok(FirstPin {
            server: row.get(0)?,
            lock: row.get(1)?,
            at: Timestamp(row.get(2)?),
        })
    })?;
    rows.collect()
}

/// Keeps that something speaks against a hint; the first witness stays.
pub(super) fn raise(turn: &mut Turn<'_>, raised: &Raised) -> Done<()> {
    turn.connection
        .prepare_cached(
            "INSERT OR IGNORE INTO evidence (server, tool, hint, witness, at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            &raised.server,
            &raised.tool,
            raised.hint.key(),
            &raised.witness,
            raised.at.0,
        ))?;
    Ok(Ok(()))
}

/// Everything that speaks against hints.
pub(super) fn evidence(connection: &Connection, path: &Path) -> Done<Vec<Raised>> {
    let mut statement = connection.prepare_cached(
        "SELECT server, tool, hint, witness, at FROM evidence ORDER BY server, tool, hint",
    )?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let key: String = row.get(2)?;
        let Some(hint) = sayso_core::hint::Hint::from_key(&key) else {
            return Ok(Err(StoreError::Damaged {
                path: path.to_owned(),
                said: format!("there is evidence against `{key}`, which is no hint"),
            }));
        };
        all.push(Raised {
            server: row.get(0)?,
            tool: row.get(1)?,
            hint,
            witness: row.get(3)?,
            at: Timestamp(row.get(4)?),
        });
    }
    Ok(Ok(all))
}
