use crate::edit::written;
use crate::support::survey;

/// One file registers what others define, and takes no annotations: three places to change.
const CATALOGUE: &str = r#"import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

export interface ToolEntry<Shape = unknown> {
  name: string;
  title: string;
  description: string;
  inputSchema: Shape;
  run: (input: Shape) => Promise<string>;
}

export function entry<Shape>(spec: {
  name: string;
  title: string;
  description: string;
  inputSchema: Shape;
  run: (input: Shape) => Promise<string>;
}): ToolEntry<Shape> {
  return {
    name: spec.name,
    title: spec.title,
    description: spec.description,
    inputSchema: spec.inputSchema,
    run: spec.run,
  };
}

export function registerCatalogue(server: McpServer, tools: ToolEntry[]): void {
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      { title: tool.title, description: tool.description, inputSchema: tool.inputSchema },
      async (input) => ({ content: [{ type: "text", text: await tool.run(input) }] }),
    );
  }
}
"#;

const NOTES: &str = r#"import { z } from "zod";
import { entry } from "./catalogue.js";

export const notes = [
  entry({
    name: "note_list",
    title: "List notes",
    description: "Lists every note.",
    inputSchema: {},
    run: async () => "",
  }),
  entry({ name: "note_remove", title: "Remove", description: "Removes a note.", inputSchema: { id: z.string() }, run: remove }),
];
"#;

