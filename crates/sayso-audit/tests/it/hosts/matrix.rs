//! The matrix of tools and hosts, counted, compared and held against what is true.

mod overlay;
mod properties;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sayso_audit::hosts::{
    Cell, ChangeKind, Column, Difference, Figures, Gating, GatingCounts, HostProfile, Matrix,
    Modes, Overlay,
};
use sayso_core::effective::Effective;
use sayso_core::hint::{Claim, Hints};
use sayso_core::listing::Listing;

use crate::support::listing;

/// The columns of these hosts: `host`, or `host:mode`.
fn columns(labels: &[&str]) -> Vec<Column<'static>> {
    let columns = labels.iter().map(|label| {
        let (host, modes) = match label.split_once(':') {
            Some((host, mode)) => (host, Modes::Named(mode)),
            None => (*label, Modes::Default),
        };
        let columns = Column::of(HostProfile::find(host).unwrap(), modes);
        *columns.first().unwrap()
    });
    columns.collect()
}

/// A file of the forty-tool example.
fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sayso/src/example");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// The example as it was found, and its annotations as they should be.
fn example_before_and_after() -> (Listing, Listing, Overlay) {
    let before = listing(&example("tools.json"));
    let overlay = Overlay::parse(&example("annotations.json"), "annotations.json").unwrap();
    let after = overlay.over(&before).unwrap();
    (before, after, overlay)
}

/// Hosts that give each kind of answer.
const SOME: [&str; 11] = [
    "documented-defaults",
    "vscode",
    "codex",
    "claude-code",
    "claude-code:plan",
    "gemini-cli:plan",
    "goose:smart-approve",
    "executor",
    "n8n-instance-ai",
    "chatgpt-directory-submission",
    "amp",
];

fn counted(figures: &Figures) -> String {
    let Figures {
        tools,
        silent,
        asked,
        refused,
        judged,
        unknown,
        lost,
        silent_may_destroy,
    } = figures;
    format!(
        "{tools} tools: {silent} silent ({silent_may_destroy} may destroy), {asked} asked, {refused} refused, {judged} judged, {unknown} unknown, {lost} lost"
    )
}

fn all_counted(matrix: &Matrix<'_>) -> String {
    let mut lines = String::new();
    for column in &matrix.columns {
        let label = column.column.label();
        writeln!(lines, "{label}: {}", counted(&column.figures)).unwrap();
    }
    lines
}

