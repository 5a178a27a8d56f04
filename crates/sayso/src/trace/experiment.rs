//! The experiment: the same calls by every caller, the changes of the listing, and what only a gate
//! stops.

use std::time::Duration;

use sayso_audit::hosts::Column;
use sayso_core::effective::Trust;
use sayso_core::listing::{Listing, ServerIdentity};
use sayso_mcp::{ReadError, ReadOptions, Target};
use sayso_scratch::settings::Assignment;

use super::conversation::Conversation;
use super::gateway::{GatePlan, Stance};
use super::host::Caller;
use super::script::{Script, ScriptedCall};
use super::subject::Subject;
use super::trials::Ground;
use super::{GateLeg, Leg, ListedTool, Revision, Trace, Trial, leg, passage};
use crate::cli::EraChoice;
use crate::error::{Failure, chain};
use crate::exit;
use crate::run::RunOptions;

/// How long a host waits to hear of a change before it makes its next call.
pub(super) const TIME_TO_HEAR: Duration = Duration::from_secs(5);

/// The same where nothing is to be heard: to show that nothing is.
pub(super) const TIME_TO_HEAR_NOTHING: Duration = Duration::from_millis(500);

/// The tool whose declaration is put right while a host is connected.
const REVISED: &str = "purge_tenant";

/// Runs the whole experiment.
pub(crate) async fn run<'p>(
    subject: &Subject,
    script: &Script,
    host: Column<'p>,
    plan: Option<&GatePlan>,
    options: &RunOptions,
) -> Result<Trace<'p>, Failure> {
    let bare = calls(subject, script, Caller::Bare, options);
    let gated = calls(subject, script, Caller::host(host), options);
    let mut notes = Vec::new();
    let through = through(subject, script, plan, options);
    let (bare, gated, gateway, revisions, trials) = if subject.is_scratch() {
        // Everyone has a server and a store of their own, so that nobody waits for another.
        let changed = |told| revision(subject, script, host, told, options);
        let trials = trials(subject, script, host, plan, options);
        let (bare, gated, gateway, silent, told, trials) =
            tokio::try_join!(bare, gated, through, changed(false), changed(true), trials)?;
        (bare, gated, gateway, vec![silent, told], trials)
    } else {
        notes.push(
            match plan {
                None => {
                    "the same server was called by both, the bare client first: what its calls did \
                     was there for the host's"
                }
                Some(_) => {
                    "the same server was called by all, the bare client first and through the gate \
                     last: what earlier calls did was there for later ones"
                }
            }
            .to_owned(),
        );
        (
            bare.await?,
            gated.await?,
            through.await?,
            Vec::new(),
            Vec::new(),
        )
    };
    notes.extend(
        [&bare, &gated]
            .into_iter()
            .filter_map(|calls| calls.incomplete.clone()),
    );
    notes.dedup();
    Ok(Trace {
        server: bare.server,
        target: subject.shown(),
        is_scratch: subject.is_scratch(),
        listing: listed(&bare.listing, &host),
        host,
        stale_since: None,
        bare: bare.leg,
        gated: gated.leg,
        gateway,
        trials,
        revisions,
        notes,
    })
}

/// What one caller's calls gave.
struct Calls {
    server: ServerIdentity,
    listing: Listing,
    incomplete: Option<String>,
    leg: Leg,
}

async fn calls(
    subject: &Subject,
    script: &Script,
    mut caller: Caller<'_>,
    options: &RunOptions,
) -> Result<Calls, Failure> {
    let instance = subject.instance(options, &[])?;
    let mut conversation = begin(&instance.target, options).await?;
    let listing = conversation.listing().clone();
    let incomplete = conversation.incomplete();
    let incomplete = incomplete.map(|why| format!("the listing is incomplete: {why}"));
    let leg = leg::run(&mut conversation, &mut caller, script, &instance.window).await;
    conversation.end().await;
    Ok(Calls {
        server: listing.server.clone(),
        listing,
        incomplete,
        leg: leg.map_err(unreadable)?,
    })
}

/// The calls of a bare client with the gate between.
async fn through(
    subject: &Subject,
    script: &Script,
    plan: Option<&GatePlan>,
    options: &RunOptions,
) -> Result<Option<GateLeg>, Failure> {
    let Some(plan) = plan else { return Ok(None) };
    let instance = subject.instance(options, &[])?;
    let stance = subject.is_scratch().then_some(Stance {
        trust: Trust::Trusted,
        ..Stance::default()
    });
    let gateway = plan
        .start(&instance.planned, stance.as_ref(), script, options)
        .await?;
    let mut conversation = gateway.connect(options).await?;
    let leg = passage::run(&mut conversation, &gateway, script, &instance.window).await;
    conversation.end().await;
    let trust = gateway.trust;
    gateway.end().await;
    let policies = plan.policies.iter();
    Ok(Some(GateLeg {
        policies: policies.map(|policy| policy.name.clone()).collect(),
        trust,
        leg: leg?,
    }))
}

