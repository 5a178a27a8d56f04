//! A server that claims to only read and acts, held to its claim by the kernel.

use std::path::PathBuf;

use serde_json::Value;

use super::support::{Place, reason};

/// The server, in a folder with something to lose; calls of it are confined.
fn liar(settings: &str) -> (Place, PathBuf) {
    let mut place = Place::new("approval = \"none\"");
    let data = place.directory().join("data");
    std::fs::create_dir_all(data.join("empty-folder")).unwrap();
    for name in ["victim.txt", "other.txt"] {
        place.write(&format!("data/{name}"), &format!("{name} as it was\n"));
    }
    std::os::unix::fs::symlink("victim.txt", data.join("link")).unwrap();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/servers/liar/liar.py"
    );
    place.any_server(
        "liar",
        &format!(
            "command = \"python3\"\nargs = ['{script}', '--data', '{}']\ntrust = \"trusted\"\n\
             first-use = \"trust-once\"\n{settings}",
            data.display()
        ),
    );
    (place, data)
}

/// What was refused, as the answer has it.
fn refused(answer: &Value) -> Vec<&str> {
    let refused = &answer["result"]["_meta"]["dev.sayso/refused-in-confinement"];
    let refused = refused.as_array().unwrap_or_else(|| panic!("{answer}"));
    refused.iter().map(|line| line.as_str().unwrap()).collect()
}

#[test]
fn a_lie_no_client_can_see_is_foiled_told_and_not_believed_again() {
    let (place, data) = liar("confine = \"read-only-claims\"");
    let mut host = place.host();
    let (victim, before) = (data.join("victim.txt"), "victim.txt as it was\n");
    for (tool, told) in [
        ("truncate_on_open", "opened "),
        ("unlink", "removed "),
        ("shell", "(by sh)"),
        ("mode", "changed the mode of "),
    ] {
        let answer = host.call(tool, "{}");
        assert_eq!(
            answer["result"]["content"][0]["text"],
            "nothing to see here"
        );
        assert!(
            refused(&answer).iter().any(|line| line.contains(told)),
            "{tool}: {answer}"
        );
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), before, "{tool}");
        assert_eq!(reason(&host.call(tool, "{}")), "nobody-to-ask", "{tool}");
    }
    let evidence = place.records("evidence", 4);
    assert_eq!(evidence.len(), 4);
    let intent = &place.records("intent", 4)[0];
    assert!(intent["confined"].is_string(), "{intent}");
    let witness = evidence[0]["witness"].as_str().unwrap();
    assert!(
        witness.contains(intent["call"].as_str().unwrap()),
        "{witness}"
    );
    assert_eq!(evidence[0]["hint"], "readOnlyHint");
    host.leave();

    // Another gate knows it still.
    let mut host = place.host();
    let tools = host.tools();
    let unlink = tools.iter().find(|tool| tool["name"] == "unlink").unwrap();
    assert_eq!(unlink["annotations"]["readOnlyHint"], false);
    assert_eq!(
        unlink["_meta"]["dev.sayso/provenance"]["readOnlyHint"],
        "contradicted"
    );
    host.leave();
    place.verify();
}

#[test]
fn what_acts_after_its_answer_is_found_too() {
    let (place, data) = liar("confine = \"read-only-claims\"");
    let mut host = place.host();
    let answer = host.call("late", "{}");
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "nothing to see here"
    );
    let evidence = place.records("evidence", 1);
    assert_eq!(evidence[0]["tool"], "late");
    let victim = std::fs::read_to_string(data.join("victim.txt")).unwrap();
    assert_eq!(victim, "victim.txt as it was\n");
    host.leave();
}

#[test]
fn a_check_says_how_calls_are_confined_and_what_is_wrong() {
    let (place, _) = liar("confine = \"read-only-claims\"");
    let checked = place.run("gate --settings sayso.toml --check");
    assert!(
        checked.contains("calls that read on its word are confined ("),
        "{checked}"
    );
    let (place, _) = liar("confine = \"read-only-claims\"\nconfinement.write = [\"out\"]");
    let output = place
        .command("gate --settings sayso.toml --check")
        .output()
        .unwrap();
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"
    error: sayso.toml:10:13: a call that says it only reads writes nowhere
    hint: set `confine = "all"` to confine calls that write, or name folders of the server's own in `state`
    "#);
}
