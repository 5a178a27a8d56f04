//! What observations make of claims.

use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use sayso_core::digest::Digest;
use sayso_core::hint::{Claim, Hint, Hints};
use sayso_verify::change::{Change, Class, Loss, Place, What};
use sayso_verify::event::{Act, ChangeKind, Connection, Event, Scope};
use sayso_verify::judge::{Standard, ToolVerdict, Verdict, judge};
use sayso_verify::observation::{Effects, Observation, Repeat, Reply, Setting};
use sayso_verify::plan::Mode;

pub(crate) fn setting() -> Setting {
    Setting {
        mode: Mode::Namespaces,
        fixture: Digest::of_text("notes"),
        settle: Duration::from_millis(1500),
    }
}

/// Claims in the order of the hints; `-` claims nothing.
pub(crate) fn claims(words: &str) -> Hints<Claim> {
    let mut words = words.split(' ').map(|word| match word {
        "true" => Claim::True,
        "false" => Claim::False,
        "-" => Claim::Absent,
        other => panic!("no claim: {other}"),
    });
    Hints::from_fn(|_| words.next().unwrap())
}

const READS: &str = "true - - false";
const ADDS: &str = "false false true false";

fn said(text: &str) -> Reply {
    Reply::Answered {
        result: serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string(),
        is_error: false,
    }
}

fn failed() -> Reply {
    Reply::Answered {
        result: r#"{"content":[{"type":"text","text":"no such host"}],"isError":true}"#.to_owned(),
        is_error: true,
    }
}

pub(crate) fn call(step: &str, effects: Effects) -> Observation {
    Observation {
        tool: "tidy".to_owned(),
        step: step.to_owned(),
        arguments: r#"{"path":"notes.txt"}"#.to_owned(),
        reply: said("done"),
        effects,
        again: None,
    }
}

fn twice(first: Effects, second: Effects, replies: [&str; 2]) -> Observation {
    Observation {
        reply: said(replies[0]),
        again: Some(Repeat {
            reply: said(replies[1]),
            effects: second,
        }),
        ..call("1", first)
    }
}

fn change(class: Class, what: What, lost: Loss) -> Change {
    Change {
        path: PathBuf::from("/workspace/notes.txt"),
        place: Place::Workspace,
        class,
        what,
        lost,
        detail: None,
    }
}

fn changes(changes: impl Into<Vec<Change>>) -> Effects {
    Effects {
        changes: changes.into(),
        ..Effects::default()
    }
}

pub(crate) fn lossy() -> Effects {
    changes([change(Class::UserData, What::Changed, Loss::Bytes(47))])
}

fn event(act: Act, refused: Option<&str>) -> Event {
    Event {
        at: Duration::from_millis(10),
        process: 7,
        program: "server".to_owned(),
        act,
        refused: refused.map(str::to_owned),
    }
}

fn did(act: Act, refused: Option<&str>) -> Effects {
    Effects {
        events: vec![event(act, refused)],
        ..Effects::default()
    }
}

fn connect(scope: Scope, address: &str, port: Option<u16>) -> Act {
    Act::Connect(Connection {
        protocol: if port.is_some() { "tcp" } else { "unix" }.to_owned(),
        host: None,
        address: address.to_owned(),
        port,
        scope,
        live: false,
        first: None,
    })
}

fn open(path: &str, read: bool, existed: bool) -> Act {
    Act::Open {
        path: PathBuf::from(path),
        create: !existed,
        truncate: false,
        read,
        existed,
    }
}

fn other(call: &str) -> Act {
    Act::Other {
        call: call.to_owned(),
    }
}

fn judged(words: &str, observations: &[Observation]) -> ToolVerdict {
    let standard = Standard::default();
    judge("tidy", &claims(words), observations, &setting(), &standard)
}

/// A verdict as a table has it.
fn line(verdict: &Verdict) -> String {
    let rest = match verdict {
        Verdict::Consistent { observations } => observations.to_string(),
        Verdict::NotExercised { why } | Verdict::CannotTell { why } => why.clone(),
        Verdict::NothingPromised => String::new(),
        other => other.witness().unwrap().what.join(" | "),
    };
    format!("{}: {rest}", verdict.as_str())
}

fn read_only(effects: Effects) -> String {
    line(&judged(READS, &[call("1", effects)]).verdicts.read_only)
}

