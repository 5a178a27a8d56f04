//! The tools: what they refuse, and what they never do.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use sayso_core::json::{Document, Limits};
use sayso_scratch::store::{State, Store};
use sayso_scratch::tool::{ArgumentError, Arguments, Outcome, Tool, run};
use tempfile::TempDir;

/// The rebuild time of these tests.
const REBUILD: Duration = Duration::from_secs(8);

/// Arguments from their JSON.
pub(super) fn arguments(tool: Tool, json: &str) -> Result<Arguments, ArgumentError> {
    let document = Document::parse(json.to_owned(), &Limits::default()).unwrap();
    Arguments::check(tool, Some(document.root()))
}

#[test]
fn arguments_that_do_not_fit_are_named_with_their_value() {
    let long = format!(r#"{{"page":"p","text":"{}"}}"#, "x".repeat(2001));
    let cases = [
        (Tool::ListIndexes, r#"{"index":"a"}"#),
        (Tool::WipeIndex, "{}"),
        (Tool::WipeIndex, "[1]"),
        (Tool::WipeIndex, r#"{"idnex":"a"}"#),
        (Tool::WipeIndex, r#"{"index":"a","force":true}"#),
        (Tool::WipeIndex, r#"{"index":7}"#),
        (Tool::WipeIndex, r#"{"index":null}"#),
        (Tool::WipeIndex, r#"{"index":""}"#),
        (Tool::WipeIndex, r#"{"index":"a","index":"b"}"#),
        (Tool::AppendNote, &long),
    ];
    let told = cases.map(|(tool, json)| arguments(tool, json).unwrap_err().to_string());
    insta::assert_snapshot!(told.join("\n"), @r#"
    there is no argument `index`: the tool takes none
    the argument `index` is missing
    the arguments are an array; they have to be an object
    there is no argument `idnex`: did you mean `index`?
    there is no argument `force`: the tool takes `index`
    the argument `index` is 7; it has to be a string
    the argument `index` is null; it has to be a string
    the argument `index` is empty
    the argument `index` is there more than once
    the argument `text` is 2001 characters long: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…; at most 2000 are taken
    "#);
    assert!(Arguments::check(Tool::WipeIndex, None).is_err());
    assert!(Arguments::check(Tool::ListIndexes, None).is_ok());
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let place = TempDir::new().unwrap();
    let store = Store::create(&place.path().join("store.sqlite")).unwrap();
    let before = store.state(Timestamp::UNIX_EPOCH).unwrap();
    let cases = [
        (Tool::WipeIndex, r#"{"index":"runbooks-v4"}"#),
        (Tool::WipeIndex, r#"{"index":"zzz"}"#),
        (
            Tool::ReindexDocument,
            r#"{"index":"runbooks-v3","document":"sc-first"}"#,
        ),
        (Tool::PurgeTenant, r#"{"tenant":"larkspurr"}"#),
        (Tool::SendInvoiceEmail, r#"{"invoice":"INV-1"}"#),
    ];
    let told = cases.map(|(tool, json)| {
        let arguments = arguments(tool, json).unwrap();
        let outcome = run(&store, tool, &arguments, REBUILD, Timestamp::UNIX_EPOCH).unwrap();
        assert!(!outcome.is_done());
        outcome.text()
    });
    insta::assert_snapshot!(told.join("\n"), @"
    there is no index `runbooks-v4`: did you mean `runbooks-v3`?
    there is no index `zzz`: there are `handbook-v2`, `runbooks-v3`, `scratch-1`
    there is no document `sc-first` in the index `runbooks-v3`: there are `rb-certificates`, `rb-disk-full`, `rb-failover`, `rb-queue-stuck`, `rb-restore`
    there is no tenant `larkspurr`: did you mean `larkspur`?
    there is no invoice `INV-1`: did you mean `INV-1043`?
    ");
    assert_eq!(store.state(Timestamp::UNIX_EPOCH).unwrap(), before);
}

/// A call, with arguments that are sometimes of what is there and sometimes not.
fn call(tools: Vec<Tool>) -> impl Strategy<Value = (Tool, String, u8)> {
    let index = prop::sample::select(vec!["handbook-v2", "runbooks-v3", "scratch-1", "none"]);
    let document = prop::sample::select(vec!["hb-leave", "rb-restore", "sc-first", "none"]);
    let tenant = prop::sample::select(vec!["larkspur", "quillon", "none"]);
    let invoice = prop::sample::select(vec!["INV-1041", "INV-1042", "none"]);
    let values = (index, document, tenant, invoice, "[ -~]{1,12}");
    (prop::sample::select(tools), values, 0_u8..12).prop_map(
        |(tool, (index, document, tenant, invoice, text), wait)| {
            let json = match tool {
                Tool::ListIndexes => serde_json::json!({}),
                Tool::WipeIndex => serde_json::json!({ "index": index }),
                Tool::ReindexDocument => {
                    serde_json::json!({ "index": index, "document": document })
                }
                Tool::PurgeTenant => serde_json::json!({ "tenant": tenant }),
                Tool::AppendNote => serde_json::json!({ "page": "p", "text": text }),
                Tool::SendInvoiceEmail => serde_json::json!({ "invoice": invoice }),
            };
            (tool, json.to_string(), wait)
        },
    )
}

/// A store whose clock goes on by a few seconds with each call.
struct Running {
    store: Store,
    now: Timestamp,
    _place: TempDir,
}

impl Running {
    fn new() -> Self {
        let place = TempDir::new().unwrap();
        Self {
            store: Store::create(&place.path().join("store.sqlite")).unwrap(),
            now: Timestamp::UNIX_EPOCH,
            _place: place,
        }
    }

    fn call(&mut self, (tool, json, wait): &(Tool, String, u8)) -> Outcome {
        self.now += SignedDuration::from_secs((*wait).into());
        let arguments = arguments(*tool, json).unwrap();
        run(&self.store, *tool, &arguments, REBUILD, self.now).unwrap()
    }

    fn state(&self) -> State {
        self.store.state(self.now).unwrap()
    }
}

const HARMLESS: [Tool; 4] = [
    Tool::ListIndexes,
    Tool::ReindexDocument,
    Tool::AppendNote,
    Tool::SendInvoiceEmail,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_tool_that_is_not_destructive_loses_a_row(
        calls in prop::collection::vec(call(HARMLESS.to_vec()), 1..20),
    ) {
        let mut running = Running::new();
        for call in &calls {
            let before = running.state();
            running.call(call);
            for (before, after) in before.counts().iter().zip(running.state().counts()) {
                prop_assert!(after.1 >= before.1, "{call:?} lost {before:?}");
            }
        }
    }

    #[test]
    fn what_is_refused_and_what_reads_changes_nothing(
        calls in prop::collection::vec(call(Tool::ALL.to_vec()), 1..20),
    ) {
        let mut running = Running::new();
        for call in &calls {
            let changes = {
                // The clock goes first: a rebuild may be done by then.
                let (tool, json, wait) = call;
                running.now += SignedDuration::from_secs((*wait).into());
                let before = running.state();
                let outcome = running.call(&(*tool, json.clone(), 0));
                let is_to_change = outcome.is_done() && *tool != Tool::ListIndexes;
                let changes = running.state().changes_since(&before);
                prop_assert_eq!(changes.is_empty(), !is_to_change);
                changes
            };
            prop_assert!(changes.len() <= 5);
        }
    }

    #[test]
    fn reindexing_twice_is_reindexing_once_but_for_the_count(
        before in prop::collection::vec(call(Tool::ALL.to_vec()), 0..10),
        reindex in call(vec![Tool::ReindexDocument]),
    ) {
        let mut running = Running::new();
        for call in &before {
            running.call(call);
        }
        let again = (reindex.0, reindex.1.clone(), 0);
        let first = running.call(&reindex);
        let once = running.state();
        let listed_once = running.call(&(Tool::ListIndexes, "{}".to_owned(), 0));
        let second = running.call(&again);
        prop_assert_eq!(&first, &second);
        prop_assert_eq!(listed_once, running.call(&(Tool::ListIndexes, "{}".to_owned(), 0)));
        let counted = once.reindexed + u64::from(first.is_done());
        prop_assert_eq!(running.state(), State { reindexed: counted, ..once });
    }

    #[test]
    fn adding_twice_is_not_adding_once(
        call in call(vec![Tool::AppendNote, Tool::SendInvoiceEmail]),
    ) {
        let mut running = Running::new();
        let added = |state: State| state.notes + state.outbox;
        let before = added(running.state());
        let is_done = running.call(&call).is_done();
        running.call(&call);
        prop_assert_eq!(added(running.state()), before + 2 * u64::from(is_done));
    }

    #[test]
    fn any_arguments_are_taken_or_refused(json in "[\\[\\]{}\":,a-z0-9 ]{0,40}") {
        if let Ok(document) = Document::parse(json, &Limits::default()) {
            for tool in Tool::ALL {
                let _ = Arguments::check(tool, Some(document.root()));
            }
        }
    }
}
