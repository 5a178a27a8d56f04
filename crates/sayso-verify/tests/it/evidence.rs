//! The file of evidence.

use std::collections::BTreeMap;

use sayso_core::digest::Digest;
use sayso_core::effective::Evidence;
use sayso_verify::evidence::{EvidenceFile, Launched, Run};
use sayso_verify::judge::{Standard, ToolVerdict, judge};
use sayso_verify::observation::{Effects, Observation};

use crate::judge::{call, claims, lossy, setting};

fn launched(line: &str) -> Launched {
    Launched {
        command: Some(line.to_owned()),
        environment: vec!["NOTES_TOKEN".to_owned()],
        ..Launched::default()
    }
}

fn run(fixture: &str) -> Run {
    Run {
        server: "notes".to_owned(),
        launch: launched("python notes.py"),
        fixture: fixture.to_owned(),
        date: "2026-12-01".to_owned(),
    }
}

fn verdict(observations: &[Observation]) -> ToolVerdict {
    let standard = Standard::default();
    let claims = claims("true - - false");
    judge("tidy", &claims, observations, &setting(), &standard)
}

fn definitions(text: &str) -> BTreeMap<String, Digest> {
    BTreeMap::from([("tidy".to_owned(), Digest::of_text(text))])
}

fn recorded() -> EvidenceFile {
    let mut file = EvidenceFile::default();
    let verdict = verdict(&[call("existing file", lossy())]);
    file.record(&run("notes"), &definitions("1"), &[verdict]);
    file
}

