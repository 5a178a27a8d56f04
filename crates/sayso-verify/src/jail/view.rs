//! What a server sees of the machine: namespaces, where everything is read-only but what the plan names.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};
use rustix::fs::{CWD, Mode, OFlags, StatVfsMountFlags};
use rustix::mount::{MoveMountFlags, OpenTreeFlags};

use super::kernel::set_read_only;
use crate::plan::{Overlay, Plan};

/// A step that failed, and how.
pub(super) type Step<T> = Result<T, String>;

/// Puts a failure in words.
pub(super) fn step<T, E: Into<io::Error>>(what: &str, done: Result<T, E>) -> Step<T> {
    done.map_err(|error| format!("{what}: {}", error.into()))
}

/// Builds the view. The process is in namespaces of its own and has every capability in them.
pub(super) fn build(plan: &Plan) -> Step<()> {
    let root = Path::new("/");
    let everything = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    step("keep mounts to itself", bare(None, root, everything))?;
    let written = plan.writable.iter().filter(|path| path.exists());
    let uppers = plan
        .overlays
        .iter()
        .filter_map(|overlay| overlay.upper.parent());
    let kept: Vec<&Path> = written.map(PathBuf::as_path).chain(uppers).collect();
    for path in &kept {
        named(
            "mount",
            path,
            bare(Some(path), path, MsFlags::MS_BIND | MsFlags::MS_REC),
        )?;
    }
    step("make all files read-only", set_read_only(root, true, true))?;
    for path in &kept {
        named("make writable", path, set_read_only(path, false, true))?;
    }
    let mut again = Vec::new();
    let writable = plan.writable.iter().chain(&plan.read_only);
    for path in writable.filter(|path| is_covered(path, plan) && path.exists()) {
        again.push((path, named("keep", path, tree(path))?));
    }
    let mut sides = Vec::new();
    for overlay in &plan.overlays {
        sides.push((
            &overlay.lower,
            named("open", &overlay.lower, Sides::open(overlay))?,
        ));
    }
    for path in plan.empty.iter().filter(|path| path.is_dir()) {
        named("empty", path, in_memory(path, 0o1777))?;
    }
    step("make devices of its own", devices())?;
    for (path, sides) in sides {
        named("put an overlay over", path, sides.cover(path))?;
    }
    for (path, kept) in again {
        named("bring back", path, put(kept, path))?;
    }
    check(plan)
}

/// Whether an overlay or an empty folder will lie over this.
fn is_covered(path: &Path, plan: &Plan) -> bool {
    let lowers = plan.overlays.iter().map(|overlay| &overlay.lower);
    lowers.chain(&plan.empty).any(|over| path.starts_with(over))
}

fn named<T>(what: &str, path: &Path, done: io::Result<T>) -> Step<T> {
    step(&format!("{what} {}", path.display()), done)
}

fn bare(source: Option<&Path>, path: &Path, flags: MsFlags) -> io::Result<()> {
    Ok(mount(source, path, None::<&str>, flags, None::<&str>)?)
}

/// A mount that can be put somewhere else.
fn tree(path: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(CWD, path, flags)?)
}

fn put(tree: OwnedFd, path: &Path) -> io::Result<()> {
    if !path.exists() {
        // It is covered by an empty folder.
        let is_folder = rustix::fs::fstat(&tree)
            .is_ok_and(|status| rustix::fs::FileType::from_raw_mode(status.st_mode).is_dir());
        match (is_folder, path.parent()) {
            (true, _) => fs::create_dir_all(path)?,
            (false, Some(parent)) => {
                fs::create_dir_all(parent)?;
                File::create(path)?;
            }
            (false, None) => {}
        }
    }
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(rustix::mount::move_mount(tree, "", CWD, path, flags)?)
}

/// The sides of an overlay, held where something else may lie over their paths.
struct Sides {
    lower: OwnedFd,
    upper: OwnedFd,
    work: OwnedFd,
}

impl Sides {
    fn open(overlay: &Overlay) -> io::Result<Self> {
        let open = |path: &Path| -> io::Result<OwnedFd> {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(rustix::fs::open(path, flags, Mode::empty())?)
        };
        Ok(Self {
            lower: open(&overlay.lower)?,
            upper: open(&overlay.upper)?,
            work: open(&overlay.work)?,
        })
    }

    fn cover(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)?;
        let of = |side: &OwnedFd| format!("/proc/self/fd/{}", side.as_raw_fd());
        let options = format!(
            "userxattr,lowerdir={},upperdir={},workdir={}",
            of(&self.lower),
            of(&self.upper),
            of(&self.work)
        );
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
        let kind = Some("overlay");
        Ok(mount(kind, path, kind, flags, Some(options.as_str()))?)
    }
}

fn in_memory(path: &Path, mode: u32) -> io::Result<()> {
    let options = format!("mode={mode:o}");
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let kind = Some("tmpfs");
    Ok(mount(kind, path, kind, flags, Some(options.as_str()))?)
}

/// The devices that hold nothing of anybody.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// What programs expect to find beside them.
const LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// Puts a folder with harmless devices in the place of `/dev`: a device can be written also where its
/// file is read-only, and root's server could write to a disk.
fn devices() -> io::Result<()> {
    let folder = Path::new("/dev");
    let kept: Vec<_> = DEVICES
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.exists())
        .map(|path| {
            let device = tree(&path)?;
            Ok((path, device))
        })
        .collect::<io::Result<_>>()?;
    in_memory(folder, 0o755)?;
    for (path, device) in kept {
        put(device, &path)?;
        set_read_only(&path, false, false)?;
    }
    for (name, target) in LINKS {
        std::os::unix::fs::symlink(target, folder.join(name))?;
    }
    let shared = folder.join("shm");
    fs::create_dir(&shared)?;
    in_memory(&shared, 0o1777)?;
    // Only what lies on it is to be written.
    set_read_only(folder, true, false)
}

/// Makes sure that what must be read-only is.
fn check(plan: &Plan) -> Step<()> {
    let root = Path::new("/");
    for path in plan.read_only.iter().map(PathBuf::as_path).chain([root]) {
        if !path.exists() {
            continue;
        }
        let status = step("look at a mount", rustix::fs::statvfs(path))?;
        if !status.f_flag.contains(StatVfsMountFlags::RDONLY) {
            return Err(format!("{} stays writable", path.display()));
        }
    }
    Ok(())
}
