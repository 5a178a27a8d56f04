//! A terminal of 80 columns and 24 rows with the program in it, driven key by key.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::sayso::Sayso;

/// How long a screen may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a program writes behind each frame: the end of a synchronized update.
const FRAME: &[u8] = b"\x1b[?2026l";

pub(crate) const ESCAPE: &str = "\x1b";
pub(crate) const ENTER: &str = "\r";
pub(crate) const TAB: &str = "\t";
pub(crate) const DOWN: &str = "\x1b[B";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_S: &str = "\x13";

/// A program in a terminal.
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    /// Kept open, so that the terminal's modes can still be asked for when the program is gone.
    program_side: OwnedFd,
}

struct Seen {
    screen: vt100::Parser,
    bytes: Vec<u8>,
    frames: usize,
    /// Whether nothing more can come.
    ended: bool,
}

/// What is left when the program has ended.
pub(crate) struct Left {
    pub(crate) code: Option<i32>,
    /// What it wrote to standard output, which is no terminal.
    pub(crate) stdout: String,
    /// The screen as the program leaves it.
    pub(crate) screen: String,
    /// Whether typed characters are lines again, and are echoed.
    pub(crate) is_as_before: bool,
}

impl Terminal {
    /// Starts the program, and waits for its first screen.
    pub(crate) fn start(sayso: &Sayso) -> Self {
        let mut terminal = Self::start_in(sayso, 80, 24);
        terminal.wait_for(1);
        terminal
    }

    fn start_in(sayso: &Sayso, columns: u16, rows: u16) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let path = ptsname(&person, Vec::new()).unwrap();
        let program = OpenOptions::new()
            .read(true)
            .write(true)
            .open(path.to_str().unwrap())
            .unwrap();
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&program, size).unwrap();
        let child = sayso
            .command()
            .stdin(Stdio::from(program.try_clone().unwrap()))
            .stderr(Stdio::from(program.try_clone().unwrap()))
            .stdout(Stdio::piped())
            .env("TERM", "xterm")
            .spawn()
            .unwrap();
        let seen = Seen {
            screen: vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0),
            bytes: Vec::new(),
            frames: 0,
            ended: false,
        };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let keyboard = File::from(person);
        watch(keyboard.try_clone().unwrap(), Arc::clone(&seen));
        Self {
            child,
            keyboard,
            seen,
            program_side: OwnedFd::from(program),
        }
    }

    /// Presses one key, and waits for the screen that comes of it.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        let frames = self.seen.0.lock().unwrap().frames;
        self.send(key);
        self.wait_for(frames + 1);
        self
    }

    /// Types characters, one after the other.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.chars() {
            self.key(&key.to_string());
        }
        self
    }

    /// Presses a key that ends the program.
    pub(crate) fn send(&mut self, key: &str) {
        self.keyboard.write_all(key.as_bytes()).unwrap();
    }

    /// The screen, a line a row, without the space at the end of each.
    pub(crate) fn screen(&self) -> String {
        text(&self.seen.0.lock().unwrap().screen)
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program to end.
    pub(crate) fn end(mut self) -> Left {
        let mut stdout = String::new();
        let mut pipe = self.child.stdout.take().unwrap();
        pipe.read_to_string(&mut stdout).unwrap();
        let code = self.child.wait().unwrap().code();
        let modes = tcgetattr(&self.program_side).unwrap().local_modes;
        Left {
            code,
            stdout,
            // All that was written is seen when the other side is closed, too.
            screen: {
                drop(self.program_side);
                let (seen, more) = &*self.seen;
                let seen = seen.lock().unwrap();
                let (seen, _) = more
                    .wait_timeout_while(seen, PATIENCE, |seen| !seen.ended)
                    .unwrap();
                text(&seen.screen)
            },
            is_as_before: modes.contains(LocalModes::ICANON | LocalModes::ECHO),
        }
    }

    fn wait_for(&mut self, frames: usize) {
        let (seen, more) = &*self.seen;
        let until = Instant::now() + PATIENCE;
        let mut seen = seen.lock().unwrap();
        while seen.frames < frames {
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "no screen came; the last was\n{}",
                text(&seen.screen)
            );
            seen = more.wait_timeout(seen, left).unwrap().0;
        }
    }
}

fn text(screen: &vt100::Parser) -> String {
    let (_, columns) = screen.screen().size();
    let rows: Vec<String> = screen
        .screen()
        .rows(0, columns.into())
        .map(|row| row.trim_end().to_owned())
        .collect();
    rows.join("\n").trim_end().to_owned()
}

fn watch(mut screen: File, seen: Arc<(Mutex<Seen>, Condvar)>) {
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        let (lock, more) = &*seen;
        // When every program has closed its side, reading fails.
        while let Ok(count) = screen.read(&mut bytes) {
            if count == 0 {
                break;
            }
            let mut seen = lock.lock().unwrap();
            seen.screen.process(&bytes[..count]);
            seen.bytes.extend_from_slice(&bytes[..count]);
            seen.frames = seen
                .bytes
                .windows(FRAME.len())
                .filter(|window| *window == FRAME)
                .count();
            more.notify_all();
        }
        lock.lock().unwrap().ended = true;
        more.notify_all();
    });
}
