//! What does not load, and what it says then.

use super::world::refused;

#[test]
fn what_is_no_cedar_is_refused_with_its_place() {
    insta::assert_snapshot!(refused("permit (principal, action, resource)\nwhen { resource.pin = \"pinned\" };"), @"
    rules.cedar:2:8: '=' is not a valid operator in Cedar
      hint: try using '==' instead
    ");
}

#[test]
fn attributes_that_are_not_there_are_refused_with_what_was_meant() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource)
when { resource.effective.readonly };
"#), @"
    rules.cedar:3:8: attribute `effective.readonly` on entity type `Tool` not found
      hint: did you mean `readOnly`?
    ");
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/read")
when { context.arguments.pth == "/a" };
"#), @r#"
    rules.cedar:3:8: attribute `arguments.pth` in context for Action::"call" not found (with the arguments of `files/read`)
      hint: did you mean `path`?
    "#);
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"calls", resource);
"#), @r#"
    rules.cedar:2:30: unrecognized action `Action::"calls"`
      hint: did you mean `Action::"call"`?
    "#);
}

#[test]
fn types_that_do_not_fit_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments has mode && context.arguments.mode == "x" };
"#), @"
    rules.cedar:3:38: the types Long and String are not compatible (with the arguments of `files/write`)
      hint: both operands to a `==` expression must have compatible types. Types must be exactly equal to be compatible
    ");
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments.mode < 3 };
"#), @r#"
    rules.cedar:3:8: unable to guarantee safety of access to optional attribute `arguments.mode` in context for Action::"call" (with the arguments of `files/write`)
      hint: try testing for the attribute's presence with `context.arguments has mode && ..`
    "#);
    insta::assert_snapshot!(refused(r#"
forbid (principal, action, resource)
when { context.arguments has path && context.arguments.path like "/etc/*" };
"#), @r#"
    rules.cedar:2:1: it reads `context.arguments`, and only calls have arguments
      hint: say `action == Action::"call"` in its scope
    "#);
}

#[test]
fn policies_that_never_apply_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource is Prompt);

permit (principal, action == Action::"call", resource == Tool::"files/read")
when { context.arguments has count && context.arguments.count == 3 };
"#), @"
    rules.cedar:2:1: the policy never applies: no such action has such a resource
    rules.cedar:4:1: the policy never applies: its condition is never true
    ");
}

#[test]
fn tools_and_servers_that_are_not_there_are_refused() {
    insta::assert_snapshot!(refused(r#"
forbid (principal, action == Action::"call", resource == Tool::"files/delet");
forbid (principal, action == Action::"call", resource in Server::"disk");
forbid (principal, action == Action::"call", resource == Tool::"delete");
"#), @"
    rules.cedar:2:1: no tool is called `files/delet`
      hint: did you mean `files/delete`?
    rules.cedar:3:1: no server is called `disk`
      hint: there are `files`, `mail`
    rules.cedar:4:1: no tool is called `delete`
      hint: policies name tools as `server/tool`
    ");
}

#[test]
fn words_that_an_attribute_never_has_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource)
when { resource.pin == "pined" || context.transport != "https" };
permit (principal, action == Action::"call", resource)
unless { ["ruled", "case"].contains(resource.provenance.readOnly) && resource.claimed.openWorld == "yes" };
"#), @r#"
    rules.cedar:2:1: `resource.pin` is never `"pined"`
      hint: did you mean `"pinned"`?
    rules.cedar:2:1: `context.transport` is never `"https"`
      hint: did you mean `"http"`?
    rules.cedar:4:1: `resource.claimed.openWorld` is never `"yes"`
      hint: it is one of `absent`, `null`, `true`, `false`, `malformed`, `duplicated`
    "#);
}

#[test]
fn arguments_that_policies_cannot_see_are_refused_where_they_are_read() {
    insta::assert_snapshot!(refused(r#"
forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments has ratio };
"#), @"
    rules.cedar:2:1: it reads the argument `ratio` of `files/write`, which policies cannot see: policies have no fractions
      hint: restrict the argument in the tool's settings, or name another tool
    ");
}

#[test]
fn what_can_only_be_a_mistake_is_refused() {
    insta::assert_snapshot!(refused(r#"
@id("one") @reson("why not")
permit (principal, action == Action::"list", resource);
@id("one")
permit (principal, action == Action::"call", resource);
permit (principal == ?principal, action, resource);
"#), @"
    rules.cedar:6:1: it is a template, and nothing fills its slots
      hint: name the principal and the resource themselves
    rules.cedar:2:1: no annotation is called `@reson`
      hint: did you mean `@reason`?
    rules.cedar:4:1: another policy has the `@id` `one`, in rules.cedar:2
      hint: reasons name policies by it: give each its own
    ");
}
