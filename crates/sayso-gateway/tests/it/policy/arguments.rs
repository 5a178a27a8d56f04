//! Arguments, approval, time and errors in decisions.

use sayso_core::json::Document;
use sayso_gateway::policy::{Policies, ToolKey};

use super::world::{NOON, ask, decided, json, line, load, source, tool, tools};

#[test]
fn a_denial_that_confirmation_lifts_is_a_question() {
    let policies = load(
        r#"
@id("reads") permit (principal, action == Action::"call", resource) when { resource.effective.readOnly };
@id("confirmed") permit (principal, action == Action::"call", resource)
when { !resource.effective.destructive && context.confirmed };
@id("system") @reason("system files are not for anybody")
forbid (principal, action == Action::"call", resource)
when { context.arguments has path && context.arguments.path like "/etc/*" };
@id("wide") forbid (principal, action == Action::"call", resource == Tool::"mail/send")
when { context.arguments.to.containsAny(["all@example.org"]) } unless { context.confirmed };
"#,
    );
    let all = [
        (0, r#"{"path":"/srv/a"}"#),
        (0, r#"{"path":"/etc/a"}"#),
        (1, r#"{"path":"/srv/a"}"#),
        (1, r#"{"path":"/etc/a"}"#),
        (2, r#"{"path":"/srv/a"}"#),
        (3, r#"{"to":["bo@example.org"],"body":""}"#),
        (3, r#"{"to":["all@example.org"],"body":""}"#),
    ];
    let told = all.map(|(tool, arguments)| decided(&policies, tool, arguments));
    insta::assert_snapshot!(told.join("\n"), @"
    allow [reads]
    deny [system]
    ask [confirmed]
    deny [system]
    deny []
    ask [confirmed]
    ask [wide]
    ");
}

#[test]
fn an_error_in_any_policy_denies() {
    let policies = load(
        r#"
@id("all") permit (principal, action == Action::"call", resource);
@id("sum") forbid (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments has mode && context.arguments.mode + 1 > 9223372036854775807 };
"#,
    );
    let all = [
        (1, r#"{"path":"/a"}"#),
        (1, r#"{"path":"/a","mode":3}"#),
        (1, r#"{"path":"/a","mode":9223372036854775807}"#),
        (0, r#"{"path":"/a"}"#),
    ];
    let told = all.map(|(tool, arguments)| decided(&policies, tool, arguments));
    insta::assert_snapshot!(told.join("\n"), @"
    allow [all]
    allow [all]
    deny [!sum: integer overflow while attempting to add the values `9223372036854775807` and `1`]
    allow [all]
    ");
}

#[test]
fn an_argument_that_is_read_and_does_not_fit_denies() {
    let policies = load(
        r#"
@id("all") permit (principal, action == Action::"call", resource);
@id("force") forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments has force && context.arguments.force };
"#,
    );
    let all = [
        (1, r#"{"path":"/a"}"#),
        (1, r#"{"path":"/a","force":false}"#),
        (1, r#"{"path":"/a","force":true}"#),
        // `null` is the same as nothing where the schema allows it.
        (1, r#"{"path":"/a","force":null}"#),
        (1, r#"{"path":"/a","force":"yes"}"#),
        (1, r#"{"path":"/a","force":false,"force":true}"#),
        // This tool does not know the argument, and its server might.
        (0, r#"{"path":"/a","force":true}"#),
        // What no policy reads may be anything.
        (1, r#"{"path":7,"mode":"x"}"#),
    ];
    let told = all.map(|(tool, arguments)| decided(&policies, tool, arguments));
    insta::assert_snapshot!(told.join("\n"), @"
    allow [all]
    allow [all]
    deny [force]
    allow [all]
    deny [!argument `force` is not a boolean]
    deny [!argument `force` is there twice]
    deny [!argument `force` has no type that policies know]
    allow [all]
    ");
}

#[test]
fn numbers_are_what_they_are_however_they_are_spelled() {
    let policies = load(
        r#"
@id("seven") permit (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments has mode && context.arguments.mode == 700 };
"#,
    );
    let spelled = ["700", "7e2", "700.0", "7.00E+2", "700.5", "1e400", "-700"];
    let told = spelled.map(|number| {
        let arguments = format!(r#"{{"path":"/a","mode":{number}}}"#);
        format!("{number}: {}", decided(&policies, 1, &arguments))
    });
    insta::assert_snapshot!(told.join("\n"), @"
    700: allow [seven]
    7e2: allow [seven]
    700.0: allow [seven]
    7.00E+2: allow [seven]
    700.5: deny [!argument `mode` is not a whole number of 64 bits]
    1e400: deny [!argument `mode` is not a whole number of 64 bits]
    -700: deny []
    ");
}

#[test]
fn time_counts() {
    let policies = load(
        r#"
@id("office") permit (principal, action == Action::"call", resource)
when { context.now.toTime() >= duration("8h") && context.now.toTime() < duration("18h") };
"#,
    );
    let tools = tools();
    let mut asked = ask(tools.first().unwrap(), r#"{"path":"/a"}"#);
    let told = [0, 5, 6, 12].map(|hours| {
        asked.now = NOON + hours * 3_600_000;
        format!("{hours}: {}", line(&policies.decide(&asked.question())))
    });
    insta::assert_snapshot!(told.join("\n"), @"
    0: allow [office]
    5: allow [office]
    6: deny []
    12: deny []
    ");
    asked.now = i64::MAX;
    insta::assert_snapshot!(line(&policies.decide(&asked.question())), @"deny [!9223372036854775807 is no time in milliseconds]");
}

#[test]
fn a_tool_that_is_not_known_is_denied() {
    let policies = load("permit (principal, action, resource);");
    let unknown = tool("files", "rename", "t--f", "{}");
    insta::assert_snapshot!(line(&policies.decide(&ask(&unknown, "{}").question())), @"deny [!no tool `files/rename` is known to the policies]");
}

#[test]
fn the_schema_says_what_policies_see() {
    let schema = r##"{"type":"object","$defs":{"place":{"type":"object","properties":{
        "city":{"type":"string"},"size":{"type":"number"}},"required":["city"]}},
      "properties":{
        "a":{"type":"string"},"b":{"type":["integer","null"]},"c":{"type":"number"},
        "d":{"$ref":"#/$defs/place"},"e":{"enum":["x","y"]},"f":{"type":"array","items":{"type":"boolean"}},
        "g":{"anyOf":[{"type":"string"},{"type":"null"}]},"h":{"anyOf":[{"type":"string"},{"type":"integer"}]},
        "i":{"type":"object"},"j":{},"k":{"type":"array"},"l":{"$ref":"#/$defs/none"},
        "m":{"$ref":"#/properties/m"}
      },"required":["a","b"]}"##;
    let facts = tool("files", "many", "", schema);
    let policies = Policies::load(&[], &[facts]).unwrap();
    let told = policies.arguments(&ToolKey::new("files", "many"));
    let told = told.iter().map(|(name, kind)| match kind {
        Ok(kind) => format!("{name}: {kind}"),
        Err(why) => format!("{name} left out: {why}"),
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"
    a: String
    b: Long
    c left out: policies have no fractions
    d: { city: String }
    e: String
    f: Set<Bool>
    g: String
    h left out: its schema allows several types
    i left out: its members are not in the schema
    j left out: its schema names no type
    k left out: its items have no type
    l left out: its `$ref` leads nowhere
    m left out: its `$ref` leads nowhere
    ");
}

#[test]
fn what_lies_inside_an_argument_is_read_by_itself() {
    let schema = r#"{"type":"object","properties":{"where":{"type":"object","properties":{
        "city":{"type":"string"},"size":{"type":"number"}}}}}"#;
    let facts = tool("files", "many", "", schema);
    let text = r#"
@id("all") permit (principal, action == Action::"call", resource);
@id("city") forbid (principal, action == Action::"call", resource)
when { context.arguments has where.city && context.arguments.where.city == "Bern" };
"#;
    let policies = Policies::load(&source(text), std::slice::from_ref(&facts)).unwrap();
    let told = [
        r#"{"where":{"city":"Bern","size":3}}"#,
        r#"{"where":{"city":"Basel","size":3.5,"more":null}}"#,
        r#"{"where":{"size":3.5}}"#,
        r#"{"where":{"city":7}}"#,
        r#"{"where":[]}"#,
        "{}",
    ]
    .map(|arguments| line(&policies.decide(&ask(&facts, arguments).question())));
    insta::assert_snapshot!(told.join("\n"), @"
    deny [city]
    allow [all]
    allow [all]
    deny [!argument `where.city` is not a string]
    deny [!argument `where` is not an object]
    allow [all]
    ");
}

#[test]
fn a_listing_that_changes_denies_only_the_tool_that_does_not_fit() {
    let policies = load(
        r#"
@id("all") permit (principal, action == Action::"call", resource);
@id("etc") forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments.path like "/etc/*" };
"#,
    );
    let mut changed = tools();
    changed[1].input_schema = Some(json(
        r#"{"type":"object","properties":{"path":{"type":"integer"}}}"#,
    ));
    let after = policies.for_tools(&changed);
    assert_eq!(after.digest(), policies.digest());
    let arguments: Document = json(r#"{"path":"/a"}"#);
    let told = changed.iter().map(|facts| {
        let asked = ask(facts, arguments.text());
        format!(
            "{}: {}",
            facts.key(),
            line(&after.decide(&asked.question()))
        )
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    files/read: allow [all]
    files/write: deny [!rules.cedar:4:8: unable to guarantee safety of access to optional attribute `arguments.path` in context for Action::"call" (with the arguments of `files/write`)]
    files/delete: allow [all]
    mail/send: allow [all]
    "#);
}

#[test]
fn what_is_told_of_a_listing_is_told_each_time_it_comes() {
    let text = r#"
@id("all") permit (principal, action == Action::"call", resource);
@id("gone") forbid (principal, action == Action::"call", resource == Tool::"wiki/erase");
@id("mixed") forbid (principal, action == Action::"call", resource)
when { resource.name == "sеnd" };
@id("etc") forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments.path like "/etc/*" };
"#;
    let changed = |schema: &str| {
        let mut changed = tools();
        changed[1].input_schema = Some(json(schema));
        changed
    };
    let first = tools();
    let integer = changed(r#"{"type":"object","properties":{"path":{"type":"integer"}}}"#);
    let hidden = changed(r#"{"type":"object","properties":{"path":{}},"required":["path"]}"#);
    let told = |policies: &Policies| {
        let notes = policies.notes().iter().map(ToString::to_string);
        notes.collect::<Vec<_>>().join("\n")
    };
    let serving = Policies::serving(&source(text), &first).unwrap();
    insta::assert_snapshot!(told(&serving), @r#"
    rules.cedar:5:25: string `"sеnd"` contains mixed scripts
    rules.cedar:3:1: no tool is called `wiki/erase`
    "#);
    insta::assert_snapshot!(told(&serving.for_tools(&integer)), @r#"
    rules.cedar:5:25: string `"sеnd"` contains mixed scripts
    rules.cedar:7:8: unable to guarantee safety of access to optional attribute `arguments.path` in context for Action::"call" (with the arguments of `files/write`)
    rules.cedar:7:8: unexpected type: expected String but saw Long (with the arguments of `files/write`)
    rules.cedar:3:1: no tool is called `wiki/erase`
    "#);
    insta::assert_snapshot!(told(&serving.for_tools(&hidden)), @r#"
    rules.cedar:5:25: string `"sеnd"` contains mixed scripts
    rules.cedar:6:1: it reads the argument `path` of `files/write`, which policies cannot see: its schema names no type
    rules.cedar:7:8: attribute `arguments.path` in context for Action::"call" not found (with the arguments of `files/write`)
    rules.cedar:3:1: no tool is called `wiki/erase`
    "#);
    // Whatever listings came before, and in whichever order.
    let listings = [&first, &integer, &hidden];
    let expected = listings.map(|tools| told(&serving.for_tools(tools)));
    let mut policies = serving;
    for _ in 0..2 {
        for (tools, expected) in listings.iter().zip(&expected).rev() {
            policies = policies.for_tools(tools);
            assert_eq!(&told(&policies), expected);
            let again = Policies::serving(&source(text), tools).unwrap();
            assert_eq!(&told(&again), expected);
        }
    }
    // Other policies under the same name are read anew.
    let other = Policies::serving(&source("permit (principal, action, resource);"), &first);
    assert_eq!(told(&other.unwrap()), "");
}

#[test]
fn a_server_that_is_not_there_stops_no_other() {
    let text = r#"
@id("all") permit (principal, action == Action::"call", resource in Server::"files");
@id("gone") forbid (principal, action == Action::"call", resource == Tool::"wiki/erase")
when { context.arguments.page like "*" };
"#;
    let tools = tools();
    assert!(Policies::load(&source(text), &tools).is_err());
    let policies = Policies::serving(&source(text), &tools).unwrap();
    insta::assert_snapshot!(line(&policies.decide(&ask(&tools[0], r#"{"path":"/a"}"#).question())), @"allow [all]");
    let told = policies.notes().iter().map(ToString::to_string);
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @"rules.cedar:3:1: no tool is called `wiki/erase`");
    assert!(
        Policies::serving(
            &source("permit (principal, action, resource) when { resource.x };"),
            &tools
        )
        .is_err()
    );
}
