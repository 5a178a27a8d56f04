//! Changes the text of a settings file and keeps everything else in it as it is.

use toml_edit::{DocumentMut, Item, Table, Value, value};

use super::{DEFAULT, Key, Settings, SettingsError};

/// One change: `KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// What is set.
    pub key: Key,
    /// To what, in the spelling of the command line.
    pub value: String,
}

impl Assignment {
    /// Reads `KEY=VALUE` and checks both.
    ///
    /// # Errors
    /// When there is no such key, or the value is not possible there.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let (key, value) = text.split_once('=').ok_or_else(|| {
            SettingsError::new(format!("`{text}` has no `=`"))
                .hint("write it as KEY=VALUE, such as `wipe_index.destructiveHint=false`")
        })?;
        let key = Key::parse(key.trim())?;
        let value = value.trim().to_owned();
        Settings::default().set(key, &value)?;
        Ok(Self { key, value })
    }
}

/// The settings file's new text.
///
/// # Errors
/// When the text is no settings file, or would be none afterwards.
pub fn edit(text: &str, file: &str, assignments: &[Assignment]) -> Result<String, SettingsError> {
    Settings::parse(text, file)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| SettingsError::new(error.message().to_owned()))?;
    let document_is_bare = document.is_empty();
    if document_is_bare {
        document = DocumentMut::new();
    }
    for Assignment { key, value } in assignments {
        match key.path() {
            (None, name) => put(document.as_table_mut(), name, value),
            (Some(tool), name) => put_in_tool(document.as_table_mut(), tool, name, value),
        }
    }
    let edited = if document_is_bare {
        // Nothing but remarks: they stay before what is set.
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{text}{end}{document}")
    } else {
        document.to_string()
    };
    // Two settings can each be right and not go together.
    Settings::parse(&edited, file)?;
    Ok(edited)
}

fn put_in_tool(root: &mut Table, tool: &str, name: &str, text: &str) {
    if text == DEFAULT && !root.contains_key(tool) {
        return;
    }
    let item = root
        .entry(tool)
        .or_insert_with(|| Item::Table(Table::new()));
    if let Some(table) = item.as_table_like_mut() {
        put(table, name, text);
        if table.is_empty() {
            root.remove(tool);
        }
    }
}

fn put(table: &mut dyn toml_edit::TableLike, name: &str, text: &str) {
    if text == DEFAULT {
        table.remove(name);
        return;
    }
    let mut new: Value = match text {
        "true" => true.into(),
        "false" => false.into(),
        text => text.into(),
    };
    match table.get_mut(name) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *new.decor_mut() = old.decor().clone();
            }
            *item = value(new);
        }
        None => {
            table.insert(name, value(new));
        }
    }
}
