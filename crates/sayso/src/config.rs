//! `sayso.toml`: the settings of a project. Everything in it is checked when it is read: an
//! unknown key, rule or value is an error with its place and the likely spelling.

mod error;
mod find;
mod gate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sayso_audit::admit::{Admission, Date, Level, Suppression};
use sayso_audit::rules;
use sayso_audit::semantics::Semantics;
use sayso_core::hint::Hint;
use sayso_core::json::line_column;
use sayso_gateway::settings::{GateSettings, SettingProblem};
use toml::Spanned;

use crate::audit_report::FailOn;
pub(crate) use error::SettingsError;
pub(crate) use find::find;

/// The name the settings file is looked for under.
pub(crate) const FILE_NAME: &str = "sayso.toml";

/// The settings of a project.
#[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "sayso.toml")]
pub(crate) struct Settings {
    /// How `sayso audit` works. Options on the command line come before these.
    pub(crate) audit: AuditSettings,
    /// How `sayso hosts` works. Options on the command line come before these.
    pub(crate) hosts: HostsSettings,
    /// How `sayso gate` works, and the servers behind it.
    pub(crate) gate: GateSettings,
    /// The file itself.
    #[serde(skip)]
    source: gate::Source,
}

/// How `sayso hosts` works. Options on the command line come before these.
#[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct HostsSettings {
    /// The folder of further host profiles, counted from the settings file; your own folder when
    /// left out.
    hosts_dir: Option<PathBuf>,
    /// After how many days a host profile is shown as old; 180 when left out.
    pub(crate) stale_after_days: Option<u32>,
}

/// How `sayso audit` works. Options on the command line come before these.
#[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct AuditSettings {
    /// The mildest severity that makes a run fail.
    #[schemars(with = "Option<schema::FailOn>")]
    pub(crate) fail_on: Option<FailOn>,
    /// The specification or directory to hold every listing against, by its id.
    #[schemars(with = "Option<String>")]
    pub(crate) profile: Option<Spanned<String>>,
    /// How many targets are read side by side.
    #[schemars(with = "Option<schema::Jobs>")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// What each rule's findings count as, by the rule's id. `off` drops them.
    #[schemars(with = "BTreeMap<String, schema::Level>")]
    rules: BTreeMap<Spanned<String>, Level>,
    /// How meanings are read that the field does not agree on.
    #[schemars(with = "schema::Semantics")]
    pub(crate) semantics: Semantics,
    /// Findings somebody decided to live with.
    #[schemars(with = "Vec<SuppressionEntry>")]
    suppressions: Vec<Spanned<SuppressionEntry>>,
    /// The lines the suppressions stand in.
    #[serde(skip)]
    suppression_lines: Vec<usize>,
}

/// A finding somebody decided to live with.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SuppressionEntry {
    /// The rule's id.
    #[schemars(with = "String")]
    rule: Spanned<String>,
    /// The tool's name; every tool when left out.
    tool: Option<String>,
    /// The server's name in the report; every server when left out.
    server: Option<String>,
    /// The hint, such as `destructiveHint`; every hint when left out.
    #[schemars(with = "Option<schema::Hint>")]
    hint: Option<Hint>,
    /// Why. Required, and not empty.
    #[schemars(with = "schema::Reason")]
    reason: Option<Spanned<String>>,
    /// The last day it holds, such as `2027-01-31`.
    #[schemars(with = "Option<schema::Day>")]
    expires: Option<Spanned<toml::Value>>,
}

impl Settings {
    /// Reads settings; `file` names them in errors. One byte order mark at the beginning is dropped.
    pub(crate) fn parse(text: &str, file: &str) -> Result<Self, SettingsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut settings: Self =
            toml::from_str(text).map_err(|error| SettingsError::from_toml(&error, text, file))?;
        let located = |range, message: String| SettingsError::at(text, file, range, message);
        settings.audit.check(&located)?;
        let entries = settings.audit.suppressions.iter();
        settings.audit.suppression_lines = entries
            .map(|entry| line_column(text, entry.span().start).line)
            .collect();
        settings.source = gate::Source::new(text, file);
        settings.source.check(&settings.gate)?;
        Ok(settings)
    }

    /// What turned out to be wrong with the settings of the gate, with its place in the file.
    pub(crate) fn located(&self, problem: &SettingProblem) -> SettingsError {
        self.source.error(problem)
    }

    /// Reads a settings file.
    pub(crate) fn read(path: &Path) -> Result<Self, SettingsError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| SettingsError::unreadable(&file, &error))?;
        let mut settings = Self::parse(&text, &file)?;
        gate::anchor(&mut settings.gate, path);
        Ok(settings)
    }
}

impl HostsSettings {
    /// The folder of further host profiles; `settings` is the file these settings stand in.
    pub(crate) fn hosts_dir(&self, settings: &Path) -> Option<PathBuf> {
        let beside = settings.parent().unwrap_or(Path::new(""));
        self.hosts_dir
            .as_ref()
            .map(|directory| beside.join(directory))
    }
}

impl AuditSettings {
    fn check(&self, located: &Located<'_>) -> Result<(), SettingsError> {
        for id in self.rules.keys() {
            known_rule(id, located)?;
        }
        if let Some(profile) = &self.profile {
            error::known_profile(profile, located)?;
        }
        for entry in &self.suppressions {
            entry.get_ref().check(entry.span(), located)?;
        }
        Ok(())
    }

