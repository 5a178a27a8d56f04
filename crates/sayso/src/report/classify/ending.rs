//! What came of the answers: the rulings, the annotations they propose, and the counts again.

use sayso_audit::hosts::{Overlay, OverlayTool};
use sayso_audit::summary::Summary;
use sayso_core::hint::Hint;
use serde_json::Value;

use crate::audit_report::{Detail, Unreadable};
use crate::classify::annotations::{Prompts, block};
use crate::classify::effect::EffectClass;

use super::super::outline::paste_line;
use super::super::screen::{Screen, Style};
use super::super::wording::{percent, plural};

/// What came of the answers.
pub(crate) struct Ending<'a> {
    /// The file of rulings.
    pub(crate) file: &'a str,
    /// Each server.
    pub(crate) servers: Vec<RuledServer<'a>>,
    /// The file the annotations were written to, if they were.
    pub(crate) annotations: Option<String>,
    /// What a person should know besides.
    pub(crate) notes: &'a [String],
}

/// A server and what is decided of its tools.
pub(crate) struct RuledServer<'a> {
    /// What it is called in the rulings.
    pub(crate) name: &'a str,
    /// What came of it, if it could be read.
    pub(crate) outcome: Result<Ruled, &'a Unreadable>,
}

/// What is decided of a server's tools.
pub(crate) struct Ruled {
    /// Names of the tools whose rulings were written now.
    pub(crate) written: Vec<String>,
    /// How many rulings were bound anew, as their tools claim now what was ruled.
    pub(crate) rebound: usize,
    /// How many tools have no ruling that holds.
    pub(crate) open: usize,
    /// The annotations proposed for the others.
    pub(crate) proposed: Overlay,
    /// The counts as the listing is.
    pub(crate) before: Summary,
    /// The counts with what is proposed.
    pub(crate) after: Summary,
    /// What real hosts ask a person.
    pub(crate) prompts: Prompts,
    /// How many they are.
    pub(crate) hosts: usize,
}

pub(super) fn write(screen: &mut Screen, ending: &Ending<'_>, detail: Detail) {
    for server in &ending.servers {
        screen.styled(Style::Heading, server.name);
        match &server.outcome {
            Ok(ruled) => self::ruled(screen, ruled, ending.file, detail),
            Err(unreadable) => super::write_unreadable(screen, unreadable),
        }
    }
    if let Some(file) = &ending.annotations {
        let text = format!("the annotations are in {file}; `sayso hosts --with {file}` reads them");
        screen.wrapped("", "", &text);
        screen.blank();
    }
    if detail > Detail::Quiet {
        super::write_notes(screen, ending.notes);
    }
}

fn ruled(screen: &mut Screen, ruled: &Ruled, file: &str, detail: Detail) {
    let mut text = match ruled.written.len() {
        0 => "no ruling was written".to_owned(),
        many => format!("{} written to {file}", plural(many, "ruling")),
    };
    if ruled.rebound > 0 {
        let many = plural(ruled.rebound, "ruling");
        text.push_str(&format!("; {many} bound anew to tools that claim it now"));
    }
    screen.styled(Style::Strong, &text);
    let tools = ruled.before.tools;
    let decided = ruled.proposed.tools.len();
    screen.line(&format!("decided: {decided} of {}", plural(tools, "tool")));
    if ruled.open > 0 {
        screen.line(&format!("open:    {}", ruled.open));
    }
    screen.blank();
    classes(screen, &ruled.proposed);
    if detail > Detail::Quiet {
        annotations(screen, ruled, detail);
    }
    counts(screen, ruled);
}

/// How many tools are of which class, and the two questions that are not one.
fn classes(screen: &mut Screen, proposed: &Overlay) {
    if proposed.tools.is_empty() {
        return;
    }
    screen.styled(Style::Strong, "what they do");
    for class in EffectClass::ALL {
        let own = proposed.tools.iter();
        let count = own
            .filter(|tool| EffectClass::of(&tool.hints) == Some(class))
            .count();
        let first = format!("  {:<8} {count:>4}  ", class.as_str());
        screen.wrapped(&first, "                  ", class.meaning());
    }
    screen.blank();
}

/// The block for each tool: those decided now, with everything told each that is decided. Tools with
/// the same block stand together.
fn annotations(screen: &mut Screen, ruled: &Ruled, detail: Detail) {
    let all = detail == Detail::Verbose;
    let tools = ruled.proposed.tools.iter();
    let mut blocks: Vec<(&OverlayTool, Vec<&str>)> = Vec::new();
    for tool in tools.filter(|tool| all || ruled.written.contains(&tool.name)) {
        match blocks.iter_mut().find(|(own, _)| own.hints == tool.hints) {
            Some((_, names)) => names.push(&tool.name),
            None => blocks.push((tool, vec![&tool.name])),
        }
    }
    if blocks.is_empty() {
        return;
    }
    screen.styled(Style::Strong, "proposed");
    for (tool, names) in blocks {
        if let Value::Object(hints) = block(tool) {
            screen.wrapped("  ", "      ", &paste_line(&hints));
        }
        screen.names("    ", &names.join(", "));
    }
    screen.blank();
}

fn counts(screen: &mut Screen, ruled: &Ruled) {
    let tools = ruled.before.tools;
    if tools == 0 {
        return;
    }
    screen.styled(Style::Strong, "the counts again");
    for hint in Hint::ALL {
        let of = |summary: &Summary| *summary.with_hint.get(hint);
        screen.line(&format!(
            "  with annotations.{:<15} {} → {} of {tools}",
            hint.key(),
            of(&ruled.before),
            of(&ruled.after)
        ));
    }
    let share = |count: usize, of: usize| format!("{count} of {of} ({} %)", percent(count, of));
    screen.line(&format!(
        "  gate rate by the documented defaults: {} → {}",
        share(ruled.before.gate.now, tools),
        share(ruled.after.gate.now, tools)
    ));
    let Prompts {
        before,
        after,
        gone,
        new,
    } = ruled.prompts;
    if ruled.hosts > 0 {
        let calls = tools * ruled.hosts;
        screen.wrapped(
            "  ",
            "    ",
            &format!(
                "a call to each tool in each of {}: asked about {} → {}; {gone} prompts go away, {new} come",
                plural(ruled.hosts, "host"),
                share(before, calls),
                share(after, calls)
            ),
        );
    }
    screen.blank();
}