/// Calls that act on files, or seem to.
fn on_files() -> Vec<(&'static str, Effects)> {
    let ran = Act::Execute {
        path: PathBuf::from("/usr/bin/git"),
        arguments: vec!["git".to_owned(), "checkout\u{202e}".to_owned()],
    };
    let removal = Act::Change {
        kind: ChangeKind::Remove,
        path: PathBuf::from("/usr/lib/server/index.js"),
        to: None,
    };
    let mut with_program = lossy();
    with_program.events.push(event(ran.clone(), None));
    let refused = |act| did(act, Some("EROFS"));
    let compiled = "/usr/lib/server/__pycache__/x.pyc";
    vec![
        ("loss and a program", with_program),
        ("a program", did(ran, None)),
        ("refused removal", refused(removal)),
        (
            "refused new file",
            refused(open("/usr/lib/server/x.js", false, false)),
        ),
        (
            "refused, for reading too",
            refused(open("/var/lib/base.db", true, true)),
        ),
        ("refused cache", refused(open(compiled, false, false))),
        (
            "foreign memory",
            did(open("/proc/1234/mem", true, true), None),
        ),
    ]
}

/// Calls that act on others, or seem to.
fn on_others() -> Vec<(&'static str, Effects)> {
    let kill = |own, signal| Act::Signal {
        target: 1234,
        signal,
        own,
    };
    let socket = |path| connect(Scope::Local, path, None);
    let nobody = Some("ECONNREFUSED");
    let service = connect(Scope::Loopback, "127.0.0.1", Some(5432));
    let elsewhere = connect(Scope::OpenWorld, "198.51.100.7", Some(443));
    vec![
        ("foreign process", did(kill(false, 15), None)),
        ("own process", did(kill(true, 15), None)),
        ("is it there", did(kill(false, 0), None)),
        ("daemon", did(socket("/run/docker.sock"), nobody)),
        ("own socket", did(socket("@server-7"), None)),
        ("system log", did(socket("/dev/log"), nobody)),
        ("service", did(service, None)),
        ("namespaces", did(other("unshare"), Some("EPERM"))),
        ("ptrace", did(other("ptrace"), Some("EPERM"))),
        ("ring", did(other("io_uring_setup"), Some("ENOSYS"))),
        ("elsewhere", did(elsewhere, None)),
    ]
}

#[test]
fn what_acts_is_not_read_only() {
    let table: Vec<String> = on_files()
        .into_iter()
        .chain(on_others())
        .map(|(name, effects)| format!("{name:<24} {}", read_only(effects)))
        .collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    loss and a program       contradicted: changed `/workspace/notes.txt`; 47 bytes lost | ran `git checkout\u{202e}`
    a program                consistent: 1
    refused removal          contradicted: removed `/usr/lib/server/index.js`; the jail refused it (EROFS)
    refused new file         contradicted: opened the new file `/usr/lib/server/x.js` for writing; the jail refused it (EROFS)
    refused, for reading too consistent: 1
    refused cache            cache only: opened the new file `/usr/lib/server/__pycache__/x.pyc` for writing; the jail refused it (EROFS)
    foreign memory           contradicted: opened `/proc/1234/mem` for writing
    foreign process          contradicted: sent signal 15 to process 1234
    own process              consistent: 1
    is it there              consistent: 1
    daemon                   contradicted: connected to `/run/docker.sock` (unix, this machine, by a socket); the jail refused it (ECONNREFUSED)
    own socket               consistent: 1
    system log               consistent: 1
    service                  contradicted: connected to `127.0.0.1:5432` (tcp, this machine)
    namespaces               contradicted: called `unshare`; the jail refused it (EPERM)
    ptrace                   contradicted: called `ptrace`; the jail refused it (EPERM)
    ring                     can't tell: called `io_uring_setup`; the jail refused it (ENOSYS)
    elsewhere                can't tell: remote: 198.51.100.7
    ");
}

#[test]
fn a_service_of_its_own_or_allowed_is_no_matter() {
    let speaks = did(connect(Scope::Loopback, "127.0.0.1", Some(8080)), None);
    let mut listens = speaks.clone();
    let listen = Act::Listen {
        address: "127.0.0.1:8080".to_owned(),
    };
    listens.events.insert(0, event(listen, None));
    assert_eq!(read_only(listens), "consistent: 1");
    let standard = Standard {
        loopback: [8080].into(),
        ..Standard::default()
    };
    let verdict = judge(
        "tidy",
        &claims(READS),
        &[call("1", speaks)],
        &setting(),
        &standard,
    );
    assert_eq!(line(&verdict.verdicts.read_only), "consistent: 1");
}