    /// The profile named.
    pub(crate) fn profile(&self) -> Option<&str> {
        self.profile
            .as_ref()
            .map(|profile| profile.get_ref().as_str())
    }

    /// The settings as the judgement takes them.
    pub(crate) fn admission(&self, today: Option<Date>) -> Admission {
        Admission {
            levels: self
                .rules
                .iter()
                .map(|(id, level)| (id.get_ref().clone(), *level))
                .collect(),
            suppressions: self
                .suppressions
                .iter()
                .zip(&self.suppression_lines)
                .map(|(entry, line)| entry.get_ref().suppression(*line))
                .collect(),
            today,
        }
    }
}

/// Makes an error about a place in the file.
type Located<'l> = dyn Fn(std::ops::Range<usize>, String) -> SettingsError + 'l;

fn known_rule(id: &Spanned<String>, located: &Located<'_>) -> Result<(), SettingsError> {
    if rules::find(id.get_ref()).is_some() {
        return Ok(());
    }
    let known = rules::ALL.iter().map(|rule| rule.meta().id);
    Err(
        located(id.span(), format!("no rule is called `{}`", id.get_ref()))
            .suggest(id.get_ref(), known)
            .or_hint("`sayso explain --list` lists the rules"),
    )
}

impl SuppressionEntry {
    fn check(
        &self,
        entry: std::ops::Range<usize>,
        located: &Located<'_>,
    ) -> Result<(), SettingsError> {
        known_rule(&self.rule, located)?;
        match &self.reason {
            None => {
                return Err(located(entry, "a suppression has no `reason`".to_owned())
                    .or_hint("say why it is right to live with the finding: `reason = \"…\"`"));
            }
            Some(reason) if reason.get_ref().trim().is_empty() => {
                return Err(located(
                    reason.span(),
                    "the `reason` of a suppression is empty".to_owned(),
                )
                .or_hint("say why it is right to live with the finding"));
            }
            Some(_) => {}
        }
        match &self.expires {
            Some(expires) if day(expires.get_ref()).is_none() => Err(located(
                expires.span(),
                format!("`expires` is {}, not a day", expires.get_ref()),
            )
            .or_hint("write it as `expires = 2027-01-31`")),
            _ => Ok(()),
        }
    }

    fn suppression(&self, line: usize) -> Suppression {
        Suppression {
            rule: self.rule.get_ref().clone(),
            tool: self.tool.clone(),
            server: self.server.clone(),
            hint: self.hint,
            reason: self
                .reason
                .as_ref()
                .map(|reason| reason.get_ref().trim().to_owned())
                .unwrap_or_default(),
            expires: self
                .expires
                .as_ref()
                .and_then(|expires| day(expires.get_ref())),
            line,
        }
    }
}

/// A TOML date, or a string that holds one.
fn day(value: &toml::Value) -> Option<Date> {
    match value {
        toml::Value::Datetime(datetime) => datetime.to_string().parse().ok(),
        toml::Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// What editors are told of types that other crates own.
mod schema {
    #![expect(dead_code, reason = "only their schema is used")]

    /// The mildest severity that makes a run fail.
    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "lowercase", inline)]
    pub(super) enum FailOn {
        Info,
        Warning,
        Error,
        Never,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "lowercase", inline)]
    pub(super) enum Level {
        Off,
        Info,
        Warning,
        Error,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(inline)]
    pub(super) enum Hint {
        #[schemars(rename = "readOnlyHint")]
        ReadOnly,
        #[schemars(rename = "destructiveHint")]
        Destructive,
        #[schemars(rename = "idempotentHint")]
        Idempotent,
        #[schemars(rename = "openWorldHint")]
        OpenWorld,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "lowercase", inline)]
    pub(super) enum Reading {
        Yes,
        No,
        Either,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(rename_all = "kebab-case", deny_unknown_fields)]
    pub(super) struct Semantics {
        /// Is deleting the same thing twice idempotent? `yes` and `no` report a claim of the
        /// opposite, `either` respects both.
        delete_is_idempotent: Option<Reading>,
        /// Is sending a message destructive? `yes` and `no` report a claim of the opposite,
        /// `either` respects both.
        send_is_destructive: Option<Reading>,
        /// Is the user's own tenant of an online service an open world? `yes` and `no` report
        /// a claim of the opposite, `either` respects both.
        own_tenant_is_open_world: Option<Reading>,
        /// Is changing what is there destructive? `yes` (by the letter of the specification, and
        /// the default) and `no` report a claim of the opposite, `either` respects both.
        update_is_destructive: Option<Reading>,
    }

    #[derive(schemars::JsonSchema)]
    #[schemars(inline)]
    pub(super) struct Jobs(#[schemars(range(min = 1))] usize);

    #[derive(schemars::JsonSchema)]
    #[schemars(inline)]
    pub(super) struct Reason(#[schemars(length(min = 1))] String);

    #[derive(schemars::JsonSchema)]
    #[schemars(inline)]
    pub(super) struct Day(#[schemars(extend("format" = "date"))] String);
}
