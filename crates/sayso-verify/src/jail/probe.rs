//! What this machine allows whoever runs this.

use super::{Launcher, Refused};
use crate::plan::Mode;

/// What was found by trying.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Whether namespaces can be used, with all that a jail needs in them.
    pub namespaces: Result<(), Refused>,
    /// Whether Landlock can be used.
    pub landlock: Result<(), Refused>,
}

impl Probe {
    /// The mode that is wanted, or else the best there is.
    ///
    /// # Errors
    /// When there is none, or not the one that is wanted: never another in its place.
    pub fn choose(&self, wanted: Option<Mode>) -> Result<Mode, Refused> {
        let tried = |mode: Mode| match mode {
            Mode::Namespaces => &self.namespaces,
            Mode::Landlock => &self.landlock,
        };
        if let Some(mode) = wanted {
            return tried(mode).clone().map(|()| mode);
        }
        let modes = [Mode::Namespaces, Mode::Landlock];
        let found = modes.into_iter().find(|mode| tried(*mode).is_ok());
        match (found, &self.namespaces, &self.landlock) {
            (Some(mode), ..) => Ok(mode),
            // Where the system has neither, one sentence says it.
            (None, Err(namespaces), Err(landlock)) if namespaces == landlock => {
                Err(namespaces.clone())
            }
            (None, Err(namespaces), Err(landlock)) => Err(Refused {
                reason: format!(
                    "neither namespaces ({namespaces}) nor Landlock ({landlock}) can be used"
                ),
                hint: format!("{}; or {}", namespaces.hint, landlock.hint),
            }),
            (None, ..) => Err(Refused {
                reason: "no jail can be made".to_owned(),
                hint: String::new(),
            }),
        }
    }
}

/// Tries each mode with a jail in which a program runs and ends. Takes some milliseconds, and some
/// seconds at most.
#[cfg(target_os = "linux")]
#[must_use]
pub fn probe(launcher: &Launcher) -> Probe {
    Probe {
        namespaces: trial::run(Mode::Namespaces, launcher),
        landlock: trial::run(Mode::Landlock, launcher),
    }
}

/// There is nothing to try.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn probe(_launcher: &Launcher) -> Probe {
    let missing = super::elsewhere::missing();
    Probe {
        namespaces: Err(missing.clone()),
        landlock: Err(missing),
    }
}

#[cfg(target_os = "linux")]
mod trial {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitStatus, Stdio};
    use std::time::{Duration, Instant};

    use super::super::{Jail, Launcher, Refused};
    use crate::plan::{Mode, Network, Overlay, Plan, Purpose};

    /// How long a trial may take.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) fn run(mode: Mode, launcher: &Launcher) -> Result<(), Refused> {
        let scratch = crate::jail::scratch();
        let scratch = scratch.map_err(|error| error.to_string());
        let tried = scratch.and_then(|scratch| {
            let tried = attempt(mode, scratch.path(), launcher);
            // What cannot be removed stays, in a private folder.
            let _ = crate::jail::remove(scratch.path());
            tried
        });
        tried.map_err(|reason| Refused {
            hint: hint(mode, &reason).to_owned(),
            reason,
        })
    }

    /// Lets a program in a jail write a file.
    fn attempt(mode: Mode, folder: &Path, launcher: &Launcher) -> Result<(), String> {
        let plan = plan(mode, folder).map_err(|error| error.to_string())?;
        let jail = Jail::prepare(&plan, launcher).map_err(|error| error.reason)?;
        let status = ended(&jail);
        // The watcher hears of a failure a moment after the end.
        let until = Instant::now() + Duration::from_millis(200);
        let is_well = status.as_ref().is_ok_and(ExitStatus::success);
        while !is_well && jail.failure().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        match (jail.failure(), status) {
            (Some(failure), _) => Err(failure.reason),
            (None, Ok(status)) if status.success() => Ok(()),
            (None, Ok(status)) => Err(format!("a program in it ended with {status}")),
            (None, Err(reason)) => Err(reason),
        }
    }

    fn plan(mode: Mode, folder: &Path) -> io::Result<Plan> {
        let overlay = Overlay {
            lower: folder.join("lower"),
            upper: folder.join("over").join("upper"),
            work: folder.join("over").join("work"),
        };
        for path in [&overlay.lower, &overlay.upper, &overlay.work] {
            std::fs::create_dir_all(path)?;
        }
        let written = overlay.lower.join("file");
        let (writable, overlays) = match mode {
            Mode::Landlock => (vec![overlay.lower], Vec::new()),
            Mode::Namespaces => (Vec::new(), vec![overlay]),
        };
        let words = ["/bin/sh", "-c", ": > \"$0\""].map(Into::into);
        Ok(Plan {
            mode,
            purpose: Purpose::Observe,
            command: words.into_iter().chain([written.into()]).collect(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            writable,
            overlays,
            read_only: Vec::new(),
            empty: Vec::new(),
            network: Network::None,
        })
    }

    fn ended(jail: &Jail) -> Result<ExitStatus, String> {
        let begun = Instant::now();
        let command = jail.command();
        let mut program = Command::new(&command.command);
        program.args(&command.args).stdin(Stdio::null());
        let started = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut process = started.map_err(|error| error.to_string())?;
        let status = loop {
            match process.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Ok(None) => break Err("it does not end".to_owned()),
                Err(error) => break Err(error.to_string()),
            }
        };
        let _ = process.kill();
        let _ = process.wait();
        status
    }

    fn hint(mode: Mode, reason: &str) -> &'static str {
        match mode {
            Mode::Namespaces
                if reason.contains("enter namespaces") || reason.contains("map the user") =>
            {
                "allow user namespaces: on Ubuntu `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, in a \
                 container its seccomp profile"
            }
            Mode::Namespaces => "a kernel from 5.12 on has all that is needed",
            Mode::Landlock => "start a kernel from 6.2 on with `landlock` in its `lsm=` list",
        }
    }
}
