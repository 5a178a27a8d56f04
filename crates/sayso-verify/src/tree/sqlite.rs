//! SQLite databases: what is lost of their rows. One added row changes nearly every byte of a file.

use std::fs;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// How a database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// How many rows are compared.
const MOST: usize = 200_000;

pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Every row of every table, and every object of the schema, as text, of a database with its write-ahead
/// log or its rollback journal. `None` where it cannot be read.
pub(super) fn rows(
    database: &[u8],
    log: Option<&[u8]>,
    journal: Option<&[u8]>,
    folder: &Path,
) -> Option<Vec<String>> {
    let folder = tempfile::tempdir_in(folder).ok()?;
    let path = folder.path().join("database");
    fs::write(&path, database).ok()?;
    for (name, bytes) in [("database-wal", log), ("database-journal", journal)] {
        if let Some(bytes) = bytes {
            fs::write(folder.path().join(name), bytes).ok()?;
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags).ok()?;
    // What somebody else made may name functions; none of them is run.
    connection
        .pragma_update(None, "trusted_schema", false)
        .ok()?;
    let mut rows = Vec::new();
    for setting in ["user_version", "application_id"] {
        let value = connection.pragma_query_value(None, setting, |row| row.get::<_, i64>(0));
        if let Some(value) = value.ok().filter(|value| *value != 0) {
            rows.push(format!("{setting} {value}"));
        }
    }
    let schema =
        "select type, name, coalesce(sql, '') from sqlite_schema where name not like 'sqlite_%'";
    let mut tables = Vec::new();
    {
        let mut statement = connection.prepare(schema).ok()?;
        let mut found = statement.query([]).ok()?;
        while let Some(row) = found.next().ok()? {
            let text = |place| row.get::<_, String>(place).unwrap_or_default();
            if text(0) == "table" && !text(2).to_ascii_lowercase().contains("virtual table") {
                tables.push(text(1));
            }
            rows.push(format!("{} {} {}", text(0), text(1), text(2)));
        }
    }
    for table in tables {
        let quoted = table.replace('"', "\"\"");
        let mut statement = connection
            .prepare(&format!("select * from \"{quoted}\""))
            .ok()?;
        let columns = statement.column_count();
        let mut found = statement.query([]).ok()?;
        while let Some(row) = found.next().ok()? {
            let mut text = format!("row of {table}");
            for column in 0..columns {
                text.push('\u{1f}');
                text.push_str(&shown(row.get_ref(column).ok()?));
            }
            rows.push(text);
            if rows.len() > MOST {
                return None;
            }
        }
    }
    Some(rows)
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => super::hex(bytes),
    }
}
