use crate::edit::written;
use crate::support::survey;

const ATTRIBUTES: &str = r#"
use rmcp::{tool, tool_router};

#[tool_router]
impl Notes {
    /// Lists notes.
    #[tool]
    async fn note_list(&self) -> String { String::new() }

    #[tool(name = "note_add", description = "Adds, (a note)")]
    // Adding twice adds two.
    #[expect(clippy::unused_async)]
    async fn add(&self, Parameters(note): Parameters<Note>) -> String { String::new() }

    #[tool(
        title = "Remove a note", // for people
        annotations(read_only_hint = true, title = "Remove"),
        input_schema = schema(1, 2),
    )]
    fn note_remove(&self) {}

    #[tool(annotations(destructive_hint = DESTROYS))]
    fn note_clear(&self) {}
}
"#;

#[test]
fn attributes() {
    insta::assert_snapshot!(survey(&[("src/notes.rs", ATTRIBUTES)]), @"
    src/notes.rs:8:14 note_list (Decorator): none
    src/notes.rs:10:19 note_add (Decorator): none
    src/notes.rs:20:8 note_remove (Decorator): R---
    src/notes.rs:23:8 note_clear (Decorator): ----
    ");
    let tools = ["note_list", "note_add", "note_remove", "note_clear"];
    insta::assert_snapshot!(written("src/notes.rs", ATTRIBUTES, &tools), @r#"

    use rmcp::{tool, tool_router};

    #[tool_router]
    impl Notes {
        /// Lists notes.
        #[tool(annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ))]
        async fn note_list(&self) -> String { String::new() }

        #[tool(name = "note_add", description = "Adds, (a note)", annotations(
            read_only_hint = true,
            destructive_hint = false,
            idempotent_hint = true,
            open_world_hint = false
        ))]
        // Adding twice adds two.
        #[expect(clippy::unused_async)]
        async fn add(&self, Parameters(note): Parameters<Note>) -> String { String::new() }

        #[tool(
            title = "Remove a note", // for people
            annotations(read_only_hint = true, title = "Remove", destructive_hint = false, idempotent_hint = true, open_world_hint = false),
            input_schema = schema(1, 2),
        )]
        fn note_remove(&self) {}

        #[tool(annotations(destructive_hint = DESTROYS))]
        fn note_clear(&self) {}
    }
    refused: Computed(Destructive)
    "#);
}

#[test]
fn builders() {
    let text = r#"
use rmcp::model::{Tool, ToolAnnotations};
use crate::names;

const FIND: &str = "note_find";

fn tools() -> Vec<Tool> {
    vec![
        Tool::new("note_list", "Lists notes.", schema()),
        Tool::new(FIND, "Finds notes.", schema())
            .with_title("Find"),
        Tool::new(
            names::REMOVE,
            "Removes a note.",
            schema(),
        ),
        Tool::new("note_add", "Adds a note.", schema())
            .with_annotations(ToolAnnotations::with_title("Add").read_only(true)),
    ]
}
"#;
    let names = "pub const REMOVE: &str = \"note_remove\";\n";
    insta::assert_snapshot!(survey(&[("src/tools.rs", text), ("src/names.rs", names)]), @"
    src/tools.rs:9:19 note_list (Call): none
    src/tools.rs:10:19 note_find (Call): none
    src/tools.rs:13:13 note_remove (Call): none
    src/tools.rs:17:19 note_add (Call): R---
    ");
    let text = text.replace("names::REMOVE", "\"note_remove\"");
    let tools = ["note_list", "note_find", "note_remove", "note_add"];
    insta::assert_snapshot!(written("src/tools.rs", &text, &tools), @r#"

    use rmcp::model::{Tool, ToolAnnotations};
    use crate::names;

    const FIND: &str = "note_find";

    fn tools() -> Vec<Tool> {
        vec![
            Tool::new("note_list", "Lists notes.", schema())
                .with_annotations(
                    ToolAnnotations::new()
                        .read_only(true)
                        .destructive(false)
                        .idempotent(true)
                        .open_world(false),
                ),
            Tool::new(FIND, "Finds notes.", schema())
                .with_annotations(
                    ToolAnnotations::new()
                        .read_only(true)
                        .destructive(false)
                        .idempotent(true)
                        .open_world(false),
                )
                .with_title("Find"),
            Tool::new(
                "note_remove",
                "Removes a note.",
                schema(),
            )
            .with_annotations(
                ToolAnnotations::new()
                    .read_only(true)
                    .destructive(false)
                    .idempotent(true)
                    .open_world(false),
            ),
            Tool::new("note_add", "Adds a note.", schema())
                .with_annotations(ToolAnnotations::with_title("Add").read_only(true).destructive(false).idempotent(true).open_world(false)),
        ]
    }
    "#);
}

#[test]
fn functions_that_make_tools() {
    let text = r#"
use rmcp::model::{Tool, ToolAnnotations};
fn tool(name: &'static str, description: &'static str) -> Tool {
    Tool::new(name, description, schema())
}
fn described(name: &'static str, annotations: ToolAnnotations) -> Tool {
    Tool::new(name, "", schema()).with_annotations(annotations)
}
fn all() -> Vec<Tool> {
    let own = DEFINITIONS.iter().map(|definition| Tool::new(definition.name, "", schema()));
    own.chain([tool("note_list", "Lists"), described("note_add", ToolAnnotations::new().read_only(false))]).collect()
}
"#;
    insta::assert_snapshot!(survey(&[("src/tools.rs", text)]), @"
    src/tools.rs:11:21 note_list (Wrapper): no place
    src/tools.rs:11:54 note_add (Wrapper): r---
    drops src/tools.rs:4 in tool: name description input_schema
      Parameter tool src/tools.rs:3 `annotations: ToolAnnotations`
      HandOn tool src/tools.rs:4 `.with_annotations(annotations)`
    carries src/tools.rs:7 in described: name description input_schema annotations
    drops src/tools.rs:10 in all: name description input_schema
      HandOn all src/tools.rs:10 `.with_annotations(definition.annotations.clone())`
    ");
}
