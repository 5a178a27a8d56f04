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
            (None, Err(namespaces), Err(landlock)) => Err(Refused {
                reason: format!(
                    "neither namespaces ({namespaces}) nor Landlock ({landlock}) can be used"
                ),
                hint: namespaces.hint.clone(),
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
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::super::{Jail, Launcher, Refused};
    use crate::plan::{Mode, Network, Overlay, Plan, Purpose};

    /// How long a trial may take.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) fn run(mode: Mode, launcher: &Launcher) -> Result<(), Refused> {
        let refused = |reason: String| Refused {
            hint: hint(mode, &reason).to_owned(),
            reason,
        };
        let folder = crate::jail::scratch().map_err(|error| refused(error.to_string()))?;
        let overlays = match mode {
            Mode::Landlock => Vec::new(),
            Mode::Namespaces => {
                let overlay = Overlay {
                    lower: folder.path().join("lower"),
                    upper: folder.path().join("over").join("upper"),
                    work: folder.path().join("over").join("work"),
                };
                for path in [&overlay.lower, &overlay.upper, &overlay.work] {
                    std::fs::create_dir_all(path).map_err(|error| refused(error.to_string()))?;
                }
                vec![overlay]
            }
        };
        let written = match overlays.first() {
            Some(overlay) => overlay.lower.join("file"),
            None => folder.path().join("file"),
        };
        let plan = Plan {
            mode,
            purpose: Purpose::Observe,
            command: ["/bin/sh", "-c", ": > \"$0\""]
                .into_iter()
                .map(Into::into)
                .chain([written.into()])
                .collect(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            writable: vec![folder.path().to_owned()]
                .into_iter()
                .filter(|_| mode == Mode::Landlock)
                .collect(),
            overlays,
            read_only: Vec::new(),
            empty: Vec::new(),
            network: Network::None,
        };
        let jail = Jail::prepare(&plan, launcher)?;
        let begun = Instant::now();
        let command = jail.command();
        let started = Command::new(&command.command)
            .args(&command.args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut process = started.map_err(|error| refused(error.to_string()))?;
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
        // The watcher hears of it a moment later.
        let until = Instant::now() + Duration::from_millis(200);
        let is_well = status.as_ref().is_ok_and(std::process::ExitStatus::success);
        while !is_well && jail.failure().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        crate::jail::remove(folder);
        match (jail.failure(), status) {
            (Some(failure), _) => Err(refused(failure.reason)),
            (None, Ok(status)) if status.success() => Ok(()),
            (None, Ok(status)) => Err(refused(format!("a program in it {status}"))),
            (None, Err(reason)) => Err(refused(reason)),
        }
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
