//! Servers that are kept from the network and from the person's files.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use sayso_mcp::{Isolation, StdioCommand};

use crate::support::{options, read, server, show, skip};

/// Whether this machine lets ordinary programs make namespaces; where it does not, that the
/// test cannot run is told.
fn has_namespaces(test: &str) -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-root-user", "--net", "--mount", "true"]);
    let refusal = match unshare.output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => format!("cannot run `unshare`: {error}"),
    };
    skip(
        &format!("isolation::{test}"),
        &format!("no user namespaces here: {refusal}"),
    );
    false
}

/// What came of each attempt of the fixture server `tries`.
fn tries(
    attempts: &[&str],
    isolation: Isolation,
    change: impl FnOnce(&mut StdioCommand),
) -> Vec<String> {
    let args: Vec<&str> = std::iter::once("tries")
        .chain(attempts.iter().copied())
        .collect();
    let mut command = server(&args);
    command.isolation = isolation;
    change(&mut command);
    let reading = read(command, &options());
    let reading = reading.unwrap_or_else(|error| panic!("{error} {:?}", error.hint()));
    let tools = reading.listing.tools();
    tools
        .map(|tool| format!("{}: {}", tool.label(), tool.description().unwrap()))
        .collect()
}

const NO_NETWORK: Isolation = Isolation {
    no_network: true,
    private_home: false,
};
const PRIVATE_HOME: Isolation = Isolation {
    no_network: false,
    private_home: true,
};

