//! The experiment: the same calls through a bare client, a host and the gate, over real connections.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::sayso::Sayso;

/// The trace of the scratch server by the documented defaults, in one era: made once.
fn in_era(era: &str) -> &'static Value {
    static LEGACY: LazyLock<Value> = LazyLock::new(|| traced("trace"));
    static MODERN: LazyLock<Value> = LazyLock::new(|| traced("trace --era modern"));
    match era {
        "legacy" => &LEGACY,
        _ => &MODERN,
    }
}

fn traced(arguments: &str) -> Value {
    let ran = Sayso::new(arguments).argument("--format=json").run();
    assert_eq!(ran.code, Some(0), "{ran}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The row of a tool in a leg.
fn row<'t>(trace: &'t Value, leg: &str, tool: &str) -> &'t Value {
    let rows = trace[leg]["calls"].as_array().unwrap();
    let found = rows.iter().find(|row| row["tool"] == tool);
    found.unwrap_or_else(|| panic!("no row for {tool} in {leg}"))
}

/// What a row says about the ways of a call.
fn ways(row: &Value) -> Value {
    json!([
        row["gate"],
        row["asked"],
        row["sent"],
        row["retried"],
        row["outcome"]
    ])
}

/// How far a number of the store moved.
fn moved(row: &Value, what: &str) -> i64 {
    let changes = row["store"].as_array().unwrap();
    let change = changes.iter().find(|change| change["what"] == what);
    change.map_or(0, |change| {
        change["after"].as_i64().unwrap() - change["before"].as_i64().unwrap()
    })
}

/// What a person sees of it, in four parts: the bare client, the host, the gate, and servers that
/// are not what they should be.
fn shown() -> &'static [String; 4] {
    static SHOWN: LazyLock<[String; 4]> = LazyLock::new(show);
    &SHOWN
}

fn show() -> [String; 4] {
    let ran = Sayso::new("trace").run();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran}");
    // The folder of an experiment has another name each time, of the same length.
    let mut rest = ran.stdout;
    let named = rest
        .find("sayso-trace-")
        .map(|at| at + "sayso-trace-".len());
    if let Some(at) = named {
        let name = rest[at..].trim_start();
        let length = name.find('/').unwrap();
        let start = rest.len() - name.len();
        rest.replace_range(start..start + length, "NAME..");
    }
    let ends = [
        "The documented defaults, mode",
        "the gate, policy",
        "when a server lies",
    ];
    let parts = ends.map(|end| {
        let behind = rest.split_off(rest.find(end).unwrap());
        std::mem::replace(&mut rest, behind)
    });
    let [bare, host, gate] = parts;
    [bare, host, gate, rest]
}