#[test]
fn a_catalogue_whose_registration_takes_no_annotations() {
    insta::assert_snapshot!(
        survey(&[("src/catalogue.ts", CATALOGUE), ("src/notes.ts", NOTES)]), @r#"
    src/notes.ts:6:5 note_list (Definition): none
    src/notes.ts:12:11 note_remove (Definition): none
    drops src/catalogue.ts:20 in entry: name title description inputSchema run
      Import src/catalogue.ts src/catalogue.ts:1 `import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";`
      Member ToolEntry src/catalogue.ts:4 `annotations?: ToolAnnotations`
      Parameter entry src/catalogue.ts:12 `annotations?: ToolAnnotations`
      HandOn entry src/catalogue.ts:20 `annotations: spec.annotations`
    drops src/catalogue.ts:31 in registerCatalogue: title description inputSchema
      Import src/catalogue.ts src/catalogue.ts:1 `import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";`
      Member ToolEntry src/catalogue.ts:4 `annotations?: ToolAnnotations`
      HandOn registerCatalogue src/catalogue.ts:31 `annotations: tool.annotations`
    "#);
}

#[test]
fn a_catalogue_that_is_threaded() {
    let catalogue = CATALOGUE
        .replace("  run: (", "  annotations?: ToolAnnotations;\n  run: (")
        .replace(
            "    run: spec.run",
            "    annotations: spec.annotations,\n    run: spec.run",
        )
        .replace(
            "inputSchema: tool.inputSchema }",
            "inputSchema: tool.inputSchema, annotations: tool.annotations }",
        );
    insta::assert_snapshot!(
        survey(&[("src/catalogue.ts", &catalogue), ("src/notes.ts", NOTES)]), @"
    src/notes.ts:6:5 note_list (Definition): none
    src/notes.ts:12:11 note_remove (Definition): none
    carries src/catalogue.ts:22 in entry: name title description inputSchema annotations run
    carries src/catalogue.ts:34 in registerCatalogue: title description inputSchema annotations
    ");
}

#[test]
fn a_wrapper_that_is_given_the_parts() {
    let text = r#"
function register(name: string, description: string, shape: Shape, run: Handler) {
  server.registerTool(name, { description, inputSchema: shape }, guard(run));
}
const withConfiguration = (name: string, configuration: Configuration, run: Handler) =>
  server.registerTool(name, configuration, guard(run));
register("note_add", "Adds a note", {}, add);
withConfiguration("note_list", { description: "Lists", inputSchema: {} }, list);
"#;
    insta::assert_snapshot!(survey(&[("index.ts", text)]), @"
    index.ts:7:10 note_add (Wrapper): no place
    index.ts:8:19 note_list (Wrapper): none
    drops index.ts:3 in register: description inputSchema
      Parameter register index.ts:2 `annotations?: ToolAnnotations`
      HandOn register index.ts:3 `annotations`
    carries index.ts:6 in withConfiguration:
    ");
}

#[test]
fn wrappers_in_python() {
    let text = r#"
from mcp.server.fastmcp import FastMCP
from mcp.types import Tool

CATALOGUE = [{"name": "note_list", "description": "Lists", "inputSchema": {}}]

def tool(name, description):
    def wrap(function):
        return mcp.tool(name=name, description=description)(function)
    return wrap

@tool("note_add", "Adds a note")
def add(text: str) -> str: ...

@server.list_tools()
async def list_tools():
    return [Tool(name=t["name"], description=t["description"], inputSchema=t["inputSchema"]) for t in CATALOGUE]
"#;
    insta::assert_snapshot!(survey(&[("server.py", text)]), @r#"
    server.py:5:15 note_list (Definition): none
    server.py:12:7 note_add (Wrapper): no place
    drops server.py:9 in tool: name description
      Parameter tool server.py:7 `annotations: ToolAnnotations | None = None`
      HandOn tool server.py:9 `annotations=annotations`
    drops server.py:17 in list_tools: name description inputSchema
      HandOn list_tools server.py:17 `annotations=t.get("annotations")`
    "#);
}

#[test]
fn what_goes_through_a_wrapper_is_written_where_it_is_called() {
    let typescript = r#"
function register(name: string, description: string, run: Handler, annotations?: ToolAnnotations) {
  server.registerTool(name, { description, annotations }, guard(run));
}
register("a", "Reads a", read);
register("b", "Reads b", read, { readOnlyHint: false });
register("c", "Reads c");
"#;
    insta::assert_snapshot!(written("index.ts", typescript, &["a", "b", "c"]), @r#"

    function register(name: string, description: string, run: Handler, annotations?: ToolAnnotations) {
      server.registerTool(name, { description, annotations }, guard(run));
    }
    register("a", "Reads a", read, {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false
    });
    register("b", "Reads b", read, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
    register("c", "Reads c");
    refused: NoPlace
    "#);
    let python = r#"
from mcp.types import ToolAnnotations

def register(name, description, function, **more):
    mcp.add_tool(function, name=name, description=description, **more)

def tool(name, annotations=None):
    return mcp.tool(name=name, annotations=annotations)

register("a", "Reads a", read)

@tool("b")
def b(): ...
"#;
    insta::assert_snapshot!(written("server.py", python, &["a", "b"]), @r#"

    from mcp.types import ToolAnnotations

    def register(name, description, function, **more):
        mcp.add_tool(function, name=name, description=description, **more)

    def tool(name, annotations=None):
        return mcp.tool(name=name, annotations=annotations)

    register("a", "Reads a", read, annotations=ToolAnnotations(
        readOnlyHint=True,
        destructiveHint=False,
        idempotentHint=True,
        openWorldHint=False,
    ))

    @tool("b", annotations=ToolAnnotations(
        readOnlyHint=True,
        destructiveHint=False,
        idempotentHint=True,
        openWorldHint=False,
    ))
    def b(): ...
    "#);
}

#[test]
fn a_catalogue_with_words_of_its_own() {
    let typescript = r#"
export const tools = [
  { name: "note_list", description: "Lists", schema: z.object({}), run },
];
export function handlers(server: Server, all = tools) {
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: all.map((tool) => ({ name: tool.name, description: tool.description, inputSchema: json(tool.schema) })),
  }));
}
"#;
    insta::assert_snapshot!(survey(&[("index.ts", typescript)]), @"
    index.ts:3:5 note_list (Definition): none
    drops index.ts:7 in handlers: name description inputSchema
      HandOn handlers index.ts:7 `annotations: tool.annotations`
    ");
    let python = r#"
from dataclasses import dataclass
from mcp.server.fastmcp import FastMCP

@dataclass
class Spec:
    name: str
    description: str
    schema: dict

SPECS = [Spec(name="note_list", description="Lists", schema={})]

def register_all(mcp: FastMCP, specs: list[Spec]) -> None:
    for spec in specs:
        mcp.add_tool(spec.run, name=spec.name, description=spec.description)
"#;
    insta::assert_snapshot!(survey(&[("server.py", python)]), @"
    server.py:11:20 note_list (Definition): none
    drops server.py:15 in register_all: name description
      Import server.py server.py:1 `from mcp.types import ToolAnnotations`
      Member Spec server.py:6 `annotations: ToolAnnotations | None = None`
      HandOn register_all server.py:15 `annotations=spec.annotations`
    ");
    // Without anybody who registers them they are something else's.
    let (specs, _) = python.split_once("def register_all").unwrap();
    insta::assert_snapshot!(survey(&[("server.py", specs)]), @"");
}
