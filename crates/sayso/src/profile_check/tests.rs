//! Journals of clients that keep to a profile and of clients that do not.

use sayso_audit::hosts::{Column, HostProfile, Modes};
use sayso_scratch::journal::Contents;
use sayso_scratch::report::Observed;
use serde_json::{Value, json};

use super::{ProfileCheck, clients_of};

/// A journal in the making: every line 100 ms after the one before.
struct Script {
    lines: Vec<Value>,
}

impl Script {
    /// A server that began to serve, and a client that listed its tools.
    fn of_client(name: &str) -> Self {
        let mut script = Self { lines: Vec::new() };
        script
            .line(json!({ "event": "started", "version": "0", "transport": "stdio", "state": state() }))
            .listing(1, None)
            .client(json!({ "event": "connected", "transport": "stdio" }))
            .client(json!({ "event": "introduced", "method": "initialize", "client": name }))
            .lists(1);
        script
    }

    fn line(&mut self, mut line: Value) -> &mut Self {
        let number = self.lines.len();
        let members = line.as_object_mut().unwrap();
        members.insert(
            "time".to_owned(),
            format!("2026-05-04T10:00:{:02}.{}00Z", number / 10, number % 10).into(),
        );
        members.insert("offset_ms".to_owned(), (number * 100).into());
        members.insert("sequence".to_owned(), number.into());
        members.insert("process".to_owned(), 7.into());
        self.lines.push(line);
        self
    }

    fn client(&mut self, mut line: Value) -> &mut Self {
        line["connection"] = 1.into();
        self.line(line)
    }

    fn listing(&mut self, revision: u64, told: Option<&str>) -> &mut Self {
        let claims = |read_only: &str, destructive: &str, idempotent: &str| {
            json!({
                "annotations": "object",
                "readOnlyHint": read_only,
                "destructiveHint": destructive,
                "idempotentHint": idempotent,
                "openWorldHint": "absent",
            })
        };
        let mut line = json!({
            "event": "listing",
            "revision": revision,
            "declared": {
                "look": claims("true", "absent", "absent"),
                "set": claims("false", "false", "true"),
                "add": claims("false", "false", "false"),
            },
        });
        if let Some(told) = told {
            line["told"] = told.into();
        }
        self.line(line)
    }

    fn lists(&mut self, revision: u64) -> &mut Self {
        self.client(json!({ "event": "listed", "request_id": "1", "revision": revision }))
    }

    fn calls(&mut self, id: u64, tool: &str) -> &mut Self {
        self.client(json!({ "event": "called", "request_id": id.to_string(), "tool": tool, "arguments": {} }))
    }

    fn works(&mut self, id: u64, tool: &str, withheld: Option<&str>) -> &mut Self {
        let mut line = json!({
            "event": "worked",
            "request_id": id.to_string(),
            "tool": tool,
            "done": true,
            "text": "done",
            "state": state(),
        });
        if let Some(withheld) = withheld {
            line["withheld"] = withheld.into();
        }
        self.client(line)
    }

    fn answers(&mut self, id: u64) -> &mut Self {
        self.client(json!({ "event": "answered", "request_id": id.to_string(), "how": "result" }))
    }

    fn cancels(&mut self, id: u64) -> &mut Self {
        self.client(json!({ "event": "cancelled", "request_id": id.to_string() }))
    }

    /// What the profile of the host and what was seen have to say to each other.
    fn held_against(&self, host: &str, mode: Option<&str>) -> String {
        let text: Vec<String> = self.lines.iter().map(Value::to_string).collect();
        let contents = Contents::parse(text.join("\n").as_bytes());
        assert_eq!(contents.bad_lines, [], "{text:#?}");
        let observed = Observed::from_journal(&contents);
        let modes = mode.map_or(Modes::Default, Modes::Named);
        let column = Column::of(HostProfile::find(host).unwrap(), modes)[0];
        let check = ProfileCheck::new(column, vec![0], &observed);
        let facts = check.facts.iter().map(|fact| {
            let verdict = fact.verdict.as_str();
            format!(
                "{verdict}: {}: {} | {}",
                fact.about, fact.profile, fact.seen
            )
        });
        facts.collect::<Vec<_>>().join("\n")
    }
}

fn state() -> Value {
    json!({
        "indexes": 0, "rebuilding": 0, "index_entries": 0, "pinned_results": 0, "documents": 0,
        "tenants": 0, "tenant_records": 0, "invoices": 0, "notes": 0, "outbox": 0, "wipes": 0,
        "reindexed": 0,
    })
}