#[test]
fn what_can_be_had_again_is_a_note() {
    let kept = Loss::Recoverable("commit 1a2b3c4".to_owned());
    let observation = call("1", changes([change(Class::UserData, What::Deleted, kept)]));
    let verdict = judged(ADDS, &[observation]);
    assert_eq!(line(&verdict.verdicts.destructive), "consistent: 1");
    insta::assert_snapshot!(verdict.notes.join("\n"), @"deleted `/workspace/notes.txt`; what was there is still at commit 1a2b3c4: nothing is lost, but it is no additive update");
    let verdict = judged(ADDS, &[call("1", lossy())]);
    assert_eq!(
        line(&verdict.verdicts.destructive),
        "contradicted: changed `/workspace/notes.txt`; 47 bytes lost"
    );
}

#[test]
fn nothing_is_promised_beside_read_only() {
    let verdict = judged("true false true -", &[call("1", lossy())]);
    assert!(matches!(
        verdict.verdicts.read_only,
        Verdict::Contradicted(_)
    ));
    assert_eq!(verdict.verdicts.destructive, Verdict::NothingPromised);
    assert_eq!(verdict.verdicts.idempotent, Verdict::NothingPromised);
    assert_eq!(verdict.verdicts.open_world, Verdict::NothingPromised);
    assert_eq!(verdict.observed.destructive, Some(true));
}

#[test]
fn a_repeat_that_changes_more_is_not_idempotent() {
    let adds = || changes([change(Class::UserData, What::Changed, Loss::Nothing)]);
    let touches = changes([change(Class::UserData, What::Times, Loss::Nothing)]);
    let saves = || changes([change(Class::UserData, What::SavedAgain, Loss::Nothing)]);
    let of = |observation| line(&judged(ADDS, &[observation]).verdicts.idempotent);
    assert_eq!(
        of(twice(adds(), adds(), ["done", "done"])),
        "contradicted: at the second, identical call: changed `/workspace/notes.txt`"
    );
    assert_eq!(
        of(twice(adds(), touches, ["done", "done"])),
        "consistent: 1"
    );
    assert_eq!(
        of(twice(adds(), saves(), ["done", "done"])),
        "consistent: 1"
    );
    // That is no further change, and still one of a file.
    assert_eq!(
        line(&judged(READS, &[call("1", saves())]).verdicts.read_only),
        "contradicted: saved `/workspace/notes.txt` again, with the same in it"
    );
    assert_eq!(
        of(call("1", adds())),
        "not exercised: no call was made a second time"
    );
    let mut errs = twice(adds(), Effects::default(), ["done", "done"]);
    errs.again.as_mut().unwrap().reply = failed();
    assert_eq!(of(errs), "consistent: 1");
}

