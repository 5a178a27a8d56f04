//! A person at a terminal of 80 columns and 24 rows.

use rustix::process::{Pid, Signal, kill_process};

use super::{ANSWERS, TOOLS, classify, ruled, rulings};
use crate::sayso::Sayso;
use crate::terminal::{CTRL_C, CTRL_S, DOWN, ENTER, ESCAPE, TAB, Terminal};

/// A screen without the figures that change with what is known of hosts.
fn steady(screen: &str) -> String {
    let mut lines = Vec::new();
    let mut in_hosts = false;
    for line in screen.lines() {
        in_hosts = line.starts_with("hosts:") || in_hosts && line.starts_with("  ");
        if line.starts_with("hosts:") {
            lines.push("hosts:  (figures)".to_owned());
        } else if let Some((before, _)) = line.split_once("prompts saved:") {
            lines.push(format!("{before}prompts saved: (figures)"));
        } else if line.ends_with(" come") {
            lines.push("  (figures)".to_owned());
        } else if !in_hosts {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a screen has 24 of them")]
fn a_screen_for_each_question() {
    let sayso = classify("--reviewer Ada --quiet");
    let mut terminal = Terminal::start(&sayso);
    let shown = |terminal: &Terminal| steady(&terminal.screen());
    insta::assert_snapshot!(shown(&terminal), @"
    tool 1 of 4 · tools.json                                        prompts saved: (figures)
    note_list
    claims: nothing; so clients will ask before every call, and not retry after a
      time-out
    hosts:  (figures)

    List the notes of a notebook, newest first.

    arguments
      notebook (string)






    ────────────────────────────────────────────────────────────────────────────────
    Does it change anything?  readOnlyHint
      suggested: no, high confidence: by its description it only reads
      | List the notes of a notebook, newest first.
      | ^^^^ only reads

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("n");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 1 of 4 · tools.json                                        prompts saved: (figures)
    note_list
    claims: nothing; so clients will ask before every call, and not retry after a
      time-out
    hosts:  (figures)

    List the notes of a notebook, newest first.

    arguments
      notebook (string)




    ────────────────────────────────────────────────────────────────────────────────
    reads: it changes nothing
      dangerous?      no: nothing is changed
      safe to repeat? yes: as often as one likes
    Does its effect or its input reach beyond this system?  openWorldHint
      suggested: no, high confidence: nothing leads out: neither what it does, nor
        an argument, nor a word

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("n");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 1 of 4 · tools.json                                        prompts saved: (figures)
    note_list
    claims: nothing; so clients will ask before every call, and not retry after a
      time-out
    hosts:  (figures)

    List the notes of a notebook, newest first.

    arguments
      notebook (string)





    ────────────────────────────────────────────────────────────────────────────────
    reads: it changes nothing
      dangerous?      no: nothing is changed
      safe to repeat? yes: as often as one likes
    Why? One line for whoever reads this ruling later
    > _

    Enter done   Esc back   Ctrl-S skip   Ctrl-C quit
    ");
    terminal.keys("It lists.").key(ENTER);
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      notebook (string, required): Which notebook.
      text (string, required)


    ────────────────────────────────────────────────────────────────────────────────
    Does it change anything?  readOnlyHint
      suggested: yes, high confidence: by its description it creates or adds
        something, and its name agrees
      | Append a note to a notebook.
      | ^^^^^^ creates or adds something
      | Every call adds another note, also when the text is the same.
      |            ^^^^ says that something is written or changed

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("y");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      notebook (string, required): Which notebook.
      text (string, required)


    ────────────────────────────────────────────────────────────────────────────────
    Does it remove or overwrite what was there?  destructiveHint
      suggested: no, high confidence: by its description it only adds, and its name
        agrees
      | Append a note to a notebook.
      | ^^^^^^ only adds
      | note_append
      |      ^^^^^^ the name says the same

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("n");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      notebook (string, required): Which notebook.
      text (string, required)


    ────────────────────────────────────────────────────────────────────────────────
    Is a second identical call a further change?  idempotentHint
      suggested: yes, high confidence: its description says that each call acts
        again, and its name agrees
      | Every call adds another note, also when the text is the same.
      | ^^^^^^^^^^^^^^^ says that each call acts again
      | Append a note to a notebook.
      | ^^^^^^ adds one more on each call

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("y");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      (↓ for 2 lines more)
    ────────────────────────────────────────────────────────────────────────────────
    adds: it takes nothing away, and every call adds once more
      dangerous?      no: nothing is lost, so a host need not ask first
      safe to repeat? no: a second call adds again
    Does its effect or its input reach beyond this system?  openWorldHint
      suggested: no, high confidence: nothing leads out: neither what it does, nor
        an argument, nor a word
      | notebook
      | ^^^^^^^^ names something of its own
      | text
      | ^^^^ names something of its own

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("n");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      (↓ for 2 lines more)
    ────────────────────────────────────────────────────────────────────────────────
    adds: it takes nothing away, and every call adds once more
      dangerous?      no: nothing is lost, so a host need not ask first
      safe to repeat? no: a second call adds again
    Can it be undone?
      suggested: yes, by `note_delete`, high confidence: note_delete does the
        opposite, and takes what this call is about
      | note_append
      |      ^^^^^^ what is done
      | note_delete
      |      ^^^^^^ the opposite

    y yes   n no   o leave it open   b back   s skip   q quit   ↑↓ read
    ");
    terminal.keys("y").keys("note_d");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 2 of 4 · tools.json                                        prompts saved: (figures)
    note_append  Append a note
    claims: readOnlyHint true; so clients may run it without asking, and may repeat
      it after a time-out
    hosts:  (figures)

    Append a note to a notebook. Every call adds another note, also when the text is
    the same.

    arguments
      (↓ for 2 lines more)
    ────────────────────────────────────────────────────────────────────────────────
    adds: it takes nothing away, and every call adds once more
      dangerous?      no: nothing is lost, so a host need not ask first
      safe to repeat? no: a second call adds again
    By which tool is it undone?
      suggested: `note_delete`, high confidence: note_delete does the opposite, and
        takes what this call is about
      | note_append
      |      ^^^^^^ what is done
    > note_d_
      note_delete

    Enter done   Tab complete   Esc back   Ctrl-S skip   Ctrl-C quit
    ");
    terminal.key(TAB).key(ENTER).keys("It appends.").key(ENTER);
    terminal.keys("yy");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 3 of 4 · tools.json                                prompts saved: (figures)
    note_delete
    claims: nothing; so clients will ask before every call, and not retry after a
      time-out
    hosts:  (figures)

    Delete a note for good, by its id. There is no way to get it back.

    arguments
      id (string, required)


    ────────────────────────────────────────────────────────────────────────────────
    destroys: it removes or overwrites what was there
      dangerous?      yes: something is lost, so a host should ask first
      safe to repeat? another question, which comes next
    Is a second identical call a further change?  idempotentHint
      suggested: no, medium confidence: by its description it removes nothing
        further when repeated; whether that counts is a matter of reading
      | Delete a note for good, by its id.
      | ^^^^^^ removes nothing further when repeated

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("n");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 3 of 4 · tools.json                                prompts saved: (figures)
    note_delete
    claims: nothing; so clients will ask before every call, and not retry after a
      time-out
    hosts:  (figures)

    Delete a note for good, by its id. There is no way to get it back.

    arguments
      id (string, required)


    ────────────────────────────────────────────────────────────────────────────────
    destroys: it removes or overwrites what was there
      dangerous?      yes: something is lost, so a host should ask first
      safe to repeat? yes: what is gone stays gone, and nothing more goes
    Does its effect or its input reach beyond this system?  openWorldHint
      suggested: no, high confidence: nothing leads out: neither what it does, nor
        an argument, nor a word
      | id
      | ^^ names something of its own

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("s");
    insta::assert_snapshot!(shown(&terminal), @"
    tool 4 of 4 · tools.json                                prompts saved: (figures)
    digest_mail
    claims: readOnlyHint false, destructiveHint false; so clients may run it without
      asking, but not retry after a time-out
    hosts:  (figures)

    Send this week's notes by email to the people who asked for them.

    it takes no arguments






    ────────────────────────────────────────────────────────────────────────────────
    Does it change anything?  readOnlyHint
      suggested: yes, high confidence: by its description it sends something, and
        its name agrees
      | Send this week's notes by email to the people who asked for them.
      | ^^^^ sends something

    y yes   n no   b back   s skip this tool   q quit   ↑↓ read
    ");
    terminal.keys("s");
    insta::assert_snapshot!(shown(&terminal), @"
    tools.json                                              prompts saved: (figures)

    That was the last tool.

      answered: 2
      skipped:  2
      (figures)

      the answers are in sayso.rulings.toml

    Enter end   Esc back to the last question
    ");
    terminal.send(ENTER);
    let left = terminal.end();
    assert_eq!((left.code, left.screen.as_str()), (Some(0), ""));
    assert!(left.is_as_before);
    assert_eq!(ruled(&sayso), ["note_list", "note_append"]);
    assert!(
        left.stdout
            .contains("2 rulings written to sayso.rulings.toml"),
        "{}",
        left.stdout
    );
}

#[test]
fn what_is_answered_is_written_with_its_evidence() {
    let sayso = classify("--reviewer Ada --tool note_append");
    let mut terminal = Terminal::start(&sayso);
    terminal.keys("ynyny").keys("note_delete").key(ENTER);
    terminal.keys("It appends.").key(ENTER);
    terminal.send(ENTER);
    assert_eq!(terminal.end().code, Some(0));
    let rulings = rulings(&sayso);
    let without_day = rulings.lines().map(|line| match line.split_once(" = ") {
        Some(("reviewed", _)) => "reviewed = (today)",
        _ => line,
    });
    let (text, _) = rulings.split_once("[tool.definition]").unwrap();
    let text: Vec<&str> = without_day.take(text.lines().count()).collect();
    insta::assert_snapshot!(text.join("\n"), @r#"
    [[tool]]
    server = "tools.json"
    name = "note_append"
    reviewer = "Ada"
    reviewed = (today)
    undo = "note_delete"

    [tool.readOnlyHint]
    value = false
    why = "It appends."
    evidence = [
      "description: Append a note to a notebook.",
      "description: Every call adds another note, also when the text is the same.",
      "name: note_append",
    ]

    [tool.destructiveHint]
    value = false
    why = "It appends."
    evidence = ["description: Append a note to a notebook.", "name: note_append"]

    [tool.idempotentHint]
    value = false
    why = "It appends."
    evidence = [
      "description: Every call adds another note, also when the text is the same.",
      "description: Append a note to a notebook.",
      "name: note_append",
    ]

    [tool.openWorldHint]
    value = false
    why = "It appends."
    evidence = [
      "inputSchema.properties.notebook: notebook",
      "inputSchema.properties.text: text",
    ]
    "#);
}

#[test]
fn a_session_is_quit_and_taken_up_again() {
    let sayso = classify("--reviewer Ada");
    let mut terminal = Terminal::start(&sayso);
    terminal.keys("nnIt lists.").key(ENTER).keys("yn");
    terminal.send(CTRL_C);
    let left = terminal.end();
    assert_eq!(left.code, Some(0));
    assert!(left.is_as_before);
    assert_eq!(ruled(&sayso), ["note_list"]);
    // The half-answered tool is asked about from its first question.
    let mut terminal = Terminal::start(&sayso);
    let screen = terminal.screen();
    assert!(screen.starts_with("tool 1 of 3 · tools.json"), "{screen}");
    assert!(screen.contains("note_append  Append a note"), "{screen}");
    assert!(screen.contains("Does it change anything?"), "{screen}");
    terminal.keys("ynynnIt appends.").key(ENTER);
    terminal.send("q");
    assert_eq!(terminal.end().code, Some(0));
    assert_eq!(ruled(&sayso), ["note_list", "note_append"]);
}

#[test]
fn going_back_takes_a_ruling_out_of_the_file() {
    let sayso = classify("--reviewer Ada");
    let mut terminal = Terminal::start(&sayso);
    terminal.keys("nnIt lists.").key(ENTER);
    assert_eq!(ruled(&sayso), ["note_list"]);
    terminal.key(ESCAPE);
    assert_eq!(ruled(&sayso), [""; 0]);
    let screen = terminal.screen();
    assert!(screen.contains("> It lists._"), "{screen}");
    terminal.key(ESCAPE).key("b");
    let screen = terminal.screen();
    assert!(screen.contains("Does it change anything?"), "{screen}");
    terminal.send(CTRL_C);
    let left = terminal.end();
    assert!(
        left.stdout.contains("no ruling was written"),
        "{}",
        left.stdout
    );
}

#[test]
fn enter_alone_answers_nothing_and_who_answers_is_asked() {
    let sayso = classify("");
    let mut terminal = Terminal::start(&sayso);
    terminal.key(ENTER);
    let screen = terminal.screen();
    assert!(
        screen.contains("Enter alone answers nothing: press y or n"),
        "{screen}"
    );
    terminal.keys("nnIt lists.").key(ENTER);
    let screen = terminal.screen();
    assert!(screen.contains("Who is answering?"), "{screen}");
    terminal.keys("Ada").key(ENTER).key(CTRL_S).keys("ss");
    terminal.send(ENTER);
    assert_eq!(terminal.end().code, Some(0));
    assert!(rulings(&sayso).contains("reviewer = \"Ada\""));
}

#[test]
fn a_tool_that_changed_since_its_ruling_is_asked_about_again() {
    let sayso = classify("--answers answers.toml").file("answers.toml", ANSWERS);
    assert_eq!(sayso.run().code, Some(0));
    let changed = TOOLS.replace("for good, by its id.", "for good, and its history.");
    let sayso = Sayso::new("classify tools.json --reviewer Ada")
        .file("tools.json", changed)
        .file("sayso.rulings.toml", rulings(&sayso));
    let mut terminal = Terminal::start(&sayso);
    let screen = terminal.screen();
    assert!(screen.starts_with("tool 1 of 1"), "{screen}");
    let changed = "ruled before, and changed since: what it says of itself";
    assert!(screen.contains(changed), "{screen}");
    // What was ruled before is there again when the answers are taken back.
    let before = rulings(&sayso);
    terminal.keys("yyynnStill deletes.").key(ENTER);
    assert!(rulings(&sayso).contains("Still deletes."));
    terminal.key(ESCAPE);
    assert_eq!(rulings(&sayso), before);
    terminal.send(CTRL_C);
    assert_eq!(terminal.end().code, Some(0));
}

#[test]
fn a_long_tool_is_scrolled_and_hides_nothing() {
    let sentences: Vec<String> = (1..40)
        .map(|number| format!("Sentence {number}."))
        .collect();
    let tool = serde_json::json!([{
        "name": "long\u{202e}",
        "description": format!("Begins.\u{1b}[2J\n{}", sentences.join("\n")),
        "inputSchema": { "type": "object" },
    }]);
    let sayso = Sayso::new("classify tools.json").file("tools.json", tool.to_string());
    let mut terminal = Terminal::start(&sayso);
    let screen = terminal.screen();
    assert!(screen.contains("long\\u{202e}"), "{screen}");
    assert!(screen.contains("Begins.\\u{1b}[2J"), "{screen}");
    assert!(screen.contains("Does it change anything?"), "{screen}");
    assert!(!screen.contains("Sentence 39."), "{screen}");
    for _ in 0..40 {
        terminal.key(DOWN);
    }
    let screen = terminal.screen();
    assert!(screen.contains("Sentence 39."), "{screen}");
    assert!(screen.contains("Does it change anything?"), "{screen}");
    terminal.send("q");
    assert_eq!(terminal.end().code, Some(0));
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let sayso = classify("--reviewer Ada");
    let mut terminal = Terminal::start(&sayso);
    terminal.keys("nnIt lists.").key(ENTER);
    let id = Pid::from_raw(terminal.id().try_into().unwrap()).unwrap();
    kill_process(id, Signal::TERM).unwrap();
    let left = terminal.end();
    assert_eq!(left.code, Some(143));
    assert!(left.is_as_before);
    assert_eq!(left.screen, "");
    assert_eq!(ruled(&sayso), ["note_list"]);
}

#[test]
fn what_cannot_be_written_ends_the_session_and_says_so() {
    let sayso = classify("--reviewer Ada");
    let mut terminal = Terminal::start(&sayso);
    std::fs::create_dir(sayso.directory().join("sayso.rulings.toml")).unwrap();
    terminal.keys("nnIt lists");
    terminal.send(ENTER);
    let left = terminal.end();
    assert_eq!(left.code, Some(2));
    assert!(left.is_as_before);
    assert!(
        left.screen.starts_with("error: cannot read the rulings"),
        "{}",
        left.screen
    );
}
