use sayso_core::finding::Severity;

use super::{assert_nothing_hides, audited, finding, report, run, written};
use crate::audit_report::{Format, TargetDescription, TargetReport};

#[test]
fn a_comment_for_a_pull_request() {
    let text = written(&run(), Format::Markdown);
    assert_nothing_hides(&text);
    insta::assert_snapshot!(text, @r#"
    ## sayso audit: failed

    2 errors, 6 warnings, 2 infos; 4 hidden by suppressions, 2 by rules switched off. 2 findings reach `--fail-on error`.

    1 of 3 targets could not be read, and 1 not to the end.

    ### post-office

    saved listing: fixtures/post office.json

    | | tools | only by default |
    |---|--:|--:|
    | returned | 5 | |
    | with `readOnlyHint` | 2 / 5 | |
    | with `destructiveHint` | 1 / 5 | |
    | with `idempotentHint` | 0 / 5 | |
    | with `openWorldHint` | 1 / 5 | |
    | with any annotations object | 2 / 5 | |
    | with a title | 1 / 5 | |
    | assumed: may write | 4 / 5 | 3 |
    | assumed: may destroy | 4 / 5 | 4 |
    | assumed: not repeatable | 4 / 5 | 4 |
    | assumed: open world | 5 / 5 | 5 |

    **Gate rate:** 4 / 5 (80 %) now, 4 / 5 (80 %) if every finding were fixed. It is the share of tools a client that follows the documented defaults has to confirm.

    🔵 **info** `duplicate-names`: no two tools share a name, which is worth a note

    <details><summary>🟡 3 of 5 tools: no annotations: clients assume the worst of all four hints</summary>

    🟡 **warning** `missing-annotations`: no annotations: clients assume the worst of all four hints

    help: declare what the tool does; each hint left out keeps its worst-case default

    `list_files`, `read_file`, `stat_file`

    </details>

    <details><summary>🔴 <code>send\_mail</code>: 3 findings</summary>

    `readOnlyHint` false (claimed) · `destructiveHint` true (default, null was sent) · `idempotentHint` false (default) · `openWorldHint` true (default, no boolean was sent)  
    clients will ask before every call, and not retry after a time-out

    🔴 **error** `prose-contacts-person`: the description says it contacts a person; `openWorldHint` does not

    🟡 **warning** `prose-destroys`: the description says that it cannot be undone

    in `description`

    ```text
    …of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a…
                               ^^^^^^^^^^^^^^^^^^^^^^ reaches somebody outside
                                                          ^^^^^^^^^^^^^^^^ no way back
    ```

    help: declare `openWorldHint: true`

    🟡 **warning** `mixed-mode-argument`: `mode` chooses between reading and writing

    in `inputSchema.properties.mode.enum`

    ```text
    ["draft", "send"]
              ^^^^^^ writes, while the other member does not; a client that asks before one has to ask before both
    ```

    To paste into the tool:

    ```json
    "annotations": {
      "title": "Send <mail>",
      "readOnlyHint": false,
      "destructiveHint": true,
      "openWorldHint": true
    }
    ```

    </details>

    <details><summary>🔴 <code>burn\\u{202e}liam</code>: 2 findings</summary>

    `readOnlyHint` true (claimed) · `openWorldHint` true (default)  
    clients may run it without asking, and may repeat it after a time-out

    🔴 **error** `invisible-text`: the description holds invisible characters

    in `description`

    ```text
    Burns a letter.\u{200b}\u{1b}[2K Idempotent.
                   ^^^^^^^^ U+200B, zero width space
    ```

    🔵 **info** `read-only-destructive`: read-only and destructive at once

    </details>

    ### pinger

    pinger 1.2.0 · MCP 2025-11-25, legacy era · command: pinger --stdio, configured for zed in .zed/settings.json:7

    🔴 **incomplete listing:** page 2 never came

    | | tools | only by default |
    |---|--:|--:|
    | returned | 1 | |
    | with `readOnlyHint` | 1 / 1 | |
    | with `destructiveHint` | 0 / 1 | |
    | with `idempotentHint` | 0 / 1 | |
    | with `openWorldHint` | 1 / 1 | |
    | with any annotations object | 1 / 1 | |
    | with a title | 0 / 1 | |
    | assumed: may write | 0 / 1 | 0 |
    | assumed: may destroy | 0 / 1 | 0 |
    | assumed: not repeatable | 0 / 1 | 0 |
    | assumed: open world | 0 / 1 | 0 |

    **Gate rate:** 0 / 1 (0 %) now, 0 / 1 (0 %) if every finding were fixed. It is the share of tools a client that follows the documented defaults has to confirm.

    Seen while reading:

    - lines on standard output that are not JSON: `starting \u{1b}[32mup`

    ### broken

    🔴 **could not be read:** could not connect: connection refused

    hint: start the server, or correct the port

    ```text
    \u{1b}]0;owned\u{7}last words
    ```

    🟡 **warning** `unused-suppression` in `sayso.toml:3`: the suppression of `half-declared` suppresses nothing. delete it.

    > `old` in .zed/settings.json is disabled and was left out

    <sub>sayso 0.1.0, `--fail-on error`. `sayso explain RULE` says what a rule checks and why.</sub>
    "#);
}

#[test]
fn a_comment_is_cut_to_what_github_takes() {
    let tools: Vec<String> = (0..1000)
        .map(|number| format!("{{\"name\": \"tool_{number}\"}}"))
        .collect();
    let audited = audited(&format!("[{}]", tools.join(",")), |listing| {
        (0..1000)
            .map(|number| {
                finding(
                    listing,
                    "some-rule",
                    Severity::Warning,
                    Some(number),
                    &format!("number {number}"),
                )
            })
            .collect()
    });
    let text = written(
        &report(vec![TargetReport {
            name: "many".to_owned(),
            target: TargetDescription::StandardInput,
            configured_in: None,
            outcome: Ok(audited),
        }]),
        Format::Markdown,
    );
    let characters = text.chars().count();
    assert!((50_000..=60_000).contains(&characters), "{characters}");
    assert!(text.contains("**Cut to fit a comment:**"));
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
}

#[test]
fn nothing_a_server_says_means_something_to_github() {
    let audited = audited(
        r#"[{"name": "`<b>@admin` #1 ![x](http://a.example)"}]"#,
        |listing| {
            vec![finding(
                listing,
                "some-rule",
                Severity::Error,
                Some(0),
                "ask @admin about #1 at https://a.example or <b>*now*</b>",
            )]
        },
    );
    let text = written(
        &report(vec![TargetReport {
            name: "www.a.example @all".to_owned(),
            target: TargetDescription::StandardInput,
            configured_in: None,
            outcome: Ok(audited),
        }]),
        Format::Markdown,
    );
    insta::assert_snapshot!(text.lines().filter(|line| line.contains("admin") || line.contains("www")).collect::<Vec<_>>().join("\n"), @r#"
    ### www.<!-- -->a.example @<!-- -->all
    <details><summary>🔴 <code><code>&lt;b&gt;@<!-- -->admin</code> #<!-- -->1 \!\[x\](http:<!-- -->//a.example)</code>: 1 finding</summary>
    🔴 **error** `some-rule`: ask @<!-- -->admin about #<!-- -->1 at https:<!-- -->//a.example or &lt;b&gt;\*now\*&lt;/b&gt;
    "#);
}
