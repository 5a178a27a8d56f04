"""A server with one tool that writes, on the SDK for Python."""

import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

folder = Path(sys.argv[1])
server = MCPServer("notes")


@server.tool()
def write_note(name: str, text: str) -> str:
    """Writes a note, in the place of the one that had this name."""
    (folder / name).write_text(text)
    return "written"


server.run()
