//! The types of version 1 of the report on hosts. Within the version members may be added; none
//! goes away and none changes its meaning.

use schemars::JsonSchema;
use serde::Serialize;

pub(super) use super::super::super::json::shared::{
    Claim, ConfiguredIn, Error, PerHint, Server, Source,
};

/// What hosts do with the tools of any number of listings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Sayso hosts report, version 1")]
pub(super) struct Report {
    /// The version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub(super) version: u32,
    /// The version of Sayso that wrote it.
    pub(super) sayso: String,
    /// What the run was asked to do.
    pub(super) settings: Settings,
    /// What is known of each host that has a column, or of every host with `--list`.
    pub(super) hosts: Vec<Host>,
    /// The columns: a host in a mode.
    pub(super) columns: Vec<Column>,
    /// Every target, readable or not, in the order it was named or found.
    pub(super) targets: Vec<Target>,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
}

/// What the run was asked to do, as far as it bears on the result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Settings {
    /// Which modes: `default`, `all` or a mode's id.
    pub(super) mode: String,
    /// Whether hosts were named; without names every current host has a column.
    pub(super) named: bool,
    /// The one tool that was asked about.
    pub(super) tool: Option<String>,
    /// The file with hints that were put over the listing.
    pub(super) with: Option<String>,
    /// The file with what is true of each tool.
    pub(super) ruling: Option<String>,
    /// After how many days what is known of a host counts as old.
    pub(super) stale_after_days: u32,
    /// The settings file in use.
    pub(super) settings_file: Option<String>,
}

/// What is known of one host.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Host {
    /// Its short name.
    pub(super) id: String,
    /// The name its makers use.
    pub(super) name: String,
    /// What kind of thing it is: `application`, `library`, `directory`, `former` or `model`.
    pub(super) kind: String,
    /// Whether it is counted as a host: the model of the documented defaults and directories, which call nothing, are not.
    pub(super) counted: bool,
    /// The file somebody added; null for what ships with Sayso.
    pub(super) added_by: Option<String>,
    /// The page of its documentation that says most.
    pub(super) documentation: String,
    /// The version or commit the facts are about.
    pub(super) version: String,
    /// The day of that version.
    pub(super) date_read: String,
    /// Whether that is longer ago than `settings.stale_after_days`.
    pub(super) old: bool,
    /// What the facts rest on: `source`, `secondary`, `docs` or `hearsay`.
    pub(super) confidence: String,
    /// Files, pages and threads the facts come from.
    pub(super) sources: Vec<String>,
    /// The keys of `annotations` that bear on anything it does.
    pub(super) reads: Vec<String>,
    /// What an absent hint means to it.
    pub(super) absent: String,
    /// The parser its listings go through; null when not known.
    pub(super) parser: Option<String>,
    /// Whether the parser was seen; otherwise it is that of the SDK the host is built with.
    pub(super) parser_seen: bool,
    /// Where the title a person sees stands, the first that is there; empty when not known.
    pub(super) title: Vec<String>,
    /// Its modes, the default one first.
    pub(super) modes: Vec<Mode>,
    /// What is uncertain or unusual.
    pub(super) notes: Vec<String>,
    /// Faults that bear on hints.
    pub(super) bugs: Vec<String>,
}

/// One way a host confirms calls.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Mode {
    /// Its short name.
    pub(super) id: String,
    /// The name the host's people would use.
    pub(super) name: String,
    /// Whether it is what a new user has.
    pub(super) default: bool,
    /// The setting that switches it on.
    pub(super) needs: Option<String>,
    /// What is uncertain or unusual.
    pub(super) note: Option<String>,
    /// The rules; the first that matches decides.
    pub(super) rules: Vec<Rule>,
}

/// One rule of a mode.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rule {
    /// What has to hold, in words.
    pub(super) when: String,
    /// What then happens.
    pub(super) then: Outcome,
    /// Why, or with what exception.
    pub(super) note: Option<String>,
}

