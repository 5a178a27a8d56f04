use quick_junit::{Report, TestCaseStatus};

use super::{assert_nothing_hides, run, written};
use crate::audit_report::Format;

#[test]
fn a_suite_a_target_and_a_case_a_tool() {
    let text = written(&run(), Format::Junit);
    assert_nothing_hides(&text);
    let report = Report::deserialize_from_str(&text).unwrap();
    let told: Vec<String> = report
        .test_suites
        .iter()
        .flat_map(|suite| {
            suite.test_cases.iter().map(move |case| {
                let status = match &case.status {
                    TestCaseStatus::Success { .. } => "success".to_owned(),
                    TestCaseStatus::NonSuccess { kind, message, .. } => {
                        format!(
                            "{kind:?}: {}",
                            message.as_ref().map_or("", |message| message.as_str())
                        )
                    }
                    TestCaseStatus::Skipped { .. } => "skipped".to_owned(),
                };
                format!("{} / {}: {status}", suite.name.as_str(), case.name.as_str())
            })
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    post-office / tools/list: success
    post-office / list_files: Failure: no annotations: clients assume the worst of all four hints
    post-office / read_file: Failure: no annotations: clients assume the worst of all four hints
    post-office / stat_file: Failure: no annotations: clients assume the worst of all four hints
    post-office / send_mail: Failure: the description says it contacts a person; `openWorldHint` does not
    post-office / burn\u{202e}liam: Failure: the description holds invisible characters
    pinger / tools/list: success
    pinger / ping: success
    broken / tools/list: Error: could not connect: connection refused
    settings / unused-suppression: Failure: the suppression of `half-declared` suppresses nothing
    "#);
}
