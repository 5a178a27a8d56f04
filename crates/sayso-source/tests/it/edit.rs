use proptest::prelude::*;
use sayso_core::hint::Hints;
use sayso_source::{Outcome, Plan, SourceFile, Survey, Values};

use crate::support::{sources, told};

/// What is ruled of a tool that only reads, inside this system.
fn reads() -> Hints<Option<bool>> {
    Hints {
        read_only: Some(true),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    }
}

pub(crate) fn written(path: &str, text: &str, tools: &[&str]) -> String {
    let files = sources(&[(path, text)]);
    let values: Values = tools
        .iter()
        .map(|tool| ((*tool).to_owned(), reads()))
        .collect();
    let plan = Plan::of(&files, &Survey::of(&files), &values);
    let mut written = plan.apply(0, text);
    for outcome in &plan.outcomes {
        if let Outcome::Refused(refusal) = outcome {
            written.push_str(&format!("refused: {refusal:?}\n"));
        }
    }
    written
}

#[test]
fn typescript_is_written_as_the_file_writes() {
    let text = r#"
server.registerTool("a", { description: "A", inputSchema: {} }, run);
server.registerTool(
    "b",
    {
        title: 'B', // a comment
        inputSchema: { path: z.string() }, // another
        outputSchema: {}
    },
    async () => {
        return 1;
    },
);
server.registerTool("c", {
	title: "C"  // no comma
}, run);
server.registerTool("d", {}, run);
server.tool("e", "Reads e", { path: z.string() }, run);
"#;
    let tools = ["a", "b", "c", "d", "e"];
    insta::assert_snapshot!(written("index.ts", text, &tools), @r#"

    server.registerTool("a", { description: "A", inputSchema: {}, annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
    } }, run);
    server.registerTool(
        "b",
        {
            title: 'B', // a comment
            inputSchema: { path: z.string() }, // another
            outputSchema: {},
            annotations: {
                readOnlyHint: true,
                destructiveHint: false,
                idempotentHint: true,
                openWorldHint: false
            }
        },
        async () => {
            return 1;
        },
    );
    server.registerTool("c", {
    	annotations: {
    		readOnlyHint: true,
    		destructiveHint: false,
    		idempotentHint: true,
    		openWorldHint: false,
    	},
    	title: "C"  // no comma
    }, run);
    server.registerTool("d", { annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
    } }, run);
    server.tool("e", "Reads e", { path: z.string() }, {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
    }, run);
    "#);
}

