use crate::edit::written;
use crate::support::survey;

const CALLS: &str = r#"
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.types.*

private const val FIND = "note_find"

class Notes(private val server: Server) {
    companion object {
        const val REMOVE = "note_remove"
    }

    fun register(prefix: String) {
        server.addTool(name = "note_list", description = "Lists notes.") { request -> list(request) }
        server.addTool(
            name = FIND,
            description = "Finds (a note)",
            inputSchema = schema, // what to find
        ) { request ->
            find(request)
        }
        server.addTool(
            REMOVE,
            "Removes a note.",
            toolAnnotations = ToolAnnotations(title = "Remove", readOnlyHint = true),
        ) { remove(it) }
        server.addTool(NoteNames.ADD, description = "Adds a note.", toolAnnotations = ToolAnnotations("Add", false, null)) { add(it) }
        server.addTool(name = prefix + "x", description = "", toolAnnotations = shared()) { add(it) }
        val move = Tool(
            name = "note_move",
            inputSchema = schema,
            annotations = ToolAnnotations(
                idempotentHint = MOVES
            )
        )
        server.addTool(move) { move(it) }
        server.addTools(listOf(RegisteredTool(Tool(name = "note_count", inputSchema = schema)) { count(it) }))
    }
}
"#;

const TOOLS: [&str; 6] = [
    "note_list",
    "note_find",
    "note_remove",
    "note_add",
    "note_move",
    "note_count",
];

#[test]
fn calls_and_definitions() {
    let names = "object NoteNames {\n    const val ADD = \"note_add\"\n}\n";
    insta::assert_snapshot!(survey(&[("src/Notes.kt", CALLS), ("src/NoteNames.kt", names)]), @r#"
    src/Notes.kt:13:31 note_list (Call): none
    src/Notes.kt:15:20 note_find (Call): none
    src/Notes.kt:22:13 note_remove (Call): R---
    src/Notes.kt:26:24 note_add (Call): r---
    src/Notes.kt:27:31 unknown `prefix + "x"` (Call): expression `shared()`
    src/Notes.kt:29:20 note_move (Definition): ----
    src/Notes.kt:36:59 note_count (Definition): none
    "#);
    let text = CALLS.replace("NoteNames.ADD", "\"note_add\"");
    insta::assert_snapshot!(written("src/Notes.kt", &text, &TOOLS), @r#"

    import io.modelcontextprotocol.kotlin.sdk.server.Server
    import io.modelcontextprotocol.kotlin.sdk.types.*

    private const val FIND = "note_find"

    class Notes(private val server: Server) {
        companion object {
            const val REMOVE = "note_remove"
        }

        fun register(prefix: String) {
            server.addTool(name = "note_list", description = "Lists notes.", toolAnnotations = ToolAnnotations(
                readOnlyHint = true,
                destructiveHint = false,
                idempotentHint = true,
                openWorldHint = false
            )) { request -> list(request) }
            server.addTool(
                name = FIND,
                description = "Finds (a note)",
                inputSchema = schema, // what to find
                toolAnnotations = ToolAnnotations(
                    readOnlyHint = true,
                    destructiveHint = false,
                    idempotentHint = true,
                    openWorldHint = false,
                ),
            ) { request ->
                find(request)
            }
            server.addTool(
                REMOVE,
                "Removes a note.",
                toolAnnotations = ToolAnnotations(title = "Remove", readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false),
            ) { remove(it) }
            server.addTool("note_add", description = "Adds a note.", toolAnnotations = ToolAnnotations("Add", true, false, idempotentHint = true, openWorldHint = false)) { add(it) }
            server.addTool(name = prefix + "x", description = "", toolAnnotations = shared()) { add(it) }
            val move = Tool(
                name = "note_move",
                inputSchema = schema,
                annotations = ToolAnnotations(
                    idempotentHint = MOVES
                )
            )
            server.addTool(move) { move(it) }
            server.addTools(listOf(RegisteredTool(Tool(name = "note_count", inputSchema = schema, annotations = ToolAnnotations(
                readOnlyHint = true,
                destructiveHint = false,
                idempotentHint = true,
                openWorldHint = false
            ))) { count(it) }))
        }
    }
    refused: Computed(Idempotent)
    "#);
}

#[test]
fn types_of_the_older_package() {
    let text = r#"
import io.modelcontextprotocol.kotlin.sdk.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.server.Server

fun Server.register() {
    addTool("note_list", "Lists notes.") { CallToolResult(emptyList()) }
}
"#;
    insta::assert_snapshot!(written("src/Notes.kt", text, &["note_list"]), @r#"

    import io.modelcontextprotocol.kotlin.sdk.CallToolResult
    import io.modelcontextprotocol.kotlin.sdk.server.Server

    fun Server.register() {
        addTool("note_list", "Lists notes.", toolAnnotations = io.modelcontextprotocol.kotlin.sdk.ToolAnnotations(title = null,
            readOnlyHint = true,
            destructiveHint = false,
            idempotentHint = true,
            openWorldHint = false
        )) { CallToolResult(emptyList()) }
    }
    "#);
}

#[test]
fn tools_of_others_are_none() {
    let text = r#"
import workshop.Tool
fun bench() { addTool(name = "hammer", description = ""); Tool(name = "saw") }
"#;
    insta::assert_snapshot!(survey(&[("src/Bench.kt", text)]), @"");
}
