//! `[gate]`: where in the file something is wrong with it.

use std::ops::Range;
use std::path::Path;

use sayso_gateway::settings::{GateSettings, SettingProblem};
use toml::de::{DeTable, DeValue};

use super::SettingsError;

/// The settings file as it stands, for what turns out to be wrong later.
#[derive(Debug, Default)]
pub(super) struct Source {
    text: String,
    file: String,
}

impl Source {
    pub(super) fn new(text: &str, file: &str) -> Self {
        Self {
            text: text.to_owned(),
            file: file.to_owned(),
        }
    }

    /// The first thing that is wrong with the settings of the gate.
    pub(super) fn check(&self, settings: &GateSettings) -> Result<(), SettingsError> {
        let problems = settings.check();
        let first = problems
            .iter()
            .min_by_key(|problem| self.place(problem).start);
        first.map_or(Ok(()), |problem| Err(self.error(problem)))
    }

    pub(super) fn error(&self, problem: &SettingProblem) -> SettingsError {
        let place = self.place(problem);
        let error = SettingsError::at(&self.text, &self.file, place, problem.message.clone());
        match &problem.hint {
            Some(hint) => error.or_hint(hint),
            None => error,
        }
    }

    /// Where a problem stands; as much of its path as the file has.
    fn place(&self, problem: &SettingProblem) -> Range<usize> {
        let Ok(table) = DeTable::parse(&self.text) else {
            return 0..0;
        };
        let mut place = 0..0;
        let mut inside = Inside::Table(table.get_ref());
        let mut steps = std::iter::once("gate")
            .chain(problem.path.iter().map(String::as_str))
            .peekable();
        while let Some(step) = steps.next() {
            let Some((key, value, behind)) = inside.step(step) else {
                break;
            };
            let is_last = steps.peek().is_none();
            // A table has no place of its own beside that of its key.
            let is_table = matches!(behind, Inside::Table(_));
            place = if is_last && !problem.is_about_key && !is_table {
                value
            } else {
                key
            };
            inside = behind;
        }
        place
    }
}

enum Inside<'t> {
    Table(&'t DeTable<'t>),
    Array(&'t toml::de::DeArray<'t>),
    Nothing,
}

impl<'t> Inside<'t> {
    /// The places of a key and its value, and what is in the value.
    fn step(&self, step: &str) -> Option<(Range<usize>, Range<usize>, Self)> {
        let (key, value) = match self {
            Self::Table(table) => {
                let (key, value) = table.iter().find(|(key, _)| key.get_ref() == step)?;
                (key.span(), value)
            }
            Self::Array(array) => {
                let value = array.get(step.parse::<usize>().ok()?)?;
                (value.span(), value)
            }
            Self::Nothing => return None,
        };
        let inside = match value.get_ref() {
            DeValue::Table(table) => Self::Table(table),
            DeValue::Array(array) => Self::Array(array),
            _ => Self::Nothing,
        };
        Some((key, value.span(), inside))
    }
}

/// Makes paths whole that the gate compares others with; `file` is the settings file.
pub(super) fn anchor(settings: &mut GateSettings, file: &Path) {
    let folder = file.parent().unwrap_or(Path::new(""));
    // Without a working directory nothing relative is found anyway.
    let folder = std::path::absolute(folder.join(".")).unwrap_or_else(|_| folder.to_owned());
    settings.anchor(&folder);
}