#[test]
fn the_forty_tools_as_they_were_found() {
    let (before, _, _) = example_before_and_after();
    let matrix = Matrix::new(&before, &columns(&SOME));
    insta::assert_snapshot!(all_counted(&matrix), @"
    documented-defaults: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    vscode: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    codex: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    claude-code: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    claude-code:plan: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    gemini-cli:plan: 40 tools: 0 silent (0 may destroy), 0 asked, 40 refused, 0 judged, 0 unknown, 0 lost
    goose:smart-approve: 40 tools: 0 silent (0 may destroy), 0 asked, 0 refused, 40 judged, 0 unknown, 0 lost
    executor: 40 tools: 40 silent (40 may destroy), 0 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    n8n-instance-ai: 40 tools: 0 silent (0 may destroy), 0 asked, 0 refused, 40 judged, 0 unknown, 0 lost
    chatgpt-directory-submission: 40 tools: 0 silent (0 may destroy), 0 asked, 40 refused, 0 judged, 0 unknown, 0 lost
    amp: 40 tools: 0 silent (0 may destroy), 0 asked, 0 refused, 0 judged, 40 unknown, 0 lost
    ");
    assert!(matrix.disagreements().iter().all(|one| one.may_destroy));
}

#[test]
fn the_forty_tools_with_honest_annotations() {
    let (_, after, _) = example_before_and_after();
    let matrix = Matrix::new(&after, &columns(&SOME));
    insta::assert_snapshot!(all_counted(&matrix), @"
    documented-defaults: 40 tools: 26 silent (0 may destroy), 14 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    vscode: 40 tools: 18 silent (0 may destroy), 22 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    codex: 40 tools: 26 silent (0 may destroy), 14 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    claude-code: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    claude-code:plan: 40 tools: 0 silent (0 may destroy), 40 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    gemini-cli:plan: 40 tools: 0 silent (0 may destroy), 18 asked, 22 refused, 0 judged, 0 unknown, 0 lost
    goose:smart-approve: 40 tools: 18 silent (0 may destroy), 22 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    executor: 40 tools: 26 silent (0 may destroy), 14 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    n8n-instance-ai: 40 tools: 18 silent (0 may destroy), 22 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    chatgpt-directory-submission: 40 tools: 40 silent (0 may destroy), 0 asked, 0 refused, 0 judged, 0 unknown, 0 lost
    amp: 40 tools: 0 silent (0 may destroy), 0 asked, 0 refused, 0 judged, 40 unknown, 0 lost
    ");
}

#[test]
fn what_honest_annotations_change() {
    let (before, after, _) = example_before_and_after();
    let columns = columns(&SOME);
    let before = Matrix::new(&before, &columns);
    let after = Matrix::new(&after, &columns);
    let difference = Difference::between(&before, &after);
    let mut lines = String::new();
    for host in &difference.hosts {
        writeln!(
            lines,
            "{}: asks {} -> {}, prompts gone {}, new prompts {}, newly silent {} ({} may destroy)",
            host.column.label(),
            host.asked_before,
            host.asked_after,
            host.prompts_gone,
            host.new_prompts,
            host.new_silent,
            host.new_silent_may_destroy,
        )
        .unwrap();
    }
    insta::assert_snapshot!(lines, @"
    documented-defaults: asks 40 -> 14, prompts gone 26, new prompts 0, newly silent 26 (0 may destroy)
    vscode: asks 40 -> 22, prompts gone 18, new prompts 0, newly silent 18 (0 may destroy)
    codex: asks 40 -> 14, prompts gone 26, new prompts 0, newly silent 26 (0 may destroy)
    claude-code: asks 40 -> 40, prompts gone 0, new prompts 0, newly silent 0 (0 may destroy)
    claude-code:plan: asks 40 -> 40, prompts gone 0, new prompts 0, newly silent 0 (0 may destroy)
    gemini-cli:plan: asks 0 -> 18, prompts gone 0, new prompts 18, newly silent 0 (0 may destroy)
    goose:smart-approve: asks 0 -> 22, prompts gone 0, new prompts 22, newly silent 18 (0 may destroy)
    executor: asks 0 -> 14, prompts gone 0, new prompts 14, newly silent 0 (0 may destroy)
    n8n-instance-ai: asks 0 -> 22, prompts gone 0, new prompts 22, newly silent 18 (0 may destroy)
    chatgpt-directory-submission: asks 0 -> 0, prompts gone 0, new prompts 0, newly silent 0 (0 may destroy)
    amp: asks 0 -> 0, prompts gone 0, new prompts 0, newly silent 0 (0 may destroy)
    ");
    let kinds = |kind: ChangeKind| {
        let changes = difference.changes.iter();
        changes.filter(|change| change.kind == kind).count()
    };
    let counted = format!(
        "{} prompts gone, {} newly silent, {} new prompts, {} now usable, {} no longer usable, {} other",
        kinds(ChangeKind::PromptGone),
        kinds(ChangeKind::NewSilentRun),
        kinds(ChangeKind::NewPrompt),
        kinds(ChangeKind::NowUsable),
        kinds(ChangeKind::NoLongerUsable),
        kinds(ChangeKind::Other),
    );
    insta::assert_snapshot!(counted, @"70 prompts gone, 36 newly silent, 58 new prompts, 58 now usable, 0 no longer usable, 18 other");
}

#[test]
fn the_forty_tools_held_against_what_is_true() {
    let (before, after, rulings) = example_before_and_after();
    let told = |listing: &Listing| {
        let matrix = Matrix::new(listing, &columns(&SOME));
        let mut lines = String::new();
        for host in matrix.held_against(&rulings) {
            let GatingCounts {
                under,
                over,
                right,
                open,
            } = host.counts;
            // A directory calls nothing, so that there is nothing to ask too little about.
            let calls = host.column.host.kind.calls_tools();
            assert_eq!(under + over + right + open, if calls { 40 } else { 0 });
            assert!(host.tools.iter().all(|gating| gating.is_some() == calls));
            writeln!(
                lines,
                "{}: {under} under, {over} over, {right} right, {open} open",
                host.column.label()
            )
            .unwrap();
        }
        lines
    };
    insta::assert_snapshot!(told(&before), @"
    documented-defaults: 0 under, 26 over, 14 right, 0 open
    vscode: 0 under, 26 over, 14 right, 0 open
    codex: 0 under, 26 over, 14 right, 0 open
    claude-code: 0 under, 26 over, 14 right, 0 open
    claude-code:plan: 0 under, 26 over, 14 right, 0 open
    gemini-cli:plan: 0 under, 26 over, 14 right, 0 open
    goose:smart-approve: 0 under, 0 over, 0 right, 40 open
    executor: 14 under, 0 over, 26 right, 0 open
    n8n-instance-ai: 0 under, 0 over, 0 right, 40 open
    chatgpt-directory-submission: 0 under, 0 over, 0 right, 0 open
    amp: 0 under, 0 over, 0 right, 40 open
    ");
    insta::assert_snapshot!(told(&after), @"
    documented-defaults: 0 under, 0 over, 40 right, 0 open
    vscode: 0 under, 8 over, 32 right, 0 open
    codex: 0 under, 0 over, 40 right, 0 open
    claude-code: 0 under, 26 over, 14 right, 0 open
    claude-code:plan: 0 under, 26 over, 14 right, 0 open
    gemini-cli:plan: 0 under, 26 over, 14 right, 0 open
    goose:smart-approve: 0 under, 8 over, 32 right, 0 open
    executor: 0 under, 0 over, 40 right, 0 open
    n8n-instance-ai: 0 under, 8 over, 32 right, 0 open
    chatgpt-directory-submission: 0 under, 0 over, 0 right, 0 open
    amp: 0 under, 0 over, 0 right, 40 open
    ");
}

/// Four tools of different risk, one of them with hints that contradict each other.
const FOUR: &str = r#"[
    {"name":"list_indexes","title":"List indexes","annotations":{"title":"Indexes","readOnlyHint":true,"openWorldHint":false}},
    {"name":"append_note","annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":true}},
    {"name":"wipe_index","title":"","annotations":{"title":"Wipe","readOnlyHint":true,"destructiveHint":true}},
    {"name":"purge_tenant"}
]"#;

#[test]
fn what_hosts_disagree_on_comes_by_risk() {
    let listing = listing(FOUR);
    let labels = [
        "documented-defaults",
        "vscode",
        "codex",
        "executor",
        "opencode",
        "cursor:team-reads",
    ];
    let matrix = Matrix::new(&listing, &columns(&labels));
    let mut lines = String::new();
    for one in matrix.disagreements() {
        let tool = matrix.tools.get(one.tool).unwrap();
        let names = |positions: &[usize]| {
            let names: Vec<&str> = positions
                .iter()
                .map(|position| *labels.get(*position).unwrap())
                .collect();
            names.join(" ")
        };
        writeln!(
            lines,
            "{}{}{}: silent in {}; asked in {}; refused in {}",
            tool.label(),
            if one.may_destroy { ", may destroy" } else { "" },
            if one.open_world { ", open world" } else { "" },
            names(&one.silent),
            names(&one.asked),
            names(&one.refused),
        )
        .unwrap();
    }
    // A host whose mode looks at no hint has no opinion to disagree with: opencode is left out.
    insta::assert_snapshot!(lines, @"
    purge_tenant, may destroy, open world: silent in executor; asked in documented-defaults vscode codex; refused in cursor:team-reads
    append_note, open world: silent in documented-defaults executor; asked in vscode codex; refused in cursor:team-reads
    wipe_index, open world: silent in documented-defaults vscode; asked in codex executor; refused in cursor:team-reads
    ");
}

#[test]
fn rows_columns_and_titles() {
    let listing = listing(FOUR);
    let labels = ["vscode", "codex", "copilot-cli", "zed", "goose"];
    let columns = columns(&labels);
    let matrix = Matrix::new(&listing, &columns);
    assert_eq!(matrix.position("wipe_index"), Some(2));
    assert_eq!(matrix.position("Wipe"), None);
    let row: Vec<&str> = matrix.row(2).map(|(_, cell)| cell.as_str()).collect();
    assert_eq!(row, ["allow", "ask", "allow", "ask", "allow"]);
    assert_eq!(matrix.row(4).count(), 0);
    let mut lines = String::new();
    for tool in &matrix.tools {
        let titles = columns.iter().map(|column| match column.title(*tool) {
            Some((_, title)) => title.into_owned(),
            None => "?".to_owned(),
        });
        let titles: Vec<String> = titles.collect();
        writeln!(lines, "{}", titles.join(" | ")).unwrap();
    }
    insta::assert_snapshot!(lines, @"
    Indexes | List indexes | Indexes | list_indexes | ?
    append_note | append_note | append_note | append_note | ?
    Wipe | wipe_index | Wipe | wipe_index | ?
    purge_tenant | purge_tenant | purge_tenant | purge_tenant | ?
    ");
}

#[test]
fn one_malformed_tool_costs_some_hosts_all_of_them() {
    let listing = listing(
        r#"[
        {"name":"list_indexes","annotations":{"readOnlyHint":true}},
        {"name":"wipe_index","annotations":{"destructiveHint":null}},
        {"name":"append_note","annotations":{"readOnlyHint":"true"}}
    ]"#,
    );
    let labels = [
        "vscode",
        "codex",
        "gemini-cli",
        "fast-agent",
        "cursor:team-reads",
    ];
    let matrix = Matrix::new(&listing, &columns(&labels));
    let mut lines = String::new();
    for column in &matrix.columns {
        let cells: Vec<&str> = column.cells.iter().map(Cell::as_str).collect();
        let why = column
            .rejection
            .as_ref()
            .map_or_else(String::new, |rejection| {
                format!(" (tool {}: {})", rejection.tool, rejection.reason)
            });
        writeln!(lines, "{}: {}{why}", column.column.label(), cells.join(" ")).unwrap();
        assert_eq!(column.rejection.is_some(), column.figures.lost == 3);
    }
    insta::assert_snapshot!(lines, @"
    vscode: allow ask allow
    codex: lost lost lost (tool 2: `annotations.readOnlyHint` is a string)
    gemini-cli: lost lost lost (tool 1: `annotations.destructiveHint` is null)
    fast-agent: allow allow allow
    cursor:team-reads: allow unknown unknown
    ");
}

#[test]
fn too_little_and_too_much_are_told_apart() {
    let listing = listing(r#"[{"name":"tool"}]"#);
    let truth = |read_only: bool, destructive: bool, open_world: bool| {
        Effective::from_claims(&Hints {
            read_only: Claim::from_boolean(read_only),
            destructive: Claim::from_boolean(destructive),
            idempotent: Claim::Absent,
            open_world: Claim::from_boolean(open_world),
        })
    };
    let reads = truth(true, false, true);
    let adds_here = truth(false, false, false);
    let adds_out_there = truth(false, false, true);
    let destroys = truth(false, true, false);
    let labels = [
        "opencode",
        "zed",
        "copilot-code-review",
        "goose:smart-approve",
        "amp",
    ];
    let matrix = Matrix::new(&listing, &columns(&labels));
    let mut lines = String::new();
    for column in &matrix.columns {
        let cell = *column.cells.first().unwrap();
        let kinds =
            [reads, adds_here, adds_out_there, destroys].map(|truth| Gating::of(cell, &truth));
        writeln!(lines, "{}: {kinds:?}", cell.as_str()).unwrap();
    }
    insta::assert_snapshot!(lines, @"
    allow: [Right, Right, Right, Under]
    ask: [Over, Over, Right, Right]
    hide: [Over, Over, Right, Right]
    judge: [Open, Open, Open, Open]
    unknown: [Open, Open, Open, Open]
    ");
}

#[test]
fn the_gate_rate_is_a_share() {
    let listing = listing(FOUR);
    let matrix = Matrix::new(&listing, &columns(&["codex", "amp"]));
    let rates: Vec<f64> = matrix
        .columns
        .iter()
        .map(|column| column.figures.gate_rate())
        .collect();
    assert_eq!(rates, [0.75, 0.0]);
    assert_eq!(Figures::default().gate_rate().to_string(), "0");
}
