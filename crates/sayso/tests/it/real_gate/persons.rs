//! The operator, who answers in a process of its own while calls wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::gate::support::Place;

/// Does something while an operator answers whatever the gate asks: `approve --yes` or `deny`,
/// by the name of the tool.
pub(super) fn answered<T>(
    place: &Place,
    answer: impl Fn(&str) -> &'static str + Sync,
    while_it: impl FnOnce() -> T,
) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for (id, tool) in waiting(place) {
                    place.run(&format!("approvals {} {id} --by operator", answer(&tool)));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        // Whoever fails ends the operator's work too.
        let _end = Ended(&over);
        while_it()
    })
}

/// Says so when it goes.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What waits for an answer: id and tool of each. Nothing before there is a store.
fn waiting(place: &Place) -> Vec<(String, String)> {
    if !place.directory().join("sayso.db").exists() {
        return Vec::new();
    }
    let shown = place.run("approvals list --format json");
    let document: Value = serde_json::from_str(&shown).unwrap();
    let approvals = document["approvals"].as_array().unwrap().iter();
    let pending = approvals.filter(|approval| approval["state"] == "pending");
    pending
        .map(|approval| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&approval["id"]), text(&approval["binding"]["tool"]))
        })
        .collect()
}