/// A client that sends a call again after a time-out, calls while another call runs, and lists
/// again when told of a change.
fn busy() -> Script {
    let mut script = Script::of_client("anything");
    script
        .calls(2, "set")
        .works(2, "set", Some("never"))
        .cancels(2)
        .calls(3, "set")
        .works(3, "set", None)
        .answers(3)
        .calls(4, "look")
        .calls(5, "add")
        .works(4, "look", None)
        .works(5, "add", None)
        .answers(4)
        .answers(5)
        .listing(2, Some("notify"))
        .client(json!({ "event": "notified", "method": "notifications/tools/list_changed" }))
        .lists(2);
    script
}

/// A client that does none of it.
fn quiet() -> Script {
    let mut script = Script::of_client("anything");
    script
        .calls(2, "set")
        .works(2, "set", Some("never"))
        .cancels(2)
        .calls(3, "add")
        .works(3, "add", Some("disconnect"))
        .client(json!({ "event": "answered", "request_id": "3", "how": "disconnect" }))
        .listing(2, Some("notify"))
        .client(json!({ "event": "notified", "method": "notifications/tools/list_changed" }))
        .calls(4, "look")
        .works(4, "look", None)
        .answers(4);
    script
}

#[test]
fn what_contradicts_a_profile_comes_first() {
    insta::assert_snapshot!(busy().held_against("codex", None), @"
    differs: told that the listing changed: goes on with the listing it has | changes it was told of: 1; after which it listed again: 1
    differs: no answer to `set`: does not send it again | sent again once, by the host or by whoever uses it
    differs: calls while others run: readOnlyHint is true: sent; anything else: held back | came while another was running: `add`
    ");
}

#[test]
fn a_host_that_does_as_its_profile_says_agrees_with_it() {
    insta::assert_snapshot!(busy().held_against("documented-defaults", None), @"
    new: calls while others run: does not say | came while another was running: `add`
    agrees: told that the listing changed: lists again | changes it was told of: 1; after which it listed again: 1
    agrees: no answer to `set`: sends it again, at most 2 times | sent again once, by the host or by whoever uses it
    ");
    insta::assert_snapshot!(quiet().held_against("codex", None), @"
    agrees: told that the listing changed: goes on with the listing it has | changes it was told of: 1; after which it listed again: 0
    agrees: no answer to `set`: does not send it again | not sent again
    agrees: connection lost under `add`: does not send it again | not sent again
    not seen: calls while others run: readOnlyHint is true: sent; anything else: held back | no call came while another was running
    ");
}

#[test]
fn what_a_profile_promises_and_nobody_saw_differs_too() {
    insta::assert_snapshot!(quiet().held_against("documented-defaults", None), @"
    differs: told that the listing changed: lists again | changes it was told of: 1; after which it listed again: 0
    differs: no answer to `set`: sends it again, at most 2 times | not sent again
    agrees: connection lost under `add`: does not send it again | not sent again
    not seen: calls while others run: does not say | no call came while another was running
    ");
}

#[test]
fn what_a_profile_does_not_know_is_new() {
    insta::assert_snapshot!(busy().held_against("cursor", None), @"
    new: told that the listing changed: does not say | changes it was told of: 1; after which it listed again: 1
    new: no answer to `set`: does not say | sent again once, by the host or by whoever uses it
    new: calls while others run: does not say | came while another was running: `add`
    ");
}

#[test]
fn a_call_that_a_mode_refuses_differs() {
    insta::assert_snapshot!(quiet().held_against("gemini-cli", Some("plan")), @"
    differs: told that the listing changed: lists again | changes it was told of: 1; after which it listed again: 0
    differs: tools it refuses in mode `plan`: keeps the tool from the model | called: `set`, `add`
    agrees: no answer to `set`: does not send it again | not sent again
    agrees: connection lost under `add`: does not send it again | not sent again
    not seen: calls while others run: every call is sent | no call came while another was running
    ");
}

#[test]
fn a_client_is_known_by_the_name_it_gives() {
    let known = |name: &str| {
        let script = Script::of_client(name);
        let text: Vec<String> = script.lines.iter().map(Value::to_string).collect();
        let observed = Observed::from_journal(&Contents::parse(text.join("\n").as_bytes()));
        let column = Column::of(HostProfile::find("codex").unwrap(), Modes::Default)[0];
        clients_of(&column, &observed)
    };
    assert_eq!(known("codex-mcp-client"), [0]);
    assert_eq!(known("somebody-else"), [0; 0]);
}