#[test]
fn the_listing_and_the_bare_client_as_a_person_sees_them() {
    insta::assert_snapshot!(shown()[0], @"
    the scratch server · server: sayso-scratch 0.1.0 · MCP 2025-11-25

    what a client sees

      list_indexes        readOnly=true   destructive=None   idempotent=None   openWorld=None
      wipe_index          readOnly=false  destructive=true   idempotent=false  openWorld=false
      reindex_document    readOnly=false  destructive=false  idempotent=true   openWorld=None
      purge_tenant        readOnly=None   destructive=None   idempotent=None   openWorld=None
      append_note         readOnly=false  destructive=false  idempotent=false  openWorld=false
      send_invoice_email  readOnly=false  destructive=false  idempotent=false  openWorld=true

    a bare client, which asks nobody

      tool                gate           asked    sent  retried  outcome
      list_indexes        no gate        0        1     0        answered
        declares readOnlyHint=true · store: unchanged
      wipe_index          no gate        0        1     0        answered
        declares readOnlyHint=false, destructiveHint=true, idempotentHint=false, openWorldHint=false ·
          store: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, wipes 0 → 1
      reindex_document    no gate        0        1     0        no answer, outcome unknown
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=true · store: reindexed 0 → 1
      append_note         no gate        0        1     0        no answer, outcome unknown
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=false, openWorldHint=false ·
          store: notes 2 → 3
      purge_tenant        no gate        0        1     0        answered
        declares nothing · store: tenants 3 → 2, tenant records 9 → 7, invoices 3 → 2
      send_invoice_email  no gate        0        1     0        answered
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=false, openWorldHint=true ·
          store: outbox 0 → 1

      the store after all of it: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, tenants 3
        → 2, tenant records 9 → 7, invoices 3 → 2, notes 2 → 3, outbox 0 → 1, wipes 0 → 1, reindexed 0 →
        1

    seen: `wipe_index` and `purge_tenant` really ran, on its own copy of the store: a client asks nobody
      unless somebody wrote the asking
    ");
}

#[test]
fn the_host_as_a_person_sees_it() {
    insta::assert_snapshot!(shown()[1], @"
    The documented defaults, mode Default
    by its profile of 2026-11-30, version 2026-07-28 (docs)

      tool                gate           asked    sent  retried  outcome
      list_indexes        silent         0        1     0        answered
        declares readOnlyHint=true · store: unchanged
      wipe_index          gated          1 (yes)  1     0        answered
        declares readOnlyHint=false, destructiveHint=true, idempotentHint=false, openWorldHint=false ·
          store: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, wipes 0 → 1
      reindex_document    silent         0        3     2        answered
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=true · store: reindexed 0 → 3
      append_note         silent         0        1     0        no answer, outcome unknown
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=false, openWorldHint=false ·
          store: notes 2 → 3
      purge_tenant        gated          1 (yes)  1     0        answered
        declares nothing · store: tenants 3 → 2, tenant records 9 → 7, invoices 3 → 2
      send_invoice_email  silent         0        1     0        answered
        declares readOnlyHint=false, destructiveHint=false, idempotentHint=false, openWorldHint=true ·
          store: outbox 0 → 1

      the store after all of it: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, tenants 3
        → 2, tenant records 9 → 7, invoices 3 → 2, notes 2 → 3, outbox 0 → 1, wipes 0 → 1, reindexed 0 →
        3

    seen: `reindex_document` was sent again twice after a missing answer: it declares
      idempotentHint=true
    seen: `append_note` was not sent again after a missing answer: it declares idempotentHint=false
    seen: `purge_tenant`, which declares nothing, was treated exactly as `wipe_index`, which declares
      destructiveHint=true: the host asks a person before every call
    ");
}

#[test]
fn the_gate_and_the_change_as_a_person_sees_them() {
    insta::assert_snapshot!(shown()[2], @"
    the gate, policy `spec-default`
    the server is trusted: what it claims counts

      tool                gate           asked    sent  retried  outcome
      list_indexes        allowed        0        1     0        answered
        spec-default.reads: the tool only reads · store: unchanged
      wipe_index          gated          1 (yes)  1     0        answered
        spec-default.confirmed: the tool may change something, so a person has to confirm the call ·
          store: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, wipes 0 → 1
      reindex_document    gated          1 (yes)  3     2        answered
        spec-default.confirmed: the tool may change something, so a person has to confirm the call ·
          store: reindexed 0 → 3
      append_note         gated          1 (yes)  1     0        no answer, outcome unknown
        spec-default.confirmed: the tool may change something, so a person has to confirm the call ·
          store: notes 2 → 3
      purge_tenant        gated          1 (yes)  1     0        answered
        spec-default.confirmed: the tool may change something, so a person has to confirm the call ·
          store: tenants 3 → 2, tenant records 9 → 7, invoices 3 → 2
      send_invoice_email  gated          1 (yes)  1     0        answered
        spec-default.confirmed: the tool may change something, so a person has to confirm the call ·
          store: outbox 0 → 1

      the store after all of it: rebuilding 0 → 1, index entries 10 → 8, pinned results 4 → 3, tenants 3
        → 2, tenant records 9 → 7, invoices 3 → 2, notes 2 → 3, outbox 0 → 1, wipes 0 → 1, reindexed 0 →
        3

    when a declaration changes while the host is connected

      `purge_tenant` declares readOnlyHint=true when the host reads the listing, and declares nothing
      after the change

      silent: the host could not know
        before the change the call was silent, answered (store: tenants 3 → 2, tenant records 9 → 6,
        invoices 3 → 2), after it silent, answered (store: tenants 2 → 1, tenant records 6 → 2, invoices
        2 → 1)
        it acted on what the tool no longer declares
      told with `notifications/tools/list_changed`: the host heard of it and read the listing again
        before the change the call was silent, answered (store: tenants 3 → 2, tenant records 9 → 6,
        invoices 3 → 2), after it gated, answered (store: tenants 2 → 1, tenant records 6 → 2, invoices
        2 → 1)
    ");
}

#[test]
fn servers_that_are_not_what_they_should_be_as_a_person_sees_them() {
    insta::assert_snapshot!(shown()[3], @r#"
    when a server lies, changes its mind, or takes too much

      a server that lies: `list_indexes` declares that it only reads, and wipes an index
        bare client  no gate, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        host         silent, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        gate         gated, asked once (no), not sent: the person said no; store: unchanged; nothing
                     reached the server
                     the server is not trusted: what it claims can only add risk
                     spec-default.confirmed: the tool may change something, so a person has to confirm
                     the call
        confined     allowed, nobody asked, the tool failed: the store `/tmp/sayso-trace-
                     NAME../store.sqlite`: attempt to write a readonly database; store: unchanged
                     the server is trusted: what it claims counts
                     the call was made where the kernel lets nothing be changed
                     spec-default.reads: the tool only reads

      a server that changes its mind: `wipe_index` declares later that it only reads, and nobody is told
        bare client  no gate, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        host         silent, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        gate         gated, asked once (no), not sent: the person said no; store: unchanged; nothing
                     reached the server
                     spec-default.confirmed: the tool may change something, so a person has to confirm
                     the call

      the same, told with `notifications/tools/list_changed`: `wipe_index` declares that it only reads
        bare client  no gate, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        host         silent, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 8,
                     pinned results 4 → 3, wipes 0 → 1
        gate         refused, nobody asked, not sent: drifted; store: unchanged; nothing reached the
                     server
                     `wipe_index` is not what was accepted any more: readOnlyHint was false and is true:
                     clients may now run it without asking; destructiveHint was true and is false:
                     clients may no longer ask before it
                     `list_indexes` goes on: allowed, nobody asked, answered; store: unchanged

      a server that takes what it is given: `wipe_index` is called with an index that the operator does
        not allow
        bare client  no gate, nobody asked, answered; store: rebuilding 0 → 1, index entries 10 → 5,
                     pinned results 4 → 2, wipes 0 → 1
        host         gated, asked once (yes), answered; store: rebuilding 0 → 1, index entries 10 → 5,
                     pinned results 4 → 2, wipes 0 → 1
        gate         refused, nobody asked, not sent: argument-not-allowed; store: unchanged; nothing
                     reached the server
                     the arguments do not fit: `/index`: "runbooks-v3" is not `"scratch-1"`; the nearest
                     that is allowed: `"scratch-1"`
    "#);
}

#[test]
fn a_bare_client_really_destroys_and_nobody_is_asked() {
    let trace = in_era("legacy");
    let wipe = row(trace, "bare", "wipe_index");
    assert_eq!(ways(wipe), json!(["no gate", 0, 1, 0, "answered"]));
    assert_eq!(moved(wipe, "wipes"), 1);
    let seen = trace["seen"][0].as_str().unwrap();
    assert!(
        seen.contains("`wipe_index`") && seen.contains("its own copy of the store"),
        "{seen}"
    );
    // The host's calls met a store in which nothing had been wiped yet.
    let store = trace["gated"]["store"].as_array().unwrap();
    let wipes = store
        .iter()
        .find(|change| change["what"] == "wipes")
        .unwrap();
    assert_eq!((&wipes["before"], &wipes["after"]), (&json!(0), &json!(1)));
}

#[test]
fn what_claims_to_be_idempotent_is_sent_again_and_what_does_not_is_not() {
    let trace = in_era("legacy");
    let reindex = row(trace, "gated", "reindex_document");
    assert_eq!(ways(reindex), json!(["silent", 0, 3, 2, "answered"]));
    assert_eq!(reindex["unanswered"], 2);
    assert_eq!(moved(reindex, "reindexed"), 3);
    let append = row(trace, "gated", "append_note");
    assert_eq!(ways(append), json!(["silent", 0, 1, 0, "no-answer"]));
    // It did its work all the same, which the host cannot know.
    assert_eq!(moved(append, "notes"), 1);
    // A bare client sends nothing again, whatever a tool claims.
    assert_eq!(row(trace, "bare", "reindex_document")["sent"], 1);
}

#[test]
fn the_lessons_are_the_same_in_the_modern_era() {
    let trace = in_era("modern");
    assert_eq!(trace["server"]["protocolVersion"], "2026-07-28");
    let reindex = row(trace, "gated", "reindex_document");
    assert_eq!(ways(reindex), json!(["silent", 0, 3, 2, "answered"]));
    let changes = trace["changes"].as_array().unwrap();
    let listed_again: Vec<&Value> = changes.iter().map(|one| &one["listedAgain"]).collect();
    assert_eq!(listed_again, [false, true]);
}

/// What the gate made of each call.
fn through_the_gate(trace: &Value) -> Vec<Value> {
    let calls = trace["gate"]["calls"].as_array().unwrap();
    let ways = calls.iter().map(|row| json!([row["tool"], ways(row)]));
    ways.collect()
}

/// Of a trial the way of the call at each caller, and what reached the server.
fn trial<'t>(trace: &'t Value, server: &str) -> &'t Value {
    let trials = trace["trials"].as_array().unwrap();
    trials.iter().find(|one| one["server"] == server).unwrap()
}

#[test]
fn the_gate_asks_before_whatever_may_change_something_and_repeats_what_it_may() {
    for era in ["legacy", "modern"] {
        let trace = in_era(era);
        assert_eq!(
            through_the_gate(trace),
            [
                json!(["list_indexes", ["allowed", 0, 1, 0, "answered"]]),
                json!(["wipe_index", ["gated", 1, 1, 0, "answered"]]),
                json!(["reindex_document", ["gated", 1, 3, 2, "answered"]]),
                json!(["append_note", ["gated", 1, 1, 0, "no-answer"]]),
                json!(["purge_tenant", ["gated", 1, 1, 0, "answered"]]),
                json!(["send_invoice_email", ["gated", 1, 1, 0, "answered"]]),
            ],
            "{era}"
        );
        let reads = row(trace, "gate", "list_indexes");
        assert_eq!(reads["because"], "spec-default.reads: the tool only reads");
        // What the journal says was sent is what the server says arrived.
        for leg in ["bare", "gated", "gate"] {
            for call in trace[leg]["calls"].as_array().unwrap() {
                assert_eq!(call["sent"], call["arrived"], "{era}: {leg}: {call}");
            }
        }
    }
}

#[test]
fn a_server_that_lies_is_believed_by_all_but_the_gate() {
    for era in ["legacy", "modern"] {
        let trace = in_era(era);
        let lies = trial(trace, "lies");
        for caller in ["bare", "host"] {
            let row = &lies[caller];
            assert_eq!(row["declares"]["readOnlyHint"], "true");
            assert_eq!(row["outcome"], "answered", "{era}: {caller}");
            assert_eq!(row["asked"], 0);
            assert_eq!(moved(row, "wipes"), 1);
        }
        let row = &lies["gate"];
        assert_eq!(
            ways(row),
            json!(["gated", 1, 0, 0, "refused-by-person"]),
            "{era}"
        );
        assert_eq!((&row["arrived"], &row["store"]), (&json!(0), &json!([])));
        assert_eq!(lies["trust"], "untrusted");
        // Believed, and held to it.
        let row = &lies["confined"];
        let ways = ways(row);
        assert_eq!(
            (&ways[1], &ways[4]),
            (&json!(0), &json!("tool-error")),
            "{era}: {row}"
        );
        assert_eq!(row["store"], json!([]));
    }
}

#[test]
fn a_claim_that_is_relaxed_later_gets_nothing_past_the_gate() {
    for era in ["legacy", "modern"] {
        let trace = in_era(era);
        for server in ["changes-silently", "changes-and-tells"] {
            let changes = trial(trace, server);
            for caller in ["bare", "host"] {
                let row = &changes[caller];
                assert_eq!(
                    (&row["outcome"], &row["asked"]),
                    (&json!("answered"), &json!(0))
                );
                assert_eq!(moved(row, "wipes"), 1, "{era}: {server}: {caller}");
            }
            let row = &changes["gate"];
            assert_eq!((&row["arrived"], &row["store"]), (&json!(0), &json!([])));
        }
        // What nobody was told of, nobody goes by: the call is asked about as ever.
        let silent = trial(trace, "changes-silently");
        assert_eq!(
            ways(&silent["gate"]),
            json!(["gated", 1, 0, 0, "refused-by-person"]),
            "{era}"
        );
        let told = trial(trace, "changes-and-tells");
        assert_eq!(
            ways(&told["gate"]),
            json!(["refused", 0, 0, 0, "refused-by-gate"]),
            "{era}"
        );
        assert_eq!(told["gate"]["code"], "drifted");
        // The other tools go on.
        assert_eq!(
            ways(&told["goesOn"]),
            json!(["allowed", 0, 1, 0, "answered"]),
            "{era}"
        );
    }
}

#[test]
fn an_argument_the_operator_does_not_allow_stops_at_the_gate() {
    for era in ["legacy", "modern"] {
        let trace = in_era(era);
        let ignores = trial(trace, "ignores-authority");
        for caller in ["bare", "host"] {
            assert_eq!(moved(&ignores[caller], "wipes"), 1, "{era}: {caller}");
        }
        // Even a person who says yes to everything is not asked.
        let row = &ignores["gate"];
        assert_eq!(
            ways(row),
            json!(["refused", 0, 0, 0, "refused-by-gate"]),
            "{era}"
        );
        assert_eq!(row["code"], "argument-not-allowed");
        assert!(row["text"].as_str().unwrap().contains("scratch-1"), "{row}");
        assert_eq!((&row["arrived"], &row["store"]), (&json!(0), &json!([])));
    }
}

#[test]
fn the_gate_goes_by_the_policy_that_is_named() {
    let refused = json!(["refused", 0, 0, 0, "refused-by-gate"]);
    let trace = traced("trace --policy read-only");
    assert_eq!(row(&trace, "gate", "list_indexes")["outcome"], "answered");
    // What no policy can permit is not even listed.
    let wipe = row(&trace, "gate", "wipe_index");
    assert_eq!(ways(wipe), refused);
    assert_eq!(
        (&wipe["code"], &wipe["declares"]),
        (&json!("unknown-tool"), &Value::Null)
    );
    assert_eq!(ways(&trial(&trace, "lies")["gate"]), refused);

    let policy =
        r#"@id("night") @reason("nothing at night") forbid (principal, action, resource);"#;
    let ran = Sayso::new("trace --format json --policy night.cedar --policy spec-default")
        .file("night.cedar", policy)
        .run();
    let trace: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        trace["gate"]["policies"],
        json!(["night.cedar", "spec-default"])
    );
    assert_eq!(row(&trace, "gate", "list_indexes")["code"], "unknown-tool");
}

#[test]
fn what_declares_nothing_is_gated_as_hard_as_what_declares_that_it_destroys() {
    for host in ["documented-defaults", "codex", "vscode"] {
        let trace = traced(&format!("trace --host {host}"));
        let (wipe, purge) = (
            row(&trace, "gated", "wipe_index"),
            row(&trace, "gated", "purge_tenant"),
        );
        assert_eq!(ways(wipe), json!(["gated", 1, 1, 0, "answered"]), "{host}");
        assert_eq!(ways(purge), ways(wipe), "{host}");
        let declares = purge["declares"].as_object().unwrap();
        assert!(declares.values().all(|claim| claim == "absent"), "{host}");
        assert_eq!(wipe["declares"]["destructiveHint"], "true");
    }
}

#[test]
fn a_host_acts_on_the_listing_it_has_until_it_is_told_and_lists_again() {
    let changes =
        |host: &str| -> Value { traced(&format!("trace --host {host}"))["changes"].take() };
    let of = |changes: &Value, told: bool| {
        let change = changes
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["told"] == told);
        let change = change.unwrap();
        assert_eq!(change["declaredBefore"]["readOnlyHint"], "true");
        assert_eq!(change["declaredAfter"]["readOnlyHint"], "absent");
        assert_eq!(change["before"]["gate"], "silent");
        json!([
            change["heard"],
            change["listedAgain"],
            change["after"]["gate"],
            change["actsOnOldValues"]
        ])
    };
    let listing_again = changes("documented-defaults");
    assert_eq!(
        of(&listing_again, false),
        json!([false, false, "silent", true])
    );
    assert_eq!(
        of(&listing_again, true),
        json!([true, true, "gated", false])
    );
    // One that does not follow changes goes on with what it was told first.
    let ignoring = changes("codex");
    assert_eq!(of(&ignoring, false), json!([false, false, "silent", true]));
    assert_eq!(of(&ignoring, true), json!([true, false, "silent", true]));
}