#[test]
fn what_is_there_is_corrected_and_added_to() {
    let text = r#"
server.registerTool("h", {
    annotations: {
        title: "H",
        readOnlyHint: false,
    },
}, run);
server.registerTool("i", { annotations: { readOnlyHint: reads() } }, run);
server.registerTool("g", { annotations: { readOnlyHint: false, openWorldHint: undefined } }, run);
const tools = [{ "name": "j", "inputSchema": { "type": "object" } }];
server.tool("f", run);
"#;
    insta::assert_snapshot!(written("index.ts", text, &["f", "g", "h", "i", "j"]), @r#"

    server.registerTool("h", {
        annotations: {
            title: "H",
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
        },
    }, run);
    server.registerTool("i", { annotations: { readOnlyHint: reads() } }, run);
    server.registerTool("g", { annotations: { readOnlyHint: true, openWorldHint: false, destructiveHint: false, idempotentHint: true } }, run);
    const tools = [{ "name": "j", "inputSchema": { "type": "object" }, "annotations": {
        "readOnlyHint": true,
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": false
    } }];
    server.tool("f", {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
    }, run);
    refused: Computed(ReadOnly)
    "#);
}

#[test]
fn python_is_written_as_the_file_writes() {
    let text = r#""""A server."""
import os
from mcp.server.fastmcp import FastMCP  # the framework

@mcp.tool()
def a(): ...

@mcp.tool
def b(): ...

@mcp.tool(
    name="c",
    description="C",  # a comment
)
def other(): ...

mcp.add_tool(d, description="D")
TOOLS = [{'name': 'e', 'inputSchema': {}, 'annotations': {'readOnlyHint': False}}]

@mcp.tool(annotations=ToolAnnotations(read_only_hint=True, title="F"))
def f(): ...
"#;
    insta::assert_snapshot!(written("server.py", text, &["a", "b", "c", "d", "e", "f"]), @r#"
    """A server."""
    import os
    from mcp.server.fastmcp import FastMCP  # the framework
    from mcp.types import ToolAnnotations

    @mcp.tool(annotations=ToolAnnotations(
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    ))
    def a(): ...

    @mcp.tool(annotations=ToolAnnotations(
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    ))
    def b(): ...

    @mcp.tool(
        name="c",
        description="C",  # a comment
        annotations=ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
    def other(): ...

    mcp.add_tool(d, description="D", annotations=ToolAnnotations(
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    ))
    TOOLS = [{'name': 'e', 'inputSchema': {}, 'annotations': {'readOnlyHint': True, 'destructiveHint': False, 'idempotentHint': True, 'openWorldHint': False}}]

    @mcp.tool(annotations=ToolAnnotations(read_only_hint=True, title="F", destructive_hint=False, idempotent_hint=True, open_world_hint=False))
    def f(): ...
    "#);
}

#[test]
fn what_would_be_a_guess_is_refused() {
    let text = r#"
const shared = { readOnlyHint: false };
server.registerTool("a", { annotations: shared }, run);
server.registerTool("unruled", { annotations: shared }, run);
server.registerTool("b", {}, run);
if (extended) server.registerTool("b", {}, run);
server.registerTool("c", { annotations: READS }, run);
server.registerTool("d", make(), run);
"#;
    insta::assert_snapshot!(written("index.js", text, &["a", "b", "c", "d"]), @r#"

    const shared = { readOnlyHint: false };
    server.registerTool("a", { annotations: shared }, run);
    server.registerTool("unruled", { annotations: shared }, run);
    server.registerTool("b", {}, run);
    if (extended) server.registerTool("b", {}, run);
    server.registerTool("c", { annotations: READS }, run);
    server.registerTool("d", make(), run);
    refused: Shared(["unruled"])
    refused: Repeated([Place { file: 0, span: 228..231, line: 6, column: 35 }])
    refused: Repeated([Place { file: 0, span: 179..182, line: 5, column: 21 }])
    refused: Expression("READS")
    refused: Expression("make()")
    "#);
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    TypeScript,
    Python,
    Rust,
    CSharpAttribute,
    CSharpOptions,
    GoStruct,
    GoOptions,
    JavaAnnotation,
    JavaBuilder,
    Kotlin,
}

impl Written {
    const fn path(self) -> &'static str {
        match self {
            Self::TypeScript => "index.ts",
            Self::Python => "server.py",
            Self::Rust => "server.rs",
            Self::CSharpAttribute | Self::CSharpOptions => "Server.cs",
            Self::GoStruct | Self::GoOptions => "server.go",
            Self::JavaAnnotation | Self::JavaBuilder => "Server.java",
            Self::Kotlin => "Server.kt",
        }
    }

    /// What begins the file.
    const fn head(self) -> &'static str {
        match self {
            Self::JavaAnnotation => "import org.springframework.ai.mcp.annotation.McpTool;\n",
            Self::Kotlin => "import io.modelcontextprotocol.kotlin.sdk.types.*\n",
            Self::JavaBuilder => "import io.modelcontextprotocol.spec.McpSchema;\n",
            _ => "",
        }
    }

    const fn separator(self) -> &'static str {
        match self {
            Self::JavaBuilder => "",
            _ => ",",
        }
    }

    const fn allows_trailing_comma(self) -> bool {
        !matches!(self, Self::CSharpAttribute | Self::JavaAnnotation)
    }

    /// One of four things that may stand beside annotations.
    const fn field(self, number: usize) -> &'static str {
        match (self, number) {
            (Self::TypeScript, 0) => "title: 'é \"x\"'",
            (Self::TypeScript, 1) => "description: `A ${1} {`",
            (Self::TypeScript, 2) => "inputSchema: { a: z.string() }",
            (Self::TypeScript, _) => "_meta: { \"a, b\": [1, 2] }",
            (Self::Python, 0) => "title='é \"x\"'",
            (Self::Python, 1) => "description=\"A, (\"",
            (Self::Python, 2) => "structured_output=False",
            (Self::Python, _) => "meta={'a': [1, 2]}",
            (Self::Rust, 0) => "title = \"é, \\\"x\"",
            (Self::Rust, 1) => "description = r#\"A, (\"#",
            (Self::Rust, 2) => "input_schema = schema([1, 2], \"a\")",
            (Self::Rust, _) => "local",
            (Self::Kotlin, 0) => "title = \"é, \\\"x\"",
            (Self::Kotlin, 1) => "description = \"A, (\"",
            (Self::Kotlin, 2) => "inputSchema = ToolSchema(buildJsonObject { put(\"a\", 1) })",
            (Self::Kotlin, _) => "outputSchema = null",
            (Self::JavaAnnotation, 0) => "title = \"é, \\\"x\"",
            (Self::JavaAnnotation, 1) => "description = \"A, (\"",
            (Self::JavaAnnotation, 2) => "metaProvider = Map.Entry[].class",
            (Self::JavaAnnotation, _) => "tags = { \"a\", \"b\" }",
            (Self::JavaBuilder, 0) => ".title(\"é, \\\"x\")",
            (Self::JavaBuilder, 1) => ".description(\"A, (\")",
            (Self::JavaBuilder, 2) => ".inputSchema(schema(1, call -> { return 2; }))",
            (Self::JavaBuilder, _) => ".meta(Map.of())",
            (Self::GoStruct, 0) => "Title: \"é, \\\"x\"",
            (Self::GoStruct, 1) => "Description: `A, (`",
            (Self::GoStruct, 2) => "InputSchema: map[string]any{\"a\": []int{1, 2}}",
            (Self::GoStruct, _) => "Meta: mcp.Meta{\"a, b\": 1}",
            (Self::GoOptions, 0) => "mcp.WithTitle(\"é, \\\"x\")",
            (Self::GoOptions, 1) => "mcp.WithDescription(`A, (`)",
            (Self::GoOptions, 2) => "mcp.WithString(\"a\", mcp.Required())",
            (Self::GoOptions, _) => "option",
            (Self::CSharpAttribute | Self::CSharpOptions, 0) => "Title = \"é, \\\"x\"",
            (Self::CSharpAttribute | Self::CSharpOptions, 1) => "Description = @\"A, (\"",
            (Self::CSharpAttribute, 2) => "OutputSchemaType = typeof(Map<int, string>)",
            (Self::CSharpOptions, 2) => "Metadata = [1, new Note { A = 1 }]",
            (Self::CSharpAttribute | Self::CSharpOptions, _) => "UseStructuredContent = true",
        }
    }

    fn annotations(self, read_only: bool, open_world: Option<bool>) -> String {
        let value = |value: bool| match (self, value) {
            (Self::Python, true) => "True".to_owned(),
            (Self::Python, false) => "False".to_owned(),
            (_, value) => value.to_string(),
        };
        let (read_only, open_world) = (value(read_only), open_world.map(value));
        let (before, first, second, after) = match self {
            Self::TypeScript => ("annotations: { ", "readOnlyHint: ", "openWorldHint: ", " }"),
            Self::Python => (
                "annotations=ToolAnnotations(",
                "readOnlyHint=",
                "openWorldHint=",
                ")",
            ),
            Self::Rust => (
                "annotations(",
                "read_only_hint = ",
                "open_world_hint = ",
                ")",
            ),
            Self::GoStruct => (
                "Annotations: &mcp.ToolAnnotations{",
                "ReadOnlyHint: ",
                "OpenWorldHint: ",
                "}",
            ),
            Self::GoOptions => ("", "", "", ""),
            Self::CSharpAttribute | Self::CSharpOptions => ("", "ReadOnly = ", "OpenWorld = ", ""),
            Self::JavaAnnotation => (
                "annotations = @McpTool.McpAnnotations(",
                "readOnlyHint = ",
                "openWorldHint = ",
                ")",
            ),
            Self::Kotlin => (
                "toolAnnotations = ToolAnnotations(",
                "readOnlyHint = ",
                "openWorldHint = ",
                ")",
            ),
            Self::JavaBuilder => {
                let open_world = open_world.unwrap_or_else(|| "null".to_owned());
                return format!(
                    ".annotations(new McpSchema.ToolAnnotations(null, {read_only}, null, null, {open_world}, null))"
                );
            }
        };
        if matches!(self, Self::GoOptions) {
            let second = open_world
                .map(|value| format!(", mcp.WithOpenWorldHintAnnotation({value})"))
                .unwrap_or_default();
            return format!("mcp.WithReadOnlyHintAnnotation({read_only}){second}");
        }
        let open_world = match self {
            Self::GoStruct => open_world.map(|value| format!("new({value})")),
            _ => open_world,
        };
        let second = open_world
            .map(|value| format!(", {second}{value}"))
            .unwrap_or_default();
        format!("{before}{first}{read_only}{second}{after}")
    }

    fn registration(self, number: usize, list: &str) -> String {
        match self {
            Self::TypeScript => {
                format!("server.registerTool(\"tool_{number}\", {{{list}}}, run);\n")
            }
            Self::Python => format!("@mcp.tool({list})\ndef function_{number}(): ...\n\n"),
            Self::Rust => format!("#[tool({list})]\nfn function_{number}() {{}}\n\n"),
            Self::JavaAnnotation => {
                format!("class C{number} {{\n@McpTool({list})\nvoid function() {{ }}\n}}\n")
            }
            Self::Kotlin => {
                format!("fun f{number}() {{\n    addTool({list}) {{ run(it) }}\n}}\n")
            }
            Self::JavaBuilder => format!(
                "class C{number} {{ Tool tool = McpSchema.Tool.builder(){list}.build(); }}\n"
            ),
            Self::GoStruct => format!(
                "import \"github.com/modelcontextprotocol/go-sdk/mcp\"\nfunc ptr(v bool) *bool {{ return &v }}\nvar t{number} = mcp.Tool{{{list}}}\n"
            ),
            Self::GoOptions => format!(
                "import \"github.com/mark3labs/mcp-go/mcp\"\nvar t{number} = mcp.NewTool({list})\n"
            ),
            Self::CSharpAttribute => {
                format!("[McpServerTool({list})]\nvoid Function{number}() {{ }}\n\n")
            }
            Self::CSharpOptions => {
                format!("McpServerTool.Create(Run, new McpServerToolCreateOptions {{{list}}});\n")
            }
        }
    }
}

