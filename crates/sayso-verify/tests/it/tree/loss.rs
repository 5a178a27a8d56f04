//! What is lost, by the kind of file.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::{Files, line};

/// What becomes of a file that holds one text and then another, without its path.
fn told(name: &str, before: &[u8], after: &[u8]) -> String {
    let mut files = Files::new();
    fs::write(files.at(name), before).unwrap();
    let changed = files.changed(|files| fs::write(files.at(name), after).unwrap());
    let changed = changed.join("\n");
    changed.replace(&format!("/w/{name}: "), "")
}

#[test]
fn json_is_weighed_by_what_it_holds() {
    for (name, before, after, is) in [
        // Written another way.
        (
            "a.json",
            r#"{"a":1,"b":[1,2]}"#,
            "{\n  \"b\": [2, 1],\n  \"a\": 1\n}",
            "changed",
        ),
        (
            "a.json",
            r#"{"a":1}"#,
            r#"{"b":2,"a":1}"#,
            "changed (1 member(s) added)",
        ),
        (
            "a.json",
            r#"{"a":1,"b":2}"#,
            r#"{"b":2}"#,
            "changed, 1 member lost (1 member(s) gone)",
        ),
        (
            "a.json",
            r#"{"a":{"x":1,"y":2}}"#,
            r#"{"a":{"x":3,"z":4}}"#,
            "changed, 2 member lost (2 member(s) gone, 2 new)",
        ),
        (
            "a.json",
            r#"[1,2,3]"#,
            r#"[3,4]"#,
            "changed, 2 record lost (2 record(s) gone, 1 new)",
        ),
        // A record that got more is there still.
        (
            "a.jsonl",
            "{\"n\":\"a\",\"of\":[\"x\"]}\n{\"n\":\"b\",\"of\":[]}\n",
            "{\"n\":\"b\",\"of\":[]}\n{\"n\":\"a\",\"of\":[\"x\",\"y\"]}\n",
            "changed (1 record(s) added)",
        ),
        (
            "a.jsonl",
            "{\"n\":1}\nno record\n",
            "{\"n\":1}\n",
            "changed, 9 bytes lost",
        ),
    ] {
        assert_eq!(
            told(name, before.as_bytes(), after.as_bytes()),
            is,
            "{before} {after}"
        );
    }
}

