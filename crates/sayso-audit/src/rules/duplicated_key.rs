use std::collections::{HashMap, HashSet};

use sayso_core::finding::Severity;
use sayso_core::hint::Hint;
use sayso_core::json::{DuplicateKey, Value};
use sayso_core::listing::ObservationKind;

use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::rule::{Findings, Rule, RuleMeta, rule};

rule! {
    /// ## What it checks
    /// That no object of a listing has the same key twice, at any depth.
    ///
    /// ## Why it matters
    /// JSON readers keep the first value, the last one, or refuse (RFC 8259 §4). What a person
    /// reviewed and what a client acts on can then differ, also in a hint. Where the two values
    /// are the same byte for byte, nothing is lost and the finding is a warning.
    ///
    /// ## Fails
    /// ```json
    /// {"name": "wipe_disk", "description": "Wipes a disk.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": true, "readOnlyHint": true}}
    /// ```
    ///
    /// ## Passes
    /// ```json
    /// {"name": "wipe_disk", "description": "Wipes a disk.", "inputSchema": {"type": "object"},
    ///  "annotations": {"readOnlyHint": false, "destructiveHint": true}}
    /// ```
    ///
    /// ## Limits
    /// A saved listing that went through a JSON library has lost its duplicates; audit the server
    /// itself or the raw answer.
    DuplicatedKey {
        id: "duplicated-key",
        summary: "an object with the same key twice",
        severity: Error,
        confidence: High,
        since: "0.1.0",
    }
}

impl Rule for DuplicatedKey {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        for (number, page) in context.listing.pages().iter().enumerate() {
            let mut told = HashSet::new();
            let mut members: HashMap<u32, HashMap<String, Vec<Value<'_>>>> = HashMap::new();
            for duplicate in page.document.duplicates() {
                let object = page.document.duplicate_in(duplicate);
                let by_key = members
                    .entry(object.index())
                    .or_insert_with(|| by_key(object));
                let Some(values) = by_key.get(&duplicate.key) else {
                    continue;
                };
                if told.len() < MOST && told.insert((object.index(), &duplicate.key)) {
                    report(context, number, duplicate, values, findings);
                }
            }
        }
        for observation in &context.listing.observations {
            if observation.kind == ObservationKind::DuplicateKey {
                findings
                    .about_listing(
                        &Self::META,
                        format!(
                            "a message of the server has the same key twice ({})",
                            observation.detail
                        ),
                    )
                    .help("write each key once; readers disagree which value counts")
                    .report();
            }
        }
    }
}

/// How many are told of one page; text with more is no accident, and each is the same finding.
const MOST: usize = 200;

/// The members of an object by key.
fn by_key(object: Value<'_>) -> HashMap<String, Vec<Value<'_>>> {
    let mut by_key: HashMap<String, Vec<Value<'_>>> = HashMap::new();
    for member in object.members() {
        by_key
            .entry(member.key.into_owned())
            .or_default()
            .push(member.value);
    }
    by_key
}

fn report(
    context: &Context<'_>,
    page: usize,
    duplicate: &DuplicateKey,
    values: &[Value<'_>],
    findings: &mut Findings,
) {
    let [first, .., repeat] = values else { return };
    let same = values.iter().all(|value| value.raw() == first.raw());
    let message = match values {
        [a, b] if !same => format!(
            "`{}` stands twice, as {} and as {}: readers disagree which one counts",
            duplicate.key,
            excerpt::brief(*a),
            excerpt::brief(*b)
        ),
        _ if same => format!(
            "`{}` stands {} times with the same value",
            duplicate.key,
            values.len()
        ),
        _ => format!(
            "`{}` stands {} times: readers disagree which one counts",
            duplicate.key,
            values.len()
        ),
    };
    let draft = match tool_around(context, page, duplicate) {
        Some(tool) => findings.about(&DuplicatedKey::META, tool, message),
        None => findings.about_listing(&DuplicatedKey::META, message),
    };
    let mut draft = draft
        .at(page, *repeat)
        .severity(if same {
            Severity::Warning
        } else {
            Severity::Error
        })
        .evidence(excerpt::key(page, *first, "first here"))
        .evidence(excerpt::key(page, *repeat, "and again here"))
        .help("write the key once");
    let in_annotations = repeat
        .parent()
        .and_then(Value::key_span)
        .is_some_and(|span| page_text(context, page).get(span.range()) == Some("\"annotations\""));
    if let Some(hint) = Hint::from_key(&duplicate.key).filter(|_| in_annotations) {
        draft = draft.hint(hint);
    }
    draft.report();
}

fn page_text<'a>(context: &Context<'a>, page: usize) -> &'a str {
    context
        .listing
        .pages()
        .get(page)
        .map(|page| page.document.text())
        .unwrap_or_default()
}

/// The tool a repeated key stands in. Tools stand in order, so the search is binary.
fn tool_around<'c, 'a>(
    context: &'c Context<'a>,
    page: usize,
    duplicate: &DuplicateKey,
) -> Option<&'c ToolReading<'a>> {
    let place = (page, duplicate.span.start);
    let behind = context
        .tools
        .partition_point(|tool| (tool.tool.page(), tool.tool.value().span().start) <= place);
    let tool = context.tools.get(behind.checked_sub(1)?)?;
    (tool.tool.page() == page && duplicate.span.end <= tool.tool.value().span().end).then_some(tool)
}
