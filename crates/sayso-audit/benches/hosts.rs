//! What every host does, in each of its modes, with each of 1,000 tools. The target is 20 ms.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sayso_audit::example::Example;
use sayso_audit::hosts::{Column, Difference, HostProfile, Matrix, Modes};
use sayso_core::listing::Listing;

/// The states of hints that real listings mix.
const ANNOTATIONS: [&str; 6] = [
    r#","annotations":{"readOnlyHint":true}"#,
    r#","annotations":{"title":"Update","readOnlyHint":false,"destructiveHint":false,"idempotentHint":true}"#,
    r#","annotations":{"destructiveHint":true},"_meta":{"example.com/note":"x"}"#,
    r#","annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}"#,
    r#","annotations":{"readOnlyHint":true,"openWorldHint":false}"#,
    "",
];

fn listing(tools: usize) -> Listing {
    let mut text = String::from(r#"{"tools":["#);
    for (number, annotations) in ANNOTATIONS.iter().cycle().take(tools).enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(
            text,
            r#"{comma}{{"name":"tool_{number}","title":"Tool {number}","description":"Works on the records of a customer, newest first.","inputSchema":{{"type":"object","properties":{{"id":{{"type":"string"}}}}}}{annotations}}}"#,
        );
    }
    text.push_str("]}");
    Example::parse(&text)
        .expect("the text is a listing")
        .listing
}

fn columns(modes: Modes<'_>) -> Vec<Column<'static>> {
    let hosts = HostProfile::all().iter();
    hosts.flat_map(|host| Column::of(host, modes)).collect()
}

fn benchmarks(criterion: &mut Criterion) {
    let listing = listing(1000);
    let mut group = criterion.benchmark_group("1000 tools");
    for (name, modes) in [("default modes", Modes::Default), ("all modes", Modes::All)] {
        let columns = columns(modes);
        group.throughput(Throughput::Elements((columns.len() * 1000) as u64));
        group.bench_function(format!("what hosts do, {name}"), |bencher| {
            bencher.iter(|| Matrix::new(black_box(&listing), &columns))
        });
        let matrix = Matrix::new(&listing, &columns);
        group.bench_function(format!("where hosts disagree, {name}"), |bencher| {
            bencher.iter(|| black_box(&matrix).disagreements())
        });
        group.bench_function(format!("the difference, {name}"), |bencher| {
            bencher.iter(|| Difference::between(black_box(&matrix), black_box(&matrix)))
        });
    }
    group.finish();
}

criterion_group!(benches, benchmarks);
criterion_main!(benches);