#[test]
fn without_a_network_there_is_a_loopback_of_its_own() {
    if !has_namespaces("without_a_network_there_is_a_loopback_of_its_own") {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("connect:{}", listener.local_addr().unwrap());
    let attempts = [address.as_str(), "listen:", "capabilities:"];
    assert_eq!(
        tries(&attempts[..1], Isolation::default(), |_| ()),
        ["connect: "]
    );
    insta::assert_snapshot!(tries(&attempts, NO_NETWORK, |_| ()).join("\n"), @r"
    connect: Connection refused (os error 111)
    listen: 
    capabilities: 0000000000000000
    ");
}

#[test]
fn a_private_home_keeps_every_file_as_it_is() {
    if !has_namespaces("a_private_home_keeps_every_file_as_it_is") {
        return;
    }
    // Neither a scratch directory nor a place the server lives in.
    let directory = tempfile::Builder::new()
        .prefix("sayso-test-")
        .tempdir_in(std::env::current_dir().unwrap())
        .unwrap();
    let file = directory.path().join("diary");
    std::fs::write(&file, "dear diary").unwrap();
    let file = file.to_str().unwrap();
    let attempts = [
        format!("read:{file}"),
        format!("write:{file}"),
        format!("write:{file}.new"),
        "home:".to_owned(),
        "write:/dev/null".to_owned(),
        "write:/dev/shm/new".to_owned(),
        "list:/dev".to_owned(),
        "remount:".to_owned(),
        "capabilities:".to_owned(),
    ];
    let attempts: Vec<&str> = attempts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(tries(&attempts, PRIVATE_HOME, |_| ()).join("\n"), @r"
    read: dear diary
    write: Read-only file system (os error 30)
    write: Read-only file system (os error 30)
    home: 
    write: 
    write: 
    list: fd full null ptmx pts random shm stderr stdin stdout tty urandom zero
    remount: exit status: 32
    capabilities: 0000000000000000
    ");
    // A private `/tmp` would hide a server that lives there: then it stays, and is read-only.
    let lives_there = std::env::current_exe().unwrap().starts_with("/tmp");
    let scratch = tries(&["write:/tmp/scratch"], PRIVATE_HOME, |_| ());
    let refused = "write: Read-only file system (os error 30)";
    assert_eq!(scratch, [if lives_there { refused } else { "write: " }]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "dear diary");
    assert!(!Path::new(&format!("{file}.new")).exists());
    assert!(!Path::new("/tmp/scratch").exists());
}

#[test]
fn a_private_home_leads_everywhere_and_is_gone_afterwards() {
    if !has_namespaces("a_private_home_leads_everywhere_and_is_gone_afterwards") {
        return;
    }
    let attempts = [
        "variable:HOME",
        "variable:XDG_CACHE_HOME",
        "variable:TMPDIR",
        "id:",
    ];
    let told = tries(&attempts, PRIVATE_HOME, |_| ());
    let home = told[0].strip_prefix("variable: ").unwrap();
    assert!(home.contains("sayso-home-"), "{home}");
    assert_eq!(told[1], format!("variable: {home}/.cache"));
    assert_eq!(told[2], format!("variable: {home}/tmp"));
    assert_eq!(told[3], format!("id: {} {}", nix_id("-u"), nix_id("-g")));
    assert!(!Path::new(home).exists());
}

fn nix_id(which: &str) -> String {
    let output = Command::new("id").arg(which).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_server_that_lives_in_a_scratch_directory_still_starts() {
    if !has_namespaces("a_server_that_lives_in_a_scratch_directory_still_starts") {
        return;
    }
    let directory = tempfile::Builder::new()
        .prefix("sayso-test-")
        .tempdir_in("/tmp")
        .unwrap();
    let program = directory.path().join("server");
    std::fs::copy(crate::support::example("misbehave"), &program).unwrap();
    let beside = format!("write:{}", directory.path().join("beside").display());
    let told = tries(&[&beside, "home:"], PRIVATE_HOME, |command| {
        command.command = program.into()
    });
    insta::assert_snapshot!(told.join("\n"), @r"
    write: Read-only file system (os error 30)
    home:
    ");
}

#[test]
fn what_cannot_be_isolated_is_not_started() {
    let mut command = server(&["ordinary"]);
    command.isolation = NO_NETWORK;
    command.supervisor = None;
    insta::assert_snapshot!(show(&read(command, &options())), @"
    misbehave ordinary: cannot isolate the server as asked, so it was not started: that takes Linux and a supervisor
    hint: read it in a container or a virtual machine instead
    ");
}

/// A system that allows no user namespaces, made by a user namespace that allows none in it.
#[test]
fn a_system_that_refuses_is_told_and_the_server_not_started() {
    if !has_namespaces("a_system_that_refuses_is_told_and_the_server_not_started") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("started");
    let script = r#"echo 0 > /proc/sys/user/max_user_namespaces; "$0" "$@""#;
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script]);
    command.arg(crate::support::example("supervise"));
    command.args(["--no-network", "--", "touch"]).arg(&trace);
    let output = command.output().unwrap();
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"cannot isolate the server as asked, so it was not started: the system refuses a user namespace (No space left on device (os error 28))");
    assert_eq!(output.status.code(), Some(125));
    assert!(!trace.exists());
}

/// The same as an ordinary user, when the tests run as root.
#[test]
fn an_ordinary_user_can_isolate_too() {
    let test = "an_ordinary_user_can_isolate_too";
    if nix_id("-u") != "0" {
        return skip(
            &format!("isolation::{test}"),
            "only root can become somebody else",
        );
    }
    if !has_namespaces(test) {
        return;
    }
    let directory = tempfile::Builder::new()
        .prefix("sayso-test-")
        .tempdir_in("/var/tmp")
        .unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let copy = |name: &str| {
        let path = directory.path().join(name);
        std::fs::copy(crate::support::example(name), &path).unwrap();
        path
    };
    let (supervise, misbehave) = (copy("supervise"), copy("misbehave"));
    let home = directory.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o777)).unwrap();
    let beside = format!("write:{}", directory.path().join("beside").display());
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&supervise);
    command
        .args(["--no-network", "--private-home"])
        .arg(&home)
        .arg("--")
        .arg(&misbehave);
    command.args(["tries", &beside, "home:", "listen:", "capabilities:", "id:"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), request).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools = answer.pointer("/result/tools").unwrap().as_array().unwrap();
    let told: Vec<_> = tools
        .iter()
        .map(|tool| {
            format!(
                "{}: {}",
                tool["name"].as_str().unwrap(),
                tool["description"].as_str().unwrap()
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    write: Read-only file system (os error 30)
    home: 
    listen: 
    capabilities: 0000000000000000
    id: 65534 65534
    ");
    assert!(!directory.path().join("beside").exists());
}
