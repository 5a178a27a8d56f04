//! Real servers for the tests: pinned in `fixtures/servers/`, installed into `.servers/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{TaskError, While, root};

/// Installs every server that is not there yet in the pinned version.
pub(crate) fn install() -> Result<(), TaskError> {
    let manifests = root().join("fixtures/servers");
    let servers = root().join(".servers");
    fs::create_dir_all(&servers).while_trying("creating .servers")?;
    require_git()?;
    unless_installed(
        &servers,
        "npm",
        &manifests.join("package-lock.json"),
        |folder| install_npm(&manifests, folder),
    )?;
    for (name, requirements) in [
        ("python", "requirements.txt"),
        ("python-sqlite", "requirements-sqlite.txt"),
    ] {
        let requirements = manifests.join(requirements);
        unless_installed(&servers, name, &requirements, |folder| {
            install_python(&requirements, folder)
        })?;
    }
    Ok(())
}

/// Runs `install` for an empty folder unless one made from the same manifest is there.
fn unless_installed(
    servers: &Path,
    name: &str,
    manifest: &Path,
    install: impl FnOnce(&Path) -> Result<(), TaskError>,
) -> Result<(), TaskError> {
    let folder = servers.join(name);
    let stamp = servers.join(format!("{name}.stamp"));
    let wanted =
        fs::read_to_string(manifest).while_trying(format!("reading {}", manifest.display()))?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && folder.is_dir() {
        return Ok(());
    }
    eprintln!("installing the {name} test servers");
    if folder.exists() {
        fs::remove_dir_all(&folder).while_trying(format!("removing {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).while_trying(format!("creating {}", folder.display()))?;
    install(&folder)?;
    fs::write(&stamp, wanted).while_trying(format!("writing {}", stamp.display()))
}

fn install_npm(manifests: &Path, folder: &Path) -> Result<(), TaskError> {
    let npm = program("npm", &["nodejs", "npm"], "node", "OpenJS.NodeJS.LTS")?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(manifests.join(file), folder.join(file))
            .while_trying(format!("copying {file}"))?;
    }
    run(Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(folder))
}

fn install_python(requirements: &Path, folder: &Path) -> Result<(), TaskError> {
    let python = program(
        "python3",
        &["python3", "python3-venv"],
        "python",
        "Python.Python.3.13",
    )?;
    run(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    let scripts = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    run(Command::new(scripts.join("python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ])
        .arg(requirements))
}

fn require_git() -> Result<(), TaskError> {
    program("git", &["git"], "git", "Git.Git").map(drop)
}

/// Finds a program; on Debian as root installs it, elsewhere names the line that would.
fn program(
    name: &'static str,
    debian: &[&str],
    homebrew: &str,
    winget: &str,
) -> Result<std::path::PathBuf, TaskError> {
    if let Ok(found) = which::which(name) {
        return Ok(found);
    }
    let apt = which::which("apt-get").ok();
    if let (Some(apt), true) = (&apt, is_root()) {
        eprintln!("installing {}", debian.join(" "));
        run(Command::new(apt).arg("update"))?;
        run(Command::new(apt)
            .args(["install", "--yes", "--no-install-recommends"])
            .args(debian))?;
    }
    which::which(name).map_err(|_| TaskError::Missing {
        program: name,
        install: if cfg!(target_os = "macos") {
            format!("brew install {homebrew}")
        } else if cfg!(windows) {
            format!("winget install {winget}")
        } else if apt.is_some() {
            format!("sudo apt-get install {}", debian.join(" "))
        } else {
            format!("your package manager to install {}", debian.join(" and "))
        },
    })
}

fn is_root() -> bool {
    let identity = Command::new("id").arg("-u").output();
    identity.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<(), TaskError> {
    let shown = format!("{command:?}");
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
