//! Real servers and clients for the tests: pinned in `fixtures/servers/` and `fixtures/clients/`,
//! installed into `.servers/` and `.clients/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{TaskError, While, root};

/// Packages that live in a folder of their own, for others do not run beside them.
struct Environment {
    /// What they are: `servers` or `clients`.
    peers: &'static str,
    /// The name of the folder.
    name: &'static str,
    /// The file in which every package is pinned.
    manifest: &'static str,
    install: fn(manifest: &Path, folder: &Path) -> Result<(), TaskError>,
}

const ENVIRONMENTS: &[Environment] = &[
    Environment {
        peers: "servers",
        name: "npm",
        manifest: "package-lock.json",
        install: install_npm,
    },
    Environment {
        peers: "servers",
        name: "conformance",
        manifest: "conformance/package-lock.json",
        install: install_npm,
    },
    Environment {
        peers: "servers",
        name: "python",
        manifest: "requirements.txt",
        install: install_python,
    },
    Environment {
        peers: "servers",
        name: "python-sqlite",
        manifest: "requirements-sqlite.txt",
        install: install_python,
    },
    Environment {
        peers: "servers",
        name: "python-watched",
        manifest: "requirements-watched.txt",
        install: install_python,
    },
    Environment {
        peers: "clients",
        name: "npm",
        manifest: "package-lock.json",
        install: install_npm,
    },
    Environment {
        peers: "clients",
        name: "python-sdk-1",
        manifest: "requirements-sdk-1.txt",
        install: install_python,
    },
    Environment {
        peers: "clients",
        name: "python-sdk-2",
        manifest: "requirements-sdk-2.txt",
        install: install_python,
    },
];

/// Installs every server and client that is not there yet in the pinned version.
pub(crate) fn install() -> Result<(), TaskError> {
    // The tests run Git and Node themselves, whether or not anything is left to install. What
    // has to be installed for all is, before the installations run side by side.
    for program in [GIT, NODE, NPM, PYTHON] {
        program.find()?;
    }
    std::thread::scope(|scope| {
        let installations: Vec<_> = ENVIRONMENTS
            .iter()
            .map(|environment| scope.spawn(|| environment.install_unless_there()))
            .collect();
        installations.into_iter().try_for_each(|installation| {
            let panicked = |panic| std::panic::resume_unwind(panic);
            installation.join().unwrap_or_else(panicked)
        })
    })
}

impl Environment {
    /// Installs it into an empty folder unless one made from the same manifest is there.
    fn install_unless_there(&self) -> Result<(), TaskError> {
        let Self { peers, name, .. } = self;
        let place = root().join(format!(".{peers}"));
        let folder = place.join(name);
        let stamp = place.join(format!("{name}.stamp"));
        let manifest = root().join("fixtures").join(peers).join(self.manifest);
        let wanted = fs::read_to_string(&manifest)
            .while_trying(format!("reading {}", manifest.display()))?;
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && folder.is_dir()
        {
            return Ok(());
        }
        eprintln!("installing the {name} test {peers}");
        if folder.exists() {
            fs::remove_dir_all(&folder).while_trying(format!("removing {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).while_trying(format!("creating {}", folder.display()))?;
        (self.install)(&manifest, &folder)?;
        fs::write(&stamp, wanted).while_trying(format!("writing {}", stamp.display()))
    }
}

/// Installs what a lock file names; what it was made from lies beside it.
fn install_npm(lock: &Path, folder: &Path) -> Result<(), TaskError> {
    let npm = NPM.find()?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(lock.with_file_name(file), folder.join(file))
            .while_trying(format!("copying {file}"))?;
    }
    run(Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(folder))
}

fn install_python(requirements: &Path, folder: &Path) -> Result<(), TaskError> {
    let python = PYTHON.find()?;
    run(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    let scripts = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    run(Command::new(scripts.join("python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .arg("--requirement")
        .arg(requirements))
}

/// Something the servers and clients need, and how a person gets it.
struct Program {
    /// What it is, with the version that is needed.
    what: &'static str,
    /// What it may be called.
    names: &'static [&'static str],
    /// Arguments with which it succeeds if it is good enough.
    check: &'static [&'static str],
    debian: &'static [&'static str],
    homebrew: &'static str,
    winget: &'static str,
}

const GIT: Program = Program {
    what: "Git",
    names: &["git"],
    check: &["--version"],
    debian: &["git"],
    homebrew: "git",
    winget: "Git.Git",
};

/// The version is the highest that one of the pinned packages asks for.
const NODE: Program = Program {
    what: "Node.js 20 or newer",
    names: &["node"],
    check: &[
        "-e",
        "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)",
    ],
    debian: &["nodejs", "npm"],
    homebrew: "node",
    winget: "OpenJS.NodeJS.LTS",
};

const NPM: Program = Program {
    what: "npm",
    names: &["npm"],
    check: &["--version"],
    ..NODE
};

/// The version is the highest that one of the pinned packages asks for.
const PYTHON: Program = Program {
    what: "Python 3.11 or newer with `venv`",
    names: &[
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python",
    ],
    check: &[
        "-c",
        "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))",
    ],
    debian: &["python3", "python3-venv"],
    homebrew: "python",
    winget: "Python.Python.3.13",
};

impl Program {
    /// Finds it; on Debian as root installs it, elsewhere names the line that would.
    fn find(&self) -> Result<PathBuf, TaskError> {
        if let Some(found) = self.good_enough() {
            return Ok(found);
        }
        let apt = which::which("apt-get").ok();
        let may_install = apt.is_some() && is_root();
        if let (Some(apt), true) = (&apt, may_install) {
            eprintln!("installing {}", self.debian.join(" "));
            run(Command::new(apt).arg("update"))?;
            run(Command::new(apt)
                .args(["install", "--yes", "--no-install-recommends"])
                .args(self.debian)
                .env("DEBIAN_FRONTEND", "noninteractive"))?;
        }
        self.good_enough().ok_or_else(|| TaskError::Missing {
            what: self.what,
            install: self.line_to_run(may_install),
        })
    }

    /// What a person has to run; with `tried`, what the system has was not good enough.
    fn line_to_run(&self, tried: bool) -> String {
        let packages = self.debian.join(" ");
        let has = |manager: &str| which::which(manager).is_ok();
        if cfg!(target_os = "macos") {
            format!("run `brew install {}`", self.homebrew)
        } else if cfg!(windows) {
            format!("run `winget install {}`", self.winget)
        } else if has("apt-get") && !tried {
            format!("run `sudo apt-get install {packages}`")
        } else if has("dnf") {
            format!(
                "run `sudo dnf install {}`",
                packages.replace(" python3-venv", "")
            )
        } else if has("apk") {
            format!(
                "run `sudo apk add {}`",
                packages.replace(" python3-venv", "")
            )
        } else {
            "install it from its maker, as this system has none that will do".to_owned()
        }
    }

    fn good_enough(&self) -> Option<PathBuf> {
        let found = self.names.iter().filter_map(|name| which::which(name).ok());
        let mut found = found.filter(|path| {
            let output = Command::new(path).args(self.check).output();
            output.is_ok_and(|output| output.status.success())
        });
        found.next()
    }
}

fn is_root() -> bool {
    let identity = Command::new("id").arg("-u").output();
    identity.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs a command to its end, its output going where ours goes.
fn run(command: &mut Command) -> Result<(), TaskError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let shown = words.join(" ");
    let status = command
        .status()
        .while_trying(format!("running `{shown}`"))?;
    if status.success() {
        Ok(())
    } else {
        Err(TaskError::Failed {
            command: shown,
            status,
        })
    }
}
