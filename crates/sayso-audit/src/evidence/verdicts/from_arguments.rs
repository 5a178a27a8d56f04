//! Signals from what the arguments let a caller do.

use sayso_core::hint::Hint::{Destructive, Idempotent, OpenWorld, ReadOnly};

use super::Strength::{Certain, Fair, Strong, Weak};
use super::{Kind, Quote, Scale, Strength, modes, operations, quote_of};
use crate::evidence::act::Act;
use crate::evidence::arguments::{Argument, Power, Takes};
use crate::evidence::lexicon::Forms;
use crate::evidence::phrases::Fact;
use crate::evidence::statements::Says;

pub(super) fn weigh(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    for (number, argument) in evidence.arguments.iter().enumerate() {
        if !scale.lexicon.is_telling(&argument.name) {
            continue;
        }
        if argument.top && modes::chooses(argument) {
            mode(scale, number, argument);
        }
        let quote = Quote::Argument { argument: number };
        if forces(scale, argument) {
            let label = "allows to replace what is there";
            scale
                .on(Kind::WritingArgument, label, quote.clone())
                .put(Destructive, true, Fair);
        }
        match argument.power(scale.lexicon) {
            Some(Power::Path) => path(scale, argument, quote),
            Some(Power::Overwrite) => overwrite(scale, quote),
            Some(Power::Acknowledge) => {
                let label = "marks the items or takes them off a queue";
                scale
                    .on(Kind::WritingArgument, label, quote)
                    .put(ReadOnly, false, Strong);
            }
            Some(Power::Act(act)) => switch(scale, act, argument, quote),
            Some(Power::Shell | Power::Code | Power::Statement) => {
                let power = argument.power(scale.lexicon);
                free_form(scale, power, argument, quote);
            }
            Some(Power::Address) => address(scale, quote),
            Some(Power::RepeatKey) => {
                let label = "makes a repeat with the same key harmless";
                scale
                    .on(Kind::SaysIdempotent, label, quote)
                    .put(Idempotent, true, Fair);
            }
            None if !argument.members.is_empty() => conflict_policy(scale, number, argument),
            None => {}
        }
    }
    queries(scale);
    dispatcher(scale);
    operations::weigh(scale);
}

/// `force` of a push, an upload, a move, unless it is said to be about something else.
fn forces(scale: &Scale<'_, '_>, argument: &Argument<'_>) -> bool {
    const REPLACES: [&str; 6] = ["overw", "replac", "exist", "histor", "force", "remote"];
    let described = argument
        .description
        .and_then(|text| scale.evidence.texts.get(text));
    let brings = |act| matches!(act, Act::Bring | Act::Publish | Act::Move | Act::Save);
    argument.takes == Takes::Boolean
        && matches!(argument.name.as_ref(), "force" | "force_push" | "forcePush")
        && described.is_none_or(|text| {
            let lower = text.decoded.to_ascii_lowercase();
            REPLACES.iter().any(|word| lower.contains(word))
        })
        && !scale.has_fact(Fact::AddsOnly)
        && scale.has_head(brings)
}

fn mode(scale: &mut Scale<'_, '_>, number: usize, argument: &Argument<'_>) {
    let acts = modes::acts(argument, scale.lexicon);
    let writes = acts.iter().filter(|(_, act)| act.writes()).count();
    let reads = acts.iter().filter(|(_, act)| *act == Act::Read).count();
    // A filter of a reader names acts too: `action: create | update | delete` of an audit log;
    // `open | closed` are states.
    let states = argument.members.iter().any(|member| {
        let verb = scale.lexicon.verb_named(member);
        verb.is_some_and(|verb| verb.forms.has(Forms::PAST) && !verb.forms.has(Forms::BASE))
    });
    let reader = scale.reads_by_verb();
    let filter = reader && (reads == 0 || asks_about_acts(scale));
    if writes == 0 || filter || states || acts.len() * 2 < argument.members.len() {
        return;
    }
    // Of a reader, an optional one may still be a filter.
    let certain = reads > 0 && writes > 0 && !reader;
    for (member, act) in acts {
        let quote = || Quote::Members {
            argument: number,
            member,
        };
        if act.writes() {
            let strength = if certain && (act.destroys() || matches!(act, Act::Add | Act::Save)) {
                Certain
            } else {
                Strong
            };
            scale
                .on(Kind::Mode, "writes", quote())
                .put(ReadOnly, false, strength);
        }
        let destroys = match act {
            Act::Remove => Some(Certain),
            Act::Replace => Some(Strong),
            Act::Update => Some(Fair),
            _ if takes_away(argument, member) => Some(Fair),
            _ => None,
        };
        if let Some(strength) = destroys {
            scale
                .on(Kind::Mode, "removes or overwrites", quote())
                .put(Destructive, true, strength);
        }
        let again = match act {
            Act::Send => Some(Fair),
            Act::Add
                if !argument
                    .members
                    .get(member)
                    .is_some_and(|name| name.eq_ignore_ascii_case("add")) =>
            {
                Some(Fair)
            }
            Act::Step => Some(Strong),
            _ => None,
        };
        if let Some(strength) = again {
            scale
                .on(Kind::Mode, "acts again on each call", quote())
                .put(Idempotent, false, strength);
        }
    }
}

