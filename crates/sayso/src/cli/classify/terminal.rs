//! The terminal of a session: takes it over, draws a screen for every key, and gives it back
//! however the session ends.

use std::io::{self, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{execute, queue};

use crate::classify::session::Key;
use crate::error::Failure;
use crate::report::classify::screen::Room;

/// What came from the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A key for the session.
    Key(Key),
    /// Lines to scroll, down where positive.
    Scroll(isize),
    /// The terminal has another size.
    Resized,
}

/// The terminal, taken over until this is dropped. It is drawn on standard error: standard output
/// is for what comes of the session.
pub(super) struct Terminal {
    color: bool,
}

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Terminal {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// When it cannot be.
    pub(super) fn take() -> Result<Self, Failure> {
        give_back_on_panic();
        give_back_on_signal();
        TAKEN.store(true, Ordering::SeqCst);
        let terminal = Self {
            color: anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        };
        terminal::enable_raw_mode().map_err(|error| failure(&error))?;
        execute!(io::stderr(), EnterAlternateScreen, Hide).map_err(|error| failure(&error))?;
        Ok(terminal)
    }

    /// The room there is.
    pub(super) fn room(&self) -> Room {
        let (width, height) = size();
        Room {
            width: width.clamp(40, 100),
            height,
            color: self.color,
        }
    }

    /// Draws the lines from the top, and clears the rest.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(super) fn draw(&self, lines: &[String]) -> Result<(), Failure> {
        draw(lines).map_err(|error| failure(&error))
    }

    /// Waits for what comes next from the person.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(super) fn next(&self) -> Result<Input, Failure> {
        loop {
            let input = match event::read().map_err(|error| failure(&error))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => input(key),
                Event::Resize(..) => Some(Input::Resized),
                _ => None,
            };
            if let Some(input) = input {
                return Ok(input);
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Columns and rows; where the terminal does not tell, those every terminal has.
fn size() -> (usize, usize) {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or((80, 24), |(width, height)| {
        (usize::from(width.0), usize::from(height.0).max(1))
    })
}

fn draw(lines: &[String]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stderr().lock());
    queue!(out, BeginSynchronizedUpdate)?;
    for (row, line) in (0u16..).zip(lines) {
        queue!(out, MoveTo(0, row), Clear(ClearType::CurrentLine))?;
        out.write_all(line.as_bytes())?;
    }
    let below = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    if lines.len() < size().1 {
        queue!(out, MoveTo(0, below), Clear(ClearType::FromCursorDown))?;
    }
    queue!(out, EndSynchronizedUpdate)?;
    out.flush()
}

/// Gives the terminal back if it is taken over. What fails then cannot be told anywhere.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stderr(), Show, LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// A panic is told on a screen that shows it.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            told(panic);
        }));
    });
}

/// A signal that ends the program does not leave the terminal as it was for the session. Ctrl-C is
/// none: it comes as a key.
#[cfg(unix)]
fn give_back_on_signal() {
    use tokio::signal::unix::{SignalKind, signal};

    static ONCE: Once = Once::new();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let kinds = (
                signal(SignalKind::terminate()),
                signal(SignalKind::hangup()),
            );
            let (Ok(mut terminate), Ok(mut hangup)) = kinds else {
                return;
            };
            let _ = ready.send(());
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        give_back();
        std::process::exit(i32::from(crate::exit::TERMINATED));
    };
    ONCE.call_once(|| {
        // Without a thread, or when it gives up, a signal ends the program as it does any other.
        if std::thread::Builder::new().spawn(wait).is_ok() {
            let _ = is_ready.recv();
        }
    });
}

#[cfg(not(unix))]
fn give_back_on_signal() {}

fn failure(error: &io::Error) -> Failure {
    Failure::usage(format!("cannot use the terminal: {error}"))
        .hint("`--suggest` and `--answers FILE` do without one")
}

/// What a key means, if anything.
fn input(key: KeyEvent) -> Option<Input> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let key = match key.code {
        KeyCode::Char('c' | 'd') if control => Key::Quit,
        KeyCode::Char('s') if control => Key::Skip,
        KeyCode::Char('h') if control => Key::Erase,
        KeyCode::Char(character) if !control && !alt => Key::Char(character),
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Erase,
        KeyCode::Tab => Key::Complete,
        KeyCode::Esc => Key::Back,
        KeyCode::Up => return Some(Input::Scroll(-1)),
        KeyCode::Down => return Some(Input::Scroll(1)),
        KeyCode::PageUp => return Some(Input::Scroll(-10)),
        KeyCode::PageDown => return Some(Input::Scroll(10)),
        _ => return None,
    };
    Some(Input::Key(key))
}
