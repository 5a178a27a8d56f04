//! Calls that are confined: routed, watched, and made nowhere else. The processes are real; what the
//! kernel would refuse is played by a file that the fixture server writes to.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_core::effective::Trust;
use sayso_core::hint::Hint;
use sayso_core::journal::Record;
use sayso_core::json::{Document, Limits};
use sayso_gateway::caller::Caller;
use sayso_gateway::confine::{Attempt, Confined, Confiner, View};
use sayso_gateway::gate::{Gate, Rules, Setup};
use sayso_gateway::host::{AskError, CallReply, Exchange, Judge as _};
use sayso_gateway::metrics;
use sayso_gateway::policy::PolicySource;
use sayso_gateway::server::{HostChoice, Launcher};
use sayso_gateway::settings::{
    ApprovalForm, Confine, FirstUse, GateSettings, ServerSettings, ToolConfinement, ToolSettings,
};
use sayso_mcp::StdioCommand;
use sayso_mcp::downstream::{Era, Reply};
use sayso_mcp::jsonrpc::Message;
use sayso_store::sqlite::{self, Durability, Role, SqliteStore};
use sayso_store::{EntryQuery, Store};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::server_support::{PATIENCE, exchange_by, launcher, settings};

/// Confines nothing, and says of each line that a process wrote to `file` that it was refused.
struct Played {
    possible: Result<&'static str, String>,
    file: PathBuf,
    views: Arc<Mutex<Vec<View>>>,
}

struct Process {
    command: StdioCommand,
    file: PathBuf,
    seen: Mutex<usize>,
    changed: watch::Receiver<u64>,
}

