//! The life of a server: started, listed, watched over, and started again when it ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::listing::Era;
use sayso_mcp::upstream::Ended;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::backoff::Backoff;
use super::conversation::Conversation;
use super::core::{Core, Stopping};
use super::launch::Launch;
use super::{HostChoice, Phase, freshness, listen, lists};
use crate::settings::Instances;

/// How long the one host has to say what it can do before the first conversation is begun.
const INTRODUCTION: Duration = Duration::from_secs(1);

/// A list is read again once no change was told for this long …
const QUIET: Duration = Duration::from_millis(100);

/// … and this long after the first change at the latest.
const AT_MOST: Duration = Duration::from_secs(1);

/// A conversation that held this long has worked.
const WORKED: Duration = Duration::from_secs(10);

/// A server that answered is not doubted again for this long.
const CERTAIN: Duration = Duration::from_secs(1);

/// A server that is wanted is tried again after this long, if its time has not come before.
const WANTED: Duration = Duration::from_secs(5);

/// Keeps the server up until the gate stops.
pub(super) async fn run(core: Arc<Core>) {
    let mut stopping = core.stopping.subscribe();
    let ending = async {
        let ending = |stopping: &Stopping| matches!(stopping, Stopping::Ending(_));
        match stopping.wait_for(ending).await.as_deref() {
            Ok(Stopping::Ending(patience)) => *patience,
            _ => Duration::ZERO,
        }
    };
    let patience = tokio::select! {
        patience = ending => patience,
        () = keep_up(&core) => Duration::ZERO,
    };
    core.close(patience).await;
    down(&core, "the gate has stopped", None);
}

async fn keep_up(core: &Core) {
    let launch = match &core.launch {
        Ok(launch) => launch,
        Err(reason) => {
            down(core, reason, None);
            return std::future::pending().await;
        }
    };
    wait_for_introduction(core).await;
    let mut backoff = Backoff::default();
    loop {
        let begun = Instant::now();
        let (reason, is_over) = attempt(core, launch).await;
        let worked = begun.elapsed() >= WORKED;
        if worked {
            backoff.reset();
        }
        // A session that is over takes a new one, and nothing was wrong with the server.
        let wait = if is_over && worked {
            Duration::ZERO
        } else {
            backoff.next()
        };
        tracing::warn!(
            server = &*core.name,
            retry_in = wait.as_secs_f64(),
            "server down: {reason}"
        );
        down(core, &reason, Some(wait));
        pause(core, wait).await;
        core.update(|state| state.restarts += 1);
    }
}

/// Where there is one host, what it can do is what the server is told.
async fn wait_for_introduction(core: &Core) {
    if core.host == HostChoice::One && core.settings.instances == Instances::PerSession {
        let mut introduced = core.introduced.subscribe();
        let _ = timeout(INTRODUCTION, introduced.wait_for(Option::is_some)).await;
    }
}

/// One conversation from beginning to end: why there is none any more, and whether only its
/// session is over.
async fn attempt(core: &Core, launch: &Launch) -> (String, bool) {
    let conversation = match core.open_primary(launch).await {
        Ok(conversation) => conversation,
        Err(reason) => return (reason, false),
    };
    let ended = tokio::select! {
        ended = conversation.upstream.closed() => {
            (ended.to_string(), ended == Ended::SessionOver)
        }
        reason = attend(core, &conversation) => (reason, false),
    };
    core.drop_primary();
    ended
}

/// Does what there is to do on a conversation; why it should end.
async fn attend(core: &Core, conversation: &Conversation) -> String {
    let doubts = async {
        loop {
            core.doubted.notified().await;
            if let Err(reason) = conversation.probe().await {
                return reason;
            }
            sleep(CERTAIN).await;
        }
    };
    tokio::select! {
        reason = doubts => reason,
        never = keep_listed(core, conversation) => match never {},
    }
}

async fn keep_listed(core: &Core, conversation: &Conversation) -> Infallible {
    let mut listed = core.listed.subscribe();
    let listening = async {
        if conversation.upstream.era() == Era::Modern {
            listen::keep(core, conversation).await;
        }
        std::future::pending::<Infallible>().await
    };
    let reading = async {
        let owner = conversation.ears.session();
        core.subscribe_again(conversation, owner).await;
        let mut backoff = Backoff::default();
        loop {
            listed.borrow_and_update();
            let again = if lists::read(core, conversation).await {
                backoff.reset();
                let holds = freshness::stale_in(&core.state.load(), core.freshness);
                holds.map(|holds| Instant::now() + holds)
            } else {
                Some(Instant::now() + backoff.next())
            };
            tokio::select! {
                () = settled(&mut listed) => {}
                () = at(again) => {}
            }
        }
    };
    tokio::select! {
        never = listening => never,
        never = reading => never,
    }
}

/// Waits for a change of a list, and then until it is quiet.
async fn settled(listed: &mut watch::Receiver<u64>) {
    if listed.changed().await.is_err() {
        return std::future::pending().await;
    }
    let latest = Instant::now() + AT_MOST;
    loop {
        let quiet = (Instant::now() + QUIET).min(latest);
        tokio::select! {
            changed = listed.changed() => {
                if changed.is_err() || Instant::now() >= latest {
                    return;
                }
            }
            () = sleep_until(quiet) => return,
        }
    }
}

async fn at(when: Option<Instant>) {
    match when {
        Some(when) => sleep_until(when).await,
        None => std::future::pending().await,
    }
}

/// Waits before the next attempt; less long where somebody wants the server.
async fn pause(core: &Core, wait: Duration) {
    let wanted = async {
        sleep(WANTED).await;
        core.wanted.notified().await;
    };
    tokio::select! {
        () = sleep(wait) => {}
        () = wanted => {}
    }
}

fn down(core: &Core, reason: &str, retry_in: Option<Duration>) {
    let now = std::time::Instant::now();
    core.update(|state| {
        let since = match &state.phase {
            Phase::Down { since, .. } => *since,
            Phase::Starting | Phase::Ready => now,
        };
        state.phase = Phase::Down {
            since,
            found: now,
            reason: reason.to_owned(),
            retry_in,
        };
    });
}