async fn trials(
    subject: &Subject,
    script: &Script,
    host: Column<'_>,
    plan: Option<&GatePlan>,
    options: &RunOptions,
) -> Result<Vec<Trial>, Failure> {
    let Some(plan) = plan else {
        return Ok(Vec::new());
    };
    let ground = Ground {
        subject,
        script,
        host,
        plan,
        options,
    };
    ground.all().await
}

/// A tool says that it only reads, and is put right while a host is connected.
async fn revision(
    subject: &Subject,
    script: &Script,
    host: Column<'_>,
    told: bool,
    options: &RunOptions,
) -> Result<Revision, Failure> {
    let how = if told {
        "list-changed=notify"
    } else {
        "list-changed=silent"
    };
    let wrong = ["purge_tenant.readOnlyHint=true", how].map(assignment);
    let wrong: Vec<Assignment> = wrong.into_iter().collect::<Result<_, _>>()?;
    let right = [assignment("purge_tenant.readOnlyHint=default")?];
    let instance = subject.instance(options, &wrong)?;
    let mut conversation = begin(&instance.target, options).await?;
    let mut caller = Caller::host(host);
    conversation.listen().await;
    let declared = |listing: &Listing| {
        let tool = listing
            .tools()
            .find(|tool| tool.name().as_deref() == Some(REVISED));
        tool.map(|tool| tool.claims().states()).unwrap_or_default()
    };
    let declared_before = declared(conversation.listing());
    let window = &instance.window;
    let call = |tenant: &str| ScriptedCall::new(REVISED, [("tenant", tenant)]);
    let first = call("larkspur");
    let before = leg::call(&mut conversation, &mut caller, script, &first, window)
        .await
        .map_err(unreadable)?;
    instance.change(&right).await?;
    let patience = if told {
        TIME_TO_HEAR
    } else {
        TIME_TO_HEAR_NOTHING
    };
    let heard = conversation.heard_of_change(patience).await;
    let listed_again = heard && caller.lists_again();
    if listed_again {
        conversation.list_again().await.map_err(unreadable)?;
    }
    let second = call("tidewater");
    let after = leg::call(&mut conversation, &mut caller, script, &second, window)
        .await
        .map_err(unreadable)?;
    // What somebody else is told who lists it now.
    let stranger = begin(&instance.target, options).await?;
    let declared_after = declared(stranger.listing());
    stranger.end().await;
    conversation.end().await;
    Ok(Revision {
        told,
        tool: REVISED,
        declared_before,
        declared_after,
        heard,
        listed_again,
        profile: host.behaviour.list_change.on_notification,
        before,
        after,
    })
}

pub(super) async fn begin(target: &Target, options: &RunOptions) -> Result<Conversation, Failure> {
    let options = ReadOptions {
        start_timeout: options.start_timeout,
        request_timeout: options.timeout,
        era: match options.era {
            // A trace is of one conversation: see `TraceArgs`.
            EraChoice::Auto | EraChoice::Both => sayso_mcp::EraChoice::Auto,
            EraChoice::Legacy => sayso_mcp::EraChoice::Legacy,
            EraChoice::Modern => sayso_mcp::EraChoice::Modern,
        },
        ..ReadOptions::default()
    };
    Conversation::begin(target.clone(), options)
        .await
        .map_err(unreadable)
}

fn listed(listing: &Listing, host: &Column<'_>) -> Vec<ListedTool> {
    let tools = listing.tools().map(|tool| ListedTool {
        name: tool.label().into_owned(),
        claims: tool.claims().states(),
        title: host.title(tool).map(|(_, title)| title.into_owned()),
    });
    tools.collect()
}

pub(super) fn assignment(text: &str) -> Result<Assignment, Failure> {
    Assignment::parse(text)
        .map_err(|error| Failure::usage("a setting of the experiment is wrong").source(error))
}

pub(super) fn unreadable(error: ReadError) -> Failure {
    let hint = error.hint();
    Failure::usage(chain(&error))
        .hint_if_known(hint)
        .code_of(exit::UNREADABLE)
}
