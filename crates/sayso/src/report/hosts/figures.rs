//! A matrix in figures, in sentences that several formats share.

use sayso_audit::hosts::{Figures, GatingCounts, HostDifference, HostGating, Matrix, MatrixColumn};
use sayso_core::reveal::reveal_line;

use super::super::wording::{percent, plural};
use super::outline::{Group, GroupKind, Outline};
use super::words::how_many;
use crate::hosts_report::Gated;

/// What the columns of a group do with the whole listing, a sentence each.
pub(super) fn of_group(outline: &Outline<'_, '_>, group: &Group) -> Vec<String> {
    let Some(column) = outline.first(group) else {
        return Vec::new();
    };
    let figures = &column.figures;
    let after = outline.first_after(group).map(|after| &after.figures);
    let count = |of: fn(&Figures) -> usize| match after {
        Some(after) if of(after) != of(figures) => format!("{} → {}", of(figures), of(after)),
        _ => of(figures).to_string(),
    };
    let any = |of: fn(&Figures) -> usize| of(figures) > 0 || after.is_some_and(|it| of(it) > 0);
    let tools = figures.tools;
    let mut sentences = Vec::new();
    if group.kind == GroupKind::Directory {
        let accepted = count(|figures| figures.silent);
        let refused = count(|figures| figures.refused);
        sentences.push(format!("accepts {accepted} of {tools}, refuses {refused}"));
    } else {
        let share = |figures: &Figures| percent(figures.asked, tools);
        let rate = match after {
            Some(after) if after.asked != figures.asked => {
                format!("{} % → {} %", share(figures), share(after))
            }
            _ => format!("{} %", share(figures)),
        };
        let asked = count(|figures| figures.asked);
        sentences.push(format!("gate rate {rate} ({asked} of {tools})"));
        if any(|figures| figures.silent) {
            let silent = count(|figures| figures.silent);
            let destroy = count(|figures| figures.silent_may_destroy);
            sentences.push(format!(
                "{silent} run silently, {destroy} of which may destroy"
            ));
        }
        if any(|figures| figures.refused) {
            sentences.push(format!("{} refused or hidden", count(|it| it.refused)));
        }
        if any(|figures| figures.judged) {
            let judged = count(|figures| figures.judged);
            sentences.push(format!(
                "{judged} left to a model, a classifier or the name"
            ));
        }
    }
    if any(|figures| figures.unknown) {
        sentences.push(format!("{} unknown", count(|it| it.unknown)));
    }
    let lost = |column: &MatrixColumn<'_>| {
        let rejection = column.rejection.as_ref()?;
        Some(format!(
            "over `{}`: {}",
            outline.label(rejection.tool),
            reveal_line(&rejection.reason)
        ))
    };
    match (lost(column), outline.first_after(group).map(lost)) {
        (Some(over), Some(None)) => {
            sentences.push(format!(
                "loses the whole listing now ({over}), and reads it then"
            ));
        }
        (None, Some(Some(over))) => {
            sentences.push(format!("reads the listing now, and loses it then {over}"));
        }
        (Some(over), _) => sentences.push(format!("loses the whole listing {over}")),
        (None, _) => {}
    }
    sentences
}