/// A host in a mode.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Column {
    /// How it is named on the command line: the host's id, behind a colon the mode's unless it is the default one.
    pub(super) label: String,
    /// The host's id.
    pub(super) host: String,
    /// The mode's id.
    pub(super) mode: String,
    /// Whether it is counted as a host's.
    pub(super) counted: bool,
}

/// One target. Exactly one of `error` and `listing` is there.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Target {
    /// What it is called in reports.
    pub(super) name: String,
    /// How it was reached.
    pub(super) source: Source,
    /// The host configuration that names it.
    pub(super) configured_in: Option<ConfiguredIn>,
    /// Why it could not be read; null where it could.
    pub(super) error: Option<Error>,
    /// What was read and what happens to it; null where it could not be read.
    pub(super) listing: Option<Listing>,
}

/// A listing and what happens to it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    /// Who answered, in its own words.
    pub(super) server: Server,
    /// Whether every page was read.
    pub(super) complete: bool,
    /// Why not, if not.
    pub(super) incomplete_because: Option<String>,
    /// Each column, counted, in the order of the report's `columns`.
    pub(super) columns: Vec<Counted>,
    /// Every tool in the order it came, or the one that was asked about.
    pub(super) tools: Vec<Tool>,
    /// The tools on which counted hosts that look at hints split, the riskiest first; after the other hints where there are some.
    pub(super) splits: Vec<Split>,
}

/// One column, counted by tools.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counted {
    /// The column's label.
    pub(super) column: String,
    /// As the listing is.
    pub(super) figures: Figures,
    /// Why the host loses the whole listing; null where it does not.
    pub(super) lost: Option<Lost>,
    /// The same with the other hints; null without `--with`.
    pub(super) after: Option<After>,
    /// Held against what is true; null without `--ruling`.
    pub(super) gating: Option<GatingCounts>,
}

/// One column with the other hints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct After {
    /// The counts.
    pub(super) figures: Figures,
    /// Why the host loses the whole listing; null where it does not.
    pub(super) lost: Option<Lost>,
    /// Tools asked about before and called silently after.
    pub(super) prompts_gone: usize,
    /// Tools asked about after and not before.
    pub(super) new_prompts: usize,
    /// Tools called silently after and not before.
    pub(super) new_silent: usize,
    /// Of these, the ones that may destroy.
    pub(super) new_silent_may_destroy: usize,
    /// Held against what is true; null without `--ruling`.
    pub(super) gating: Option<GatingCounts>,
}

/// The tools of a listing, counted by what happens to them.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Figures {
    /// All tools.
    pub(super) tools: usize,
    /// Called without asking; by a directory, accepted.
    pub(super) silent: usize,
    /// Called without asking though they may destroy.
    pub(super) silent_may_destroy: usize,
    /// Asked about: the gate rate is this share of the tools.
    pub(super) asked: usize,
    /// Refused or kept from the model.
    pub(super) refused: usize,
    /// Left to a model, a classifier or the verbs of the name.
    pub(super) judged: usize,
    /// Nobody knows.
    pub(super) unknown: usize,
    /// Not there at all, since the whole listing is lost.
    pub(super) lost: usize,
}

/// Why a host loses a whole listing.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Lost {
    /// The position of the tool that makes it, from 0.
    pub(super) tool: usize,
    /// What it stumbles over.
    pub(super) reason: String,
}

/// Tools with a ruling, counted by how far a host is from what is true.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct GatingCounts {
    /// Called silently, and may destroy.
    pub(super) under: usize,
    /// Asked about, refused or lost for nothing.
    pub(super) over: usize,
    /// Neither.
    pub(super) right: usize,
    /// Not decided by rules.
    pub(super) open: usize,
}

