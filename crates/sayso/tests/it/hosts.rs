//! `sayso hosts`: what hosts do with each tool, as people and programs are told.

mod formats;
mod profiles;

use crate::sayso::Sayso;

/// What an honest fix gives each tool of the example.
const FIX: &str = include_str!("../../src/example/annotations.json");

/// So that no snapshot ages.
const NEVER_OLD: &str = "--stale-after-days 1000000";

fn hosts(arguments: &str) -> Sayso {
    Sayso::new(&format!("hosts {NEVER_OLD} {arguments}"))
}

#[test]
fn the_example_as_found() {
    insta::assert_snapshot!(hosts("--example").shown(), @"
    exit code: 0
    ----- stdout
    example
    server: sayso-example 0.1.0 · MCP 2025-11-25, legacy era · embedded example server

    what happens to 40 tools in 43 hosts, each as a new user has it
    hosts that treat this listing alike share a column; below it they are named

                    spec       A    B      C     D         E          F        G        check
                               23   15     1     1         1          1        1        1
      all 40 tools  ask-every  ask  allow  hide  ask-once  ask-every  unknown  by-name  deny

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-once: asks a person, and remembers the answer for the conversation
      ask-every: asks a person before every call
      deny: refuses the call
      hide: keeps the tool from the model
      by-name: goes by the verbs in the tool's name
      unknown: does something nobody has found out

    spec: no real host: the documented defaults, acted on to the letter; gate rate 100 % (40 of 40)
    A: 23 hosts; gate rate 100 % (40 of 40)
      claude-code, claude-agent-sdk, claude-desktop, vscode, cursor, codex, codex-apps, gemini-cli,
      windsurf-devin, zed, cline, continue, continue-cli, lm-studio, copilot-cli, qwen-code, kiro,
      amazon-q, roo-code, crush, warp, junie, docker-agent
    B: 15 hosts; gate rate 0 % (0 of 40); 40 run silently, 40 of which may destroy
      anthropic-mcp-connector, copilot-cloud-agent, goose, opencode, cline-sdk-cli, librechat,
      open-webui, hf-chat-ui, openhands-sdk, executor, fast-agent, mcp-use, langchain-mcp-adapters,
      openai-agents-python, pydantic-ai
    C: 1 host; gate rate 0 % (0 of 40); 40 refused or hidden
      copilot-code-review
    D: 1 host; gate rate 100 % (40 of 40)
      chatgpt-developer-mode
    E: 1 host; gate rate 100 % (40 of 40)
      openai-responses-mcp
    F: 1 host; gate rate 0 % (0 of 40); 40 unknown
      amp
    G: 1 host; gate rate 0 % (0 of 40); 40 left to a model, a classifier or the name
      n8n-instance-ai
    check: a check before publication, no host that calls; accepts 0 of 40, refuses 40
      chatgpt-directory-submission

    of 43 hosts: 15 with silent calls that may destroy, 25 that ask, 1 that refuse or hide a tool, 0
      that lose the whole listing

    where hosts that look at hints split, riskiest first
      40 tools (may destroy, may reach an open world): profile_fetch, company_fetch, profile_posts,
        search_people, search_companies, search_posts, filter_resolve, search_sales_navigator and 32
        more
        silent in 1: executor
        asked in 6: vscode, codex, codex-apps, chatgpt-developer-mode, copilot-cli, docker-agent
        refused in 1: copilot-code-review

    what a person sees as the title of `profile_fetch` and of 39 more tools
      `profile_fetch` (from the name) in 18 hosts: claude-code, gemini-cli, zed, opencode, cline,
        cline-sdk-cli and 12 more
      `Fetch a profile` (from `title`) in 4 hosts: vscode, codex, codex-apps, openai-agents-python
    ");
}

#[test]
fn the_example_after_the_fix() {
    insta::assert_snapshot!(hosts("--example annotated").shown(), @"
    exit code: 0
    ----- stdout
    example
    server: sayso-example 0.1.0 · MCP 2025-11-25, legacy era · embedded example server, annotated

    what happens to 40 tools in 43 hosts, each as a new user has it
    hosts that treat this listing alike share a column; below it they are named

                             spec       A    B      C      D      E      F         G          H
                                        18   14     4      2      1      1         1          1
      18 like profile_fetch  allow      ask  allow  allow  allow  allow  allow     ask-every  unknown
        profile_fetch, company_fetch, profile_posts, search_people, search_companies, search_posts,
        filter_resolve, search_sales_navigator, icp_list, icp_get, company_list, evidence_search,
        lead_list, lead_get, leadlist_list, leadlist_get, companylist_list, companylist_get
      14 like invite_send    ask-every  ask  allow  ask    ask    hide   ask-once  ask-every  unknown
        invite_send, message_send, message_edit, message_delete, inmail_send, company_load_details,
        company_qualify, lead_load_profile, leadlist_update, leadlist_delete, leadlist_remove_leads,
        companylist_update, companylist_delete, companylist_remove_companies
      8 like icp_create      allow      ask  allow  ask    allow  hide   ask-once  ask-every  unknown
        icp_create, icp_revise, company_add, lead_add, leadlist_create, leadlist_add_leads,
        companylist_create, companylist_add_companies

                             I          check
                             1          1
      18 like profile_fetch  allow      allow
      14 like invite_send    ask-every  allow
      8 like icp_create      allow      allow

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-once: asks a person, and remembers the answer for the conversation
      ask-every: asks a person before every call
      hide: keeps the tool from the model
      unknown: does something nobody has found out

    spec: no real host: the documented defaults, acted on to the letter; gate rate 35 % (14 of 40); 26
      run silently, 0 of which may destroy
    A: 18 hosts; gate rate 100 % (40 of 40)
      claude-code, claude-agent-sdk, claude-desktop, cursor, gemini-cli, windsurf-devin, zed, cline,
      continue, continue-cli, lm-studio, qwen-code, kiro, amazon-q, roo-code, crush, warp, junie
    B: 14 hosts; gate rate 0 % (0 of 40); 40 run silently, 14 of which may destroy
      anthropic-mcp-connector, copilot-cloud-agent, goose, opencode, cline-sdk-cli, librechat,
      open-webui, hf-chat-ui, openhands-sdk, fast-agent, mcp-use, langchain-mcp-adapters,
      openai-agents-python, pydantic-ai
    C: 4 hosts; gate rate 55 % (22 of 40); 18 run silently, 0 of which may destroy
      vscode, copilot-cli, n8n-instance-ai, docker-agent
    D: 2 hosts; gate rate 35 % (14 of 40); 26 run silently, 0 of which may destroy
      codex, codex-apps
    E: 1 host; gate rate 0 % (0 of 40); 18 run silently, 0 of which may destroy; 22 refused or hidden
      copilot-code-review
    F: 1 host; gate rate 55 % (22 of 40); 18 run silently, 0 of which may destroy
      chatgpt-developer-mode
    G: 1 host; gate rate 100 % (40 of 40)
      openai-responses-mcp
    H: 1 host; gate rate 0 % (0 of 40); 40 unknown
      amp
    I: 1 host; gate rate 35 % (14 of 40); 26 run silently, 0 of which may destroy
      executor
    check: a check before publication, no host that calls; accepts 40 of 40, refuses 0
      chatgpt-directory-submission

    of 43 hosts: 14 with silent calls that may destroy, 27 that ask, 1 that refuse or hide a tool, 0
      that lose the whole listing

    where hosts that look at hints split, riskiest first
      8 tools (only adds): icp_create, icp_revise, company_add, lead_add, leadlist_create,
        leadlist_add_leads, companylist_create, companylist_add_companies
        silent in 3: codex, codex-apps, executor
        asked in 5: vscode, chatgpt-developer-mode, copilot-cli, n8n-instance-ai, docker-agent
        refused in 1: copilot-code-review

    what a person sees as the title of `profile_fetch` and of 39 more tools
      `profile_fetch` (from the name) in 16 hosts: claude-code, gemini-cli, zed, opencode, cline,
        cline-sdk-cli and 10 more
      `Fetch a profile` (from `annotations.title`) in 6 hosts: vscode, codex, codex-apps, copilot-cli,
        executor, openai-agents-python
    ");
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a snapshot is as long as what people see"
)]
fn what_the_fix_changes() {
    let sayso = hosts("--example --with fix.json").file("fix.json", FIX);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    example
    server: sayso-example 0.1.0 · MCP 2025-11-25, legacy era · embedded example server

    what happens to 40 tools in 43 hosts, each as a new user has it; `before → after` where the hints of
      fix.json change it
    hosts that treat this listing alike share a column; below it they are named

                             spec               A    B      C            D            E
                                                18   14     3            2            1
      18 like profile_fetch  ask-every → allow  ask  allow  ask → allow  ask → allow  hide → allow
        profile_fetch, company_fetch, profile_posts, search_people, search_companies, search_posts,
        filter_resolve, search_sales_navigator, icp_list, icp_get, company_list, evidence_search,
        lead_list, lead_get, leadlist_list, leadlist_get, companylist_list, companylist_get
      14 like invite_send    ask-every          ask  allow  ask          ask          hide
        invite_send, message_send, message_edit, message_delete, inmail_send, company_load_details,
        company_qualify, lead_load_profile, leadlist_update, leadlist_delete, leadlist_remove_leads,
        companylist_update, companylist_delete, companylist_remove_companies
      8 like icp_create      ask-every → allow  ask  allow  ask          ask → allow  hide
        icp_create, icp_revise, company_add, lead_add, leadlist_create, leadlist_add_leads,
        companylist_create, companylist_add_companies

                             F                 G          H        I                J
                             1                 1          1        1                1
      18 like profile_fetch  ask-once → allow  ask-every  unknown  by-name → allow  allow
      14 like invite_send    ask-once          ask-every  unknown  by-name → ask    allow → ask-every
      8 like icp_create      ask-once          ask-every  unknown  by-name → ask    allow

                             check
                             1
      18 like profile_fetch  deny → allow
      14 like invite_send    deny → allow
      8 like icp_create      deny → allow

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-once: asks a person, and remembers the answer for the conversation
      ask-every: asks a person before every call
      deny: refuses the call
      hide: keeps the tool from the model
      by-name: goes by the verbs in the tool's name
      unknown: does something nobody has found out

    spec: no real host: the documented defaults, acted on to the letter; gate rate 100 % → 35 % (40 → 14
      of 40); 0 → 26 run silently, 0 of which may destroy
    A: 18 hosts; gate rate 100 % (40 of 40)
      claude-code, claude-agent-sdk, claude-desktop, cursor, gemini-cli, windsurf-devin, zed, cline,
      continue, continue-cli, lm-studio, qwen-code, kiro, amazon-q, roo-code, crush, warp, junie
    B: 14 hosts; gate rate 0 % (0 of 40); 40 run silently, 40 → 14 of which may destroy
      anthropic-mcp-connector, copilot-cloud-agent, goose, opencode, cline-sdk-cli, librechat,
      open-webui, hf-chat-ui, openhands-sdk, fast-agent, mcp-use, langchain-mcp-adapters,
      openai-agents-python, pydantic-ai
    C: 3 hosts; gate rate 100 % → 55 % (40 → 22 of 40); 0 → 18 run silently, 0 of which may destroy
      vscode, copilot-cli, docker-agent
    D: 2 hosts; gate rate 100 % → 35 % (40 → 14 of 40); 0 → 26 run silently, 0 of which may destroy
      codex, codex-apps
    E: 1 host; gate rate 0 % (0 of 40); 0 → 18 run silently, 0 of which may destroy; 40 → 22 refused or
      hidden
      copilot-code-review
    F: 1 host; gate rate 100 % → 55 % (40 → 22 of 40); 0 → 18 run silently, 0 of which may destroy
      chatgpt-developer-mode
    G: 1 host; gate rate 100 % (40 of 40)
      openai-responses-mcp
    H: 1 host; gate rate 0 % (0 of 40); 40 unknown
      amp
    I: 1 host; gate rate 0 % → 55 % (0 → 22 of 40); 0 → 18 run silently, 0 of which may destroy; 40 → 0
      left to a model, a classifier or the name
      n8n-instance-ai
    J: 1 host; gate rate 0 % → 35 % (0 → 14 of 40); 40 → 26 run silently, 40 → 0 of which may destroy
      executor
    check: a check before publication, no host that calls; accepts 0 → 40 of 40, refuses 40 → 0
      chatgpt-directory-submission

    before, of 43 hosts: 15 with silent calls that may destroy, 25 that ask, 1 that refuse or hide a
      tool, 0 that lose the whole listing
    after, of 43 hosts: 14 with silent calls that may destroy, 27 that ask, 1 that refuse or hide a
      tool, 0 that lose the whole listing
    over all hosts and tools: 124 prompts go away, 36 prompts appear; 160 new silent runs, 0 of them of
      tools that may destroy

    called silently with the other hints, and not before; riskiest first
      8 tools (only adds): icp_create, icp_revise, company_add, lead_add, leadlist_create,
        leadlist_add_leads, companylist_create, companylist_add_companies
        in 2 hosts: codex, codex-apps
      18 tools (only reads): profile_fetch, company_fetch, profile_posts, search_people,
        search_companies, search_posts, filter_resolve, search_sales_navigator and 10 more
        in 8 hosts: vscode, copilot-code-review, codex, codex-apps, chatgpt-developer-mode, copilot-cli
          and 2 more

    where hosts that look at hints split, riskiest first
      8 tools (only adds): icp_create, icp_revise, company_add, lead_add, leadlist_create,
        leadlist_add_leads, companylist_create, companylist_add_companies
        silent in 3: codex, codex-apps, executor
        asked in 5: vscode, chatgpt-developer-mode, copilot-cli, n8n-instance-ai, docker-agent
        refused in 1: copilot-code-review

    what a person sees as the title of `profile_fetch` and of 39 more tools
      `profile_fetch` (from the name) in 16 hosts: claude-code, gemini-cli, zed, opencode, cline,
        cline-sdk-cli and 10 more
      `Fetch a profile` (from `annotations.title`) in 6 hosts: vscode, codex, codex-apps, copilot-cli,
        executor, openai-agents-python
    ");
}

#[test]
fn putting_the_fix_over_the_example_is_the_fixed_example() {
    let overlaid = hosts("--example --with fix.json --format json").file("fix.json", FIX);
    let overlaid: serde_json::Value = serde_json::from_str(&overlaid.run().stdout).unwrap();
    let fixed = hosts("--example annotated --format json").run().stdout;
    let fixed: serde_json::Value = serde_json::from_str(&fixed).unwrap();
    let columns = |report: &serde_json::Value| {
        let columns = report["targets"][0]["listing"]["columns"].clone();
        columns.as_array().unwrap().clone()
    };
    for (overlaid, fixed) in columns(&overlaid).iter().zip(columns(&fixed)) {
        assert_eq!(overlaid["after"]["figures"], fixed["figures"]);
    }
    assert_eq!(columns(&overlaid).len(), columns(&fixed).len());
}

#[test]
fn who_asks_too_little_and_who_too_much() {
    let listing = r#"[
        {"name": "read_note", "annotations": {"readOnlyHint": true}},
        {"name": "drop_note", "annotations": {"readOnlyHint": true}},
        {"name": "add_note"},
        {"name": "unjudged"}
    ]"#;
    let truth = "
        [read_note]
        readOnlyHint = true
        [drop_note]
        readOnlyHint = false
        [add_note]
        readOnlyHint = false
        destructiveHint = false
        openWorldHint = false
    ";
    let sayso = hosts("notes.json --ruling truth.toml --host codex --host zed --host goose --host documented-defaults")
        .file("notes.json", listing)
        .file("truth.toml", truth);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    notes.json
    saved listing: notes.json

    what happens to 4 tools in 3 hosts, each as a new user has it

                 codex  zed  goose  documented-defaults
      read_note  allow  ask  allow  allow
      drop_note  allow  ask  allow  allow
      add_note   ask    ask  allow  ask-every
      unjudged   ask    ask  allow  ask-every

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-every: asks a person before every call

    codex: gate rate 50 % (2 of 4); 2 run silently, 0 of which may destroy
    zed: gate rate 100 % (4 of 4)
    goose: gate rate 0 % (0 of 4); 4 run silently, 2 of which may destroy
    documented-defaults: no real host: the documented defaults, acted on to the letter; gate rate 50 %
      (2 of 4); 2 run silently, 0 of which may destroy

    of 3 hosts: 1 with silent calls that may destroy, 2 that ask, 0 that refuse or hide a tool, 0 that
      lose the whole listing

    held against what is true of 3 of 4 tools, over all hosts: 2 under-gated, 3 over-gated
                           under-gated  over-gated  as it should be  not decided by rules
      codex                          1           1                1                     0
      documented-defaults            1           1                1                     0
      goose                          1           0                2                     0
      zed                            0           2                1                     0

    asked about too little: called silently, and may destroy in truth
      drop_note (may destroy, may reach an open world)
        in 2 hosts: codex, goose

    asked about too much: a person is asked, or the tool is refused, for nothing
      add_note (only adds)
        in 2 hosts: codex, zed
      read_note (only reads)
        in 1 host: zed
    ");
}