/// The sum over all real columns, a sentence each.
pub(super) fn sum(outline: &Outline<'_, '_>) -> Vec<String> {
    let real: Vec<usize> = outline.real_columns().collect();
    let all = real.len();
    if all == 0 {
        return Vec::new();
    }
    let columns = |matrix: &Matrix<'_>, holds: &dyn Fn(&MatrixColumn<'_>) -> bool| {
        let columns = real.iter().filter_map(|column| matrix.columns.get(*column));
        columns.filter(|column| holds(column)).count()
    };
    let counts = |matrix: &Matrix<'_>| {
        [
            columns(matrix, &|column| column.figures.silent_may_destroy > 0),
            columns(matrix, &|column| column.figures.asked > 0),
            columns(matrix, &|column| column.figures.refused > 0),
            columns(matrix, &|column| column.rejection.is_some()),
        ]
    };
    let sentence = |[silent, asked, refused, lost]: [usize; 4]| {
        format!(
            "of {}: {silent} with silent calls that may destroy, {asked} that ask, {refused} that refuse or hide a tool, {lost} that lose the whole listing",
            how_many(outline.report, all)
        )
    };
    let before = counts(&outline.treated.matrix);
    let Some(overlaid) = &outline.treated.overlaid else {
        return vec![sentence(before)];
    };
    let hosts = real
        .iter()
        .filter_map(|column| overlaid.difference.hosts.get(*column));
    let total =
        |count: &dyn Fn(&HostDifference<'_>) -> usize| hosts.clone().map(count).sum::<usize>();
    vec![
        format!("before, {}", sentence(before)),
        format!("after, {}", sentence(counts(&overlaid.matrix))),
        format!(
            "over all hosts and tools: {} go away, {} appear; {}, {} of them of tools that may destroy",
            plural(total(&|host| host.prompts_gone), "prompt"),
            plural(total(&|host| host.new_prompts), "prompt"),
            plural(total(&|host| host.new_silent), "new silent run"),
            total(&|host| host.new_silent_may_destroy),
        ),
    ]
}

/// How many tools have a ruling, and the sum of what is wrong over all real columns.
pub(super) fn ruled(outline: &Outline<'_, '_>, gated: &Gated<'_>) -> String {
    let ruled = gated.truths.iter().flatten().count();
    let total = |hosts: &[HostGating<'_>], of: fn(&GatingCounts) -> usize| {
        let real = outline
            .real_columns()
            .filter_map(|column| hosts.get(column));
        real.map(|host| of(&host.counts)).sum::<usize>()
    };
    let change = |of: fn(&GatingCounts) -> usize| {
        let before = total(&gated.before, of);
        match gated.after.as_deref().map(|after| total(after, of)) {
            Some(after) if after != before => format!("{before} → {after}"),
            _ => before.to_string(),
        }
    };
    format!(
        "held against what is true of {ruled} of {}, over all hosts: {} under-gated, {} over-gated",
        plural(gated.truths.len(), "tool"),
        change(|counts| counts.under),
        change(|counts| counts.over),
    )
}

/// How far each group of columns is from what is true: a head, then a row each, the worst first.
pub(super) fn gating_rows(outline: &Outline<'_, '_>, gated: &Gated<'_>) -> Vec<Vec<String>> {
    let counts = |hosts: &[HostGating<'_>], group: &Group| {
        let first = group.columns.first().and_then(|column| hosts.get(*column));
        first.map(|host| host.counts).unwrap_or_default()
    };
    let last = gated.after.as_deref().unwrap_or(&gated.before);
    let groups = outline.groups.iter();
    let mut groups: Vec<&Group> = groups
        .filter(|group| group.kind != GroupKind::Directory)
        .collect();
    groups.sort_by_key(|group| {
        let counts = counts(last, group);
        std::cmp::Reverse((counts.under, counts.over))
    });
    let head = [
        "",
        "under-gated",
        "over-gated",
        "as it should be",
        "not decided by rules",
    ];
    let rows = groups.into_iter().map(|group| {
        let before = counts(&gated.before, group);
        let after = gated.after.as_deref().map(|hosts| counts(hosts, group));
        let change = |of: fn(&GatingCounts) -> usize| match after {
            Some(after) if of(&after) != of(&before) => format!("{} → {}", of(&before), of(&after)),
            _ => of(&before).to_string(),
        };
        vec![
            group.name.clone(),
            change(|counts| counts.under),
            change(|counts| counts.over),
            change(|counts| counts.right),
            change(|counts| counts.open),
        ]
    });
    let head = head.map(str::to_owned).to_vec();
    std::iter::once(head).chain(rows).collect()
}