#[test]
fn a_host_repeats_only_after_what_its_profile_says() {
    let lost = "--set reindex_document.answer=disconnect:2 --set append_note.answer=disconnect:1";
    let late = "--set reindex_document.answer=never:2 --set append_note.answer=never:1";
    let sent = |host: &str, set: &str| {
        let trace = traced(&format!("trace --host {host} {set}"));
        let sent = |tool| row(&trace, "gated", tool)["sent"].as_u64().unwrap();
        (sent("reindex_document"), sent("append_note"))
    };
    // By the hint, and only after a lost connection.
    assert_eq!(sent("qwen-code:trusted", lost), (3, 1));
    assert_eq!(sent("qwen-code:trusted", late), (1, 1));
    // After a lost connection whatever the hint: a note is there twice.
    assert_eq!(sent("hf-chat-ui", lost), (3, 2));
}

#[test]
fn a_person_who_refuses_or_says_nothing_stops_the_call() {
    for (answer, outcome) in [("no", "refused-by-person"), ("nothing", "person-silent")] {
        let trace = traced(&format!("trace --person {answer}"));
        let wipe = row(&trace, "gated", "wipe_index");
        assert_eq!(ways(wipe), json!(["gated", 1, 0, 0, outcome]));
        assert_eq!(wipe["store"], json!([]));
        let through = row(&trace, "gate", "wipe_index");
        assert_eq!(ways(through), json!(["gated", 1, 0, 0, outcome]));
        assert_eq!(through["arrived"], 0);
        // Nobody was asked about it, so nobody could refuse.
        assert_eq!(row(&trace, "gated", "list_indexes")["outcome"], "answered");
    }
}