#[test]
fn what_one_null_costs() {
    let listing = r#"[
        {"name": "read_note", "annotations": {"readOnlyHint": true}},
        {"name": "drop_note", "annotations": {"readOnlyHint": null}}
    ]"#;
    let sayso = hosts("notes.json").file("notes.json", listing);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    notes.json
    saved listing: notes.json

    what happens to 2 tools in 43 hosts, each as a new user has it
    hosts that treat this listing alike share a column; below it they are named

                 spec       A     B      C    D      E        F          G        check
                            16    10     9    4      2        1          1        1
      read_note  allow      lost  allow  ask  allow  allow    ask-every  unknown  deny
      drop_note  ask-every  lost  allow  ask  ask    unknown  ask-every  unknown  deny

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-every: asks a person before every call
      deny: refuses the call
      unknown: does something nobody has found out
      lost: cannot read the listing: no tool of it is there

    spec: no real host: the documented defaults, acted on to the letter; gate rate 50 % (1 of 2); 1 run
      silently, 0 of which may destroy
    A: 16 hosts; gate rate 0 % (0 of 2); loses the whole listing over `drop_note`:
      `annotations.readOnlyHint` is null
      claude-code, claude-agent-sdk, claude-desktop, gemini-cli, opencode, cline, cline-sdk-cli,
      continue, continue-cli, copilot-cli, qwen-code, roo-code, librechat, hf-chat-ui, n8n-instance-ai,
      executor
    B: 10 hosts; gate rate 0 % (0 of 2); 2 run silently, 1 of which may destroy
      anthropic-mcp-connector, copilot-cloud-agent, goose, open-webui, openhands-sdk, fast-agent,
      mcp-use, langchain-mcp-adapters, openai-agents-python, pydantic-ai
    C: 9 hosts; gate rate 100 % (2 of 2)
      cursor, windsurf-devin, zed, lm-studio, kiro, amazon-q, crush, warp, junie
    D: 4 hosts; gate rate 50 % (1 of 2); 1 run silently, 0 of which may destroy
      vscode, codex, codex-apps, docker-agent
    E: 2 hosts; gate rate 0 % (0 of 2); 1 run silently, 0 of which may destroy; 1 unknown
      copilot-code-review, chatgpt-developer-mode
    F: 1 host; gate rate 100 % (2 of 2)
      openai-responses-mcp
    G: 1 host; gate rate 0 % (0 of 2); 2 unknown
      amp
    check: a check before publication, no host that calls; accepts 0 of 2, refuses 2
      chatgpt-directory-submission

    of 43 hosts: 10 with silent calls that may destroy, 14 that ask, 0 that refuse or hide a tool, 16
      that lose the whole listing
    ");
}

