//! What stands below the matrix.

use sayso_audit::hosts::{Gating as Measured, HostGating};

use super::super::super::super::wording::plural;
use super::super::super::outline::Outline;
use super::super::super::sections::{Among, Risk};
use super::super::super::{figures, words};
use super::super::page::{Gating, Item, Section};
use super::safe;

pub(super) fn sections(outline: &Outline<'_, '_>) -> Vec<Section> {
    let newly = outline.newly_silent();
    let mut sections = vec![among(
        outline,
        "Called silently with the other hints, and not before; riskiest first",
        &newly,
    )];
    if let Some(gated) = &outline.treated.gating {
        let last: &[HostGating<'_>] = gated.after.as_deref().unwrap_or(&gated.before);
        let under = outline.gated(gated, last, Measured::Under);
        let over = outline.gated(gated, last, Measured::Over);
        sections.push(among(
            outline,
            "Asked about too little: called silently, and may destroy in truth",
            &under,
        ));
        sections.push(among(
            outline,
            "Asked about too much: a person is asked, or the tool is refused, for nothing",
            &over,
        ));
    }
    sections.push(splits(outline));
    sections.extend(titles(outline));
    sections.retain(|section| !section.items.is_empty());
    sections
}

pub(super) fn gating(outline: &Outline<'_, '_>) -> Option<Gating> {
    let gated = outline.treated.gating.as_ref()?;
    let mut rows = figures::gating_rows(outline, gated).into_iter();
    Some(Gating {
        sum: words::capital(&figures::ruled(outline, gated)),
        head: rows.next().unwrap_or_default(),
        rows: rows.collect(),
    })
}

fn among(outline: &Outline<'_, '_>, title: &str, items: &[Among]) -> Section {
    let items = items.iter().map(|item| {
        let names = words::names(outline.report, &item.columns, usize::MAX);
        let many = words::how_many(outline.report, item.columns.len());
        self::item(
            outline,
            item.risk,
            &item.tools,
            vec![format!("in {many}: {names}")],
        )
    });
    Section {
        title: title.to_owned(),
        items: items.collect(),
    }
}

fn splits(outline: &Outline<'_, '_>) -> Section {
    let items = outline.splits().into_iter().map(|split| {
        let parts = [
            ("silent", &split.silent),
            ("asked", &split.asked),
            ("refused", &split.refused),
        ];
        let parts = parts.into_iter().filter(|(_, columns)| !columns.is_empty());
        let lines = parts.map(|(what, columns)| {
            let names = words::names(outline.report, columns, usize::MAX);
            format!("{what} in {}: {names}", columns.len())
        });
        item(outline, split.risk, &split.tools, lines.collect())
    });
    Section {
        title: "Where hosts that look at hints split, riskiest first".to_owned(),
        items: items.collect(),
    }
}

fn item(outline: &Outline<'_, '_>, risk: Risk, tools: &[usize], lines: Vec<String>) -> Item {
    let risk = risk.words();
    Item {
        tools: tools.iter().map(|tool| outline.label(*tool)).collect(),
        what: match tools.len() {
            1 => risk.to_owned(),
            many => format!("{}: {risk}", plural(many, "tool")),
        },
        lines: lines.iter().map(|line| safe(line)).collect(),
    }
}

fn titles(outline: &Outline<'_, '_>) -> Option<Section> {
    let split = outline.titles()?;
    let lines = split.groups.iter().map(|group| {
        safe(&format!(
            "{} in {}: {}",
            words::title_shown(group),
            plural(group.hosts.len(), "host"),
            group.hosts.join(", ")
        ))
    });
    let what = match split.tools {
        1 => String::new(),
        many => format!("and {}", plural(many - 1, "more tool")),
    };
    Some(Section {
        title: "Titles people see".to_owned(),
        items: vec![Item {
            tools: vec![outline.label(split.tool)],
            what,
            lines: lines.collect(),
        }],
    })
}
