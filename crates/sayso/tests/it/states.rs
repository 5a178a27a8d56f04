//! Every state a hint can be in, from the wire to the report: from a saved file and from a
//! live server.

use serde_json::Value;

use crate::fixtures::{Report, Script, page};
use crate::sayso::Sayso;

/// The hints with what holds where nothing usable is claimed.
const HINTS: [(&str, bool); 4] = [
    ("readOnlyHint", false),
    ("destructiveHint", true),
    ("idempotentHint", false),
    ("openWorldHint", true),
];

/// A tool on the wire and what has to be reported of it.
struct Case {
    text: String,
    shape: &'static str,
    claims: [&'static str; 4],
}

/// The tool with a number, whose members behind the name are these.
fn case(number: usize, more: &str, shape: &'static str, claims: [&'static str; 4]) -> Case {
    // Spaces and an odd number: what is passed on is not what was parsed and written again.
    let text =
        format!(r#"{{ "name":"tool_{number}","inputSchema":{{"type":"object"}},"x":1.0E2{more}}}"#);
    Case {
        text,
        shape,
        claims,
    }
}

/// All ways in which four hints are absent, true or false.
fn combinations() -> Vec<Case> {
    let states = ["absent", "true", "false"];
    let cases = (0..81).map(|number| {
        let claims: [&str; 4] =
            std::array::from_fn(|hint| states[number / 3usize.pow(hint as u32) % 3]);
        let members = HINTS.iter().zip(claims);
        let members: Vec<String> = members
            .filter(|(_, claim)| *claim != "absent")
            .map(|((hint, _), claim)| format!(r#""{hint}": {claim}"#))
            .collect();
        let more = format!(r#","annotations":{{{}}}"#, members.join(","));
        case(number, &more, "object", claims)
    });
    cases.collect()
}

/// What else is sent for each hint in turn, and for all of `annotations`.
fn faults() -> Vec<Case> {
    let mut cases = Vec::new();
    for (position, (hint, _)) in HINTS.iter().enumerate() {
        for (members, state) in [
            (format!(r#""{hint}":null"#), "null"),
            (format!(r#""{hint}":"true""#), "malformed"),
            (format!(r#""{hint}":"""#), "malformed"),
            (format!(r#""{hint}":1"#), "malformed"),
            (format!(r#""{hint}":0"#), "malformed"),
            (format!(r#""{hint}":[]"#), "malformed"),
            (format!(r#""{hint}":[true]"#), "malformed"),
            (format!(r#""{hint}":{{}}"#), "malformed"),
            (format!(r#""{hint}":true,"{hint}":true"#), "duplicated"),
            (format!(r#""{hint}":true,"{hint}":false"#), "duplicated"),
            (format!(r#""{hint}":null,"{hint}":1"#), "duplicated"),
        ] {
            let mut claims = ["absent"; 4];
            claims[position] = state;
            let more = format!(r#","annotations":{{{members}}}"#);
            cases.push(case(cases.len(), &more, "object", claims));
        }
    }
    let none = ["absent"; 4];
    let twice = ["duplicated", "absent", "absent", "absent"];
    for (more, shape, claims) in [
        ("", "absent", none),
        (r#","annotations":null"#, "null", none),
        (r#","annotations":{}"#, "object", none),
        (r#","annotations":[]"#, "malformed", none),
        (
            r#","annotations":[{"readOnlyHint":true}]"#,
            "malformed",
            none,
        ),
        (r#","annotations":true"#, "malformed", none),
        (r#","annotations":"readOnlyHint""#, "malformed", none),
        (r#","annotations":7"#, "malformed", none),
        (r#","annotations":{},"annotations":{}"#, "duplicated", none),
        (
            r#","annotations":{"readOnlyHint":true},"annotations":null"#,
            "duplicated",
            twice,
        ),
    ] {
        cases.push(case(cases.len(), more, shape, claims));
    }
    cases
}

/// A report with the text of the page it is about.
struct Listed {
    report: Report,
    page: String,
    pointer: &'static str,
}

/// The cases in a saved file.
fn saved(cases: &[Case]) -> Listed {
    let page = format!("{{\"tools\": [\n  {}\n]}}\n", joined(cases, ",\n  "));
    let ran = Sayso::new("audit --format json --fail-on never tools.json")
        .file("tools.json", &page)
        .run();
    Listed {
        report: Report::of(&ran),
        page,
        pointer: "",
    }
}

/// The cases from a server.
fn live(cases: &[Case]) -> Listed {
    let tools = joined(cases, ",");
    let server = Script::tools(&tools);
    let ran = server.audit("--format json --fail-on never").run();
    let received = server.received();
    let asked = received
        .iter()
        .find(|message| message["method"] == "tools/list");
    Listed {
        report: Report::of(&ran),
        page: page(&tools).replace("$id", &asked.unwrap()["id"].to_string()),
        pointer: "/result",
    }
}

fn joined(cases: &[Case], separator: &str) -> String {
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    texts.join(separator)
}

impl Listed {
    /// The part of the page that a location names by its bytes.
    fn cut(&self, location: &Value) -> &str {
        assert_eq!(location["page"], 0);
        let at = |key: &str| usize::try_from(location["span"][key].as_u64().unwrap()).unwrap();
        &self.page[at("start")..at("end")]
    }

    /// That each case is reported as it was sent.
    fn assert_told(&self, cases: &[Case]) {
        assert_eq!(self.report.code, Some(0));
        let tools = self.report.tools();
        assert_eq!(tools.len(), cases.len());
        for (position, (tool, case)) in tools.iter().zip(cases).enumerate() {
            assert_eq!(tool["annotations"], case.shape, "{}", case.text);
            for ((hint, default), claim) in HINTS.into_iter().zip(case.claims) {
                let (value, provenance) = match claim {
                    "true" => (true, "claimed"),
                    "false" => (false, "claimed"),
                    _ => (default, "default"),
                };
                assert_eq!(tool["claims"][hint], claim, "{hint} in {}", case.text);
                let effective = &tool["effective"][hint];
                assert_eq!(effective["value"], value, "{hint} in {}", case.text);
                assert_eq!(
                    effective["provenance"], provenance,
                    "{hint} in {}",
                    case.text
                );
                let places = tool["claim_locations"][hint].as_array().unwrap();
                assert_eq!(places.is_empty(), claim == "absent", "{}", case.text);
                for place in places {
                    let pointer = format!("{}/tools/{position}/annotations/{hint}", self.pointer);
                    assert_eq!(place["pointer"], pointer);
                    let value = self.cut(place);
                    let member = [":", ": "].map(|colon| format!(r#""{hint}"{colon}{value}"#));
                    let stands = member.iter().any(|member| case.text.contains(member));
                    assert!(stands, "{hint} {value} in {}", case.text);
                }
            }
            let location = &tool["location"];
            assert_eq!(
                location["pointer"],
                format!("{}/tools/{position}", self.pointer)
            );
            assert_eq!(self.cut(location), case.text);
        }
    }

    /// For each hint that is not as it should be: a finding that points at it.
    fn assert_faults_found(&self, cases: &[Case]) {
        for (position, (tool, case)) in self.report.tools().iter().zip(cases).enumerate() {
            let annotations = format!("{}/tools/{position}/annotations", self.pointer);
            for ((hint, _), claim) in HINTS.into_iter().zip(case.claims) {
                let rule = match claim {
                    "null" => "null-hint",
                    "malformed" => "malformed-hint",
                    "duplicated" => "duplicated-key",
                    _ => continue,
                };
                let location = &self.found(tool, rule, case)["location"];
                let cut = self.cut(location);
                if case.shape == "duplicated" {
                    assert_eq!(location["pointer"], annotations, "{}", case.text);
                    continue;
                }
                assert_eq!(location["pointer"], format!("{annotations}/{hint}"));
                let member = format!(r#""{hint}":{cut}"#);
                assert!(case.text.contains(&member), "{member} in {}", case.text);
            }
            let rule = match case.shape {
                "null" => "null-annotations",
                "malformed" => "malformed-annotations",
                "duplicated" => "duplicated-key",
                "absent" => "missing-annotations",
                _ => continue,
            };
            let location = &self.found(tool, rule, case)["location"];
            if case.shape != "absent" {
                assert_eq!(location["pointer"], annotations, "{}", case.text);
                let member = format!(r#""annotations":{}"#, self.cut(location));
                assert!(case.text.contains(&member), "{member} in {}", case.text);
            }
        }
    }

    fn found<'r>(&self, tool: &'r Value, rule: &str, case: &Case) -> &'r Value {
        let mut findings = tool["findings"].as_array().unwrap().iter();
        let found = findings.find(|finding| finding["rule"] == rule);
        found.unwrap_or_else(|| panic!("no {rule} for {}: {tool:#}", case.text))
    }
}

#[test]
fn every_combination_comes_through_from_a_file() {
    let cases = combinations();
    assert_eq!(cases.len(), 81);
    saved(&cases).assert_told(&cases);
}

#[test]
fn every_combination_comes_through_from_a_server() {
    let cases = combinations();
    live(&cases).assert_told(&cases);
}

#[test]
fn every_fault_comes_through_from_a_file() {
    let cases = faults();
    let listed = saved(&cases);
    listed.assert_told(&cases);
    listed.assert_faults_found(&cases);
}

#[test]
fn every_fault_comes_through_from_a_server() {
    let cases = faults();
    let listed = live(&cases);
    listed.assert_told(&cases);
    listed.assert_faults_found(&cases);
}

#[test]
fn the_bytes_come_through_too() {
    for case in combinations()
        .iter()
        .step_by(20)
        .chain(faults().iter().step_by(7))
    {
        let name = case.text.split('"').nth(3).unwrap();
        let arguments = format!("--raw --show {name}");
        let ran = Script::tools(&case.text).audit(&arguments).run();
        assert_eq!(ran.stdout, format!("{}\n", case.text));
    }
}