#[test]
fn what_a_host_refuses_hides_or_cannot_read_is_not_sent() {
    let trace = traced("trace --host gemini-cli:plan");
    assert_eq!(
        ways(row(&trace, "gated", "append_note")),
        json!(["hidden", 0, 0, 0, "refused-by-host"])
    );
    let trace = traced("trace --host gemini-cli --set list_indexes.readOnlyHint=null");
    for call in trace["gated"]["calls"].as_array().unwrap() {
        assert_eq!(
            ways(call),
            json!(["listing lost", 0, 0, 0, "refused-by-host"])
        );
    }
    let trace = traced("trace --host goose:smart-approve");
    assert_eq!(
        ways(row(&trace, "gated", "purge_tenant")),
        json!(["judged", 0, 0, 0, "undecided"])
    );
    // Why a call stays here differs, and is said.
    let told = |host: &str| {
        let trace = traced(&format!("trace --host {host}"));
        row(&trace, "gated", "purge_tenant")["told"].clone()
    };
    assert_eq!(
        told("goose:smart-approve"),
        "not sent: the host has a model or a classifier decide"
    );
    assert_eq!(
        told("amp"),
        "not sent: the host does something nobody has found out"
    );
}

/// A server in the shell with two tools, one of which fails.
#[cfg(unix)]
const SHELL_SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([^,}]*\).*/\1/')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"drop","inputSchema":{"type":"object"}}]}' ;;
    *'"name":"look"'*) answer '{"content":[{"type":"text","text":"3 orders"}]}' ;;
    *'"name":"drop"'*) answer '{"isError":true,"content":[{"type":"text","text":"no table | <orders>"}]}' ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such tool"}}\n' "$id" ;;
  esac
