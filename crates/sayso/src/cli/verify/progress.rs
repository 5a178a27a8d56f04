//! How far the watching is, on standard error, where that is a terminal.

use std::cell::RefCell;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sayso_core::reveal::reveal_line;
use sayso_verify::session::Step;

/// A line that says what is being done.
pub(super) struct Progress {
    bar: ProgressBar,
    tool: RefCell<String>,
}

impl Progress {
    /// For one server. Nothing is drawn unless standard error is a terminal.
    pub(super) fn new(name: &str, wanted: bool) -> Self {
        let to = if wanted {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{spinner} {prefix}  {bar:20} {wide_msg}");
        // Only a wrong template fails, and then the default is good enough.
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(0), to).with_style(style);
        bar.set_prefix(reveal_line(name).into_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        Self {
            bar,
            tool: RefCell::default(),
        }
    }

    /// Shows a step.
    pub(super) fn tell(&self, step: Step<'_>) {
        match step {
            Step::Starting => self.bar.set_message("starting"),
            Step::Tool { name, number, of } => {
                self.bar.set_length(of as u64);
                self.bar.set_position(number.saturating_sub(1) as u64);
                let name = reveal_line(name).into_owned();
                self.bar
                    .set_message(format!("{name}: watched before it is called"));
                *self.tool.borrow_mut() = name;
            }
            Step::Call { step } => {
                let message = format!("{}: {}", self.tool.borrow(), reveal_line(step));
                self.bar.set_message(message);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