/// A registration of tool number `number`, laid out in one of many ways.
fn registration(number: usize, written: Written) -> impl Strategy<Value = String> {
    let fields = prop::collection::vec(0_usize..4, 0..4);
    let annotations = prop::option::of((any::<bool>(), prop::option::of(any::<bool>())));
    (fields, annotations, any::<[bool; 4]>()).prop_map(move |(mut fields, annotations, layout)| {
        fields.sort_unstable();
        fields.dedup();
        let mut items: Vec<String> = fields
            .iter()
            .map(|field| written.field(*field).to_owned())
            .collect();
        if let Some((read_only, open_world)) = annotations {
            items.insert(items.len() / 2, written.annotations(read_only, open_world));
        }
        match written {
            Written::TypeScript => {}
            Written::Python => items.insert(0, format!("name=\"tool_{number}\"")),
            Written::Rust => items.insert(0, format!("name = \"tool_{number}\"")),
            Written::Kotlin => items.insert(0, format!("name = \"tool_{number}\"")),
            Written::JavaAnnotation => items.insert(0, format!("name = \"tool_{number}\"")),
            Written::JavaBuilder => items.insert(0, format!(".name(\"tool_{number}\")")),
            Written::GoStruct => items.insert(0, format!("Name: \"tool_{number}\"")),
            Written::GoOptions => items.insert(0, format!("\"tool_{number}\"")),
            Written::CSharpAttribute | Written::CSharpOptions => {
                items.insert(0, format!("Name = \"tool_{number}\""));
            }
        }
        written.registration(number, &laid_out(&items, layout, written))
    })
}

