//! All that is known of one host.

use std::fmt::Write as _;

use super::super::behaviour::{
    Behaviour, Facet, ListChange, Mode, OnListChange, Outcome, Parser, ParserEvidence, Retry,
    RetryCause, Rule, TitleSource,
};
use super::super::profile::{Confidence, HostKind, HostProfile};
use super::super::reference_page::anchor;
use super::remark;

pub(super) fn section(page: &mut String, host: &HostProfile, behaviour: &Behaviour) {
    // Writing to a string cannot fail.
    let _ = write!(page, "\n### {}\n\n", host.name);
    let _ = writeln!(
        page,
        "`{}`{}. [Documentation]({})\n",
        host.id,
        remark(host.kind),
        host.documentation,
    );
    let version = format!("{}, of {}.", behaviour.version, behaviour.date_read);
    item(page, "version", &version);
    item(
        page,
        "known from",
        &format!("{}.", rests_on(behaviour.confidence)),
    );
    let reads = match behaviour.reads.as_slice() {
        [] => "nothing in `annotations`".to_owned(),
        keys => listed(keys.iter().map(|key| format!("`{}`", key.key()))),
    };
    item(page, "reads", &format!("{reads}."));
    item(page, "absent", &behaviour.absent);
    item(page, "malformed", &malformed(behaviour));
    item(page, "title", &title(behaviour));
    item(
        page,
        "changed listing",
        &list_change(&behaviour.list_change),
    );
    if host.kind.calls_tools() {
        item(page, "repeats", &retry(&behaviour.retry));
    }
    facets(page, behaviour);
    if !behaviour.client_names.is_empty() {
        let names = behaviour
            .client_names
            .iter()
            .map(|name| format!("`{name}`"));
        item(page, "introduces itself as", &format!("{}.", listed(names)));
    }
    for mode in &behaviour.modes {
        mode_section(page, mode, host.kind);
    }
    list(page, "Remarks", &behaviour.notes);
    list(page, "Faults and contradictions", &behaviour.bugs);
    list(page, "Sources", &behaviour.sources);
}

fn item(page: &mut String, name: &str, text: &str) {
    let _ = writeln!(page, "- {name}: {text}");
}

fn list(page: &mut String, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = write!(page, "\n{heading}:\n\n");
    for item in items {
        let _ = writeln!(page, "- {item}");
    }
}

fn mode_section(page: &mut String, mode: &Mode, kind: HostKind) {
    let default = if mode.default { ", the default" } else { "" };
    let _ = write!(page, "\n**{}** (`{}`{default})", mode.name, mode.id);
    if let Some(needs) = &mode.needs {
        let _ = write!(page, ", needs: {needs}");
    }
    if let Some(confidence) = mode.confidence {
        let _ = write!(page, "; known from {}", rests_on(confidence));
    }
    page.push_str("\n\n");
    for rule in &mode.rules {
        let does = match rule.then {
            Outcome::Allow if !kind.calls_tools() => "accepts the tool",
            Outcome::Deny if !kind.calls_tools() => "refuses the tool",
            outcome => outcome.meaning(),
        };
        let _ = writeln!(
            page,
            "- {}: {does}.{}",
            when(rule, &mode.rules),
            noted(&rule.note)
        );
    }
    if let Some(note) = &mode.note {
        let _ = write!(page, "\n{note}\n");
    }
}

/// What a rule asks for, where hints may be anything when it is the only one.
fn when<T>(rule: &Rule<T>, rules: &[Rule<T>]) -> String {
    if rule.when.is_empty() {
        let everything = if rules.len() == 1 {
            "every tool"
        } else {
            "anything else"
        };
        return everything.to_owned();
    }
    let hints = rule.when.hints.iter().filter_map(|(hint, wanted)| {
        let wanted = wanted.as_ref()?.as_str();
        Some(format!("`{hint}` is {wanted}"))
    });
    let marks = rule.when.marks.iter().map(|mark| member(mark));
    let parts: Vec<String> = hints.chain(marks).collect();
    parts.join(" and ")
}

/// That a member of the tool is true, named by its keys instead of its JSON pointer.
fn member(pointer: &str) -> String {
    let keys = pointer.split('/').skip(1);
    let keys: Vec<String> = keys
        .map(|key| key.replace("~1", "/").replace("~0", "~"))
        .collect();
    match keys.split_last() {
        Some((key, [])) => format!("`{key}` is true"),
        Some((key, parents)) => format!("`{key}` in `{}` is true", parents.join(".")),
        None => String::new(),
    }
}

