use crate::support::survey;

#[test]
fn decorators() {
    let text = r#"
from enum import Enum
from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

class Tools(str, Enum):
    STATUS = "git_status"

READS = ToolAnnotations(readOnlyHint=True, open_world_hint=False)
mcp = FastMCP("notes")

@mcp.tool()
async def note_add(text: str) -> str:
    return text

@mcp.tool
def note_list() -> str: ...

@mcp.tool("note_find", description="Find")
def find(query: str) -> str: ...

@mcp.tool(name=Tools.STATUS.value, annotations=READS)
def status() -> str: ...

@mcp.tool(annotations={"readOnlyHint": False, "destructiveHint": DESTROYS})
def note_remove(number: int) -> str: ...

@tool
def of_another_library() -> str: ...
"#;
    insta::assert_snapshot!(survey(&[("server.py", text)]), @"
    server.py:13:11 note_add (Decorator): none
    server.py:17:5 note_list (Decorator): none
    server.py:19:11 note_find (Decorator): none
    server.py:22:16 git_status (Decorator): R--o
    server.py:26:5 note_remove (Decorator): r---
    ");
}

#[test]
fn constructors_and_calls() {
    let text = r#"
import mcp.types as types
from .names import WRITE

@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(name="read", description="Reads", inputSchema={"type": "object"}),
        types.Tool(
            name=WRITE,
            inputSchema=Write.model_json_schema(),
            annotations=types.ToolAnnotations(readOnlyHint=False),
        ),
        types.Tool(name=f"{PREFIX}_move", inputSchema={}),
    ]

def plain(path: str) -> str: ...
app.add_tool(plain)
app.add_tool(plain, name="renamed")
app.tool(name="applied")(plain)
"#;
    let names = "WRITE = \"write\"\n";
    insta::assert_snapshot!(survey(&[("app/server.py", text), ("app/names.py", names)]), @r#"
    app/server.py:8:25 read (Definition): none
    app/server.py:10:18 write (Definition): r---
    app/server.py:14:25 unknown `f"{PREFIX}_move"` (Definition): none
    app/server.py:18:14 plain (Call): none
    app/server.py:19:26 renamed (Call): none
    app/server.py:20:15 applied (Call): none
    "#);
}
