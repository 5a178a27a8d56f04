use super::{assert_nothing_hides, run, written, written_as};
use crate::audit_report::{Detail, Format, Presentation};

#[test]
fn a_run_with_something_of_everything() {
    let text = written(&run(), Format::Human);
    assert_nothing_hides(&text);
    insta::assert_snapshot!(text, @r#"
    post-office
    saved listing: fixtures/post office.json

    tools returned: 5

      with annotations.readOnlyHint    2 / 5
      with annotations.destructiveHint 1 / 5
      with annotations.idempotentHint  0 / 5
      with annotations.openWorldHint   1 / 5

    tools with any annotations object at all: 2 / 5
    tools with a title: 1 / 5 (in annotations: 1 / 5)

    what a client has to assume, with the specification's defaults filled in

      may write       4 / 5  3 only by default
      may destroy     4 / 5  all of them only by default
      not repeatable  4 / 5  all of them only by default
      open world      5 / 5  all of them only by default

    gate rate: 4 / 5 (80 %) now, 4 / 5 (80 %) if every finding were fixed as suggested
      a client that follows the documented defaults has to ask a person before each call to 4 tools

    the listing as a whole
      info[duplicate-names]: no two tools share a name, which is worth a note

    3 of 5 tools
      list_files, read_file, stat_file
      clients will ask before every call, and not retry after a time-out
      warning[missing-annotations]: no annotations: clients assume the worst of all four hints
        help: declare what the tool does; each hint left out keeps its worst-case default

    send_mail
      claimed: readOnlyHint=false
      by default: destructiveHint=true (null was sent), idempotentHint=false, openWorldHint=true (no
        boolean was sent)
      clients will ask before every call, and not retry after a time-out
      error[prose-contacts-person]: the description says it contacts a person; `openWorldHint` does not
      warning[prose-destroys]: the description says that it cannot be undone
        in description, fixtures/post office.json:6:19
        | …mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy…
        |                ^^^^^^^^^^^^^^^^^^^^^^ reaches somebody outside
        |                                           ^^^^^^^^^^^^^^^^ no way back
        help: declare `openWorldHint: true`
      warning[mixed-mode-argument]: `mode` chooses between reading and writing
        in inputSchema.properties.mode.enum, fixtures/post office.json:7:88
        | ["draft", "send"]
        |           ^^^^^^
        | writes, while the other member does not; a client that asks before one has to ask before both
      to paste into the tool:
        "annotations": {
          "title": "Send <mail>",
          "readOnlyHint": false,
          "destructiveHint": true,
          "openWorldHint": true
        }

    burn\u{202e}liam
      claimed: readOnlyHint=true, destructiveHint=true (means nothing here)
      by default: openWorldHint=true
      clients may run it without asking, and may repeat it after a time-out
      error[invisible-text]: the description holds invisible characters
        in description, fixtures/post office.json:10:19
        | Burns a letter.\u{200b}\u{1b}[2K Idempotent.
        |                ^^^^^^^^ U+200B, zero width space
      info[read-only-destructive]: read-only and destructive at once
        in fixtures/post office.json:9:12

    pinger
    server: pinger 1.2.0 · MCP 2025-11-25, legacy era · command: pinger --stdio, configured for zed in
      .zed/settings.json:7

    incomplete listing: page 2 never came

    tools returned: 1

      with annotations.readOnlyHint    1 / 1
      with annotations.destructiveHint 0 / 1
      with annotations.idempotentHint  0 / 1
      with annotations.openWorldHint   1 / 1

    tools with any annotations object at all: 1 / 1
    tools with a title: 0 / 1 (in annotations: 0 / 1)

    what a client has to assume, with the specification's defaults filled in

      may write       0 / 1
      may destroy     0 / 1
      not repeatable  0 / 1
      open world      0 / 1

    gate rate: 0 / 1 (0 %) now, 0 / 1 (0 %) if every finding were fixed as suggested
      no tool has to be confirmed by a client that follows the documented defaults

    broken
    address: http://127.0.0.1:9/mcp

    could not be read: could not connect: connection refused
    hint: start the server, or correct the port
      \u{1b}]0;owned\u{7}last words

    warning[unused-suppression]: the suppression of `half-declared` suppresses nothing
      in sayso.toml:3
      help: delete it

    note: `old` in .zed/settings.json is disabled and was left out

    all targets
      post-office  5 tools  gate rate  80 %  2 errors, 5 warnings, 2 infos
      pinger        1 tool  gate rate   0 %  0 errors, 0 warnings, 0 infos
      broken                could not be read

    2 errors, 6 warnings, 2 infos in 6 tools of 3 servers; 4 hidden by suppressions, 2 by rules switched off
    incomplete: 1 of 3 targets could not be read, and 1 not to the end
    failed: 2 findings reach `--fail-on error`
    `sayso explain prose-contacts-person` says what a rule checks and why it matters
    "#);
}

#[test]
fn quiet_tells_the_counts_and_what_fails_the_run() {
    let mut run = run();
    run.targets.truncate(1);
    let text = written_as(
        &run,
        Format::Human,
        &Presentation {
            color: false,
            width: 100,
            detail: Detail::Quiet,
        },
    );
    insta::assert_snapshot!(text, @r#"
    post-office
    saved listing: fixtures/post office.json

    tools returned: 5

      with annotations.readOnlyHint    2 / 5
      with annotations.destructiveHint 1 / 5
      with annotations.idempotentHint  0 / 5
      with annotations.openWorldHint   1 / 5

    tools with any annotations object at all: 2 / 5
    tools with a title: 1 / 5 (in annotations: 1 / 5)

    what a client has to assume, with the specification's defaults filled in

      may write       4 / 5  3 only by default
      may destroy     4 / 5  all of them only by default
      not repeatable  4 / 5  all of them only by default
      open world      5 / 5  all of them only by default

    gate rate: 4 / 5 (80 %) now, 4 / 5 (80 %) if every finding were fixed as suggested
      a client that follows the documented defaults has to ask a person before each call to 4 tools

    send_mail
      claimed: readOnlyHint=false
      by default: destructiveHint=true (null was sent), idempotentHint=false, openWorldHint=true (no
        boolean was sent)
      clients will ask before every call, and not retry after a time-out
      error[prose-contacts-person]: the description says it contacts a person; `openWorldHint` does not
        in description, fixtures/post office.json:6:19
        | …book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on…
        |                                 ^^^^^^^^^^^^^^^^^^^^^^ reaches somebody outside
        help: declare `openWorldHint: true`
      to paste into the tool:
        "annotations": {
          "title": "Send <mail>",
          "readOnlyHint": false,
          "openWorldHint": true
        }

    burn\u{202e}liam
      claimed: readOnlyHint=true, destructiveHint=true (means nothing here)
      by default: openWorldHint=true
      clients may run it without asking, and may repeat it after a time-out
      error[invisible-text]: the description holds invisible characters
        in description, fixtures/post office.json:10:19
        | Burns a letter.\u{200b}\u{1b}[2K Idempotent.
        |                ^^^^^^^^ U+200B, zero width space

    warning[unused-suppression]: the suppression of `half-declared` suppresses nothing
      in sayso.toml:3
      help: delete it

    2 errors, 6 warnings, 2 infos in 5 tools; 2 hidden by suppressions, 1 by rules switched off
    failed: 2 findings reach `--fail-on error`
    "#);
}

#[test]
fn a_narrow_terminal_cuts_the_sentence_around_what_matters() {
    let mut run = run();
    run.targets.truncate(1);
    let text = written_as(
        &run,
        Format::Human,
        &Presentation {
            color: false,
            width: 60,
            detail: Detail::Quiet,
        },
    );
    let sentence: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("| …"))
        .take(2)
        .collect();
    insta::assert_snapshot!(sentence.join("\n"), @r#"
    | …Sending contacts a real person and cannot be…
    |          ^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let colored = written_as(
        &run(),
        Format::Human,
        &Presentation {
            color: true,
            width: 100,
            detail: Detail::Verbose,
        },
    );
    let plain = written_as(
        &run(),
        Format::Human,
        &Presentation {
            color: false,
            width: 100,
            detail: Detail::Verbose,
        },
    );
    assert!(colored.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
    assert!(plain.contains("last lines on standard error\n  listening\n  bye\\u{7}\n"));
}
