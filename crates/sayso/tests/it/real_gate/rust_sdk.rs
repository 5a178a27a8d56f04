//! The client of the Rust SDK, through the gate to the scratch server, in both eras.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, Implementation, ProtocolVersion, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RequestContext, RoleClient,
    RunningService,
};
use serde_json::{Value, json};

use super::hosts::Gated;
use crate::real_clients::drive::Over;

/// A person who says yes to every form, and what reached them.
#[derive(Clone, Default)]
struct Person {
    asked: Arc<Mutex<Vec<String>>>,
    told: Arc<tokio::sync::Notify>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("rust-sdk", "1.0.0"))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            panic!("no form");
        };
        self.asked.lock().unwrap().push(message);
        let yes = json!({ "approve": true });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(yes))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.told.notify_one();
    }
}

type Service = RunningService<RoleClient, Person>;

async fn call(service: &Service, tool: &'static str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments}");
    };
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    service.call_tool(params).await.unwrap()
}

fn text(result: &CallToolResult) -> String {
    json!(result)["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The tools by name, each with one hint.
async fn destructive(service: &Service) -> Vec<(String, Option<bool>)> {
    let tools = service.list_all_tools().await.unwrap().into_iter();
    tools
        .map(|tool| {
            let hint = tool.annotations.and_then(|hints| hints.destructive_hint);
            (tool.name.into_owned(), hint)
        })
        .collect()
}

/// Makes a tool more dangerous, and waits until the client is told.
async fn told_of_a_change(service: &Service, gated: &Gated, is_modern: bool) {
    let set = || {
        gated
            .scratch
            .set(&["reindex_document.destructiveHint=true"]);
    };
    let patience = Duration::from_secs(30);
    if is_modern {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut changes = service.listen(filter).await.unwrap();
        set();
        let told = tokio::time::timeout(patience, changes.next()).await;
        let told = told.unwrap().unwrap();
        let is_it = matches!(
            told,
            Some(ServerNotification::ToolListChangedNotification(_))
        );
        assert!(is_it, "{told:?}");
    } else {
        set();
        let told = service.service().told.notified();
        tokio::time::timeout(patience, told).await.unwrap();
    }
}

async fn through(lifecycle: ClientLifecycleMode, is_modern: bool) {
    let gated = Gated::new(Over::Stdio, "host");
    let command = gated.place.command("gate --settings sayso.toml");
    let mut gate = tokio::process::Command::from(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let transport = (gate.stdout.take().unwrap(), gate.stdin.take().unwrap());
    let service = Person::default()
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .unwrap();

    let tools = destructive(&service).await;
    let names: Vec<&str> = tools.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "list_indexes",
            "wipe_index",
            "reindex_document",
            "append_note",
            "send_invoice_email"
        ]
    );
    assert_eq!(tools[2].1, Some(false));
    let read = call(&service, "list_indexes", json!({})).await;
    assert!(text(&read).contains("runbooks-v3"));
    let wiped = call(&service, "wipe_index", json!({ "index": "runbooks-v3" })).await;
    assert_ne!(wiped.is_error, Some(true), "{wiped:?}");
    let asked = service.service().asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("Call `wipe_index` of the server `scratch`?"));
    let refused = call(
        &service,
        "send_invoice_email",
        json!({ "invoice": "INV-0042" }),
    )
    .await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("invoices of a closed year stay where they are"));
    told_of_a_change(&service, &gated, is_modern).await;
    assert_eq!(destructive(&service).await[2].1, Some(true));

    service.cancel().await.unwrap();
    gate.wait().await.unwrap();
    let calls = ["wipe_index", "send_invoice_email"];
    assert_eq!(calls.map(|tool| gated.calls(tool)), [1, 0]);
    let era = if is_modern { "modern" } else { "legacy" };
    assert_eq!(gated.place.records("intent", 1)[0]["era"], era);
    gated.place.verify();
}

fn block_on(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future);
}

#[test]
fn the_rust_sdk_calls_through_the_gate_in_the_legacy_era() {
    block_on(through(ClientLifecycleMode::Initialize, false));
}

#[test]
fn the_rust_sdk_calls_through_the_gate_in_the_modern_era() {
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: None,
    };
    block_on(through(lifecycle, true));
}
