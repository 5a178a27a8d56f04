//! What is made of the hints, and of their changes.

use serde_json::{Value, json};

use crate::fixtures::{Report, Script, tool};
use crate::sayso::Sayso;

/// The report on a saved listing.
fn audited(tools: &[Value], arguments: &str) -> Report {
    let sayso = Sayso::new(&format!("audit --format json tools.json {arguments}"));
    Report::of(&sayso.file("tools.json", json!(tools).to_string()).run())
}

/// Gateways made tools anew from the keys they knew, and the rest was lost, hints first.
#[test]
fn annotations_dropped() {
    let full = concat!(
        r#"{"name":"full","id":"t-1","title":"Full", "inputSchema":{"type":"object","x-order":[2,1],"properties":{"n":{"type":"number","maximum":9007199254740993,"default":1.0}}},"#,
        r#""outputSchema":{"type":"object"},"execution":{"taskSupport":"optional"},"icons":[{"src":"data:,"}],"#,
        r#""annotations":{"title":"Full","readOnlyHint":false,"category":"x","conditions":["y"]},"#,
        r#""_meta":{"io.example/permissions":["a:read"],"deprecated":{}} }"#
    );
    let server = Script::tools(&format!("{full},{}", tool("other")));
    let sayso = server.audit("--format json --save saved.json");
    let report = Report::of(&sayso.run());
    let saved = std::fs::read_to_string(sayso.directory().join("saved.json")).unwrap();
    assert!(saved.contains(full), "{saved}");
    assert_eq!(
        server.audit("--raw --show full").run().stdout,
        format!("{full}\n")
    );
    assert_eq!(report.tool("full")["claims"]["readOnlyHint"], "false");
    assert_eq!(report.tool("full")["claims"]["destructiveHint"], "absent");
    assert_eq!(report.tool("full")["annotation_title"], "Full");
    insta::assert_snapshot!(report.found_by("unknown-annotation-key"), @r"
    full: info[unknown-annotation-key]: `category` is not in the specification, and every SDK drops it
    full: info[unknown-annotation-key]: `conditions` is not in the specification, and every SDK drops it
    ");
}

/// One set of hints was stamped on everything, whatever the tools did.
#[test]
fn annotation_wrong_uniform() {
    let stamp = json!({"readOnlyHint": false, "destructiveHint": true});
    let tool = |name: String, description: String| {
        json!({"name": name, "description": description, "inputSchema": {"type": "object"},
               "annotations": stamp})
    };
    let things = ["files", "users", "notes", "tasks", "events", "labels"];
    let mut tools: Vec<Value> = things
        .iter()
        .flat_map(|thing| {
            [("list", "Lists"), ("count", "Counts")]
                .map(|(verb, does)| tool(format!("{verb}_{thing}"), format!("{does} {thing}.")))
        })
        .collect();
    tools.push(tool("delete_note".into(), "Deletes a note.".into()));
    tools.push(tool("delete_task".into(), "Deletes a task.".into()));
    let report = audited(&tools, "");
    insta::assert_snapshot!(report.found_by("stamped-hints"), @"-: warning[stamped-hints]: 14 of 14 tools carry the same hints (readOnlyHint false, destructiveHint true), also `list_files`, `count_files`, `list_users`, `count_users` and 8 more");

    // A reader that changes something, a payment that can be taken back: by their own words.
    let tools = [
        json!({"name": "get_message", "inputSchema": {"type": "object"},
               "description": "Gets a message and marks it as read. This cannot be undone.",
               "annotations": {"readOnlyHint": true}}),
        json!({"name": "execute_transfer", "inputSchema": {"type": "object"},
               "description": "Pays an invoice. The transfer is irreversible.",
               "annotations": {"readOnlyHint": false, "destructiveHint": false}}),
    ];
    let report = audited(&tools, "");
    insta::assert_snapshot!(report.grave(), @"
    get_message: warning[verb-contradicts-hint]: by its description the tool changes the state of an item, but readOnlyHint is true
    execute_transfer: warning[prose-says-destroys]: the description says that it cannot be undone, but destructiveHint is false
    ");
    for (_, finding) in report.findings() {
        if finding["severity"] != "info" {
            let evidence = finding["evidence"].as_array().unwrap();
            assert!(!evidence.is_empty(), "{finding:#}");
        }
    }
    // A name alone proves nothing.
    let names = [
        "delete_stale_view",
        "get_lock",
        "set_theory_facts",
        "post_office_hours",
    ];
    let tools = names.map(|name| {
        json!({"name": name, "inputSchema": {"type": "object"}, "description": "See the manual.",
               "annotations": {"readOnlyHint": true}})
    });
    assert_eq!(audited(&tools, "").grave(), "");
}

/// A person who knows better can say so, tool by tool, and has to say why.
#[test]
fn annotation_wrong_uniform_is_overruled_by_a_person() {
    let tools = json!([{"name": "get_message", "inputSchema": {"type": "object"},
        "description": "Gets a message. Deletes the draft of the answer for good.",
        "annotations": {"readOnlyHint": true}}]);
    let audit = |settings: &str| {
        let sayso =
            Sayso::new("audit --format json tools.json").file("tools.json", tools.to_string());
        Report::of(&sayso.file("sayso.toml", settings).run())
    };
    let report = audit("");
    let findings = report.findings();
    let (_, grave) = findings
        .iter()
        .find(|(_, finding)| finding["severity"] != "info")
        .unwrap();
    let rule = grave["rule"].as_str().unwrap();
    let settings = format!(
        "[[audit.suppressions]]\nrule = \"{rule}\"\ntool = \"get_message\"\nreason = \"the draft is a cache\"\n"
    );
    let report = audit(&settings);
    assert_eq!(report.found_by(rule), "");
    assert_eq!(report.listing()["hidden"]["suppressed"], 1, "{settings}");
}

/// A library took a missing hint for the harmless value.
#[test]
fn annotation_defaults_inverted() {
    let of = |annotations: Value| json!({"name": "delete_note", "inputSchema": {"type": "object"}, "annotations": annotations});
    let mut bare = of(json!({}));
    bare.as_object_mut().unwrap().remove("annotations");
    for tool in [
        bare,
        of(json!({})),
        of(json!({"title": "Delete"})),
        of(json!({"readOnlyHint": null, "destructiveHint": null})),
        of(json!({"readOnlyHint": "true", "destructiveHint": "false"})),
        of(
            json!({"readOnlyHint": 1, "destructiveHint": 0, "idempotentHint": 1, "openWorldHint": []}),
        ),
    ] {
        let report = audited(std::slice::from_ref(&tool), "");
        let told = &report.tools()[0];
        let acted_on = [
            "read_only",
            "may_destroy",
            "repeatable",
            "open_world",
            "must_confirm",
        ]
        .map(|key| told[key].as_bool().unwrap());
        assert_eq!(acted_on, [false, true, false, true, true], "{tool}");
        assert_eq!(report.listing()["gate_rate"]["now"], 1);
    }
}

/// Directories refuse what the specification lets pass, each something else.
#[test]
fn host_requires_all_hints() {
    let tools = [
        json!({"name": "list_notes", "title": "List notes", "description": "Lists notes.",
        "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "openWorldHint": false}}),
    ];
    let told = |profile: &str| {
        let report = audited(&tools, profile);
        format!("exit code {}\n{}", report.code.unwrap(), report.grave())
    };
    insta::assert_snapshot!(told(""), @"exit code 0");
    insta::assert_snapshot!(told("--profile spec-2026-07-28"), @"exit code 0");
    insta::assert_snapshot!(told("--profile openai-apps"), @r"
    exit code 1
    list_notes: error[profile-requirement]: openai-apps explicit-hints: every tool has to write out readOnlyHint, destructiveHint and openWorldHint, reads included; a missing or null one blocks the submission (here: destructiveHint)
    ");
    insta::assert_snapshot!(told("--profile anthropic-connectors"), @r"
    exit code 1
    list_notes: error[profile-requirement]: anthropic-connectors title: every tool needs a title, and the directory reads `annotations.title`
    ");
    insta::assert_snapshot!(told("--profile anthropic-mcpb"), @"exit code 0");
}

/// A pin over name, description and schema did not see a hint flip; one by name did not see a
/// tool that had another name now.
#[test]
fn pin_scope() {
    let before = json!({"name": "delete_note", "description": "Deletes a note.",
        "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
        "annotations": {"readOnlyHint": false, "destructiveHint": true}});
    let other = json!({"name": "other", "inputSchema": {"type": "object"}});
    let drift = |now: &[Value]| {
        let sayso = Sayso::new("audit --format json --baseline baseline.json tools.json");
        let ran = sayso
            .file("baseline.json", json!([before, other]).to_string())
            .file("tools.json", json!(now).to_string())
            .run();
        let report = Report::of(&ran);
        let rules = [
            "drift-relaxing",
            "drift-tightening",
            "tool-added",
            "tool-removed",
            "tool-changed",
        ];
        rules.map(|rule| report.found_by(rule)).concat()
    };
    let changed = |key: &str, value: Value| {
        let mut tool = before.clone();
        tool[key] = value;
        [tool, other.clone()]
    };
    insta::assert_snapshot!(drift(&changed("annotations", json!({"readOnlyHint": true}))), @"delete_note: error[drift-relaxing]: readOnlyHint was false and is true: clients may now run it without asking");
    insta::assert_snapshot!(drift(&changed("annotations", json!({"destructiveHint": false}))), @"delete_note: error[drift-relaxing]: destructiveHint was true and is false: clients may no longer ask before it");
    insta::assert_snapshot!(drift(&changed("annotations", json!({"idempotentHint": true, "openWorldHint": false}))), @r"
    delete_note: error[drift-relaxing]: idempotentHint was absent (so false) and is true: clients may now repeat it by themselves
    delete_note: error[drift-relaxing]: openWorldHint was absent (so true) and is false: clients may now trust what it brings back
    ");
    insta::assert_snapshot!(drift(&changed("name", json!("get_note"))), @r"
    get_note: warning[tool-added]: the tool is new since the baseline, and may destroy by what it claims
    -: info[tool-removed]: `delete_note` of the baseline is gone
    ");
    insta::assert_snapshot!(drift(&changed("outputSchema", json!({"type": "object"}))), @"delete_note: info[tool-changed]: `outputSchema` is new since the baseline");
    insta::assert_snapshot!(drift(&changed("_meta", json!({"a": 1}))), @"delete_note: info[tool-changed]: `_meta` is new since the baseline");
    insta::assert_snapshot!(drift(&changed("icons", json!([]))), @"delete_note: info[tool-changed]: `icons` is new since the baseline");
    insta::assert_snapshot!(drift(&changed("description", json!("Deletes a note, or all."))), @"delete_note: info[tool-changed]: `description` changed since the baseline");
    // What is absent and what is written out as the default are the same.
    assert_eq!(drift(&changed("annotations", json!({}))), "");
    // Nor does any order count.
    let reordered = json!({"annotations": {"destructiveHint": true, "readOnlyHint": false},
        "inputSchema": {"properties": {"id": {"type": "string"}}, "type": "object"},
        "description": "Deletes a note.", "name": "delete_note"});
    assert_eq!(drift(&[other.clone(), reordered]), "");
}

/// What a drift comes to for a build: relaxing fails it, tightening does not.
#[test]
fn pin_scope_decides_the_exit_code() {
    let of = |read_only: bool| {
        let annotations = json!({"readOnlyHint": read_only, "destructiveHint": false,
            "idempotentHint": false, "openWorldHint": false});
        json!([{"name": "tidy", "title": "Tidy", "description": "Tidies.",
                "inputSchema": {"type": "object"}, "annotations": annotations}])
        .to_string()
    };
    let code = |before: bool, now: bool| {
        let sayso = Sayso::new("audit --baseline baseline.json tools.json");
        let sayso = sayso.file("baseline.json", of(before));
        sayso.file("tools.json", of(now)).run().code
    };
    assert_eq!(code(false, true), Some(1));
    assert_eq!(code(true, false), Some(0));
    assert_eq!(code(false, false), Some(0));
}