fn noted(note: &Option<String>) -> String {
    note.as_ref()
        .map_or_else(String::new, |note| format!(" {note}"))
}

fn malformed(behaviour: &Behaviour) -> String {
    let parser = behaviour.parser.as_deref().and_then(Parser::find);
    match parser {
        Some(parser) => {
            let evidence = match behaviour.parser_evidence {
                ParserEvidence::Seen => "as was read or watched",
                ParserEvidence::Inferred => {
                    "inferred from what it is built with; its version may differ"
                }
            };
            let (name, link) = (&parser.name, anchor(&parser.name));
            format!("as [{name}](#{link}) ({evidence}).")
        }
        None => "not known.".to_owned(),
    }
}

fn title(behaviour: &Behaviour) -> String {
    format!(
        "{}.{}",
        title_order(behaviour),
        noted(&behaviour.title_note)
    )
}

/// Where a title comes from, in words.
pub(super) fn title_order(behaviour: &Behaviour) -> String {
    let places = behaviour.title.iter().map(|source| match source {
        TitleSource::Title => "`title`",
        TitleSource::AnnotationTitle => "`annotations.title`",
        TitleSource::Name => "`name`",
    });
    let places: Vec<&str> = places.collect();
    match places.as_slice() {
        [] => "not known".to_owned(),
        [only] => format!("{only} alone"),
        several => several.join(", else "),
    }
}

fn list_change(change: &ListChange) -> String {
    let told = match change.on_notification {
        OnListChange::ListsAgain => "read again when the server tells of it.",
        OnListChange::Ignores => "the notification is ignored.",
        OnListChange::Unknown => "what the notification does is not known.",
    };
    let by_itself = match change.lists_again_after_seconds {
        Some(0) => " It is read before every turn of the model.".to_owned(),
        Some(seconds) => format!(" It is read again after {seconds} seconds."),
        None => String::new(),
    };
    format!("{told}{by_itself}{}", noted(&change.note))
}

pub(super) fn retry(retry: &Retry) -> String {
    if retry.after.is_empty() {
        let known = if retry.known {
            "no call is sent again by the host itself, as far as was found."
        } else {
            "not known."
        };
        return format!("{known}{}", noted(&retry.note));
    }
    let causes = retry.after.iter().map(|cause| match cause {
        RetryCause::TimeOut => "no answer came in time".to_owned(),
        RetryCause::ConnectionLost => "the connection was lost".to_owned(),
    });
    let needs = retry.needs.as_ref();
    let needs = needs.map_or_else(String::new, |needs| format!(", if {needs}"));
    format!(
        "a call is sent again, at most {}, when {}{needs}: {}.{}",
        match retry.times {
            1 => "once".to_owned(),
            times => format!("{times} times"),
        },
        causes.collect::<Vec<_>>().join(" or "),
        answers(&retry.rules),
        noted(&retry.note),
    )
}

fn facets(page: &mut String, behaviour: &Behaviour) {
    let facets: [(&str, &Option<Facet<bool>>); 3] = [
        ("runs beside other calls", &behaviour.parallel),
        ("result goes to a person first", &behaviour.result_review),
        ("result is kept and given again", &behaviour.result_cache),
    ];
    for (name, facet) in facets {
        if let Some(facet) = facet {
            item(
                page,
                name,
                &format!("{}.{}", answers(&facet.rules), noted(&facet.note)),
            );
        }
    }
}

/// `readOnlyHint is true: yes (why); anything else: no`.
fn answers(rules: &[Rule<bool>]) -> String {
    if let [only] = rules
        && only.note.is_none()
    {
        return if only.then { "every tool" } else { "no tool" }.to_owned();
    }
    let answers = rules.iter().map(|rule| {
        let answer = if rule.then { "yes" } else { "no" };
        let why = rule.note.as_ref().map_or_else(String::new, |note| {
            format!(
                " ({})",
                uncapitalized(note.strip_suffix('.').unwrap_or(note))
            )
        });
        format!("{}: {answer}{why}", when(rule, rules))
    });
    answers.collect::<Vec<_>>().join("; ")
}

const fn rests_on(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Source => "its source, or watching it",
        Confidence::Secondary => "others who quote or describe it",
        Confidence::Docs => "its documentation",
        Confidence::Hearsay => "threads and forum posts only",
    }
}

/// A sentence as it stands within another.
fn uncapitalized(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// `a, b and c`.
fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
