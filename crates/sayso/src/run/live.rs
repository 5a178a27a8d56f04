//! Reads live servers on one runtime, a limited number at the same time.

use std::rc::Rc;
use std::time::Duration;

use sayso_core::listing::{Completeness, Era, Listing, ObservationKind};
use sayso_mcp::{
    EraChoice as ReadEra, HttpKind, HttpTarget, Isolation, ReadError, ReadOptions, StdioCommand,
    Supervisor, Target,
};
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, LocalSet};

use super::progress::{Progress, TargetProgress};
use super::stop::Stop;
use super::{Read, RunOptions, eras};
use crate::audit_report::Unreadable;
use crate::cli::{EraChoice, SUPERVISE};
use crate::error::{Failure, chain};
use crate::targets::{HttpServer, PlannedTarget, Process, Source};

/// How long a server may take to answer a probe in the other era, beside twice what it took in
/// its own.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

type Outcome = Result<Read, Unreadable>;

/// Reads every live target; the number is its place among `targets`.
pub(super) fn read(
    targets: &[PlannedTarget],
    options: &RunOptions,
) -> Result<Vec<(usize, Outcome)>, Failure> {
    on_runtime(read_all(targets, options))?
}

/// Waits for what talks to servers, unless the program is asked to stop first.
///
/// # Errors
/// When it is asked to stop, or input and output cannot be set up.
pub(crate) fn to_the_end<T>(conversation: impl Future<Output = T>) -> Result<T, Failure> {
    on_runtime(async {
        let mut stop = Stop::listen();
        tokio::select! {
            outcome = conversation => Ok(outcome),
            code = stop.received() => Err(Failure::stopped(code)),
        }
    })?
}

fn on_runtime<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::usage("cannot set up input and output").source(error))?;
    let local = LocalSet::new();
    let outcome = local.block_on(&runtime, work);
    // Lets go of what is still held: closing a server's connection is what stops it.
    drop(local);
    Ok(outcome)
}

async fn read_all(
    targets: &[PlannedTarget],
    options: &RunOptions,
) -> Result<Vec<(usize, Outcome)>, Failure> {
    let live: Vec<(usize, &PlannedTarget)> = targets
        .iter()
        .enumerate()
        .filter(|(_, target)| target.is_live())
        .collect();
    let progress = Progress::new(live.len(), options.progress);
    let free = Rc::new(Semaphore::new(options.jobs));
    let mut reading: JoinSet<(usize, Outcome)> = JoinSet::new();
    for (index, target) in live {
        let (free, line, options) = (Rc::clone(&free), progress.target(target), options.clone());
        let to_read = mcp_target(target, &options);
        let secrets = target.secrets.clone();
        reading.spawn_local(async move {
            // The semaphore is never closed.
            let _permit = free.acquire().await;
            let outcome = match to_read {
                Ok(target) => read_one(&target, &options, &line).await,
                Err(unreadable) => Err(unreadable),
            };
            (index, scrubbed(outcome, &secrets))
        });
    }
    let mut stop = Stop::listen();
    let mut outcomes = Vec::new();
    loop {
        tokio::select! {
            joined = reading.join_next() => match joined {
                None => return Ok(outcomes),
                Some(Ok(outcome)) => {
                    progress.one_done();
                    outcomes.push(outcome);
                }
                // A reading that was lost is reported as not read.
                Some(Err(_)) => progress.one_done(),
            },
            code = stop.received() => {
                progress.clear();
                reading.shutdown().await;
                return Err(Failure::stopped(code));
            }
        }
    }
}

/// Reads one target and puts a failure into words.
async fn read_one(target: &Target, options: &RunOptions, line: &TargetProgress) -> Outcome {
    let reading = match options.era {
        EraChoice::Both => both_eras(target, options, line).await,
        EraChoice::Auto => in_era(target, options, line, ReadEra::Auto).await,
        EraChoice::Legacy => in_era(target, options, line, ReadEra::Legacy).await,
        EraChoice::Modern => in_era(target, options, line, ReadEra::Modern).await,
    };
    match reading {
        Ok(reading) => Ok(Read {
            listing: reading.listing,
            notes: reading.notes,
            stderr_tail: reading.stderr_tail,
            duration: reading.took,
        }),
        Err(error) => Err(unreadable(&error)),
    }
}

async fn in_era(
    target: &Target,
    options: &RunOptions,
    line: &TargetProgress,
    era: ReadEra,
) -> Result<sayso_mcp::Reading, ReadError> {
    let options = ReadOptions {
        start_timeout: options.start_timeout,
        request_timeout: options.timeout,
        era,
        read_twice: options.read_twice,
        on_progress: line.listener(),
        ..ReadOptions::default()
    };
    sayso_mcp::read_listing(target, &options).await
}