/// Values that put an end to what is there, by whatever verb: `drain` a node, `expire` a key.
fn takes_away(argument: &Argument<'_>, member: usize) -> bool {
    argument.members.get(member).is_some_and(|name| {
        ["drain", "expire", "terminate"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word))
    })
}

/// Whether what is read is a record of acts: an audit log, a history, permissions.
fn asks_about_acts(scale: &Scale<'_, '_>) -> bool {
    scale.tells(&[
        "audit",
        "histor",
        "event",
        "activit",
        "trail",
        "permission",
        "changes",
        "log of",
        "logs",
        "whether",
        "allowed",
    ])
}

/// A path the result is written to.
fn path(scale: &mut Scale<'_, '_>, argument: &Argument<'_>, quote: Quote) {
    let first = argument.parts().into_iter().next().unwrap_or_default();
    // `target` and `destination` name other things too.
    let vague = matches!(
        first.as_str(),
        "target" | "destination" | "dest" | "local" | "store"
    );
    let strength = if vague && !describes_writing(scale, argument) {
        Fair
    } else {
        Strong
    };
    scale
        .on(
            Kind::WritingArgument,
            "names a file that is written",
            quote.clone(),
        )
        .put(ReadOnly, false, strength);
    scale
        .on(
            Kind::WritingArgument,
            "may name a file that is there already",
            quote,
        )
        .put(Destructive, true, Weak);
}

fn describes_writing(scale: &Scale<'_, '_>, argument: &Argument<'_>) -> bool {
    argument.description.is_some_and(|text| {
        scale.evidence.statements.iter().any(|statement| {
            statement.text == text
                && matches!(
                    statement.says,
                    Says::Fact(Fact::WritesFile | Fact::NamesFile)
                )
        })
    })
}

fn overwrite(scale: &mut Scale<'_, '_>, quote: Quote) {
    let label = "allows to replace what is there";
    let strength = if scale.reads_by_verb() { Weak } else { Fair };
    scale
        .on(Kind::WritingArgument, label, quote.clone())
        .put(ReadOnly, false, strength);
    scale
        .on(Kind::WritingArgument, label, quote)
        .put(Destructive, true, Strong);
}

fn switch(scale: &mut Scale<'_, '_>, act: Act, argument: &Argument<'_>, quote: Quote) {
    // A switch of a writer says nothing new unless it removes.
    let described = argument.description.is_some_and(|text| {
        scale.evidence.statements.iter().any(|statement| {
            statement.text == text
                && matches!(
                    statement.says,
                    Says::Fact(Fact::WritesFile | Fact::NamesFile | Fact::Loses | Fact::Consumes)
                )
        })
    });
    let strength = if described || matches!(act, Act::Remove | Act::Claim | Act::Send) {
        Strong
    } else {
        Fair
    };
    scale
        .on(Kind::WritingArgument, "switches a change on", quote.clone())
        .put(ReadOnly, false, strength);
    if act == Act::Remove {
        scale
            .on(Kind::WritingArgument, "switches a removal on", quote)
            .put(Destructive, true, Fair);
    }
}

