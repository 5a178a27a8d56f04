//! What happened, one line of JSON an event, in the order it happened.
//!
//! Lines are only ever appended, each with one write, so that several processes can keep one
//! journal and whoever reads along sees whole lines.

mod entry;
mod read;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

pub use entry::{AsideEffect, Entry, Json, Record, WithheldAnswer};
pub use read::{BadLine, Contents};

/// Writes a journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    began: Instant,
    state: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    /// None where it can only be read: what happens here is not written down.
    file: Option<File>,
    sequence: u64,
    /// The first error, for whoever asks.
    failure: Option<io::Error>,
}

impl Journal {
    /// Opens a journal to append to it, or makes it. One that is there and can only be read is left as
    /// it is, and nothing is written: so it is where a server is confined to reading.
    ///
    /// # Errors
    /// When the file cannot be read and written.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = match open(path) {
            Ok(mut file) => {
                if !ends_with_line_end(&mut file)? {
                    // A process was killed in the middle of a line.
                    file.write_all(b"\n")?;
                }
                Some(file)
            }
            Err(error) if is_for_reading(path, &error) => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            path: path.to_owned(),
            began: Instant::now(),
            state: Mutex::new(Writer {
                file,
                sequence: 0,
                failure: None,
            }),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes down what happened just now, on a connection or to the server as a whole. An error
    /// is kept for [`Journal::take_failure`]: whoever is told of an event can do nothing about it.
    pub fn append(&self, connection: Option<u64>, record: Record) {
        let mut writer = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Entry {
            time: now(),
            offset_ms: milliseconds(self.began),
            sequence: writer.sequence,
            process: std::process::id(),
            connection,
            record,
        };
        writer.sequence += 1;
        if let Err(error) = writer.write(&entry) {
            writer.failure.get_or_insert(error);
        }
    }

    /// Whether somebody emptied or removed the file since something was written to it. What a
    /// reader has to know from the beginning has to be written again then.
    pub fn was_emptied(&self) -> bool {
        let mut writer = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::fs::metadata(&self.path) {
            _ if writer.sequence == 0 || writer.file.is_none() => false,
            Ok(metadata) => metadata.len() == 0,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match open(&self.path) {
                    Ok(file) => writer.file = Some(file),
                    Err(error) => {
                        writer.failure.get_or_insert(error);
                    }
                }
                true
            }
            Err(_) => false,
        }
    }

    /// The first error of writing since this was last asked.
    pub fn take_failure(&self) -> Option<io::Error> {
        let mut writer = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        writer.failure.take()
    }
}

impl Writer {
    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut line = serde_json::to_string(entry)?;
        line.push('\n');
        file.write_all(line.as_bytes())
    }
}

/// The time in whole milliseconds.
fn now() -> Timestamp {
    let now = Timestamp::now();
    let to_milliseconds = TimestampRound::new()
        .smallest(Unit::Millisecond)
        .mode(RoundMode::Trunc);
    now.round(to_milliseconds).unwrap_or(now)
}

/// Milliseconds since then, to a microsecond.
fn milliseconds(since: Instant) -> f64 {
    let micros = u32::try_from(since.elapsed().as_micros())
        .map_or_else(|_| since.elapsed().as_secs_f64() * 1e6, f64::from);
    micros.round() / 1000.0
}

fn open(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .append(true)
        .create(true)
        .open(path)
}

/// Whether the file can be read, and only that.
fn is_for_reading(path: &Path, error: &io::Error) -> bool {
    let kinds = [
        io::ErrorKind::ReadOnlyFilesystem,
        io::ErrorKind::PermissionDenied,
    ];
    kinds.contains(&error.kind()) && File::open(path).is_ok()
}

fn ends_with_line_end(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
