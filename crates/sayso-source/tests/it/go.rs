use sayso_core::hint::Hints;
use sayso_source::{Plan, Survey, Values};

use crate::edit::written;
use crate::support::{sources, survey};

const LITERALS: &str = r#"
package notes

import "github.com/modelcontextprotocol/go-sdk/mcp"

const findName = "note_find"

func ptr[T any](value T) *T { return &value }

var reads = &mcp.ToolAnnotations{ReadOnlyHint: true}

func register(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "note_list", Description: "Lists notes."}, list)
	mcp.AddTool(server, &mcp.Tool{
		Name:        findName,
		Description: "Finds notes, {by text}.", // and more
		Annotations: &mcp.ToolAnnotations{
			Title:           "Find",
			DestructiveHint: ptr(true),
		},
	}, find)
	server.AddTool(&mcp.Tool{Name: prefix + "_move", Annotations: annotationsOf("move")}, move)
	tool := mcp.Tool{
		Name: "note_add"}
	mcp.AddTool(server, &tool, add)
	clear := &mcp.Tool{Name: "note_clear"}
	clear.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: false}
	server.AddTool(clear, clearAll)
	mcp.AddTool(server, &mcp.Tool{Name: "note_read", Annotations: reads}, read)
}

func all() []*mcp.Tool {
	return []*mcp.Tool{
		{Name: names.Remove},
		{Name: `note_keep`, Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}},
	}
}
"#;

#[test]
fn literals() {
    let names = "package names\nconst (\n\tRemove = \"note_remove\"\n)\n";
    let with_import = LITERALS.replace(
        "import \"github.com/modelcontextprotocol/go-sdk/mcp\"",
        "import (\n\t\"example.org/notes/names\"\n\t\"github.com/modelcontextprotocol/go-sdk/mcp\"\n)",
    );
    let files = [
        ("notes.go", with_import.as_str()),
        ("names/names.go", names),
    ];
    insta::assert_snapshot!(survey(&files), @r#"
    notes.go:16:38 note_list (Call): none
    notes.go:18:16 note_find (Call): -D--
    notes.go:25:33 unknown `prefix + "_move"` (Call): expression `annotationsOf("move")`
    notes.go:27:9 note_add (Call): none
    notes.go:29:27 note_clear (Call): expression `clear.Annotations = …`
    notes.go:32:38 note_read (Call): R---
    notes.go:37:10 note_remove (Call): none
    notes.go:38:10 note_keep (Call): ----
    "#);
}

#[test]
fn literals_are_added_to() {
    let tools = [
        "note_list",
        "note_find",
        "note_add",
        "note_clear",
        "note_read",
        "note_keep",
    ];
    insta::assert_snapshot!(written("notes.go", LITERALS, &tools), @r#"

    package notes

    import "github.com/modelcontextprotocol/go-sdk/mcp"

    const findName = "note_find"

    func ptr[T any](value T) *T { return &value }

    var reads = &mcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: ptr(false), IdempotentHint: true, OpenWorldHint: ptr(false)}

    func register(server *mcp.Server) {
    	mcp.AddTool(server, &mcp.Tool{Name: "note_list", Description: "Lists notes.", Annotations: &mcp.ToolAnnotations{
    		ReadOnlyHint:    true,
    		DestructiveHint: ptr(false),
    		IdempotentHint:  true,
    		OpenWorldHint:   ptr(false),
    	}}, list)
    	mcp.AddTool(server, &mcp.Tool{
    		Name:        findName,
    		Description: "Finds notes, {by text}.", // and more
    		Annotations: &mcp.ToolAnnotations{
    			Title:           "Find",
    			DestructiveHint: ptr(false),
    			ReadOnlyHint: true,
    			IdempotentHint: true,
    			OpenWorldHint: ptr(false),
    		},
    	}, find)
    	server.AddTool(&mcp.Tool{Name: prefix + "_move", Annotations: annotationsOf("move")}, move)
    	tool := mcp.Tool{
    		Name: "note_add",
    		Annotations: &mcp.ToolAnnotations{
    			ReadOnlyHint:    true,
    			DestructiveHint: ptr(false),
    			IdempotentHint:  true,
    			OpenWorldHint:   ptr(false),
    		}}
    	mcp.AddTool(server, &tool, add)
    	clear := &mcp.Tool{Name: "note_clear"}
    	clear.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: false}
    	server.AddTool(clear, clearAll)
    	mcp.AddTool(server, &mcp.Tool{Name: "note_read", Annotations: reads}, read)
    }

    func all() []*mcp.Tool {
    	return []*mcp.Tool{
    		{Name: names.Remove},
    		{Name: `note_keep`, Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}},
    	}
    }
    refused: Expression("clear.Annotations = …")
    refused: Computed(Destructive)
    "#);
}

