//! Small numbers within bounds.

use serde_json::{Value as Json, json};

use super::input_schema::Part;

/// How many steps are tried from where a number may begin.
const STEPS: u32 = 40;

/// Numbers to try, the plainest first.
pub(super) fn candidates(way: &[Part<'_>], is_integer: bool) -> Vec<Json> {
    let bounds = |keyword: &'static str| {
        way.iter()
            .filter_map(move |part| part.get(keyword)?.as_f64())
    };
    let least = bounds("minimum").chain(bounds("exclusiveMinimum"));
    let least = least.fold(f64::NEG_INFINITY, f64::max);
    let most = bounds("maximum").chain(bounds("exclusiveMaximum"));
    let most = most.fold(f64::INFINITY, f64::min);
    let start = 1.0_f64.max(least).min(most);
    let step = if is_integer { 1.0 } else { 0.5 };
    let between = (least.max(-1e15) + most.min(1e15)) / 2.0;
    let mut numbers = vec![start];
    numbers.extend((1..STEPS).map(|count| start + f64::from(count) * step));
    numbers.extend([start - step, most - step, between, 0.0]);
    for multiple in bounds("multipleOf").filter(|multiple| *multiple > 0.0) {
        let first = (start / multiple).ceil();
        numbers.push(multiple);
        numbers.extend((0..STEPS).map(|count| (first + f64::from(count)) * multiple));
        numbers.extend((1..STEPS).map(|count| (first - f64::from(count)) * multiple));
    }
    let finite = numbers.into_iter().filter(|number| number.is_finite());
    finite.map(|number| written(number, is_integer)).collect()
}

fn written(number: f64, is_integer: bool) -> Json {
    if is_integer && number.abs() < 9e15 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is small and whole, or is made so"
        )]
        let whole = number.ceil() as i64;
        return json!(whole);
    }
    json!(number)
}
