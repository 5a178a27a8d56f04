//! `sayso journal`: entries for people and programs, the chain, and what is missing from it.

use std::path::Path;

use sayso_core::digest::Digest;
use sayso_core::effective::Effective;
use sayso_core::hint::{Hint, Hints};
use sayso_core::journal::{
    Arguments, Call, Decision, Drift, Evidence, HintValues, Json, Outcome, OutcomeKind, Reason,
    Record, Refused, Started, Timestamp,
};
use sayso_store::Store as _;
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};

use crate::sayso::Sayso;

/// 2026-03-01T12:00:00Z.
const NOON: i64 = 1_772_366_400_000;

fn call(id: &str, tool: &str) -> Call {
    let arguments = Json::parse(r#"{"index":"docs\u202e","token":"x"}"#).unwrap();
    let document = arguments.document().unwrap();
    Call {
        arguments: Some(Arguments::redacted(document.root(), |key| key == "token")),
        attempt: 1,
        call: id.to_owned(),
        caller: "local".to_owned(),
        client: Some("a-host 1.2.3".to_owned()),
        decision: Some(Decision::Allow),
        definition: Some(Digest::of_text(tool)),
        hints: Some(HintValues::from(&Effective::from_claims(&Hints::default()))),
        reasons: vec![Reason {
            id: "approved".to_owned(),
            text: "a person approved it".to_owned(),
        }],
        server: Some("search".to_owned()),
        session: Some("s1".to_owned()),
        tool: Some(tool.to_owned()),
        ..Call::default()
    }
}

fn outcome(id: &str, tool: &str) -> Record {
    Record::Outcome(Box::new(Outcome {
        attempt: 1,
        call: id.to_owned(),
        caller: "local".to_owned(),
        duration_ms: 12,
        is_error: Some(false),
        outcome: OutcomeKind::Result,
        result: None,
        result_bytes: Some(2),
        said: None,
        server: Some("search".to_owned()),
        tool: Some(tool.to_owned()),
    }))
}

fn records() -> Vec<Record> {
    let started = Started {
        listens: vec!["stdio".to_owned()],
        version: "0.1.0".to_owned(),
        ..Started::default()
    };
    let drift = Drift {
        blocked: true,
        changes: vec!["`destructiveHint` from true to false".to_owned()],
        direction: "relaxing".into(),
        server: "search".to_owned(),
        tool: Some("wipe_index".to_owned()),
        ..Drift::default()
    };
    let refused = Refused {
        call: Call {
            attempt: 0,
            decision: Some(Decision::Deny),
            ..call("c2", "wipe_index")
        },
        code: "drifted".into(),
        remedy: None,
        said: "the tool is not what was pinned".to_owned(),
    };
    vec![
        Record::Started(started),
        Record::Intent(Box::new(call("c1", "find"))),
        outcome("c1", "find"),
        Record::Drift(Box::new(drift)),
        Record::Refused(Box::new(refused)),
        Record::Intent(Box::new(call("c3", "wipe_index"))),
    ]
}

/// A store in the working directory of a run, of a gate that was killed during a call.
fn written(sayso: &Sayso) {
    append(&sayso.directory().join("sayso.db"), records(), NOON);
}

fn append(path: &Path, records: Vec<Record>, from: i64) {
    let options = Options {
        path: path.to_owned(),
        role: Role::Gate,
        durability: Durability::Process,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let store = SqliteStore::open(&options).unwrap();
    for (second, record) in records.into_iter().enumerate() {
        let at = Timestamp(from).plus_millis(second as i64 * 1_000);
        runtime.block_on(store.append(at, record)).unwrap();
    }
    runtime.block_on(store.close()).unwrap();
}

fn run(arguments: &str) -> String {
    let sayso = Sayso::new(arguments);
    written(&sayso);
    sayso.shown()
}

#[test]
fn people_see_what_happened_and_what_nobody_knows() {
    insta::assert_snapshot!(run("journal show"), @r#"
    exit code: 0
    ----- stdout
         1  2026-03-01T12:00:00.000Z  started           sayso 0.1.0
         2  2026-03-01T12:00:01.000Z  intent            search/find  allow  call c1
            local with a-host 1.2.3
            approved: a person approved it
            arguments {"index":"docs\u{202e}","token":"[redacted]"}
         3  2026-03-01T12:00:02.000Z  outcome           search/find  result after 12 ms  call c1
         4  2026-03-01T12:00:03.000Z  drift             search/wipe_index  relaxing, held back
            `destructiveHint` from true to false
         5  2026-03-01T12:00:04.000Z  refused           search/wipe_index  drifted  call c2
            the tool is not what was pinned
            local with a-host 1.2.3
            approved: a person approved it
            arguments {"index":"docs\u{202e}","token":"[redacted]"}
         6  2026-03-01T12:00:05.000Z  intent            search/wipe_index  allow  outcome unknown  call c3
            local with a-host 1.2.3
            approved: a person approved it
            arguments {"index":"docs\u{202e}","token":"[redacted]"}
    "#);
}

#[test]
fn what_ran_in_confinement_and_what_the_kernel_refused_is_told() {
    let sayso = Sayso::new("journal show");
    let confined = Call {
        arguments: None,
        confined: Some("landlock".into()),
        ..call("c1", "find")
    };
    let evidence = Evidence {
        call: Some("c1".to_owned()),
        hint: Hint::ReadOnly,
        server: "search".to_owned(),
        tool: "find".to_owned(),
        witness: "call c1, in confinement, was refused: remove /srv/a.txt (by node)".to_owned(),
    };
    let records = vec![
        Record::Intent(Box::new(confined)),
        Record::Evidence(Box::new(evidence)),
        outcome("c1", "find"),
    ];
    append(&sayso.directory().join("sayso.db"), records, NOON);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
         1  2026-03-01T12:00:00.000Z  intent            search/find  allow, confined (landlock)  call c1
            local with a-host 1.2.3
            approved: a person approved it
         2  2026-03-01T12:00:01.000Z  evidence          search/find  readOnlyHint contradicted: refused by the kernel  call c1
            call c1, in confinement, was refused: remove /srv/a.txt (by node)
         3  2026-03-01T12:00:02.000Z  outcome           search/find  result after 12 ms  call c1
    ");
    let of_call = sayso.again("journal show --call c1 --limit 2").stdout;
    assert!(of_call.contains("refused by the kernel"), "{of_call}");
    let shown = sayso.again("journal show --format json").stdout;
    let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let entries = &document["entries"];
    assert_eq!(entries[0]["record"]["confined"], "landlock");
    assert_eq!(entries[1]["kind"], "evidence");
    let witness = entries[1]["record"]["witness"].as_str().unwrap();
    assert!(
        witness.contains("was refused: remove /srv/a.txt"),
        "{witness}"
    );
}

#[test]
fn filters_narrow() {
    insta::assert_snapshot!(run("journal show --decision deny"), @r#"
    exit code: 0
    ----- stdout
         5  2026-03-01T12:00:04.000Z  refused           search/wipe_index  drifted  call c2
            the tool is not what was pinned
            local with a-host 1.2.3
            approved: a person approved it
            arguments {"index":"docs\u{202e}","token":"[redacted]"}
    "#);
    let lines = |arguments: &str| {
        let sayso = Sayso::new(arguments);
        written(&sayso);
        let shown = sayso.run().stdout;
        let numbers = shown
            .lines()
            .filter_map(|line| line.get(..6)?.trim().parse::<u64>().ok());
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(lines("journal show --call c1"), [2, 3]);
    assert_eq!(lines("journal show --tool wipe_index"), [4, 5, 6]);
    assert_eq!(lines("journal show --server search --limit 2"), [5, 6]);
    assert_eq!(lines("journal show --caller local"), [2, 3, 5, 6]);
    assert_eq!(lines("journal show --since 2026-03-01T12:00:04Z"), [5, 6]);
    assert_eq!(lines("journal show --since 2026-03-01"), [1, 2, 3, 4, 5, 6]);
    assert!(lines("journal show --since 1h").is_empty());
    assert!(lines("journal show --limit 0").is_empty());
}

#[test]
fn programs_see_the_entries_as_they_were_hashed() {
    let sayso = Sayso::new("journal show --format json");
    written(&sayso);
    let shown = sayso.run();
    assert!(!shown.stdout.contains('\u{202e}'));
    let document: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(document["version"], 1);
    let entries = document["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 6);
    assert_eq!(entries[5]["standing"], "unknown");
    assert_eq!(
        entries[1]["record"]["arguments"]["value"]["index"],
        "docs\u{202e}"
    );
    assert_eq!(
        entries[1]["record"]["arguments"]["value"]["token"],
        "[redacted]"
    );
    assert_eq!(entries[1]["previous"], entries[0]["hash"]);
}

#[test]
fn a_chain_that_holds_says_its_end() {
    insta::assert_snapshot!(run("journal verify"), @"
    exit code: 0
    ----- stdout
    the journal in `sayso.db` holds: 6 entries
    the last: 6:ec00e2d44776135e1fef4be47353b800d70cb9d68d2cf2fa82db1cfc18539046
    without an outcome: 1 call
    ");
}

#[test]
fn what_was_noted_must_still_be_there() {
    let sayso = Sayso::new("journal verify");
    written(&sayso);
    let shown = sayso.run().stdout;
    let head = shown
        .lines()
        .find_map(|line| line.strip_prefix("the last: "))
        .unwrap();
    let holds = sayso.again(&format!("journal verify --holds {head}"));
    assert_eq!(holds.code, Some(0));
    let connection = rusqlite::Connection::open(sayso.directory().join("sayso.db")).unwrap();
    connection
        .execute("DELETE FROM journal WHERE seq = 6", [])
        .unwrap();
    assert_eq!(sayso.again("journal verify").code, Some(0));
    let cut = sayso.again(&format!("journal verify --holds {head}"));
    insta::assert_snapshot!(cut.to_string(), @"
    exit code: 1
    ----- stderr
    error: the journal in `sayso.db` holds, but entry 6 is not the one that was noted
    hint: entries are missing at its end, or it was written anew
    ");
}

#[test]
fn what_was_changed_is_named() {
    let sayso = Sayso::new("journal verify");
    written(&sayso);
    let connection = rusqlite::Connection::open(sayso.directory().join("sayso.db")).unwrap();
    let change = "UPDATE journal SET record = replace(record, 'find', 'wipe') WHERE seq = 2";
    connection.execute(change, []).unwrap();
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 1
    ----- stderr
    error: the journal in `sayso.db` does not hold: entry 2: it was changed: what it says has the hash b3a7472d97ed3c1cf4e524f2700ffe6a1cb568e8723dfb1ad6b8b97b3368cc23, and it carries e8473890553b8a6dfa9ccbca73e4af626724f062ed68cebef9c0d1db6c74a3f4
    hint: everything before that entry holds; keep the file as it is
    ");
    // What can be read is still shown.
    assert_eq!(sayso.again("journal show").code, Some(0));
}

#[test]
fn what_was_exported_can_be_verified() {
    let sayso = Sayso::new("journal export -o journal.jsonl");
    written(&sayso);
    assert_eq!(sayso.run().code, Some(0));
    let holds = sayso.again("journal verify --exported journal.jsonl");
    assert_eq!(holds.code, Some(0));
    let file = sayso.directory().join("journal.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("wipe_index", "read_index", 1)).unwrap();
    let changed = sayso.again("journal verify --exported journal.jsonl");
    assert_eq!(changed.code, Some(1));
    assert!(changed.stderr.contains("entry 4: it was changed"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of it is one snapshot")]
fn calls_are_events_of_ocsf() {
    let sayso = Sayso::new("journal export --format ocsf");
    written(&sayso);
    let shown = sayso.run().stdout;
    let events = shown
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let events: Vec<serde_json::Value> = events.collect();
    let told = events.iter().map(|event| {
        let member = |name: &str| event[name].to_string();
        format!(
            "{} {} {} {} {}",
            member("class_uid"),
            member("type_uid"),
            member("status_id"),
            member("status_code"),
            event["metadata"]["correlation_uid"],
        )
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    6003 600399 1 "result" "c1"
    6003 600399 2 "drifted" "c2"
    6003 600399 0 "unknown" "c3"
    "#);
    // What turns the text around would do so here, too.
    let shown = serde_json::to_string_pretty(&events[0]).unwrap();
    insta::assert_snapshot!(shown.replace('\u{202e}', "[U+202E]"), @r#"
    {
      "activity_id": 99,
      "activity_name": "tools/call",
      "category_uid": 6,
      "category_name": "Application Activity",
      "class_uid": 6003,
      "class_name": "API Activity",
      "type_uid": 600399,
      "severity_id": 1,
      "severity": "Informational",
      "status_id": 1,
      "status": "Success",
      "status_code": "result",
      "time": 1772366402000,
      "metadata": {
        "version": "1.3.0",
        "product": {
          "name": "Sayso",
          "vendor_name": "Sayso",
          "version": "0.1.0"
        },
        "log_name": "journal",
        "sequence": 3,
        "uid": "1ce51a24e1d3d8c6834704a974db935c10207a760d5a289abaa99d29f2698871",
        "correlation_uid": "c1"
      },
      "actor": {
        "user": {
          "name": "local"
        },
        "app_name": "a-host 1.2.3",
        "session": {
          "uid": "s1"
        },
        "authorizations": [
          {
            "decision": "allow",
            "policy": {
              "name": "approved",
              "desc": "a person approved it"
            }
          }
        ]
      },
      "api": {
        "operation": "tools/call",
        "request": {
          "uid": "c1"
        },
        "service": {
          "name": "search"
        }
      },
      "src_endpoint": {
        "svc_name": "a-host 1.2.3"
      },
      "unmapped": {
        "arguments": {
          "digest": "sha256:3f010ee24b1ccd51ce1e503c9d857e08247da1755b3799e3d722748d5213af1b",
          "kept": "redacted",
          "replaced": [
            "/token"
          ],
          "value": {
            "index": "docs[U+202E]",
            "token": "[redacted]"
          }
        },
        "attempt": 1,
        "definition_digest": "sha256:3fbe8ae37de255630548b9d994d85052f2fcd10992224eb3f75f1ed28b1231f4",
        "hints": {
          "destructive": {
            "provenance": "default",
            "value": true
          },
          "idempotent": {
            "provenance": "default",
            "value": false
          },
          "open_world": {
            "provenance": "default",
            "value": true
          },
          "read_only": {
            "provenance": "default",
            "value": false
          }
        }
      },
      "dst_endpoint": {
        "svc_name": "search"
      },
      "resources": [
        {
          "type": "tool",
          "name": "find"
        }
      ],
      "duration": 12,
      "end_time": 1772366402000,
      "start_time": 1772366401000
    }
    "#);
}

#[test]
fn without_a_store_there_is_nothing_to_see() {
    insta::assert_snapshot!(Sayso::new("journal show").shown(), @"
    exit code: 2
    ----- stderr
    error: there is no store `sayso.db`
    hint: the gate makes it when it starts; name the file with `--store FILE`
    ");
}

#[cfg(unix)]
#[test]
fn following_shows_what_comes_until_it_is_stopped() {
    use std::io::{BufRead as _, BufReader};

    let sayso = Sayso::new("journal follow --format json --limit 1");
    written(&sayso);
    let mut child = sayso.command().spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["seq"], 6);
    append(
        &sayso.directory().join("sayso.db"),
        vec![outcome("c3", "wipe_index")],
        NOON + 60_000,
    );
    assert_eq!(next()["record"]["call"], "c3");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