/// One tool and what happens to it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tool {
    /// Its position in the listing, from 0.
    pub(super) position: usize,
    /// Its name, if it has one.
    pub(super) name: Option<String>,
    /// What was sent for each hint.
    pub(super) claims: PerHint<Claim>,
    /// Whether it only reads, with the specification's defaults filled in.
    pub(super) read_only: bool,
    /// Whether a call may remove or overwrite something.
    pub(super) may_destroy: bool,
    /// Whether a call may reach an open world.
    pub(super) open_world: bool,
    /// What each parser makes of it.
    pub(super) readings: Vec<Reading>,
    /// The titles people see, by host; hosts of which that is not known are left out.
    pub(super) titles: Vec<Title>,
    /// What happens to it in each column.
    pub(super) cells: Vec<Cell>,
}

/// What a parser makes of a tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reading {
    /// The parser's id.
    pub(super) parser: String,
    /// What a host behind it sees of each hint; null where it refuses the listing.
    pub(super) sees: Option<PerHint<Seen>>,
    /// What it refuses the listing for.
    pub(super) refused: Option<String>,
}

/// What a host sees of a hint behind its parser.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Seen {
    /// `true`.
    True,
    /// `false`.
    False,
    /// Nothing.
    Absent,
    /// Nobody knows.
    Unclear,
}

/// The title a person sees in a host.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Title {
    /// The host's id.
    pub(super) host: String,
    /// The title.
    pub(super) text: String,
    /// Where it stands: `title`, `annotations.title` or `name`.
    pub(super) source: String,
}

/// What happens to a tool in a column.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Cell {
    /// The column's label.
    pub(super) column: String,
    /// What happens.
    pub(super) outcome: Outcome,
    /// The number of the mode's rule that decides, from 1; null where none does.
    pub(super) rule: Option<usize>,
    /// The same with the other hints; null without `--with`.
    pub(super) after: Option<CellAfter>,
    /// Held against what is true; null without a ruling for the tool.
    pub(super) gating: Option<Gating>,
}

/// What happens with the other hints.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CellAfter {
    /// What happens.
    pub(super) outcome: Outcome,
    /// The number of the mode's rule that decides, from 1; null where none does.
    pub(super) rule: Option<usize>,
    /// What the change means for people; null where nothing changes.
    pub(super) change: Option<Change>,
    /// Held against what is true; null without a ruling for the tool.
    pub(super) gating: Option<Gating>,
}

/// What a host does when it is about to call a tool.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// It calls without asking; a directory accepts the tool.
    Allow,
    /// It asks a person, and offers to remember the answer.
    Ask,
    /// It asks a person, and remembers the answer for the conversation.
    AskOnce,
    /// It asks a person before every call.
    AskEvery,
    /// It refuses the call; a directory refuses the tool.
    Deny,
    /// It keeps the tool from the model.
    Hide,
    /// It has a model or a classifier decide.
    Judge,
    /// It goes by the verbs in the tool's name.
    ByName,
    /// Nobody has found out.
    Unknown,
    /// It cannot read the listing: no tool of it is there.
    Lost,
}

/// What a change means for people.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Change {
    /// A call that took a person runs silently.
    PromptGone,
    /// A call that was refused, hidden, lost or judged runs silently.
    NewSilentRun,
    /// A call that ran silently, or was judged, takes a person.
    NewPrompt,
    /// A tool that was not there can be used.
    NowUsable,
    /// A tool that could be used cannot any more.
    NoLongerUsable,
    /// Any other change, such as how long an answer is remembered.
    Other,
}

/// How a host treats a tool, measured by what is true.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Gating {
    /// Called silently, and may destroy.
    Under,
    /// Asked about, refused or lost for nothing.
    Over,
    /// Neither.
    Right,
    /// Not decided by rules.
    Open,
}

/// Tools on which counted hosts that look at hints split in the same way.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Split {
    /// The tools, by position.
    pub(super) tools: Vec<usize>,
    /// How risky they are, in words.
    pub(super) risk: String,
    /// The columns that call them silently, by label.
    pub(super) silent: Vec<String>,
    /// The columns that ask.
    pub(super) asked: Vec<String>,
    /// The columns that refuse or hide them.
    pub(super) refused: Vec<String>,
}