done
"#;

#[cfg(unix)]
#[test]
fn any_server_can_be_traced_with_a_script() {
    let script = r#"
        person = "no"

        [[call]]
        tool = "look"

        [[call]]
        tool = "drop"
        arguments = { table = "orders", rows = 3 }

        [[call]]
        tool = "missing"
    "#;
    let ran = Sayso::new("trace --format markdown --script calls.toml -- sh server.sh")
        .file("calls.toml", script)
        .file("server.sh", SHELL_SERVER)
        .run();
    insta::assert_snapshot!(ran, @r"
    exit code: 0
    ----- stdout
    ## What a client sees

    | tool | readOnlyHint | destructiveHint | idempotentHint | openWorldHint |
    |---|---|---|---|---|
    | `look` | true | None | None | None |
    | `drop` | None | None | None | None |

    ## A bare client, which asks nobody

    | tool | declares | gate | asked | sent | retried | outcome |
    |---|---|---|---|---|---|---|
    | `look` | readOnlyHint=true | no gate | 0 | 1 | 0 | answered |
    | `drop` | nothing | no gate | 0 | 1 | 0 | the tool failed: no table \| &lt;orders> |
    | `missing` | is not listed | no gate | 0 | 1 | 0 | refused by the server: no such tool (-32602) |

    ## The documented defaults, mode Default

    | tool | declares | gate | asked | sent | retried | outcome |
    |---|---|---|---|---|---|---|
    | `look` | readOnlyHint=true | silent | 0 | 1 | 0 | answered |
    | `drop` | nothing | gated | 1 (no) | 0 | 0 | not sent: the person said no |
    | `missing` | is not listed | not listed | 0 | 0 | 0 | not sent |

    Note: the same server was called by both, the bare client first: what its calls did was there for the host's
    ");
}

#[cfg(unix)]
#[test]
fn any_server_can_be_traced_through_the_gate_by_the_settings_there_are() {
    let script = r#"
        person = "no"

        [[call]]
        tool = "look"

        [[call]]
        tool = "drop"
        person = "yes"

        [[call]]
        tool = "missing"
    "#;
    let traced = |settings: &str| {
        let ran = Sayso::new("trace --gate --format json --script calls.toml -- sh server.sh")
            .file("calls.toml", script)
            .file("server.sh", SHELL_SERVER)
            .file("sayso.toml", settings)
            .run();
        assert_eq!(ran.code, Some(0), "{ran}");
        let trace: Value = serde_json::from_str(&ran.stdout).unwrap();
        (through_the_gate(&trace), trace)
    };
    // Nobody said that the server is trusted, so nothing it claims spares anybody a question.
    let (through, trace) = traced("");
    assert_eq!(
        through,
        [
            json!(["look", ["gated", 1, 0, 0, "refused-by-person"]]),
            json!(["drop", ["gated", 1, 1, 0, "tool-error"]]),
            json!(["missing", ["refused", 0, 0, 0, "refused-by-gate"]]),
        ]
    );
    assert_eq!(row(&trace, "gate", "missing")["code"], "unknown-tool");
    assert_eq!(trace["gate"]["store"], Value::Null);
    let (through, _) = traced(
        r#"
        [gate]
        policy = ["read-only"]

        [gate.servers.sh]
        command = "somewhere else"
        trust = "trusted"
        first-use = "trust-once"
        "#,
    );
    assert_eq!(
        through,
        [
            json!(["look", ["allowed", 0, 1, 0, "answered"]]),
            json!(["drop", ["refused", 0, 0, 0, "refused-by-gate"]]),
            json!(["missing", ["refused", 0, 0, 0, "refused-by-gate"]]),
        ]
    );
}

#[test]
fn wrong_usage_says_what_to_do() {
    let cases = [
        Sayso::new("trace tools.json --script calls.toml").file("tools.json", "[]"),
        Sayso::new("trace -- ./server"),
        Sayso::new("trace --set wipe_index.destructivHint=true"),
        Sayso::new("trace --set wipe_index.answer=never -- ./server"),
        Sayso::new("trace --era both"),
        Sayso::new("trace --host codx"),
        Sayso::new("trace --script calls.toml").file("calls.toml", "[[call]]\ntol = \"x\"\n"),
        Sayso::new("trace --script calls.toml").file("calls.toml", "call = []\n"),
        Sayso::new("trace --script none.toml"),
        Sayso::new("trace --policy lockd"),
        Sayso::new("trace --policy rules.cedar").file("rules.cedar", "permit everything"),
    ];
    let shown: Vec<String> = cases.iter().map(Sayso::shown).collect();
    insta::assert_snapshot!(shown.join("\n\n"), @r#"
    exit code: 2
    ----- stderr
    error: `tools.json` is no live server, and its tools cannot be called
    hint: put a server's command behind `--`, or name its URL

    exit code: 2
    ----- stderr
    error: there are no calls to make
    hint: write them to a file and name it with `--script`; `sayso trace --help` shows one

    exit code: 2
    ----- stderr
    error: there is no setting `wipe_index.destructivHint`
    hint: did you mean `wipe_index.destructiveHint`?

    exit code: 2
    ----- stderr
    error: `--set` is about the scratch server
    hint: leave the target out to trace that one

    exit code: 2
    ----- stderr
    error: a trace is in one protocol era, not in both
    hint: trace once with `--era legacy` and once with `--era modern`

    exit code: 2
    ----- stderr
    error: no host is called `codx`
    hint: did you mean `codex`?

    exit code: 2
    ----- stderr
    error: calls.toml:2:1: unknown key `tol`

    exit code: 2
    ----- stderr
    error: calls.toml: the script makes no call
    hint: write `[[call]]` and below it `tool = "NAME"`

    exit code: 2
    ----- stderr
    error: cannot read `none.toml`: No such file or directory (os error 2)

    exit code: 2
    ----- stderr
    error: cannot read the policy `lockd`: No such file or directory (os error 2)
    hint: it is no file, and the sets in the box are `spec-default`, `read-only`, `additive`, `locked`, `two-of-three`

    exit code: 2
    ----- stderr
    error: rules.cedar:1:8: unexpected token `everything`: expected `(`
    hint: `sayso policy check` says more
    "#);
}