/// `on_conflict: skip | replace`.
fn conflict_policy(scale: &mut Scale<'_, '_>, number: usize, argument: &Argument<'_>) {
    let parts = argument.parts();
    let named = parts.iter().any(|part| {
        matches!(
            part.as_str(),
            "conflict"
                | "conflicts"
                | "exists"
                | "existing"
                | "duplicate"
                | "duplicates"
                | "strategy"
                | "collision"
                | "policy"
        )
    });
    let Some(member) = argument.members.iter().position(|member| {
        let lower = member.to_ascii_lowercase();
        ["overwrite", "replace", "clobber", "force", "truncate"]
            .iter()
            .any(|word| lower.contains(word))
    }) else {
        return;
    };
    let write_mode = parts
        .last()
        .is_some_and(|part| matches!(part.as_str(), "mode" | "behavior" | "behaviour" | "action"));
    if named || write_mode {
        let label = "replaces what is there";
        let quote = Quote::Members {
            argument: number,
            member,
        };
        scale
            .on(Kind::WritingArgument, label, quote)
            .put(Destructive, true, Strong);
    }
}

/// Languages an expression can do anything in.
const LANGUAGES: [&str; 6] = ["script", " js", "python", " ruby ", " lua ", " perl "];

/// Code, a command or a statement that the caller writes.
fn free_form(
    scale: &mut Scale<'_, '_>,
    power: Option<Power>,
    argument: &Argument<'_>,
    quote: Quote,
) {
    let runs = scale.has_fact(Fact::ExecutesCode)
        || scale.has_head(|act| matches!(act, Act::Run))
        || scale.heads.is_empty() && scale.named(|act| act == Act::Run)
        || power == Some(Power::Code)
            && scale.named(|act| matches!(act, Act::Run | Act::Compute | Act::Make))
            && argument.required
        || power == Some(Power::Shell) && argument.name == "argv"
        || power == Some(Power::Statement)
            && (!scale.reads_by_verb() || takes_any_statement(scale, argument));
    if !runs
        || scale.has_fact(Fact::ReadsOnly)
        || scale.tells(&[
            "math",
            "mathematical",
            "arithmetic",
            "select only",
            "only select",
            "cron",
            "regex",
            "promql",
            "formula",
        ])
    {
        return;
    }
    if argument.name == "expression" && !scale.tells(&LANGUAGES) {
        return;
    }
    let (strength, label) = match power {
        Some(Power::Statement) => (Strong, "takes any statement the caller writes"),
        Some(Power::Code) => (Certain, "takes any code the caller writes"),
        _ => (Strong, "takes any command the caller writes"),
    };
    anything(
        scale,
        strength,
        label,
        &quote,
        power != Some(Power::Statement),
    );
}

/// `sql (any statement)`: said of the argument itself.
fn takes_any_statement(scale: &Scale<'_, '_>, argument: &Argument<'_>) -> bool {
    let text = argument
        .description
        .and_then(|number| scale.evidence.texts.get(number));
    text.is_some_and(|text| {
        let lower = text.decoded.to_ascii_lowercase();
        ["any statement", "any sql", "arbitrary", "insert", "ddl"]
            .iter()
            .any(|word| lower.contains(word))
            && !["only", "not ", "no ", "refused", "rejected"]
                .iter()
                .any(|word| lower.contains(word))
    })
}

fn anything(
    scale: &mut Scale<'_, '_>,
    strength: Strength,
    label: &'static str,
    quote: &Quote,
    reaches_out: bool,
) {
    scale
        .on(Kind::FreeForm, label, quote.clone())
        .put(ReadOnly, false, strength);
    scale
        .on(Kind::FreeForm, label, quote.clone())
        .put(Destructive, true, Strong);
    scale
        .on(Kind::FreeForm, label, quote.clone())
        .put(Idempotent, false, Strong);
    // What one's own tenant lets a request reach is contested; a shell reaches everything.
    let strength = if reaches_out { Fair } else { Weak };
    scale
        .on(Kind::FreeForm, label, quote.clone())
        .put(OpenWorld, true, strength);
}

/// An argument `query` is a statement where the prose says so.
fn queries(scale: &mut Scale<'_, '_>) {
    let evidence = scale.evidence;
    let Some(number) = evidence.arguments.iter().position(|argument| {
        argument.top
            && matches!(
                argument.name.as_ref(),
                "query"
                    | "document"
                    | "pipeline"
                    | "statement"
                    | "queries"
                    | "operation"
                    | "mutation"
            )
    }) else {
        return;
    };
    if !scale.has_fact(Fact::ExecutesCode) || scale.has_fact(Fact::ReadsOnly) {
        return;
    }
    // What the argument's own description says counts as well: `query (queries and mutations)`.
    let mutates = evidence
        .arguments
        .get(number)
        .and_then(|argument| evidence.texts.get(argument.description?))
        .is_some_and(|text| text.decoded.contains("mutation"));
    if (mutates || scale.tells(&["sql", "cypher", "mutation", "statement"]))
        && !scale.tells(&["select", "read-only", "readonly"])
    {
        let quote = Quote::Argument { argument: number };
        anything(
            scale,
            Strong,
            "takes any statement the caller writes",
            &quote,
            false,
        );
    }
}

