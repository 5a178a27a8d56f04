//! A table of the file, asked for what has to be in it.

use toml_edit::{ArrayOfTables, Item, TableLike};

use crate::reveal::reveal_line;
use crate::rulings::RulingsError;

/// The text of the file and its name.
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) file: &'t str,
}

impl Source<'_> {
    pub(super) fn at(&self, offset: usize, message: impl Into<String>) -> RulingsError {
        RulingsError::at(self.text, self.file, offset, message)
    }
}

/// A table of the file.
pub(super) struct Section<'d> {
    pub(super) source: &'d Source<'d>,
    pub(super) table: &'d dyn TableLike,
    /// Its keys before this one, with a dot behind: `case.when.`.
    pub(super) name: String,
    /// Where it begins.
    pub(super) start: usize,
}

impl<'d> Section<'d> {
    /// That no key is there but these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), RulingsError> {
        for (key, _) in self.table.iter() {
            if !known.contains(&key) {
                let message = format!("unknown key `{}{}`", self.name, reveal_line(key));
                let error = self.source.at(self.key(key), message);
                return Err(error.suggest(key, known));
            }
        }
        Ok(())
    }

    /// Where a key stands; where the table begins if it is not there.
    pub(super) fn key(&self, key: &str) -> usize {
        let span = self.table.key(key).and_then(toml_edit::Key::span);
        span.map_or(self.start, |span| span.start)
    }

    pub(super) fn value_place(&self, key: &str, item: &Item) -> usize {
        item.span().map_or_else(|| self.key(key), |span| span.start)
    }

    pub(super) fn missing(&self, key: &str, hint: &str) -> RulingsError {
        let message = format!("`{}{key}` is missing", self.name);
        self.source.at(self.start, message).with_hint(hint)
    }

    pub(super) fn wrong_type(&self, key: &str, item: &Item, expected: &str) -> RulingsError {
        let message = format!(
            "`{}{key}` is of type {}; it has to be {expected}",
            self.name,
            item.type_name()
        );
        self.source.at(self.value_place(key, item), message)
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<String>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let text = item
            .as_str()
            .ok_or_else(|| self.wrong_type(key, item, "a string"))?;
        if text.trim().is_empty() {
            let message = format!("`{}{key}` is empty", self.name);
            return Err(self.source.at(self.value_place(key, item), message));
        }
        Ok(Some(text.to_owned()))
    }

    pub(super) fn needed_text(&self, key: &str, hint: &str) -> Result<String, RulingsError> {
        self.text(key)?.ok_or_else(|| self.missing(key, hint))
    }

    pub(super) fn boolean(&self, key: &str) -> Result<Option<bool>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        item.as_bool()
            .map(Some)
            .ok_or_else(|| self.wrong_type(key, item, "`true` or `false`"))
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(Vec::new());
        };
        let wrong = || self.wrong_type(key, item, "a list of strings");
        let list = item.as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect()
    }

    /// The table under a key.
    pub(super) fn section(
        &self,
        key: &str,
        expected: &str,
    ) -> Result<Option<Section<'d>>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let table = item
            .as_table_like()
            .ok_or_else(|| self.wrong_type(key, item, expected))?;
        Ok(Some(Section {
            source: self.source,
            table,
            name: format!("{}{key}.", self.name),
            start: self.value_place(key, item),
        }))
    }

    pub(super) fn blocks(
        &self,
        key: &str,
        header: &str,
    ) -> Result<Option<&'d ArrayOfTables>, RulingsError> {
        let Some(item) = self.table.get(key) else {
            return Ok(None);
        };
        let wrong = || self.wrong_type(key, item, &format!("blocks that begin with `{header}`"));
        item.as_array_of_tables().map(Some).ok_or_else(wrong)
    }
}