impl Confiner for Played {
    fn possible(&self) -> Result<&'static str, String> {
        self.possible.clone()
    }

    fn confine(&self, command: &StdioCommand, view: &View) -> Result<Box<dyn Confined>, String> {
        self.views.lock().unwrap().push(view.clone());
        let mut command = command.clone();
        command.env.push(("FIXTURE_CONFINED".into(), "yes".into()));
        let (sender, changed) = watch::channel(0);
        let file = self.file.clone();
        tokio::spawn(async move {
            while !sender.is_closed() {
                let lines = lines(&file).len() as u64;
                sender.send_if_modified(|known| std::mem::replace(known, lines) != lines);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        Ok(Box::new(Process {
            command,
            file: self.file.clone(),
            seen: Mutex::default(),
            changed,
        }))
    }
}

impl Confined for Process {
    fn command(&self) -> StdioCommand {
        self.command.clone()
    }

    fn attempts(&self) -> Vec<Attempt> {
        let mut seen = self.seen.lock().unwrap();
        let lines = lines(&self.file);
        let new = lines.get(*seen..).unwrap_or_default().iter();
        let attempts = new.map(|line| Attempt {
            what: line.clone(),
            program: "fixture".to_owned(),
            against: Some(Hint::ReadOnly),
        });
        let attempts = attempts.collect();
        *seen = lines.len();
        attempts
    }

    fn changed(&self) -> watch::Receiver<u64> {
        self.changed.clone()
    }

    fn mode(&self) -> &'static str {
        "played"
    }

    fn failure(&self) -> Option<String> {
        None
    }
}

/// A ready set by its name, or policies of the test's own.
fn source(policy: &str) -> PolicySource {
    PolicySource::ready(policy).unwrap_or_else(|| PolicySource {
        name: "own.cedar".to_owned(),
        text: policy.to_owned(),
    })
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(ToOwned::to_owned).collect()
}

struct Scene {
    gate: Arc<Gate>,
    store: Arc<dyn Store>,
    views: Arc<Mutex<Vec<View>>>,
    exchange: Exchange,
    _folder: TempDir,
}

impl Scene {
    async fn new(args: &[&str], change: impl FnOnce(&mut ServerSettings)) -> Self {
        Self::of(args, Ok("played"), &["spec-default"], change).await
    }

    async fn of(
        args: &[&str],
        possible: Result<&'static str, String>,
        policies: &[&str],
        change: impl FnOnce(&mut ServerSettings),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("acts");
        let mut all = vec!["--acts", file.to_str().unwrap()];
        all.extend(args);
        let mut server = ServerSettings {
            trust: Trust::Trusted,
            first_use: FirstUse::TrustOnce,
            confine: Confine::ReadOnlyClaims,
            ..settings(&all)
        };
        change(&mut server);
        let store: Arc<dyn Store> = Arc::new(
            SqliteStore::open(&sqlite::Options {
                path: folder.path().join("sayso.db"),
                role: Role::Gate,
                durability: Durability::Process,
            })
            .unwrap(),
        );
        let views = Arc::<Mutex<Vec<View>>>::default();
        let (_, metrics) = metrics::registry();
        let rules = Rules {
            settings: GateSettings {
                approval: ApprovalForm::None,
                servers: [("files".to_owned(), server)].into(),
                ..GateSettings::default()
            },
            lock: Default::default(),
            rulings: Default::default(),
            evidence: Default::default(),
            policies: policies.iter().map(|policy| source(policy)).collect(),
            launches: Default::default(),
            compare: Arc::new(|_, _| Vec::new()),
        };
        let setup = Setup {
            store: Arc::clone(&store),
            launcher: Launcher {
                confiner: Some(Arc::new(Played {
                    possible,
                    file,
                    views: Arc::clone(&views),
                })),
                ..launcher()
            },
            host: HostChoice::Many,
            metrics,
        };
        let gate = Gate::start(rules, setup).await.unwrap();
        let caller = Caller {
            name: "local".to_owned(),
            ..Caller::default()
        };
        let answer = Err(AskError::Impossible);
        let exchange = exchange_by(caller, Era::Legacy, 1, "{}", answer).0;
        Self {
            gate,
            store,
            views,
            exchange,
            _folder: folder,
        }
    }

    async fn call(&self, tool: &str) -> String {
        self.call_with(tool, "{}").await
    }

    async fn call_with(&self, tool: &str, arguments: &str) -> String {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
        );
        let document = Document::parse(text, &Limits::default()).unwrap();
        let message = Message::classify(document).unwrap();
        let called = self.gate.call(&self.exchange, &message, &[]);
        match timeout(PATIENCE, called).await.unwrap() {
            CallReply::Result { result, .. } => result.root().raw().to_owned(),
            CallReply::Reply(Reply::Result(text)) => {
                let reply: serde_json::Value = serde_json::from_str(&text).unwrap();
                let text = reply["content"][0]["text"].as_str().unwrap();
                text.lines().next().unwrap().to_owned()
            }
            other => format!("{other:?}"),
        }
    }

    /// Which process answers.
    async fn who(&self) -> String {
        let who = self.call("who").await;
        let (_, process) = who.split_once("pid ").unwrap_or_else(|| panic!("{who}"));
        process.split(',').next().unwrap().to_owned()
    }

    /// What the listing says of a tool.
    async fn listed(&self, tool: &str) -> serde_json::Value {
        let Reply::Result(listing) = self.gate.list(&self.exchange).await else {
            panic!("no listing");
        };
        let listing: serde_json::Value = serde_json::from_str(&listing).unwrap();
        let tools = listing["tools"].as_array().unwrap();
        let found = tools.iter().find(|listed| listed["name"] == tool);
        found.cloned().unwrap_or_default()
    }

    async fn records(&self) -> Vec<Record> {
        let query = EntryQuery {
            limit: 200,
            ..EntryQuery::default()
        };
        let entries = self.store.entries(query).await.unwrap();
        entries.into_iter().map(|entry| entry.record).collect()
    }

    /// What was written down as evidence, without the ids of calls.
    async fn evidence(&self) -> Vec<String> {
        let records = self.records().await.into_iter();
        let told = records.filter_map(|record| match record {
            Record::Evidence(evidence) => {
                let (_, witness) = evidence.witness.split_once(',').unwrap();
                Some(format!("{} {:?}:{witness}", evidence.tool, evidence.hint))
            }
            _ => None,
        });
        told.collect()
    }

    /// The reasons of the last call that was refused or went out.
    async fn last_reasons(&self) -> String {
        let records = self.records().await;
        let call = records.iter().rev().find_map(|record| match record {
            Record::Intent(call) => Some(call.as_ref()),
            Record::Refused(refused) => Some(&refused.call),
            _ => None,
        });
        let reasons = call.unwrap().reasons.iter();
        let told: Vec<String> = reasons
            .map(|reason| format!("{}: {}", reason.id, reason.text))
            .collect();
        told.join("\n")
    }

    async fn end(self) {
        self.gate.stop(Duration::ZERO).await;
    }
}

