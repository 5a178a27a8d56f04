//! What does not load, and what it says then.

use super::world::refused;

#[test]
fn what_is_no_cedar_is_refused_with_its_place() {
    insta::assert_snapshot!(refused("permit (principal, action, resource)\nwhen { resource.pin = \"pinned\" };"), @"");
}

#[test]
fn attributes_that_are_not_there_are_refused_with_what_was_meant() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource)
when { resource.effective.readonly };
"#), @"");
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/read")
when { context.arguments.pth == "/a" };
"#), @"");
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"calls", resource);
"#), @"");
}

#[test]
fn types_that_do_not_fit_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments has mode && context.arguments.mode == "x" };
"#), @"");
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource == Tool::"files/write")
when { context.arguments.mode < 3 };
"#), @"");
    insta::assert_snapshot!(refused(r#"
forbid (principal, action, resource)
when { context.arguments has path && context.arguments.path like "/etc/*" };
"#), @"");
}

#[test]
fn policies_that_never_apply_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource is Prompt);

permit (principal, action == Action::"call", resource == Tool::"files/read")
when { context.arguments has count && context.arguments.count == 3 };
"#), @"");
}

#[test]
fn tools_and_servers_that_are_not_there_are_refused() {
    insta::assert_snapshot!(refused(r#"
forbid (principal, action == Action::"call", resource == Tool::"files/delet");
forbid (principal, action == Action::"call", resource in Server::"disk");
forbid (principal, action == Action::"call", resource == Tool::"delete");
"#), @"");
}

#[test]
fn words_that_an_attribute_never_has_are_refused() {
    insta::assert_snapshot!(refused(r#"
permit (principal, action == Action::"call", resource)
when { resource.pin == "pined" || context.transport != "https" };
permit (principal, action == Action::"call", resource)
unless { ["ruled", "case"].contains(resource.provenance.readOnly) && resource.claimed.openWorld == "yes" };
"#), @"");
}

#[test]
fn arguments_that_policies_cannot_see_are_refused_where_they_are_read() {
    insta::assert_snapshot!(refused(r#"
forbid (principal, action == Action::"call", resource in Server::"files")
when { context.arguments has ratio };
"#), @"");
}

#[test]
fn what_can_only_be_a_mistake_is_refused() {
    insta::assert_snapshot!(refused(r#"
@id("one") @reson("why not")
permit (principal, action == Action::"list", resource);
@id("one")
permit (principal, action == Action::"call", resource);
permit (principal == ?principal, action, resource);
"#), @"");
}
