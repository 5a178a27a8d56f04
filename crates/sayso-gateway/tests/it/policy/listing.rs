//! What is listed.

use sayso_core::effective::{Basis, decide};
use sayso_core::hint::Hints;
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{Action, Policies, Question, SessionFacts, Subject, ToolFacts};
use sayso_mcp::server::Transport;

use super::world::{NOON, ask, caller, line, load, source, tools};

fn listed(policies: &Policies, tools: &[ToolFacts], who: &Caller) -> String {
    let told = tools.iter().map(|tool| {
        let mut asked = ask(tool, "{}");
        asked.action = Action::List;
        asked.caller = who.clone();
        let question = Question {
            arguments: None,
            ..asked.question()
        };
        // Asked twice, so that what is kept of the first answer is looked at, too.
        let (first, second) = (policies.decide(&question), policies.decide(&question));
        assert_eq!(first, second);
        format!("{}: {}", tool.key(), line(&first))
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_can_be_called_or_asked_for_is_listed() {
    let policies = load(
        r#"
@id("reads") permit (principal, action == Action::"call", resource) when { resource.effective.readOnly };
@id("ops") permit (principal in Group::"ops", action == Action::"call", resource == Tool::"files/delete")
when { context.confirmed };
@id("mail") forbid (principal, action == Action::"list", resource in Server::"mail")
unless { context.confirmed };
@id("send") permit (principal, action == Action::"call", resource == Tool::"mail/send");
"#,
    );
    insta::assert_snapshot!(listed(&policies, &tools(), &caller("ada", &["staff"])), @"
    files/read: allow [reads]
    files/write: deny []
    files/delete: deny []
    mail/send: allow [send]
    ");
    insta::assert_snapshot!(listed(&policies, &tools(), &caller("bo", &["ops"])), @"
    files/read: allow [reads]
    files/write: deny []
    files/delete: allow [ops]
    mail/send: allow [send]
    ");
}

#[test]
fn a_policy_that_reads_arguments_hides_nothing() {
    let policies = load(
        r#"
@id("home") permit (principal in Group::"staff", action == Action::"call", resource == Tool::"files/write")
when { resource.pin == "pinned" && context.arguments.path like "/home/*" && resource.trust == "trusted" };
@id("read") permit (principal, action == Action::"call", resource == Tool::"files/read");
@id("etc") forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments.path like "/etc/*" };
"#,
    );
    insta::assert_snapshot!(listed(&policies, &tools(), &caller("ada", &["staff"])), @"
    files/read: allow [read]
    files/write: allow [home]
    files/delete: deny []
    mail/send: deny []
    ");
    insta::assert_snapshot!(listed(&policies, &tools(), &caller("bo", &["ops"])), @"
    files/read: allow [read]
    files/write: deny []
    files/delete: deny []
    mail/send: deny []
    ");
}

#[test]
fn a_tool_that_a_case_makes_callable_is_listed() {
    let text = r#"@id("reads") permit (principal, action == Action::"call", resource) when { resource.effective.readOnly };"#;
    let mut tools = tools();
    let before = Policies::load(&source(text), &tools).unwrap();
    let delete = tools.get_mut(2).unwrap();
    let cases = [Hints {
        read_only: Some(true),
        ..Hints::default()
    }];
    let basis = Basis {
        claims: delete.claims,
        cases: &cases,
        ..Basis::default()
    };
    delete.cases = vec![decide(&basis).effective];
    let after = Policies::load(&source(text), &tools).unwrap();
    let who = caller("ada", &[]);
    insta::assert_snapshot!(listed(&before, &tools, &who), @"
    files/read: allow [reads]
    files/write: deny []
    files/delete: deny []
    mail/send: deny []
    ");
    insta::assert_snapshot!(listed(&after, &tools, &who), @"
    files/read: allow [reads]
    files/write: deny []
    files/delete: allow [reads]
    mail/send: deny []
    ");
}

#[test]
fn prompts_and_resources_are_judged_by_their_own_actions() {
    let policies = load(
        r#"
@id("read") permit (principal, action == Action::"read", resource in Server::"files")
unless { resource.uri like "*secret*" };
@id("get") permit (principal, action in [Action::"get", Action::"complete"], resource is Prompt)
when { context.confirmed };
"#,
    );
    let who = caller("ada", &[]);
    let prompt = Subject::Prompt {
        server: "files",
        name: "summary",
    };
    let resource = |server, uri| Subject::Resource { server, uri };
    let all = [
        (Action::Get, prompt),
        (Action::Complete, prompt),
        (Action::List, prompt),
        (Action::Read, prompt),
        (Action::Read, resource("files", "file:///a")),
        (Action::List, resource("files", "file:///a")),
        (Action::Read, resource("files", "file:///secret")),
        (Action::List, resource("files", "file:///secret")),
        (Action::Read, resource("mail", "mail:///a")),
        (Action::Complete, resource("files", "file:///{name}")),
    ];
    let told = all.map(|(action, subject)| {
        let question = Question {
            caller: &who,
            action,
            subject,
            arguments: None,
            confirmed: false,
            now: NOON,
            transport: Transport::Http,
            session: SessionFacts::default(),
        };
        format!(
            "{action} {subject:?}: {}",
            line(&policies.decide(&question))
        )
    });
    insta::assert_snapshot!(told.join("\n"), @r#"
    get Prompt { server: "files", name: "summary" }: ask [get]
    complete Prompt { server: "files", name: "summary" }: ask [get]
    list Prompt { server: "files", name: "summary" }: allow [get]
    read Prompt { server: "files", name: "summary" }: deny []
    read Resource { server: "files", uri: "file:///a" }: allow [read]
    list Resource { server: "files", uri: "file:///a" }: allow [read]
    read Resource { server: "files", uri: "file:///secret" }: deny []
    list Resource { server: "files", uri: "file:///secret" }: deny []
    read Resource { server: "mail", uri: "mail:///a" }: deny []
    complete Resource { server: "files", uri: "file:///{name}" }: deny []
    "#);
}
