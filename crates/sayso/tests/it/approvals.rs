//! `sayso approvals`: the person sees what will run, and answers once.

use sayso_core::approval::{Binding, Shown};
use sayso_core::digest::Digest;
use sayso_core::effective::Effective;
use sayso_core::hint::Hints;
use sayso_core::journal::{HintValues, Json, Reason, Timestamp};
use sayso_store::sqlite::{Durability, Options, Role, SqliteStore};
use sayso_store::{NewApproval, Spend, Store as _};

use crate::sayso::Sayso;

/// A gate that asked, and the id of what it asked. The gate has the store all the while.
struct Asked {
    sayso: Sayso,
    gate: SqliteStore,
    runtime: tokio::runtime::Runtime,
    binding: Binding,
    id: String,
}

fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

impl Asked {
    /// With this long until it expires, in milliseconds.
    fn new(millis: i64) -> Self {
        let sayso = Sayso::new("approvals list");
        let options = Options {
            path: sayso.directory().join("sayso.db"),
            role: Role::Gate,
            durability: Durability::Process,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let gate = SqliteStore::open(&options).unwrap();
        // A right-to-left override, and a Cyrillic letter within a Latin word.
        let arguments = r#"{"index":"docs\u202egnp","limit":1e400,"of":["p\u0430ypal",{}]}"#;
        let arguments = Json::parse(arguments).unwrap();
        let binding = Binding {
            arguments: Digest::of(arguments.document().unwrap().root()),
            caller: "local".to_owned(),
            definition: Digest::of_text("definition"),
            policy: Digest::of_text("policy"),
            server: "search".to_owned(),
            tool: "wipe_index".to_owned(),
        };
        let shown = Shown {
            arguments,
            call: Some("c1".to_owned()),
            client: Some("a-host\u{1b}[2J 1.2.3".to_owned()),
            description: Some("Removes every entry of an index.".to_owned()),
            hints: Some(HintValues::from(&Effective::from_claims(&Hints::default()))),
            reasons: vec![Reason {
                id: "confirm-changes".to_owned(),
                text: "it may remove something".to_owned(),
            }],
            served_as: Some("search_wipe_index".to_owned()),
            undo: Some("rebuild the index".to_owned()),
        };
        let opened = runtime.block_on(gate.open_approval(NewApproval {
            binding: binding.clone(),
            shown,
            now: now(),
            expires_at: now().plus_millis(millis),
        }));
        let id = opened.unwrap().id;
        Self {
            sayso,
            gate,
            runtime,
            binding,
            id,
        }
    }

    fn run(&self, arguments: &str) -> String {
        let ran = self.sayso.again(&arguments.replace("ID", &self.id));
        ran.to_string().replace(&self.id, "[ID]")
    }

    fn spend(&self) -> Spend {
        self.runtime
            .block_on(self.gate.spend(&self.binding, now()))
            .unwrap()
    }
}

/// Half an hour and half a minute: "in 30 min" for as long as a test takes.
const LONG: i64 = 1_830_000;

#[test]
fn what_waits_is_listed() {
    insta::assert_snapshot!(Asked::new(LONG).run("approvals list"), @"
    exit code: 0
    ----- stdout
    [ID]  pending   search/wipe_index  for local  expires in 30 min

    `sayso approvals show ID` shows what will run
    ");
}

#[test]
fn the_person_sees_what_will_run() {
    insta::assert_snapshot!(Asked::new(LONG).run("approvals show ID"), @r#"
    exit code: 0
    ----- stdout
    search/wipe_index  pending  expires in 30 min
    id: [ID]
    called as: search_wipe_index
    for: local, with a-host\u{1b}[2J 1.2.3
    call: c1

    asked because: it may remove something (confirm-changes)
    arguments: sha256-exact:51c394a8cb257ae4cb4c14dd509a5e54cb117647be2292e2f71db97d1d32fb14
      {
        "index": "docs\u202egnp",
        "limit": 1e400,
        "of": [
          "pаypal",
          {}
        ]
      }
    mind: the word `pаypal` at `/of/0` has letters of more than one alphabet: U+0430
    hints
      readOnlyHint     false  default
      destructiveHint  true   default
      idempotentHint   false  default
      openWorldHint    true   default
    the server says of it: Removes every entry of an index.
    to undo it: rebuild the index
    definition: sha256:58f154c54e004d23d48f9d4928dc79432b9384cd0ad077b7d5ddd0cd309dbdf4
    policies: sha256:17ad92e63c962393c0329c658937d16eccaea13036412a3d1d0a5b6b8f29d738

    `sayso approvals approve [ID]` or `sayso approvals deny [ID]`
    "#);
}

#[test]
fn programs_see_the_arguments_as_they_will_be_sent() {
    let asked = Asked::new(LONG);
    let shown = asked.sayso.again("approvals list --format json").stdout;
    assert!(shown.contains(r#""limit":1e400"#));
    assert!(shown.contains(r#""docs\u202egnp""#));
    let shown = shown.replace("1e400", "1");
    let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["approvals"][0]["state"], "pending");
    assert_eq!(document["approvals"][0]["id"], asked.id);
}

#[test]
fn a_yes_lets_one_call_run_beside_the_gate() {
    let asked = Asked::new(LONG);
    // Nobody is there to read it.
    insta::assert_snapshot!(asked.run("approvals approve ID"), @"
    exit code: 2
    ----- stderr
    error: nothing was approved: there is nobody to ask
    hint: read `sayso approvals show`, then add `--yes`
    ");
    assert!(matches!(asked.spend(), Spend::Pending(_)));
    insta::assert_snapshot!(asked.run("approvals approve ID --yes --by amal"), @"
    exit code: 0
    ----- stdout
    approved: [ID] (search/wipe_index)
    ");
    assert!(matches!(asked.spend(), Spend::Spent(_)));
    assert_eq!(asked.spend(), Spend::None);
    insta::assert_snapshot!(asked.run("approvals deny ID"), @"
    exit code: 2
    ----- stderr
    error: approval `[ID]` takes no answer: it is spent already
    ");
}

#[test]
fn a_no_is_a_no() {
    let asked = Asked::new(LONG);
    insta::assert_snapshot!(asked.run("approvals deny ID --by amal"), @"
    exit code: 0
    ----- stdout
    denied: [ID] (search/wipe_index)
    ");
    assert!(matches!(asked.spend(), Spend::Denied(_)));
    insta::assert_snapshot!(asked.run("approvals list"), @"
    exit code: 0
    ----- stdout
    nothing waits
    ");
}

#[test]
fn time_that_is_over_denies() {
    let asked = Asked::new(0);
    let late = asked
        .sayso
        .again(&format!("approvals approve {} --yes", asked.id));
    assert_eq!(late.code, Some(2));
    assert!(
        late.stderr
            .contains("takes no answer: its time was over at")
    );
    assert_eq!(asked.spend(), Spend::None);
}

#[test]
fn an_unknown_id_names_the_nearest() {
    let asked = Asked::new(LONG);
    let mistyped = format!("{}0", &asked.id);
    let unknown = asked
        .sayso
        .again(&format!("approvals approve {mistyped} --yes"));
    let shown = unknown.to_string().replace(&mistyped, "[MISTYPED]");
    insta::assert_snapshot!(shown.replace(&asked.id, "[ID]"), @"
    exit code: 2
    ----- stderr
    error: there is no approval `[MISTYPED]`
    hint: did you mean `[ID]`?
    ");
}