#[test]
fn why_a_host_does_what_it_does() {
    let listing = r#"[
        {"name": "read_note", "title": "Read a note", "annotations": {"readOnlyHint": true}},
        {"name": "drop_note", "annotations": {"readOnlyHint": false, "destructiveHint": true, "title": "Drop"}}
    ]"#;
    let why = |arguments: &str| {
        hosts("notes.json --tool drop_note")
            .file("notes.json", listing)
            .argument("--host")
            .argument(arguments)
            .shown()
    };
    insta::assert_snapshot!(why("documented-defaults"), @"
    exit code: 0
    ----- stdout
    notes.json
    saved listing: notes.json

    drop_note
      readOnlyHint false (claimed), destructiveHint true (claimed), idempotentHint false (default),
        openWorldHint true (default)
      by the documented defaults clients will ask before every call, and not retry after a time-out

    ask-every: no real host: the documented defaults, acted on to the letter: asks a person before every
      call
      documented-defaults in mode Default
        ask-every by rule 3 of 3, for anything else. It may destroy, or does not say that it does not.
        parser Only real booleans count: sees readOnlyHint false, destructiveHint true
        shows `Drop`, from `annotations.title`
        known from its documentation, read 2026-11-30, version 2026-07-28
        source: modelcontextprotocol/modelcontextprotocol: schema/2026-07-28/schema.ts, ToolAnnotations
    ");
    // Every host that has a say tells of a rule, of what it sees and of what it rests on.
    let all = hosts("notes.json --tool drop_note")
        .file("notes.json", listing)
        .run();
    let facts = all.stdout.matches("\n    known ").count();
    assert!(facts > 40, "{all}");
    assert_eq!(
        all.stdout.matches(" by rule ").count() + all.stdout.matches(" by its one rule").count(),
        facts
    );
}