fn laid_out(items: &[String], layout: [bool; 4], written: Written) -> String {
    let [lines, trailing, comment, tabs] = layout;
    let mark = if written == Written::Python {
        "#"
    } else {
        "//"
    };
    let unit = if tabs { "\t" } else { "    " };
    let mut list = String::new();
    let last = items.len().saturating_sub(1);
    for (position, item) in items.iter().enumerate() {
        // Without one there, Go has a statement end at the line.
        let is_needed = lines && matches!(written, Written::GoStruct | Written::GoOptions);
        let trailing = is_needed || trailing && written.allows_trailing_comma();
        let between = written.separator();
        let comma = if position < last || trailing {
            between
        } else {
            ""
        };
        let note = if comment {
            format!("  {mark} note, {{")
        } else {
            String::new()
        };
        match lines {
            true => list.push_str(&format!("\n{unit}{item}{comma}{note}")),
            false if position < last => list.push_str(&format!("{item}{between} ")),
            false => list.push_str(&format!("{item}{comma}")),
        }
    }
    if lines && !items.is_empty() {
        list.push('\n');
    }
    list
}

fn whole(written: Written) -> impl Strategy<Value = String> {
    let each = (0..4)
        .map(move |number| registration(number, written))
        .collect::<Vec<_>>();
    (each, any::<bool>()).prop_map(move |(each, windows)| {
        let text = [written.head(), &each.concat()].concat();
        if windows {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

fn any_file() -> impl Strategy<Value = (Written, String)> {
    prop::sample::select(vec![
        Written::TypeScript,
        Written::Python,
        Written::Rust,
        Written::CSharpAttribute,
        Written::CSharpOptions,
        Written::GoStruct,
        Written::GoOptions,
        Written::JavaAnnotation,
        Written::JavaBuilder,
        Written::Kotlin,
    ])
    .prop_flat_map(|written| (Just(written), whole(written)))
}

fn ruled() -> impl Strategy<Value = Hints<Option<bool>>> {
    any::<[Option<bool>; 4]>().prop_map(|[read_only, destructive, idempotent, open_world]| Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    })
}

proptest! {
    /// Whatever the layout: afterwards the source says what was ruled and nothing else has
    /// changed, neither in what is read nor in what is not.
    #[test]
    fn what_is_ruled_is_what_is_read_afterwards(
        (written, text) in any_file(),
        rulings in prop::collection::vec(prop::option::of(ruled()), 4),
    ) {
        let files = sources(&[(written.path(), &text)]);
        let before = Survey::of(&files);
        prop_assert!(before.broken.is_empty() && before.registrations.len() == 4, "{}", text);
        let values: Values = rulings
            .iter()
            .enumerate()
            .filter_map(|(number, ruling)| Some((format!("tool_{number}"), (*ruling)?)))
            .collect();
        let plan = Plan::of(&files, &before, &values);
        let edited = plan.apply(0, &text);
        let files = vec![SourceFile { text: edited.clone(), ..files.first().unwrap().clone() }];
        let after = Survey::of(&files);
        prop_assert!(after.broken.is_empty(), "{}\n{}", text, edited);
        for (old, new) in before.registrations.iter().zip(&after.registrations) {
            prop_assert_eq!(&old.name, &new.name);
            let ruled = values.get(old.known_name().unwrap()).copied().unwrap_or_default();
            let expected = old.hints().map(|hint, value| ruled.get(hint).or(*value));
            prop_assert_eq!(new.hints(), expected, "{}\n{}", text, edited);
        }
        prop_assert!(Plan::of(&files, &after, &values).edits.is_empty(), "{}", told(&files));
        // What was there is there, byte for byte, around what was put in.
        let mut rest = edited.as_str();
        let mut done = 0;
        for edit in &plan.edits {
            rest = rest.strip_prefix(text.get(done..edit.start).unwrap()).unwrap();
            rest = rest.strip_prefix(edit.text.as_str()).unwrap();
            done = edit.end;
        }
        prop_assert_eq!(rest, text.get(done..).unwrap());
        let bare_newlines = |text: &str| text.replace("\r\n", "").contains('\n');
        prop_assert_eq!(bare_newlines(&edited), bare_newlines(&text));
    }

    /// Nothing that stands in a file stops the reading.
    #[test]
    fn any_text_is_read(text in "([a-z@.(){}:,'\"`=\n]|tool|registerTool|name|annotations|inputSchema|def |#\\[tool|rmcp Tool::new|vec!\\[|\\[McpServerTool|@McpTool|io.modelcontextprotocol.kotlin.sdk|addTool\\(name = |io.quarkiverse.mcp @Tool|io.modelcontextprotocol Tool.builder\\(\\)|class A |new Tool|Name = |import \"github.com/mark3labs/mcp-go/mcp\"\n|import \"github.com/modelcontextprotocol/go-sdk/mcp\"\n|mcp.Tool\\{Name: |mcp.NewTool\\(|mcp.WithToolAnnotation|Annotations: |func |var |fn ()|\\$\\{|é){0,80}") {
        for path in ["a.ts", "a.js", "a.py", "a.rs", "a.cs", "a.go", "a.java", "a.kt"] {
            let files = sources(&[(path, &text)]);
            let survey = Survey::of(&files);
            let names = survey.registrations.iter().filter_map(|found| found.known_name());
            let values: Values = names.map(|name| (name.to_owned(), reads())).collect();
            let plan = Plan::of(&files, &survey, &values);
            let edited = plan.apply(0, &text);
            let inserted: usize = plan.edits.iter().map(|edit| edit.text.len()).sum();
            let replaced: usize = plan.edits.iter().map(|edit| edit.end - edit.start).sum();
            prop_assert_eq!(edited.len(), text.len() + inserted - replaced);
        }
    }
}
