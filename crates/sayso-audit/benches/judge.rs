//! Parse and judge a listing of 1,000 tools, about 1.5 MB: the largest real ones have 400 tools and 2 MB.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark may panic"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sayso_audit::context::Context;
use sayso_audit::judge::{JudgeOptions, judge};
use sayso_audit::semantics::Semantics;
use sayso_core::json::{Document, Limits};
use sayso_core::listing::{Listing, Page, ServerIdentity};
use serde_json::value::RawValue;

/// Descriptions of different kinds and lengths, as real servers mix them.
const DESCRIPTIONS: [&str; 6] = [
    "Returns the orders of a customer, newest first.\\n\\nArgs:\\n    customer_id: the customer\\n    since: only orders after this date (ISO 8601)\\n\\nReturns:\\n    A list of orders with `id`, `total` and `state`, at most `limit` of them. Results are paged; pass `cursor` from the last answer to go on.",
    "Updates a delivery. Only the fields given are changed; the others keep their values. Repeating the call with the same values changes nothing further. Use `get_delivery` to read it first.",
    "Deletes a webhook permanently. Deliveries that wait are discarded and cannot be recovered, e.g. `{\\\"id\\\": 12}`. See https://example.invalid/docs/webhooks for what is sent.",
    "Sends a reminder by e-mail to everyone who has not answered yet. Each call sends another reminder; there is no approval step.",
    "Manages the labels of a board.\\n\\n- `list`: all labels\\n- `add`: one more\\n- `remove`: takes a label off every card\\n\\nWhen to use: only if the person asked for it. Do not use this to rename a label.",
    "Searches documents by text and metadata. Does not change anything. Supports quotes (\\\"exact words\\\"), minus for exclusion and `field:value`. The answer names the document, the passage that matched and a score between 0 and 1, best first.",
];

const NAMES: [&str; 6] = [
    "list_orders",
    "update_delivery",
    "delete_webhook",
    "send_reminder",
    "manage_labels",
    "search_documents",
];

const ANNOTATIONS: [&str; 6] = [
    r#"{"readOnlyHint":true}"#,
    r#"{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true}"#,
    r#"{"title":"Delete","destructiveHint":true}"#,
    r#"{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#,
    r#"{"readOnlyHint":true,"openWorldHint":false}"#,
    r#"{"destructiveHint":true}"#,
];

fn listing_text(tools: usize) -> String {
    let mut text = String::from(r#"{"tools":["#);
    for number in 0..tools {
        let kind = number % NAMES.len();
        if number > 0 {
            text.push(',');
        }
        let _ = write!(
            text,
            r#"{{"name":"{}_{number}","title":"Tool {number}","description":"{}","inputSchema":{{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{{"#,
            NAMES[kind], DESCRIPTIONS[kind],
        );
        for argument in 0..5 {
            let _ = write!(
                text,
                r#""argument_{argument}":{{"type":"string","minLength":1,"maxLength":200,"description":"The value of field {argument} as it is stored, at most 200 characters. Leave it out to keep the one that is there already."}},"#,
            );
        }
        let _ = write!(
            text,
            r#""action":{{"type":"string","enum":["list","add","remove"]}},"dry_run":{{"type":"boolean","default":true}}}},"required":["argument_0"],"additionalProperties":false}},"annotations":{}}}"#,
            ANNOTATIONS[kind],
        );
    }
    text.push_str("]}");
    text
}

fn listing(text: String) -> Listing {
    let document = Document::parse(text, &Limits::default()).expect("the text is JSON");
    let tools = document
        .root()
        .get("tools")
        .expect("there are tools")
        .index();
    let mut listing = Listing::new(ServerIdentity::default());
    listing.push_page(
        Page {
            document,
            lines_before: 0,
        },
        tools,
    );
    listing
}

/// Counts the values, each level read from the raw text of the one above.
fn values_by_level(text: &str) -> usize {
    let members: Vec<&RawValue> = if text.starts_with('{') {
        let object: BTreeMap<String, &RawValue> = serde_json::from_str(text).expect("an object");
        object.into_values().collect()
    } else if text.starts_with('[') {
        serde_json::from_str(text).expect("an array")
    } else {
        Vec::new()
    };
    let below = members.iter().map(|member| values_by_level(member.get()));
    1 + below.sum::<usize>()
}

fn benchmarks(criterion: &mut Criterion) {
    let text = listing_text(1000);
    let read = listing(text.clone());
    let semantics = Semantics::default();
    let mut group = criterion.benchmark_group("1000 tools");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| listing(black_box(text.clone())))
    });
    // What else could have read it: see docs/decisions/0001-own-json-reader.md.
    group.bench_function("parse with serde_json::Value", |bencher| {
        bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&text)))
    });
    group.bench_function("parse level by level with RawValue", |bencher| {
        bencher.iter(|| values_by_level(black_box(&text)))
    });
    group.bench_function("read evidence", |bencher| {
        bencher.iter(|| Context::new(black_box(&read), &semantics, None, None))
    });
    group.bench_function("parse and judge", |bencher| {
        bencher.iter(|| judge(&listing(black_box(text.clone())), &JudgeOptions::default()))
    });
    group.finish();
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