/// Names of arguments that say which operation is run.
const OPERATIONS: [&str; 18] = [
    "tool_name",
    "tool",
    "toolname",
    "action_slug",
    "action_name",
    "action",
    "operation_id",
    "operation_name",
    "operation",
    "operationid",
    "function_name",
    "endpoint",
    "recipe",
    "slug",
    "method_name",
    "procedure",
    "action_id",
    "actionid",
];

/// Names of arguments that carry what an operation is run with.
const PAYLOADS: [&str; 12] = [
    "arguments",
    "args",
    "input",
    "inputs",
    "params",
    "parameters",
    "body",
    "payload",
    "json",
    "variables",
    "data",
    "kwargs",
];

/// The first argument at the top without an enum that has one of these names.
fn named(scale: &Scale<'_, '_>, names: &[&str]) -> Option<usize> {
    scale.evidence.arguments.iter().position(|argument| {
        argument.top
            && argument.members.is_empty()
            && names
                .iter()
                .any(|name| argument.name.eq_ignore_ascii_case(name))
    })
}

/// `method` and `path`: any request to an interface.
fn requests(scale: &Scale<'_, '_>) -> Option<usize> {
    named(scale, &["path", "endpoint", "url", "uri", "route"])?;
    let arguments = &scale.evidence.arguments;
    let method = arguments.iter().position(|argument| {
        argument.top
            && matches!(
                argument.name.to_ascii_lowercase().as_str(),
                "method" | "verb" | "http_method"
            )
    })?;
    let members = &arguments.get(method)?.members;
    let reads =
        |member: &str| member.eq_ignore_ascii_case("get") || member.eq_ignore_ascii_case("head");
    (members.is_empty() || !members.iter().all(|member| reads(member))).then_some(method)
}

/// An operation of the caller's choice: `tool_name` and `arguments`, `method` and `path`.
fn dispatcher(scale: &mut Scale<'_, '_>) {
    let runs = scale.has_head(|act| act == Act::Run || act == Act::Send)
        || scale.has_fact(Fact::Anything)
        || scale.heads.is_empty() && scale.named(|act| act == Act::Run);
    let whole = named(scale, &PAYLOADS).is_some() || scale.has_fact(Fact::Anything);
    if let Some(argument) = requests(scale) {
        anything(
            scale,
            Strong,
            "takes any request the caller makes",
            &Quote::Argument { argument },
            false,
        );
    } else if let Some(argument) = named(scale, &OPERATIONS).filter(|_| runs && whole) {
        anything(
            scale,
            Strong,
            "names whatever operation is run",
            &Quote::Argument { argument },
            false,
        );
    } else if let Some(statement) = scale
        .evidence
        .statements
        .iter()
        .find(|statement| statement.says == Says::Fact(Fact::Anything))
    {
        anything(
            scale,
            Strong,
            "runs whatever operation the caller names",
            &quote_of(statement),
            false,
        );
    }
}

/// An address of the caller's choice.
fn address(scale: &mut Scale<'_, '_>, quote: Quote) {
    let fetches = (scale.reads_by_verb()
        || scale.has_head(|act| {
            matches!(
                act,
                Act::Bring | Act::Interact | Act::Make | Act::Select | Act::Compute
            )
        }))
        && scale.tells(&[
            "web",
            "page",
            "site",
            "http",
            "link",
            "fetch",
            "download",
            "crawl",
            "scrape",
            "feed",
            "browser",
            "online",
            "behind",
            "from a url",
            "from the url",
            "from url",
        ])
        && (scale.tells(&["http://", "https://"]) || !scale.tells(&["://"]));
    // Kept as a reference, an address is only a value.
    let keeps = scale.has_head(Act::writes)
        && !scale.has_head(|act| {
            matches!(
                act,
                Act::Bring | Act::Interact | Act::Run | Act::Select | Act::Trigger | Act::Job
            )
        });
    if keeps {
        return;
    }
    let strength = if fetches { Strong } else { Weak };
    scale
        .on(
            Kind::SaysOpenWorld,
            "takes any address the caller chooses",
            quote,
        )
        .put(OpenWorld, true, strength);
}
