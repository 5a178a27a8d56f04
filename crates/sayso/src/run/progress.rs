//! How far the run is, on standard error, where that is a terminal.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use sayso_core::reveal::reveal_line;
use sayso_mcp::{OnProgress, Progress as Step};

use crate::redact::Secrets;
use crate::targets::PlannedTarget;

/// The progress of a run.
#[derive(Debug)]
pub(super) struct Progress {
    lines: MultiProgress,
    all: Option<ProgressBar>,
}

/// The progress of one target.
#[derive(Clone, Debug)]
pub(super) struct TargetProgress {
    lines: MultiProgress,
    name: String,
    secrets: Secrets,
}

impl Progress {
    /// For so many targets. Nothing is drawn unless standard error is a terminal.
    pub(super) fn new(targets: usize, wanted: bool) -> Self {
        let to = if wanted {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let lines = MultiProgress::with_draw_target(to);
        let all = (targets > 1).then(|| {
            let bar = ProgressBar::new(targets as u64)
                .with_style(style("{bar:30} {pos} of {len} servers"));
            lines.add(bar)
        });
        Self { lines, all }
    }

    /// The progress of one target.
    pub(super) fn target(&self, target: &PlannedTarget) -> TargetProgress {
        TargetProgress {
            lines: self.lines.clone(),
            name: reveal_line(&target.name).into_owned(),
            secrets: target.secrets.clone(),
        }
    }

    /// One more target is done.
    pub(super) fn one_done(&self) {
        if let Some(all) = &self.all {
            all.inc(1);
        }
    }

    /// Takes all lines off the screen.
    pub(super) fn clear(&self) {
        // There is nothing to be done about a terminal that is gone.
        let _ = self.lines.clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(all) = &self.all {
            all.finish_and_clear();
        }
        self.clear();
    }
}

impl TargetProgress {
    /// What shows the steps of one reading on a line of its own, which goes when the listener
    /// does; nothing where nothing is drawn.
    pub(super) fn listener(&self) -> Option<OnProgress> {
        if self.lines.is_hidden() {
            return None;
        }
        let line = ProgressBar::new_spinner().with_finish(ProgressFinish::AndClear);
        let line = self
            .lines
            .add(line.with_style(style("{spinner} {prefix}  {wide_msg}")));
        line.set_prefix(self.name.clone());
        line.enable_steady_tick(Duration::from_millis(120));
        let secrets = self.secrets.clone();
        Some(OnProgress::new(move |step| match step {
            Step::Starting => line.set_message("starting"),
            // What a server says while it starts shows that it is still at it.
            Step::Stderr(said) => {
                line.set_message(reveal_line(&secrets.scrub(said.trim())).into_owned());
            }
            Step::Agreed(version) => line.set_message(format!("speaks {}", reveal_line(version))),
            Step::Page { pages: 1, tools } => line.set_message(format!("{tools} tools")),
            Step::Page { pages, tools } => {
                line.set_message(format!("{tools} tools on {pages} pages"))
            }
            Step::Closing => line.set_message("closing"),
            _ => {}
        }))
    }
}

fn style(template: &str) -> ProgressStyle {
    // Only a wrong template fails, and then the default is good enough.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