const PERMIT_ALL: &str = "@id(\"all\") permit (principal, action, resource);";

#[tokio::test]
async fn a_claim_of_only_reading_is_held_to_and_nothing_else() {
    let scene = Scene::of(&["--reads"], Ok("played"), &[PERMIT_ALL], |_| {}).await;
    let confined = scene.who().await;
    assert_eq!(scene.who().await, confined);
    let views = scene.views.lock().unwrap().clone();
    assert!(
        views.iter().all(|view| *view == View::default()),
        "{views:?}"
    );
    let call = scene
        .records()
        .await
        .into_iter()
        .find_map(|record| match record {
            Record::Intent(call) => Some(call),
            _ => None,
        });
    assert_eq!(call.unwrap().confined.as_deref(), Some("played"));
    insta::assert_snapshot!(scene.listed("who").await["_meta"], @r#"{"dev.sayso/claimed":{"readOnlyHint":true,"openWorldHint":false},"dev.sayso/provenance":{"readOnlyHint":"claimed","destructiveHint":"default","idempotentHint":"default","openWorldHint":"claimed"},"dev.sayso/confinement":"in confinement nothing is written, nothing is connected to"}"#);
    scene.end().await;

    // The same tools with no claim: nothing is started for them.
    let scene = Scene::of(&[], Ok("played"), &[PERMIT_ALL], |_| {}).await;
    scene.who().await;
    assert!(scene.views.lock().unwrap().is_empty());
    scene.end().await;
}

#[tokio::test]
async fn what_a_reader_tries_raises_its_values_before_its_answer_is_there() {
    let scene = Scene::new(&["--reads"], |_| {}).await;
    let answer = scene.call("act").await;
    insta::assert_snapshot!(answer, @r#"{"resultType":"complete","content":[{"type":"text","text":"read"}],"_meta":{"dev.sayso/refused-in-confinement":["remove /srv/notes/a.txt (by fixture)"]}}"#);
    let again = scene.call("act").await;
    insta::assert_snapshot!(again, @"The call was not made (nobody-to-ask): `act` has to be approved, and nobody is asked here.");
    insta::assert_snapshot!(scene.evidence().await.join("\n"), @"act ReadOnly: in confinement, was refused: remove /srv/notes/a.txt (by fixture)");
    insta::assert_snapshot!(scene.listed("act").await["annotations"], @r#"{"readOnlyHint":false,"openWorldHint":false,"destructiveHint":true,"idempotentHint":false}"#);
    // The others are none the worse for it.
    assert!(!scene.who().await.is_empty());
    scene.end().await;
}

#[tokio::test]
async fn what_a_reader_tries_after_its_answer_counts_too() {
    let scene = Scene::new(&["--reads"], |_| {}).await;
    let answer = scene.call_with("act", r#"{"late":1}"#).await;
    assert!(!answer.contains("refused"), "{answer}");
    let raised = async {
        while scene.evidence().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, raised).await.unwrap();
    insta::assert_snapshot!(scene.evidence().await.join("\n"), @"act ReadOnly: in confinement, was refused: remove /srv/notes/a.txt (by fixture)");
    scene.end().await;
}

#[tokio::test]
async fn where_nothing_can_be_confined_the_word_of_the_server_counts_for_nothing() {
    let why = Err("user namespaces are refused here; enable them".to_owned());
    let scene = Scene::of(&["--reads"], why, &["spec-default"], |_| {}).await;
    insta::assert_snapshot!(scene.call("who").await, @"The call was not made (nobody-to-ask): `who` has to be approved, and nobody is asked here.");
    insta::assert_snapshot!(scene.last_reasons().await, @"
    spec-default.confirmed: the tool may change something, so a person has to confirm the call
    confinement: `who` is not held to what its server says of it: user namespaces are refused here; enable them
    ");
    insta::assert_snapshot!(scene.listed("who").await["_meta"], @r#"{"dev.sayso/claimed":{"readOnlyHint":true,"openWorldHint":false},"dev.sayso/provenance":{"readOnlyHint":"distrusted","destructiveHint":"default","idempotentHint":"default","openWorldHint":"claimed"},"dev.sayso/confinement":"not enforced: user namespaces are refused here; enable them"}"#);
    scene.end().await;
}

#[tokio::test]
async fn an_instance_that_does_not_start_or_lists_otherwise_confines_nothing() {
    let scene = Scene::new(&["--reads", "--dies"], |_| {}).await;
    insta::assert_snapshot!(scene.call("who").await, @"The call was not made (nobody-to-ask): `who` has to be approved, and nobody is asked here.");
    scene.end().await;
    let scene = Scene::new(&["--reads", "--otherwise"], |_| {}).await;
    insta::assert_snapshot!(scene.call("who").await, @"The call was not made (nobody-to-ask): `who` has to be approved, and nobody is asked here.");
    // That tool alone.
    let echoed = scene.call("echo").await;
    assert!(echoed.contains("echo"), "{echoed}");
    insta::assert_snapshot!(scene.listed("who").await["_meta"], @r#"{"dev.sayso/claimed":{"readOnlyHint":true,"openWorldHint":false},"dev.sayso/provenance":{"readOnlyHint":"distrusted","destructiveHint":"default","idempotentHint":"default","openWorldHint":"claimed"},"dev.sayso/confinement":"not enforced: its confined instance lists the tool otherwise"}"#);
    scene.end().await;
}

#[tokio::test]
async fn a_policy_or_a_setting_takes_calls_out_of_confinement() {
    let lifting = r#"@id("who") @confine("off") permit (principal, action, resource == Tool::"files/who");
        @id("rest") permit (principal, action, resource);"#;
    let scene = Scene::of(&["--reads"], Ok("played"), &[lifting], |server| {
        server.confine = Confine::All;
    })
    .await;
    scene.who().await;
    assert!(scene.views.lock().unwrap().is_empty());
    scene.call("echo").await;
    assert!(!scene.views.lock().unwrap().is_empty());
    scene.end().await;

    let scene = Scene::of(&["--reads"], Ok("played"), &[PERMIT_ALL], |server| {
        let tool = ToolSettings {
            confinement: ToolConfinement {
                off: true,
                ..ToolConfinement::default()
            },
            ..ToolSettings::default()
        };
        server.tools.insert("who".to_owned(), tool);
    })
    .await;
    scene.who().await;
    assert!(scene.views.lock().unwrap().is_empty());
    scene.end().await;
}

#[tokio::test]
async fn all_calls_are_confined_to_what_is_set_for_them() {
    let scene = Scene::of(&[], Ok("played"), &[PERMIT_ALL], |server| {
        server.confine = Confine::All;
        server.confinement.write = vec!["/srv/notes".into()];
        server.confinement.network = Some(vec!["api.example".to_owned()]);
        let tool = ToolSettings {
            confinement: ToolConfinement {
                write: Some(vec!["/srv/cache".into()]),
                ..ToolConfinement::default()
            },
            ..ToolSettings::default()
        };
        server.tools.insert("echo".to_owned(), tool);
    })
    .await;
    scene.who().await;
    scene.call("echo").await;
    let mut views = scene.views.lock().unwrap().clone();
    views.dedup();
    insta::assert_debug_snapshot!(views, @r#"
    [
        View {
            write: [
                "/srv/notes",
            ],
            state: [],
            reach: Hosts(
                [
                    "api.example",
                ],
            ),
        },
        View {
            write: [
                "/srv/cache",
            ],
            state: [],
            reach: Hosts(
                [
                    "api.example",
                ],
            ),
        },
    ]
    "#);
    // Writing was never promised away: what is refused is no broken promise.
    let answer = scene.call("act").await;
    assert!(
        answer.contains("dev.sayso/refused-in-confinement"),
        "{answer}"
    );
    assert!(scene.evidence().await.is_empty());
    scene.end().await;
}

#[tokio::test]
async fn where_all_has_to_be_confined_and_cannot_be_somebody_is_asked() {
    let why = Err("nothing can be confined here".to_owned());
    let scene = Scene::of(&[], why, &[PERMIT_ALL], |server| {
        server.confine = Confine::All
    })
    .await;
    insta::assert_snapshot!(scene.call("who").await, @"The call was not made (nobody-to-ask): `who` has to be approved, and nobody is asked here.");
    scene.end().await;
}