#[test]
fn each_mode_of_a_host_in_a_column() {
    let listing = r#"[
        {"name": "read_note", "annotations": {"readOnlyHint": true}},
        {"name": "drop_note"}
    ]"#;
    let sayso = hosts("notes.json --host documented-defaults --host zed --mode all")
        .file("notes.json", listing);
    insta::assert_snapshot!(sayso.shown(), @"
    exit code: 0
    ----- stdout
    notes.json
    saved listing: notes.json

    what happens to 2 tools in 3 hosts and modes

                 documented-defaults  zed  zed:allow  zed:deny
      read_note  allow                ask  allow      deny
      drop_note  ask-every            ask  allow      deny

      allow: calls the tool without asking
      ask: asks a person, and offers to remember the answer
      ask-every: asks a person before every call
      deny: refuses the call

    documented-defaults: no real host: the documented defaults, acted on to the letter; gate rate 50 %
      (1 of 2); 1 run silently, 0 of which may destroy
    zed: gate rate 100 % (2 of 2)
    zed:allow: gate rate 0 % (0 of 2); 2 run silently, 1 of which may destroy
    zed:deny: gate rate 0 % (0 of 2); 2 refused or hidden

    of 3 hosts and modes: 1 with silent calls that may destroy, 1 that ask, 1 that refuse or hide a
      tool, 0 that lose the whole listing
    ");
    let all = hosts("notes.json --mode all --quiet")
        .file("notes.json", listing)
        .run();
    assert!(all.stdout.contains(" hosts and modes"), "{all}");
}