#[test]
fn replies_may_differ_in_what_no_two_share() {
    let of = |one: &str, other: &str| {
        let observation = twice(Effects::default(), Effects::default(), [one, other]);
        line(&judged(ADDS, &[observation]).verdicts.idempotent)
    };
    let alike = [
        ("at 2026-12-01T03:00:01Z", "at 2026-12-01T03:00:02Z"),
        ("made at 9:59:59 AM", "made at 10:00:00 AM"),
        ("made at 11:59:59 AM", "made at 12:00:00 PM"),
        ("took 12 ms", "took 9 ms"),
        ("took 1.5s.", "took 2.25s."),
        (
            "id 550e8400-e29b-41d4-a716-446655440000",
            "id 0e02b2c3-58cc-4372-a567-0e02b2c3d479",
        ),
        ("commit 1a2b3c4d", "commit 9f8e7d6c"),
        ("saved /tmp/a8f3/out.txt", "saved /tmp/q1z2/out.txt"),
        ("http://127.0.0.1:41234/x", "http://127.0.0.1:39876/x"),
        (r#"{"created_at": 1}"#, r#"{"created_at": 2}"#),
        (r#"{"when": 1764558001}"#, r#"{"when": 1764558002}"#),
    ];
    for (one, other) in alike {
        assert_eq!(of(one, other), "consistent: 1", "{one} / {other}");
    }
    let different = [
        ("thought 1", "thought 2"),
        ("added", "exists already"),
        ("ratio 9:1", "ratio 8:2"),
        (r#"{"rows": 3}"#, r#"{"rows": 4}"#),
        (r#"["a"]"#, r#"["a", "b"]"#),
    ];
    let lines: Vec<String> = different
        .into_iter()
        .map(|(one, other)| of(one, other))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    can't tell: the second reply differs from the first while no file does, at `/content/0/text`: `1`, then `2`
    can't tell: the second reply differs from the first while no file does, at `/content/0/text`: `added`, then `exists`
    can't tell: the second reply differs from the first while no file does, at `/content/0/text`: `9:1`, then `8:2`
    can't tell: the second reply differs from the first while no file does, at `/content/0/text/rows`: 3, then 4
    can't tell: the second reply differs from the first while no file does, at `/content/0/text`: 1 items, then 2
    ");
}

#[test]
fn reaching_out_is_not_a_closed_world() {
    let of = |act| {
        line(
            &judged(READS, &[call("1", did(act, None))])
                .verdicts
                .open_world,
        )
    };
    let resolve = |name: &str| Act::Resolve {
        name: name.to_owned(),
    };
    insta::assert_snapshot!(of(resolve("api.example.com")), @"contradicted: asked for the address of `api.example.com`");
    insta::assert_snapshot!(of(connect(Scope::PrivateNetwork, "10.1.2.3", Some(22))), @"contradicted: connected to `10.1.2.3:22` (tcp, a private network)");
    assert_eq!(of(resolve("localhost")), "consistent: 1");
    assert_eq!(
        of(connect(Scope::Loopback, "127.0.0.1", Some(80))),
        "consistent: 1"
    );
}

#[test]
fn what_only_failed_shows_nothing() {
    let fails = Observation {
        reply: failed(),
        ..call("1", Effects::default())
    };
    let lost = Observation {
        reply: Reply::Failed {
            said: "no answer within 30 s".to_owned(),
        },
        ..call("2", Effects::default())
    };
    let name = Act::Resolve {
        name: "api.example.com".to_owned(),
    };
    let remote = Observation {
        reply: failed(),
        ..call("3", did(name, None))
    };
    let of = |observations: &[Observation]| line(&judged(READS, observations).verdicts.read_only);
    let lines = [
        of(&[]),
        of(std::slice::from_ref(&fails)),
        of(&[fails.clone(), lost]),
        of(&[fails.clone(), remote.clone()]),
        of(&[fails, remote, call("4", Effects::default())]),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    not exercised: no call was made
    not exercised: the one call failed: no such host
    not exercised: all 2 calls failed, one with: no such host
    can't tell: remote: api.example.com
    consistent: 1
    "#);
}

#[test]
fn what_is_not_claimed_has_what_was_observed_beside_it() {
    let calls = [call("1", Effects::default()), call("2", Effects::default())];
    let verdict = judged("- - - -", &calls);
    let lines: Vec<String> = Hint::ALL
        .into_iter()
        .map(|hint| {
            let observed = verdict.observed_in_words(hint);
            format!("{hint}: {}", observed.as_deref().unwrap_or("-"))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    readOnlyHint: nothing changed in 2 calls
    destructiveHint: nothing was lost in 2 calls
    idempotentHint: -
    openWorldHint: it stayed on this machine in 2 calls
    ");
}

#[test]
fn own_state_and_caches_count_where_settings_say_so() {
    let of = |class, standard: &Standard| {
        let observation = call("1", changes([change(class, What::Changed, Loss::Unknown)]));
        let verdict = judge("tidy", &claims(READS), &[observation], &setting(), standard);
        verdict.verdicts.read_only.as_str()
    };
    let lax = Standard::default();
    let strict = Standard {
        own_state: true,
        cache: true,
        log: true,
        ..Standard::default()
    };
    let verdicts = |standard| {
        [Class::UserData, Class::OwnState, Class::Cache, Class::Log]
            .map(|class| of(class, standard))
    };
    assert_eq!(
        verdicts(&lax),
        ["contradicted", "own state only", "cache only", "consistent"]
    );
    assert_eq!(verdicts(&strict), ["contradicted"; 4]);
}

fn any_class() -> impl Strategy<Value = Class> {
    prop_oneof![
        Just(Class::UserData),
        Just(Class::OwnState),
        Just(Class::Cache),
        Just(Class::Log),
    ]
}

fn any_change() -> impl Strategy<Value = Change> {
    let what = prop_oneof![
        Just(What::Created),
        Just(What::Changed),
        Just(What::Deleted),
        Just(What::SavedAgain),
        Just(What::Times),
    ];
    let lost = prop_oneof![
        Just(Loss::Nothing),
        Just(Loss::Recoverable("a commit".to_owned())),
        Just(Loss::Bytes(5)),
        Just(Loss::Unknown),
    ];
    (any_class(), what, lost).prop_map(|(class, what, lost)| change(class, what, lost))
}

fn any_event() -> impl Strategy<Value = Event> {
    let act = prop_oneof![
        Just(other("ptrace")),
        Just(other("io_uring_setup")),
        Just(open("/opt/x", false, true)),
        Just(Act::Resolve {
            name: "example.com".to_owned()
        }),
        Just(connect(Scope::OpenWorld, "198.51.100.7", Some(443))),
        Just(connect(Scope::Loopback, "127.0.0.1", Some(80))),
    ];
    (act, any::<bool>()).prop_map(|(act, refused)| event(act, refused.then_some("EROFS")))
}

fn any_effects() -> impl Strategy<Value = Effects> {
    (
        prop::collection::vec(any_change(), 0..2),
        prop::collection::vec(any_event(), 0..2),
    )
        .prop_map(|(changes, events)| Effects {
            changes,
            events,
            ..Effects::default()
        })
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![Just(said("one")), Just(said("two")), Just(failed())]
}

fn any_observation() -> impl Strategy<Value = Observation> {
    let again = prop::option::of((any_reply(), any_effects()));
    ("[ab]", any_reply(), any_effects(), again).prop_map(|(step, reply, effects, again)| {
        Observation {
            reply,
            again: again.map(|(reply, effects)| Repeat { reply, effects }),
            ..call(&step, effects)
        }
    })
}

fn any_claims() -> impl Strategy<Value = Hints<Claim>> {
    prop::array::uniform4(prop::sample::select(Claim::ALL.to_vec())).prop_map(|claims| {
        let mut claims = claims.into_iter();
        Hints::from_fn(|_| claims.next().unwrap())
    })
}

proptest! {
    #[test]
    fn no_further_observation_takes_a_contradiction_back(
        claims in any_claims(),
        mut observations in prop::collection::vec(any_observation(), 0..4),
        further in any_observation(),
    ) {
        let of = |observations: &[Observation]| {
            judge("tidy", &claims, observations, &setting(), &Standard::default())
        };
        let before = of(&observations);
        observations.push(further);
        let after = of(&observations);
        for (hint, verdict) in before.verdicts.iter() {
            if matches!(verdict, Verdict::Contradicted(_)) {
                prop_assert!(matches!(after.verdicts.get(hint), Verdict::Contradicted(_)));
            }
        }
    }

    #[test]
    fn the_order_does_not_matter(
        claims in any_claims(),
        observations in prop::collection::vec(any_observation(), 0..5),
        turn in 0_usize..5,
    ) {
        let of = |observations: &[Observation]| {
            judge("tidy", &claims, observations, &setting(), &Standard::default())
        };
        let mut turned = observations.clone();
        turned.reverse();
        let by = turn.min(turned.len());
        turned.rotate_left(by);
        prop_assert_eq!(of(&observations), of(&turned));
    }

    #[test]
    fn noise_alone_contradicts_nothing(
        claims in any_claims(),
        observations in prop::collection::vec(any_observation(), 0..4),
    ) {
        let noise = |effects: &mut Effects| {
            effects.events.clear();
            effects.changes.retain(|change| change.class != Class::UserData);
        };
        let mut observations = observations;
        for observation in &mut observations {
            noise(&mut observation.effects);
            if let Some(again) = &mut observation.again {
                noise(&mut again.effects);
            }
        }
        let verdict = judge("tidy", &claims, &observations, &setting(), &Standard::default());
        prop_assert!(!verdict.is_contradicted());
    }

    #[test]
    fn only_a_promise_is_judged(
        claims in any_claims(),
        observations in prop::collection::vec(any_observation(), 0..4),
    ) {
        let verdict = judge("tidy", &claims, &observations, &setting(), &Standard::default());
        for (hint, claim) in claims.iter() {
            if claim.boolean() != Some(!hint.default_value()) {
                prop_assert_eq!(verdict.verdicts.get(hint), &Verdict::NothingPromised);
            }
        }
    }
}
