use serde_json::Value;

use super::{assert_nothing_hides, run, written};
use crate::audit_report::{Format, TargetDescription};

fn log(text: &str) -> Value {
    let log: Value = serde_json::from_str(text).unwrap();
    let schema = include_str!("../../../schemas/sarif-2.1.0-subset.schema.json");
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&log)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
    log
}

#[test]
fn a_log_holds_to_sarif_2_1_0() {
    let text = written(&run(), Format::Sarif);
    assert_nothing_hides(&text);
    let log = log(&text);
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), sayso_audit::rules::ALL.len());
    for result in run["results"].as_array().unwrap() {
        if let Some(index) = result["ruleIndex"].as_u64() {
            assert_eq!(
                rules[usize::try_from(index).unwrap()]["id"],
                result["ruleId"]
            );
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&run["results"][3]).unwrap(), @r#"
    {
      "ruleId": "prose-contacts-person",
      "level": "error",
      "message": {
        "text": "send_mail: the description says it contacts a person; `openWorldHint` does not\nreaches somebody outside: 宛先に手紙を送ります。Before it is handed to the post office the letter is weighed, stamped and entered in the book of outgoing mail. Sending contacts a real person and cannot be undone. The clerk on duty keeps a copy for ninety days and then burns it, unless somebody asks for it.\nhelp: declare `openWorldHint: true`"
      },
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "fixtures/post%20office.json"
            },
            "region": {
              "startLine": 6,
              "startColumn": 19,
              "endLine": 6,
              "endColumn": 291,
              "byteOffset": 258,
              "byteLength": 294
            }
          },
          "logicalLocations": [
            {
              "name": "send_mail",
              "fullyQualifiedName": "post-office/send_mail",
              "kind": "function"
            },
            {
              "fullyQualifiedName": "/tools/3/description",
              "kind": "value"
            }
          ]
        }
      ],
      "partialFingerprints": {
        "sayso/v1": "post-office/send_mail/prose-contacts-person/openWorldHint#1"
      }
    }
    "#);
    insta::assert_snapshot!(serde_json::to_string_pretty(&run["invocations"]).unwrap(), @r#"
    [
      {
        "executionSuccessful": false,
        "toolExecutionNotifications": [
          {
            "level": "warning",
            "message": {
              "text": "pinger: the listing is incomplete: page 2 never came"
            }
          },
          {
            "level": "note",
            "message": {
              "text": "pinger: lines on standard output that are not JSON: starting \u001b[32mup"
            }
          },
          {
            "level": "error",
            "message": {
              "text": "broken could not be read: could not connect: connection refused"
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn a_region_is_the_value_in_the_file() {
    let report = run();
    let log = log(&written(&report, Format::Sarif));
    let region = &log["runs"][0]["results"][3]["locations"][0]["physicalLocation"]["region"];
    let number = |key: &str| usize::try_from(region[key].as_u64().unwrap()).unwrap();
    let bytes = number("byteOffset")..number("byteOffset") + number("byteLength");
    assert!(super::LISTING[bytes].starts_with("\"宛先"));
    let line = super::LISTING.lines().nth(number("startLine") - 1).unwrap();
    let text: String = line
        .chars()
        .skip(number("startColumn") - 1)
        .take(number("endColumn") - number("startColumn"))
        .collect();
    assert!(
        text.starts_with("\"宛先") && text.ends_with("asks for it.\""),
        "{text}"
    );
}

#[test]
fn a_live_server_has_a_stand_in_file_with_its_text() {
    let mut report = run();
    report.targets.truncate(1);
    report.targets[0].target = TargetDescription::Command("post-office --stdio".to_owned());
    let log = log(&written(&report, Format::Sarif));
    let run = &log["runs"][0];
    assert_eq!(
        run["results"][3]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "mcp/post-office/tools-list.json"
    );
    assert_eq!(run["artifacts"][0]["contents"]["text"], super::LISTING);
}

#[test]
fn fingerprints_stay_when_tools_move() {
    let fingerprints = |report: &crate::audit_report::AuditReport| {
        let log = log(&written(report, Format::Sarif));
        let mut fingerprints: Vec<String> = log["runs"][0]["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                result["partialFingerprints"]["sayso/v1"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        fingerprints.sort();
        fingerprints
    };
    let before = fingerprints(&run());
    let mut unique = before.clone();
    unique.dedup();
    assert_eq!(before, unique);

    let mut moved = run();
    let longer = super::LISTING.replace("{\"tools\": [", "{\"tools\":\n\n\n [");
    moved.targets[0].outcome = Ok(super::audited(&longer, super::findings));
    assert_eq!(fingerprints(&moved), before);
}
