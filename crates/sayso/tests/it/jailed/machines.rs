//! Machines that allow less: containers, and systems that keep user namespaces from ordinary programs.

use super::{server, started_by};
use crate::sayso::{Ran, Sayso};

/// Starts a program that may make no namespaces, and where it says so nothing of Landlock either: the
/// first words of its command line are the calls it is refused, by numbers of this machine's kind.
const KEEPER: &str = r#"
import ctypes, os, platform, struct, sys

ALLOW, REFUSE = 0x7fff0000, 0x00050000
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06
NEW_USER = 0x10000000
is_arm = platform.machine() == "aarch64"
UNSHARE, CLONE = (97, 220) if is_arm else (272, 56)
CREATE_RULESET = 444

program = [(LOAD, 0, 0, 0)]
for call in (UNSHARE, CLONE):
    program += [(EQUAL, 0, 4, call), (LOAD, 0, 0, 16), (ANY, 0, 1, NEW_USER), (RETURN, 0, 0, REFUSE | 1), (LOAD, 0, 0, 0)]
if sys.argv[1] == "neither":
    program += [(EQUAL, 0, 1, CREATE_RULESET), (RETURN, 0, 0, REFUSE | 38)]
program += [(RETURN, 0, 0, ALLOW)]

code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in program))
filter = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
kernel = ctypes.CDLL(None, use_errno=True)
assert kernel.prctl(38, 1, 0, 0, 0) == 0
assert kernel.prctl(22, 2, filter, 0, 0) == 0, ctypes.get_errno()
os.execv(sys.argv[2], sys.argv[2:])
"#;

const TOOLS: &str = r#"
def writes():
    open("new.txt", "w").write("new")
"#;

fn run(keeps: &str, arguments: &str) -> Ran {
    let sayso = Sayso::new(arguments)
        .file("keeper.py", KEEPER)
        .file("server.py", server(TOOLS));
    let outer = started_by(&["python3", "keeper.py", keeps], &sayso).output();
    let output = outer.unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const VERIFY: &str = "verify --settle 300 --ci -- python3 server.py";

#[test]
fn without_user_namespaces_it_is_landlock_and_said_so() {
    if !super::modes().contains(&"landlock") {
        return;
    }
    let ran = run("namespaces", "verify --probe");
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(
        ran.stdout
            .contains("namespaces: cannot be used: enter namespaces"),
        "{ran}"
    );
    assert!(ran.stdout.contains("hint: allow user namespaces"), "{ran}");
    assert!(ran.stdout.contains("in a jail made with landlock"), "{ran}");
    let ran = run("namespaces", VERIFY);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.contains("jail: landlock"), "{ran}");
    // Never another than the one that is insisted on.
    let ran = run(
        "namespaces",
        &VERIFY.replace("--ci", "--ci --jail namespaces"),
    );
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(
        ran.stderr.contains("there is no jail to verify in"),
        "{ran}"
    );
    assert!(ran.stderr.contains("hint: allow user namespaces"), "{ran}");
}

#[test]
fn without_either_nothing_is_verified() {
    let ran = run("neither", "verify --probe");
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(
        ran.stdout
            .contains("no server can be verified on this machine"),
        "{ran}"
    );
    let ran = run("neither", VERIFY);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert_eq!(ran.stdout, "", "{ran}");
    for told in [
        "there is no jail to verify in",
        "neither namespaces (enter namespaces",
        "allow user namespaces",
        "or start a kernel from 6.2 on with `landlock`",
    ] {
        assert!(ran.stderr.contains(told), "{told} {ran}");
    }
}