#[test]
fn archives_are_weighed_by_their_members() {
    let archive = |members: &[(&str, &str)]| {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let how = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        for (name, text) in members {
            archive.start_file(*name, how).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    };
    let before = archive(&[("xl/a.xml", "one"), ("docProps/core.xml", "Monday")]);
    for (after, is) in [
        (
            archive(&[("docProps/core.xml", "Tuesday"), ("xl/a.xml", "one")]),
            "savedagain",
        ),
        (
            archive(&[
                ("xl/a.xml", "one"),
                ("xl/b.xml", "two"),
                ("docProps/core.xml", ""),
            ]),
            "changed (1 member(s) added)",
        ),
        (
            archive(&[("xl/a.xml", "other")]),
            "changed, 1 member lost (1 member(s) gone, 1 new)",
        ),
        (vec![b'x', 0, 1], "changed, replaced"),
    ] {
        assert_eq!(told("a.xlsx", &before, &after), is);
    }
}

/// A workbook of these parts, packed in one way or another.
fn workbook(sheet: &str, others: &[(&str, &str)], how: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let how = zip::write::SimpleFileOptions::default().compression_method(how);
    let sheet = format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>");
    let parts = [
        ("[Content_Types].xml", "<Types/>"),
        ("xl/worksheets/sheet1.xml", &sheet),
    ];
    for (name, text) in parts.iter().chain(others) {
        archive.start_file(*name, how).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn office_files_are_weighed_by_what_is_in_their_parts() {
    use zip::CompressionMethod::{Deflated, Stored};
    const SHARED: &str = "xl/sharedStrings.xml";
    let cells = r#"<c r="A1" t="s"><v>0</v></c><c r="B1"><v>0.10000000000000001</v></c><c r="C1"><f>B1*2</f><v>0.2</v></c>"#;
    let texts = (SHARED, "<sst><si><t>Smith &amp; Co</t></si></sst>");
    let picture = ("xl/media/image1.png", "\u{1}\u{2}");
    let before = workbook(cells, &[texts, picture], Deflated);
    for (after, is) in [
        // Packed another way, with nothing else.
        (workbook(cells, &[picture, texts], Stored), "savedagain"),
        // Written by another program: texts in the cells, no results, the picture called otherwise.
        (
            workbook(
                r#"<c r="A1" t="inlineStr"><is><r><t>Smith &#38; </t></r><r><t>Co</t></r></is></c><c r="B1"><v>0.1</v></c><c r="C1"><f>B1*2</f><v></v></c>"#,
                &[("xl/media/picture.png", picture.1)],
                Deflated,
            ),
            "changed (part xl/media/image1.png gone, part xl/worksheets/sheet1.xml changed, part xl/media/picture.png added)",
        ),
        // A cell that was empty.
        (
            workbook(
                &format!(r#"{cells}<c r="D1"><v>7</v></c>"#),
                &[texts, picture],
                Deflated,
            ),
            "changed (part xl/worksheets/sheet1.xml changed)",
        ),
        // A cell that was not.
        (
            workbook(
                &cells.replace("0.10000000000000001", "0.3"),
                &[texts, picture],
                Deflated,
            ),
            "changed, 1 text or part lost (part xl/worksheets/sheet1.xml changed)",
        ),
        (
            workbook(
                cells,
                &[
                    (SHARED, "<sst><si><t>Smith</t></si></sst>"),
                    ("xl/media/image1.png", "\u{3}"),
                ],
                Deflated,
            ),
            "changed, 2 text or part lost (part xl/media/image1.png changed)",
        ),
    ] {
        assert_eq!(told("a.xlsx", &before, &after), is);
    }
}

/// A part of which nobody has room for all is weighed by its checksum.
#[test]
fn what_unpacks_to_too_much_is_not_unpacked() {
    let spaces = " ".repeat(65 << 20);
    let before = workbook(
        "<c><v>1</v></c>",
        &[("xl/a.xml", &spaces)],
        zip::CompressionMethod::Deflated,
    );
    let after = workbook(
        "<c><v>2</v></c>",
        &[("xl/a.xml", &spaces)],
        zip::CompressionMethod::Deflated,
    );
    assert!(before.len() < 1 << 20);
    assert_eq!(
        told("a.xlsx", &before, &after),
        "changed, 1 member lost (1 member(s) gone, 1 new)"
    );
}

fn repository() -> Files {
    let files = Files::new();
    files.git(&["init", "-q"]);
    files.write("a", "one\n");
    files.git(&["add", "."]);
    files.git(&["commit", "-qm", "one"]);
    files
}

fn losses(files: &mut Files, act: impl FnOnce(&Files)) -> Vec<String> {
    let changes = files.changes(act);
    let lost = changes.iter().filter(|change| change.lost.is_loss());
    lost.map(line).collect()
}

#[test]
fn a_ref_is_lost_when_nothing_leads_to_where_it_was() {
    let mut files = repository();
    files.git(&["branch", "same"]);
    files.git(&["checkout", "-qb", "lone"]);
    files.write("b", "nowhere else\n");
    files.git(&["add", "."]);
    files.git(&["commit", "-qm", "lone"]);
    files.git(&["checkout", "-q", "main"]);
    assert_eq!(
        losses(&mut files, |files| files.git(&["branch", "-D", "same"])),
        [""; 0]
    );
    // The log of HEAD has been there.
    assert_eq!(
        losses(&mut files, |files| files.git(&["checkout", "-q", "lone"])),
        [""; 0]
    );
    files.git(&["checkout", "-q", "main"]);
    files.git(&["reflog", "expire", "--expire=now", "--all"]);
    assert_eq!(
        losses(&mut files, |files| files.git(&["branch", "-D", "lone"])),
        ["/w/.git/refs/heads/lone: deleted, 1 ref lost"]
    );
}

#[test]
fn packing_loses_nothing() {
    let mut files = repository();
    files.write("a", "two\n");
    files.git(&["commit", "-qam", "two"]);
    assert_eq!(
        losses(&mut files, |files| files.git(&["gc", "-q"])),
        [""; 0]
    );
    // What was replaced is found in the pack, too.
    let changed = files.changed(|files| files.git(&["reset", "-q", "--hard", "HEAD~1"]));
    let of_work: Vec<_> = changed
        .iter()
        .filter(|line| !line.contains("/.git/"))
        .collect();
    assert_eq!(
        of_work,
        ["/w/a: changed, recoverable from an object of its repository"]
    );
}

#[test]
fn a_repository_that_is_removed_takes_everything_with_it() {
    let mut files = repository();
    let lost = losses(&mut files, |files| {
        fs::remove_dir_all(files.at(".git")).unwrap()
    });
    let refs: Vec<_> = lost
        .iter()
        .filter(|line| line.ends_with("ref lost"))
        .collect();
    let objects = lost
        .iter()
        .filter(|line| line.ends_with("object lost"))
        .count();
    assert_eq!(refs, ["/w/.git/refs/heads/main: deleted, 1 ref lost"]);
    assert_eq!(objects, 3, "{lost:#?}");
}

/// Settings of a repository can name programs. Weighing it runs none of them.
#[test]
fn nothing_a_repository_names_is_run() {
    let mut files = repository();
    let ran = files.at("ran");
    let program = files.at("program");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", ran.display())).unwrap();
    #[cfg(unix)]
    fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    let program = program.display();
    let mut settings = fs::read_to_string(files.at(".git/config")).unwrap();
    settings.push_str(&format!(
        "[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\
         [extensions]\n\tpartialClone = o\n\
         [remote \"o\"]\n\turl = .\n\tpromisor = true\n\tuploadpack = {program}\n"
    ));
    files.write(".git/config", &settings);
    files.write("b", "in no object\n");
    let changed = files.changed(|files| fs::remove_file(files.at("b")).unwrap());
    assert_eq!(changed, ["/w/b: deleted, 13 bytes lost"]);
    assert!(!Path::new(&ran).exists());
}

#[test]
fn a_folder_that_moves_is_one_change() {
    let mut files = Files::new();
    fs::create_dir_all(files.at("one/in")).unwrap();
    files.write("one/a", "a\n");
    files.write("one/in/b", "");
    files.write("empty", "");
    let changed = files.changed(|files| {
        fs::rename(files.at("one"), files.at("two")).unwrap();
        fs::rename(files.at("empty"), files.at("void")).unwrap();
    });
    assert_eq!(
        changed,
        [
            "/w/two: renamed from /w/one",
            "/w/void: renamed from /w/empty"
        ]
    );
}

#[test]
fn a_rollback_of_what_was_written_loses_nothing() {
    let mut files = Files::new();
    let held = rusqlite::Connection::open(files.at("t.db")).unwrap();
    held.execute_batch("create table t (a); insert into t values (1)")
        .unwrap();
    let changed = files.changed(|files| {
        let other = rusqlite::Connection::open(files.at("t.db")).unwrap();
        // The journal stays beside it, as its only trace.
        other
            .pragma_update(None, "journal_mode", "persist")
            .unwrap();
        other
            .execute_batch("begin; delete from t; rollback")
            .unwrap();
    });
    assert_eq!(changed, [""; 0]);
    let changed = files.changed(|_| held.execute_batch("pragma user_version = 7").unwrap());
    assert_eq!(changed, ["/w/t.db: changed (1 row(s) added)"]);
}