#[test]
fn text_from_a_server_is_shown_with_nothing_hidden() {
    let listing = "[{\"name\": \"dr\\u202eop\\u001b[2K\", \"title\": \"\\u200bx\"}]";
    for format in ["human", "json", "markdown", "html"] {
        let ran = hosts("notes.json --format")
            .argument(format)
            .file("notes.json", listing)
            .run();
        assert_eq!(ran.code, Some(0), "{ran}");
        assert!(ran.stdout.contains("202e"), "{ran}");
        for hidden in ['\u{202e}', '\u{1b}', '\u{200b}'] {
            assert!(!ran.stdout.contains(hidden), "{format}: {ran}");
        }
    }
}

#[test]
fn names_that_nobody_knows() {
    let listing = r#"[{"name": "drop_note"}]"#;
    let shown = |arguments: &str| {
        let ran = hosts(arguments)
            .file("notes.json", listing)
            .file(
                "hints.json",
                r#"{"drop_notes": {"readOnlyHint": true}, "drop_note": {"readOnlyHint": true}}"#,
            )
            .file("wrong.json", r#"{"drop_note": {"readOnlyHnt": true}}"#)
            .run();
        assert_eq!(ran.stdout.is_empty(), ran.code == Some(2), "{ran}");
        ran.stderr
            + ran
                .stdout
                .lines()
                .rev()
                .find(|line| line.contains("note:"))
                .unwrap_or_default()
    };
    insta::assert_snapshot!(shown("notes.json --host docmented-defaults"), @"
    error: no host is called `docmented-defaults`
    hint: did you mean `documented-defaults`?
    ");
    insta::assert_snapshot!(shown("notes.json --host xyz"), @"
    error: no host is called `xyz`
    hint: `sayso hosts --list` lists the hosts
    ");
    insta::assert_snapshot!(shown("notes.json --host documented-defaults:plan"), @"
    error: host `documented-defaults` has no mode `plan`
    hint: it has `default`
    ");
    insta::assert_snapshot!(shown("notes.json --mode plan"), @"
    error: `--mode plan` is a mode of one host, and none is named
    hint: add `--host NAME`, or write `--mode all`
    ");
    insta::assert_snapshot!(shown("notes.json --tool drop_nte"), @"
    error: no tool is called `drop_nte`
    hint: did you mean `drop_note`?
    ");
    insta::assert_snapshot!(shown("notes.json --with wrong.json"), @"
    error: wrong.json: tool `drop_note`: `readOnlyHnt` is no hint
    hint: did you mean `readOnlyHint`?
    ");
    insta::assert_snapshot!(shown("notes.json --with gone.json"), @"error: cannot read `gone.json`: No such file or directory (os error 2)");
    insta::assert_snapshot!(shown("notes.json --quiet --with hints.json"), @"");
    insta::assert_snapshot!(shown("notes.json --with hints.json"), @"note: `notes.json` has no tool `drop_notes`, which `--with` has hints for; did you mean `drop_note`?");
    insta::assert_snapshot!(shown(""), @"
    error: there is nothing to show
    hint: name a URL or a saved listing, or put a server's command behind `--`; `sayso hosts --example` shows what comes of it
    ");
}

#[test]
fn a_target_that_cannot_be_read_hides_no_other() {
    let ran = hosts("gone.json notes.json")
        .file("notes.json", r#"[{"name": "drop_note"}]"#)
        .run();
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(
        ran.stdout
            .contains("could not be read: cannot read `gone.json`"),
        "{ran}"
    );
    assert!(ran.stdout.contains("drop_note"), "{ran}");
}

#[test]
fn the_audit_counts_what_the_matrix_shows() {
    let listing = r#"[
        {"name": "read_note", "annotations": {"readOnlyHint": true}},
        {"name": "drop_note", "annotations": {"readOnlyHint": false, "openWorldHint": "yes"}},
        {"name": "add_note"}
    ]"#;
    let json = |command: &str| -> serde_json::Value {
        let ran = Sayso::new(&format!("{command} notes.json --format json"))
            .file("notes.json", listing)
            .run();
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let (audit, hosts) = (json("audit --fail-on never"), json("hosts"));
    let counted: Vec<bool> = hosts["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["counted"].as_bool().unwrap())
        .collect();
    let tools = |report: &serde_json::Value| {
        let tools = report["targets"][0]["listing"]["tools"].clone();
        tools.as_array().unwrap().clone()
    };
    for (audited, shown) in tools(&audit).iter().zip(tools(&hosts)) {
        let cells = shown["cells"].as_array().unwrap().iter().zip(&counted);
        let with = |outcomes: &[&str]| {
            let cells = cells.clone().filter(|(_, counted)| **counted);
            cells
                .filter(|(cell, _)| outcomes.contains(&cell["outcome"].as_str().unwrap()))
                .count()
        };
        let expected = serde_json::json!({
            "hosts": counted.iter().filter(|counted| **counted).count(),
            "silent": with(&["allow"]),
            "asks": with(&["ask", "ask-once", "ask-every"]),
            "refuses": with(&["deny", "hide"]),
            "lost": with(&["lost"]),
            "other": with(&["judge", "by-name", "unknown"]),
        });
        assert_eq!(audited["hosts"], expected);
    }
}

#[test]
fn the_audit_tells_what_hosts_do_in_every_format_for_people() {
    let audit = |listing: &str, format: &str| {
        let ran = Sayso::new("audit notes.json --fail-on never --verbose --format")
            .argument(format)
            .file("notes.json", listing)
            .run();
        assert_eq!(ran.code, Some(0), "{ran}");
        ran.stdout
    };
    let alike = r#"[{"name": "drop_note"}, {"name": "drop_all"}]"#;
    let unlike =
        r#"[{"name": "drop_note"}, {"name": "read_note", "annotations": {"readOnlyHint": true}}]"#;
    for format in ["human", "markdown", "html"] {
        let count = |listing: &str, text: &str| audit(listing, format).matches(text).count();
        assert_eq!(count(alike, "call each tool silently"), 1, "{format}");
        assert_eq!(count(alike, "call it silently"), 0, "{format}");
        assert_eq!(count(unlike, "call each tool silently"), 0, "{format}");
        assert_eq!(count(unlike, "call it silently"), 2, "{format}");
    }
}

#[test]
fn a_broken_profile_keeps_nobody_from_the_audit() {
    let ran = Sayso::new("audit notes.json --fail-on never")
        .file("notes.json", r#"[{"name": "drop_note"}]"#)
        .home_file(".config/sayso/hosts/broken.toml", "id = 1")
        .run();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(
        ran.stderr
            .contains("only the hosts that ship with sayso are counted")
            || ran
                .stdout
                .contains("only the hosts that ship with sayso are counted"),
        "{ran}"
    );
    assert!(ran.stdout.contains("hosts as they come"), "{ran}");
}
