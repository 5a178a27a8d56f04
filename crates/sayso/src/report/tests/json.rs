use serde_json::Value;

use super::super::json::schema;
use super::{assert_nothing_hides, run, written};
use crate::audit_report::Format;

#[test]
fn a_report_holds_to_its_schema() {
    let text = written(&run(), Format::Json);
    assert_nothing_hides(&text);
    let report: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema()).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());

    assert_eq!(report["version"], 1);
    // What a server sent comes back as it was, hidden characters included.
    assert_eq!(
        report["targets"][0]["listing"]["tools"][4]["name"],
        "burn\u{202e}liam"
    );
    let mut tool = report["targets"][0]["listing"]["tools"][3].clone();
    tool["findings"].as_array_mut().unwrap().truncate(1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tool).unwrap(), @r#"
    {
      "position": 3,
      "name": "send_mail",
      "title": null,
      "annotation_title": "Send <mail>",
      "annotations": "object",
      "claims": {
        "readOnlyHint": "false",
        "destructiveHint": "null",
        "idempotentHint": "absent",
        "openWorldHint": "malformed"
      },
      "claim_locations": {
        "readOnlyHint": [
          {
            "page": 0,
            "pointer": "/tools/3/annotations/readOnlyHint",
            "span": {
              "start": 722,
              "end": 727
            },
            "start": {
              "line": 8,
              "column": 60
            },
            "end": {
              "line": 8,
              "column": 65
            }
          }
        ],
        "destructiveHint": [
          {
            "page": 0,
            "pointer": "/tools/3/annotations/destructiveHint",
            "span": {
              "start": 748,
              "end": 752
            },
            "start": {
              "line": 8,
              "column": 86
            },
            "end": {
              "line": 8,
              "column": 90
            }
          }
        ],
        "idempotentHint": [],
        "openWorldHint": [
          {
            "page": 0,
            "pointer": "/tools/3/annotations/openWorldHint",
            "span": {
              "start": 771,
              "end": 775
            },
            "start": {
              "line": 8,
              "column": 109
            },
            "end": {
              "line": 8,
              "column": 113
            }
          }
        ]
      },
      "effective": {
        "readOnlyHint": {
          "value": false,
          "provenance": "claimed"
        },
        "destructiveHint": {
          "value": true,
          "provenance": "default"
        },
        "idempotentHint": {
          "value": false,
          "provenance": "default"
        },
        "openWorldHint": {
          "value": true,
          "provenance": "default"
        }
      },
      "read_only": false,
      "may_destroy": true,
      "repeatable": false,
      "open_world": true,
      "must_confirm": true,
      "hosts": null,
      "suggested_annotations": {
        "title": "Send <mail>",
        "readOnlyHint": false,
        "destructiveHint": true,
        "openWorldHint": true
      },
      "location": {
        "page": 0,
        "pointer": "/tools/3",
        "span": {
          "start": 218,
          "end": 777
        },
        "start": {
          "line": 5,
          "column": 3
        },
        "end": {
          "line": 8,
          "column": 115
        }
      },
      "registered_at": null,
      "findings": [
        {
          "rule": "prose-contacts-person",
          "severity": "error",
          "confidence": "high",
          "hint": "openWorldHint",
          "message": "the description says it contacts a person; `openWorldHint` does not",
          "help": "declare `openWorldHint: true`",
          "location": {
            "page": 0,
            "pointer": "/tools/3/name",
            "span": {
              "start": 227,
              "end": 238
            },
            "start": {
              "line": 5,
              "column": 12
            },
            "end": {
              "line": 5,
              "column": 23
            }
          },
          "evidence": [
            {
              "location": {
                "page": 0,
                "pointer": "/tools/3/description",
                "span": {
                  "start": 258,
                  "end": 552
                },
                "start": {
                  "line": 6,
                  "column": 19
                },
                "end": {
                  "line": 6,
                  "column": 291
                }
              },
              "text": "宛先に手紙を送ります。Before it is handed to the post office the letter is weighed, stamped and entered in the book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy for ninety days and then burns it, unless somebody asks for it.",
              "mark": {
                "start": 153,
                "end": 175
              },
              "label": "reaches somebody outside"
            }
          ],
          "suggestion": {
            "readOnlyHint": null,
            "destructiveHint": null,
            "idempotentHint": null,
            "openWorldHint": true
          }
        }
      ]
    }
    "#);
}