/// One reading in each era, each with a server of its own: a probe in the wrong era makes some
/// servers fail for good. One reading is enough for a listing; that there is nothing to compare
/// it with is a note.
async fn both_eras(
    target: &Target,
    options: &RunOptions,
    line: &TargetProgress,
) -> Result<sayso_mcp::Reading, ReadError> {
    let legacy = in_era(target, options, line, ReadEra::Legacy).await;
    let mut options = options.clone();
    if let Ok(legacy) = &legacy {
        // Some say nothing at all when they are asked in the modern way. How long this one
        // takes to start is known by now.
        let patience = legacy.took * 2 + PROBE_TIMEOUT;
        let start_timeout = options.start_timeout.unwrap_or(patience);
        options.start_timeout = Some(start_timeout.min(patience));
    }
    let modern = in_era(target, &options, line, ReadEra::Modern).await;
    match (legacy, modern) {
        (Ok(legacy), Ok(modern)) => Ok(compared(legacy, &modern.listing)),
        (Ok(reading), Err(error)) | (Err(error), Ok(reading)) => Ok(alone(reading, &error)),
        // What a server of the one era has to say in the other is beside the point.
        (Err(legacy), Err(modern)) if legacy.is_other_era() => Err(modern),
        (Err(legacy), Err(_)) => Err(legacy),
    }
}

/// A reading with a note that there is no other to compare it with.
fn alone(mut reading: sayso_mcp::Reading, error: &ReadError) -> sayso_mcp::Reading {
    let era = match reading.listing.server.era {
        Some(Era::Modern) => "up to 2025-11-25",
        _ => "from 2026-07-28 on",
    };
    reading.notes.push(format!(
        "there is no listing of the protocol {era} to compare with: {}",
        chain(&error.kind)
    ));
    reading
}

/// The first reading with what the second shows otherwise.
fn compared(mut legacy: sayso_mcp::Reading, modern: &Listing) -> sayso_mcp::Reading {
    if let Completeness::Incomplete(why) = &modern.completeness {
        legacy.notes.push(format!(
            "the listing of the protocol from 2026-07-28 on is incomplete, so nothing was compared: {why}"
        ));
    } else if legacy.listing.completeness == Completeness::Complete {
        let differences = eras::differences(&legacy.listing, modern);
        if let Some(first) = differences.first() {
            let (kind, count) = (ObservationKind::ErasDiffer, differences.len());
            legacy.listing.observe(kind, count, first.clone());
        }
    }
    legacy
}

/// The target as the wire crate takes it.
pub(crate) fn mcp_target(
    target: &PlannedTarget,
    options: &RunOptions,
) -> Result<Target, Unreadable> {
    match &target.source {
        Source::Process(process) => stdio(process, options).map(Target::Stdio),
        Source::Http(server) => http(server).map(Target::Http),
        Source::Saved(_) | Source::StandardInput | Source::Unreadable(_) => {
            Err(Unreadable::new("it is no live server"))
        }
    }
}

fn stdio(process: &Process, options: &RunOptions) -> Result<StdioCommand, Unreadable> {
    let program = std::env::current_exe().map_err(|error| {
        Unreadable::new(format!("cannot find this program's own file: {error}"))
    })?;
    Ok(StdioCommand {
        env: process
            .environment
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        cwd: process.directory.clone(),
        isolation: Isolation {
            no_network: options.no_network,
            private_home: options.private_home,
        },
        supervisor: Some(Supervisor {
            program,
            args: vec![SUPERVISE.into()],
        }),
        ..StdioCommand::new(&process.program, &process.arguments)
    })
}

/// The server as the wire crate takes it.
pub(crate) fn http(server: &HttpServer) -> Result<HttpTarget, Unreadable> {
    let wrong = |error: sayso_mcp::TargetError| Unreadable::new(chain(&error)).hint(error.hint());
    let kind = if server.sse {
        HttpKind::Sse
    } else {
        HttpKind::Auto
    };
    let mut target = HttpTarget::new(&server.url).map_err(wrong)?.with_kind(kind);
    for (name, value) in &server.headers {
        target = target.with_header(name, value).map_err(wrong)?;
    }
    match &server.bearer {
        Some(token) => target.with_bearer(token).map_err(wrong),
        None => Ok(target),
    }
}

fn unreadable(error: &ReadError) -> Unreadable {
    Unreadable {
        message: chain(&error.kind),
        hint: error.hint(),
        details: error.stderr_tail.clone(),
    }
}

/// Without anything that must not be shown: servers like to print what they were given.
fn scrubbed(outcome: Outcome, secrets: &crate::redact::Secrets) -> Outcome {
    let lines = |lines: Vec<String>| lines.iter().map(|line| secrets.scrub(line)).collect();
    match outcome {
        Ok(mut read) => {
            for observation in &mut read.listing.observations {
                observation.detail = secrets.scrub(&observation.detail);
            }
            if let Completeness::Incomplete(reason) = &mut read.listing.completeness {
                *reason = secrets.scrub(reason);
            }
            Ok(Read {
                stderr_tail: lines(read.stderr_tail),
                notes: lines(read.notes),
                ..read
            })
        }
        Err(Unreadable {
            message,
            hint,
            details,
        }) => Err(Unreadable {
            message: secrets.scrub(&message),
            hint: hint.map(|hint| secrets.scrub(&hint)),
            details: lines(details),
        }),
    }
}
