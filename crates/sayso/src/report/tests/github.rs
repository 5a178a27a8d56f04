use super::{assert_nothing_hides, run, written};
use crate::audit_report::Format;

#[test]
fn one_annotation_for_each_finding_or_shared_finding() {
    let text = written(&run(), Format::Github);
    assert_nothing_hides(&text);
    insta::assert_snapshot!(text, @r#"
    ::error file=fixtures/post office.json,line=6,endLine=6,col=19,title=prose-contacts-person (post-office)::send_mail: the description says it contacts a person; `openWorldHint` does not%0Areaches somebody outside: 宛先に手紙を送ります。Before it is handed to the post office the letter is weighed, stamped and entered in the book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy for ninety days and then burns it, unless somebody asks for it.%0Ahelp: declare `openWorldHint: true`
    ::error file=fixtures/post office.json,line=10,endLine=10,col=19,title=invisible-text (post-office)::burn\u{202e}liam: the description holds invisible characters%0AU+200B, zero width space: Burns a letter.\u{200b}\u{1b}[2K Idempotent.
    ::error title=broken could not be read::could not connect: connection refused%0Ahint: start the server, or correct the port
    ::warning file=fixtures/post office.json,line=2,endLine=2,col=12,title=missing-annotations (post-office)::list_files, read_file, stat_file: no annotations: clients assume the worst of all four hints%0Ahelp: declare what the tool does; each hint left out keeps its worst-case default
    ::warning file=fixtures/post office.json,line=6,endLine=6,col=19,title=prose-destroys (post-office)::send_mail: the description says that it cannot be undone%0Ano way back: 宛先に手紙を送ります。Before it is handed to the post office the letter is weighed, stamped and entered in the book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy for ninety days and then burns it, unless somebody asks for it.%0Ahelp: set destructiveHint to true
    ::warning file=fixtures/post office.json,line=7,endLine=7,col=88,title=mixed-mode-argument (post-office)::send_mail: `mode` chooses between reading and writing%0Awrites, while the other member does not; a client that asks before one has to ask before both: ["draft", "send"]
    ::warning file=sayso.toml,line=3,title=unused-suppression::the suppression of `half-declared` suppresses nothing%0Ahelp: delete it
    ::notice file=fixtures/post office.json,line=1,endLine=1,col=1,title=duplicate-names (post-office)::no two tools share a name, which is worth a note
    ::notice file=fixtures/post office.json,line=9,endLine=9,col=12,title=read-only-destructive (post-office)::burn\u{202e}liam: read-only and destructive at once
    sayso: 2 errors, 6 warnings, 2 infos; 4 hidden by suppressions, 2 by rules switched off
    "#);
}