#[test]
fn what_is_of_another_launch_goes() {
    let mut file = recorded();
    let verdicts = [verdict(&[call("existing file", lossy())])];
    file.record(&run("others"), &definitions("1"), &verdicts);
    assert_eq!(file.servers["notes"].tools["tidy"].len(), 2);
    let other = Run {
        launch: launched("python notes.py --read-only"),
        ..run("notes")
    };
    file.record(&other, &definitions("1"), &verdicts);
    assert_eq!(file.servers["notes"].launch, other.launch);
    assert_eq!(file.servers["notes"].tools["tidy"].len(), 1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a whole file, as it is written")]
fn it_reads_as_it_was_written() {
    let file = recorded();
    let text = file.to_text().unwrap();
    insta::assert_snapshot!(text, @r#"
    {
      "format": 1,
      "servers": {
        "notes": {
          "launch": {
            "command": "python notes.py",
            "environment": [
              "NOTES_TOKEN"
            ]
          },
          "tools": {
            "tidy": [
              {
                "definition": "sha256:391552c099c101b131feaf24c5795a6a15bc8ec82015424e0d2b4274a369a0bf",
                "date": "2026-12-01",
                "mode": "namespaces",
                "fixture": {
                  "name": "notes",
                  "digest": "sha256:f58ccf08e74ff87e0a1e16cbdd9177f95d4a5e09082d3926d5b51913dbe10481"
                },
                "settleMilliseconds": 1500,
                "counts": {
                  "calls": 1,
                  "answered": 1,
                  "repeated": 0
                },
                "claims": {
                  "readOnlyHint": "true",
                  "destructiveHint": "absent",
                  "idempotentHint": "absent",
                  "openWorldHint": "false"
                },
                "verdicts": {
                  "readOnlyHint": {
                    "verdict": "contradicted",
                    "tool": "tidy",
                    "step": "existing file",
                    "arguments": "{\"path\":\"notes.txt\"}",
                    "what": [
                      "changed `/workspace/notes.txt`; 47 bytes lost"
                    ],
                    "reply": "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}",
                    "late": false,
                    "others": 0
                  },
                  "destructiveHint": {
                    "verdict": "nothing-promised"
                  },
                  "idempotentHint": {
                    "verdict": "nothing-promised"
                  },
                  "openWorldHint": {
                    "verdict": "consistent",
                    "observations": 1
                  }
                },
                "observed": {
                  "readOnlyHint": false,
                  "destructiveHint": true,
                  "idempotentHint": null,
                  "openWorldHint": false
                },
                "risks": {
                  "readOnlyHint": null,
                  "destructiveHint": {
                    "tool": "tidy",
                    "step": "existing file",
                    "arguments": "{\"path\":\"notes.txt\"}",
                    "what": [
                      "changed `/workspace/notes.txt`; 47 bytes lost"
                    ],
                    "reply": "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}",
                    "late": false,
                    "others": 0
                  },
                  "idempotentHint": null,
                  "openWorldHint": null
                }
              }
            ]
          }
        }
      }
    }
    "#);
    let read = EvidenceFile::parse(&text, "sayso.evidence.json").unwrap();
    assert_eq!(read, file);
    assert_eq!(read.to_text().unwrap(), text);
}

#[test]
fn a_contradiction_stands_beside_other_fixtures() {
    let mut file = recorded();
    let quiet = verdict(&[call("1", Effects::default())]);
    file.record(
        &run("database"),
        &definitions("1"),
        std::slice::from_ref(&quiet),
    );
    let current = file.current("notes", &definitions("1"));
    let hints = current.hints.get("tidy").unwrap();
    assert_eq!(hints.read_only, Evidence::Contradicted);
    assert_eq!(hints.open_world, Evidence::Consistent(2));
    assert!(current.witnesses["tidy"].read_only.is_some());
    // Mended, and seen with the same fixture again.
    file.record(&run("notes"), &definitions("1"), &[quiet]);
    let current = file.current("notes", &definitions("1"));
    assert_eq!(current.hints["tidy"].read_only, Evidence::Consistent(2));
}

#[test]
fn evidence_of_another_definition_counts_for_nothing() {
    let file = recorded();
    let current = file.current("notes", &definitions("2"));
    assert!(current.hints.is_empty());
    assert_eq!(current.stale, ["tidy"]);
    let current = file.current("notes", &BTreeMap::new());
    assert_eq!(current.gone, ["tidy"]);
    assert_eq!(file.current("other", &definitions("1")), Default::default());
}

#[test]
fn what_was_seen_speaks_against_rulings_too() {
    let standard = Standard::default();
    let observations = [call("1", lossy())];
    let verdict = judge(
        "tidy",
        &claims("- - - -"),
        &observations,
        &setting(),
        &standard,
    );
    let mut file = EvidenceFile::default();
    file.record(&run("notes"), &definitions("1"), &[verdict]);
    let current = file.current("notes", &definitions("1"));
    let hints = current.hints["tidy"];
    assert_eq!(hints.read_only, Evidence::Contradicted);
    assert_eq!(hints.destructive, Evidence::Contradicted);
    assert_eq!(hints.open_world, Evidence::Consistent(1));
}

#[test]
fn errors_say_where_and_what_next() {
    let text = recorded().to_text().unwrap();
    let wrong = [
        text.replace("\"format\": 1", "\"format\": 2"),
        text.replace("\"format\": 1,", ""),
        text.replace("\"namespaces\"", "\"nothing\""),
        text.replace("2026-12-01", "today"),
        text.replace("\"mode\"", "\"moods\""),
        text.replace("\"date\"", "\"mode\": \"namespaces\", \"date\""),
        text.replace("47 bytes lost\"", "47 bytes lost"),
    ];
    let errors: Vec<String> = wrong
        .iter()
        .map(|text| {
            let error = EvidenceFile::parse(text, "sayso.evidence.json").unwrap_err();
            format!("{error}\n  hint: {}", error.hint())
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    sayso.evidence.json:2:13: it has format 2, and this version reads format 1
      hint: use the version of sayso that wrote it, or a later one
    sayso.evidence.json:1:1: expected `"format": 1`
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    sayso.evidence.json:16:29: unknown variant `nothing`, expected `namespaces` or `landlock`
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    sayso.evidence.json:15:21: "today" is no date: expected `YYYY-MM-DD`
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    sayso.evidence.json:16:19: unknown field `moods`, expected one of `definition`, `date`, `mode`, `fixture`, `settleMilliseconds`, `counts`, `claims`, `verdicts`, `observed`, `risks`, `notes`
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    sayso.evidence.json:16:13: the key `mode` stands here a second time
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    sayso.evidence.json:40:65: this is not JSON: an unescaped control character in a string
      hint: the file is written by `sayso verify`, not by hand: take it from version control again, or verify anew
    "#);
}