const OPTIONS: &str = r#"
package notes

import (
	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func register(s *server.MCPServer) {
	s.AddTool(protocol.NewTool("note_list"), list)
	s.AddTool(protocol.NewTool("note_find",
		protocol.WithDescription("Finds notes."),
		protocol.WithString("text", protocol.Required()),
	), find)
	add := protocol.NewTool("note_add", protocol.WithReadOnlyHintAnnotation(false), protocol.WithTitleAnnotation("Add"))
	move := protocol.NewTool(
		"note_move",
		protocol.WithToolAnnotation(protocol.ToolAnnotation{
			Title:        "Move",
			ReadOnlyHint: protocol.ToBoolPtr(false),
		}),
	)
	s.AddTool(protocol.NewTool("note_keep", shared...), keep)
	s.AddTool(protocol.NewToolWithRawSchema("note_raw", "Raw", schema), raw)
	s.AddTool(protocol.Tool{Name: "note_read"}, read)
}
"#;

#[test]
fn options() {
    insta::assert_snapshot!(survey(&[("notes.go", OPTIONS)]), @r#"
    notes.go:10:29 note_list (Call): none
    notes.go:11:29 note_find (Call): none
    notes.go:15:26 note_add (Call): r---
    notes.go:17:3 note_move (Call): r---
    notes.go:23:29 note_keep (Call): expression `shared...`
    notes.go:24:42 note_raw (Call): expression `protocol.NewToolWithRawSchema("note_raw", "Raw", schema)`
    notes.go:25:32 note_read (Call): none
    "#);
}

#[test]
fn options_are_added_to() {
    let tools = [
        "note_list",
        "note_find",
        "note_add",
        "note_move",
        "note_keep",
        "note_raw",
        "note_read",
    ];
    insta::assert_snapshot!(written("notes.go", OPTIONS, &tools), @r#"

    package notes

    import (
    	protocol "github.com/mark3labs/mcp-go/mcp"
    	"github.com/mark3labs/mcp-go/server"
    )

    func register(s *server.MCPServer) {
    	s.AddTool(protocol.NewTool("note_list", protocol.WithReadOnlyHintAnnotation(true), protocol.WithDestructiveHintAnnotation(false), protocol.WithIdempotentHintAnnotation(true), protocol.WithOpenWorldHintAnnotation(false)), list)
    	s.AddTool(protocol.NewTool("note_find",
    		protocol.WithDescription("Finds notes."),
    		protocol.WithString("text", protocol.Required()),
    		protocol.WithReadOnlyHintAnnotation(true),
    		protocol.WithDestructiveHintAnnotation(false),
    		protocol.WithIdempotentHintAnnotation(true),
    		protocol.WithOpenWorldHintAnnotation(false),
    	), find)
    	add := protocol.NewTool("note_add", protocol.WithReadOnlyHintAnnotation(true), protocol.WithTitleAnnotation("Add"), protocol.WithDestructiveHintAnnotation(false), protocol.WithIdempotentHintAnnotation(true), protocol.WithOpenWorldHintAnnotation(false))
    	move := protocol.NewTool(
    		"note_move",
    		protocol.WithToolAnnotation(protocol.ToolAnnotation{
    			Title:        "Move",
    			ReadOnlyHint: protocol.ToBoolPtr(true),
    			DestructiveHint: protocol.ToBoolPtr(false),
    			IdempotentHint: protocol.ToBoolPtr(true),
    			OpenWorldHint: protocol.ToBoolPtr(false),
    		}),
    	)
    	s.AddTool(protocol.NewTool("note_keep", shared...), keep)
    	s.AddTool(protocol.NewToolWithRawSchema("note_raw", "Raw", schema), raw)
    	s.AddTool(protocol.Tool{Name: "note_read", Annotations: protocol.ToolAnnotation{
    		ReadOnlyHint:    protocol.ToBoolPtr(true),
    		DestructiveHint: protocol.ToBoolPtr(false),
    		IdempotentHint:  protocol.ToBoolPtr(true),
    		OpenWorldHint:   protocol.ToBoolPtr(false),
    	}}, read)
    }
    refused: Expression("shared...")
    refused: Expression("protocol.NewToolWithRawSchema(\"note_raw\", \"Raw\", schema)")
    "#);
}

#[test]
fn pointers_need_something_that_makes_them() {
    let text = r#"
package notes

import "github.com/modelcontextprotocol/go-sdk/mcp"

var list = &mcp.Tool{Name: "note_list"}
"#;
    insta::assert_snapshot!(written("notes.go", text, &["note_list"]), @r#"

    package notes

    import "github.com/modelcontextprotocol/go-sdk/mcp"

    var list = &mcp.Tool{Name: "note_list"}
    refused: NoPointer(Destructive)
    "#);
    let used = format!("{text}\nvar keep = &mcp.ToolAnnotations{{OpenWorldHint: new(true)}}\n");
    insta::assert_snapshot!(written("notes.go", &used, &["note_list"]), @r#"

    package notes

    import "github.com/modelcontextprotocol/go-sdk/mcp"

    var list = &mcp.Tool{Name: "note_list", Annotations: &mcp.ToolAnnotations{
    	ReadOnlyHint:    true,
    	DestructiveHint: new(false),
    	IdempotentHint:  true,
    	OpenWorldHint:   new(false),
    }}

    var keep = &mcp.ToolAnnotations{OpenWorldHint: new(true)}
    "#);
    let schemas = text.replace(
        "import ",
        "import \"github.com/google/jsonschema-go/jsonschema\"\nimport ",
    );
    insta::assert_snapshot!(written("notes.go", &schemas, &["note_list"]), @r#"

    package notes

    import "github.com/google/jsonschema-go/jsonschema"
    import "github.com/modelcontextprotocol/go-sdk/mcp"

    var list = &mcp.Tool{Name: "note_list", Annotations: &mcp.ToolAnnotations{
    	ReadOnlyHint:    true,
    	DestructiveHint: jsonschema.Ptr(false),
    	IdempotentHint:  true,
    	OpenWorldHint:   jsonschema.Ptr(false),
    }}
    "#);
    // The files of a package are one.
    let helper = "package notes\nfunc boolPtr(value bool) *bool { return &value }\n";
    let other = "package other\nfunc elsewhere(value bool) *bool { return &value }\n";
    let files = sources(&[
        ("a/notes.go", text),
        ("b/other.go", other),
        ("a/pointers.go", helper),
    ]);
    let ruled = Hints {
        open_world: Some(false),
        ..Hints::default()
    };
    let values = Values::from([("note_list".to_owned(), ruled)]);
    let plan = Plan::of(&files, &Survey::of(&files), &values);
    insta::assert_snapshot!(plan.apply(0, text), @r#"

    package notes

    import "github.com/modelcontextprotocol/go-sdk/mcp"

    var list = &mcp.Tool{Name: "note_list", Annotations: &mcp.ToolAnnotations{
    	OpenWorldHint: boolPtr(false),
    }}
    "#);
}

#[test]
fn functions_that_make_tools() {
    let text = r#"
package notes

import "github.com/modelcontextprotocol/go-sdk/mcp"

type entry struct {
	Name        string
	InputSchema any
}

func (n *notes) add(server *mcp.Server, name, description string, run mcp.ToolHandler) {
	server.AddTool(&mcp.Tool{Name: name, Description: description}, run)
}

func described(name string, annotations *mcp.ToolAnnotations) *mcp.Tool {
	return &mcp.Tool{Name: name, Annotations: annotations}
}

func (n *notes) all(server *mcp.Server) {
	n.add(server, "note_list", "Lists", list)
	described("note_add", &mcp.ToolAnnotations{ReadOnlyHint: false})
	for _, entry := range entries {
		server.AddTool(&mcp.Tool{Name: entry.Name, InputSchema: entry.InputSchema}, run)
	}
	name := "note_first"
	name = next()
	server.AddTool(&mcp.Tool{Name: name}, run)
	server.AddTool(&mcp.Tool{Name: n.name}, run)
}
"#;
    insta::assert_snapshot!(survey(&[("notes.go", text)]), @"
    notes.go:20:16 note_list (Wrapper): no place
    notes.go:21:12 note_add (Wrapper): r---
    notes.go:27:33 unknown `name` (Call): none
    notes.go:28:33 unknown `n.name` (Call): none
    drops notes.go:12 in add: name description
      Parameter add notes.go:11 `annotations *mcp.ToolAnnotations`
      HandOn add notes.go:12 `Annotations: annotations`
    carries notes.go:16 in described: name annotations
    drops notes.go:23 in all: name inputSchema
      Member entry notes.go:6 `Annotations *mcp.ToolAnnotations`
      HandOn all notes.go:23 `Annotations: entry.Annotations`
    ");
}

#[test]
fn tools_of_other_packages_are_none() {
    let text = r#"
package notes

import "example.org/mcp"

var list = &mcp.Tool{Name: "note_list"}
var find = mcp.NewTool("note_find")
"#;
    insta::assert_snapshot!(survey(&[("notes.go", text)]), @"");
}
