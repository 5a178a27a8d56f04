//! The gate's settings file: servers are added, and everything else stays as it is.

use std::collections::BTreeMap;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::servers::{Settings, Taken};

/// What is written above everything in a new file.
const HEAD: &str =
    "# The gate in front of servers that a host ran by itself. `sayso install` wrote it, and adds
# to it; everything may be changed here.
";

/// Why the servers cannot be added.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) hint: &'static str,
}

/// The servers as they stand in a settings file, and nothing else.
pub(super) fn stanza(servers: &[Taken]) -> Result<String, Refused> {
    let whole = with_servers(None, servers)?;
    Ok(whole.replace(HEAD, "").trim_start().to_owned())
}

/// The file with the servers in it. A server that it has already, started in the same way, is
/// left as it is.
pub(super) fn with_servers(text: Option<&str>, servers: &[Taken]) -> Result<String, Refused> {
    let mut document: DocumentMut = text.unwrap_or_default().parse().map_err(|error| Refused {
        message: format!("it is not TOML: {error}"),
        hint: "mend the file, or name another with `--settings`",
    })?;
    let root = document.as_table_mut();
    let wrong = |key: &str| Refused {
        message: format!("`{key}` is no table"),
        hint: "mend the file, or name another with `--settings`",
    };
    let gate = root.entry("gate").or_insert_with(heading);
    let gate = gate.as_table_like_mut().ok_or_else(|| wrong("gate"))?;
    if let Some(listen) = gate.get("listen").and_then(Item::as_str) {
        return Err(Refused {
            message: format!("its gate listens on `{listen}`, and a host's own gate must not"),
            hint: "name another file with `--settings`",
        });
    }
    let table = gate.entry("servers").or_insert_with(heading);
    let table = table
        .as_table_like_mut()
        .ok_or_else(|| wrong("gate.servers"))?;
    for server in servers {
        match table.get(&server.gate_name).map(launch) {
            None => {
                table.insert(&server.gate_name, Item::Table(written(server)));
            }
            Some(Some(there)) if there == server.launch => {}
            Some(_) => {
                return Err(Refused {
                    message: format!("it has another server called `{}`", server.gate_name),
                    hint: "rename the server in the host's configuration, or name another file with `--settings`",
                });
            }
        }
    }
    Ok(match text {
        Some(_) => document.to_string(),
        None => format!("{HEAD}\n{document}"),
    })
}

/// A table that is only there for the ones in it.
fn heading() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

fn written(server: &Taken) -> Table {
    let mut table = Table::new();
    match &server.launch {
        Settings::Process {
            command,
            args,
            env,
            cwd,
        } => {
            table.insert("command", value(command));
            if !args.is_empty() {
                table.insert("args", value(args.iter().collect::<Array>()));
            }
            if let Some(cwd) = cwd {
                table.insert("cwd", value(cwd));
            }
            insert_pairs(&mut table, "env", env);
        }
        Settings::Http { url, headers } => {
            table.insert("url", value(url));
            insert_pairs(&mut table, "headers", headers);
        }
    }
    // The host ran it as it was; from now on a change is noticed.
    table.insert("first-use", value("trust-once"));
    table
}

fn insert_pairs(table: &mut Table, key: &str, pairs: &BTreeMap<String, String>) {
    if !pairs.is_empty() {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        table.insert(key, value(pairs.collect::<toml_edit::InlineTable>()));
    }
}

/// How a server of the file is started or reached.
fn launch(item: &Item) -> Option<Settings> {
    let table = item.as_table_like()?;
    let text = |key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
    if let Some(url) = text("url") {
        let headers = pairs(table, "headers")?;
        return Some(Settings::Http { url, headers });
    }
    let args = match table.get("args") {
        None => Vec::new(),
        Some(args) => {
            let words = args.as_array()?.iter();
            words
                .map(|word| Some(word.as_str()?.to_owned()))
                .collect::<Option<_>>()?
        }
    };
    Some(Settings::Process {
        command: text("command")?,
        args,
        env: pairs(table, "env")?,
        cwd: text("cwd"),
    })
}

fn pairs(table: &dyn TableLike, key: &str) -> Option<BTreeMap<String, String>> {
    let Some(pairs) = table.get(key) else {
        return Some(BTreeMap::new());
    };
    let pairs = pairs.as_table_like()?.iter();
    pairs
        .map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())))
        .collect()
}
