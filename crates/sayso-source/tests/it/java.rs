use crate::edit::written;
use crate::support::survey;

const ANNOTATIONS: &str = r#"
package notes;

import org.springaicommunity.mcp.annotation.McpTool;

class NoteTools {
    private static final String PRUNE = "note_prune";

    /** Lists notes. */
    @McpTool
    public List<Note> listNotes(String folder) { return store.all(folder); }

    @McpTool(name = "note_add", description = "Adds, (a note)") // not twice
    @Deprecated
    public void add(String text) { }

    @McpTool(
        name = NoteNames.REMOVE,
        description = "Removes a note", // for good
        annotations = @McpTool.McpAnnotations(readOnlyHint = true, title = "Remove"))
    public void remove(int id) { }

    @McpTool(name = PRUNE, annotations = @McpTool.McpAnnotations)
    public void prune() { }

    @McpTool(
        name = "note_count",
        annotations = @McpTool.McpAnnotations(
            destructiveHint = true,
            idempotentHint = Flags.SAME
        )
    )
    public int count() { return 0; }
}
"#;

#[test]
fn annotations() {
    let names = "interface NoteNames { String REMOVE = \"note_remove\"; }\n";
    insta::assert_snapshot!(
        survey(&[("src/NoteTools.java", ANNOTATIONS), ("src/NoteNames.java", names)]),
        @"
    src/NoteTools.java:11:23 listNotes (Decorator): none
    src/NoteTools.java:13:21 note_add (Decorator): none
    src/NoteTools.java:18:16 note_remove (Decorator): R---
    src/NoteTools.java:23:21 note_prune (Decorator): ----
    src/NoteTools.java:27:16 note_count (Decorator): -D--
    "
    );
    let text = ANNOTATIONS.replace("NoteNames.REMOVE", "\"note_remove\"");
    let text = text.replace("Flags.SAME", "false");
    let tools = [
        "listNotes",
        "note_add",
        "note_remove",
        "note_prune",
        "note_count",
    ];
    insta::assert_snapshot!(written("src/NoteTools.java", &text, &tools), @r#"

    package notes;

    import org.springaicommunity.mcp.annotation.McpTool;

    class NoteTools {
        private static final String PRUNE = "note_prune";

        /** Lists notes. */
        @McpTool(annotations = @McpTool.McpAnnotations(
            readOnlyHint = true,
            destructiveHint = false,
            idempotentHint = true,
            openWorldHint = false
        ))
        public List<Note> listNotes(String folder) { return store.all(folder); }

        @McpTool(name = "note_add", description = "Adds, (a note)", annotations = @McpTool.McpAnnotations(
            readOnlyHint = true,
            destructiveHint = false,
            idempotentHint = true,
            openWorldHint = false
        )) // not twice
        @Deprecated
        public void add(String text) { }

        @McpTool(
            name = "note_remove",
            description = "Removes a note", // for good
            annotations = @McpTool.McpAnnotations(readOnlyHint = true, title = "Remove", destructiveHint = false, idempotentHint = true, openWorldHint = false))
        public void remove(int id) { }

        @McpTool(name = PRUNE, annotations = @McpTool.McpAnnotations(readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false))
        public void prune() { }

        @McpTool(
            name = "note_count",
            annotations = @McpTool.McpAnnotations(
                destructiveHint = false,
                idempotentHint = true,
                readOnlyHint = true,
                openWorldHint = false
            )
        )
        public int count() { return 0; }
    }
    "#);
}

const QUARKUS: &str = r#"
import io.quarkiverse.mcp.server.Tool;

public class NoteTools {
    @Tool(name = "note_list", description = "Lists notes.")
    String list() { return ""; }
}
"#;

#[test]
fn annotations_of_quarkus() {
    insta::assert_snapshot!(written("src/NoteTools.java", QUARKUS, &["note_list"]), @r#"

    import io.quarkiverse.mcp.server.Tool;

    public class NoteTools {
        @Tool(name = "note_list", description = "Lists notes.", annotations = @Tool.Annotations(
            readOnlyHint = true,
            destructiveHint = false,
            idempotentHint = true,
            openWorldHint = false
        ))
        String list() { return ""; }
    }
    "#);
}

const BUILDERS: &str = r#"
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.Tool;

class Notes {
    static final String FIND = "note_find";

    List<McpSchema.Tool> tools(String prefix) {
        var find = Tool.builder().name(FIND).build();
        var add = McpSchema.Tool.builder()
            .name("note_add")
            .description("Adds a note.") // once
            .build();
        var remove = McpSchema.Tool.builder()
            .name("note_remove")
            .annotations(new McpSchema.ToolAnnotations("Remove", false, null, true, null, null))
            .build();
        var made = Tool.builder().name(prefix + "x").annotations(shared()).build();
        var list = new McpSchema.Tool("note_list", "", schema);
        var move = new Tool("note_move", null, "", schema, null,
            new McpSchema.ToolAnnotations(null, true, MOVES, null, null, null), null);
        return List.of(find, add, remove, made, list, move);
    }
}
"#;

#[test]
fn builders() {
    insta::assert_snapshot!(survey(&[("src/Notes.java", BUILDERS)]), @r#"
    src/Notes.java:9:40 note_find (Call): none
    src/Notes.java:11:19 note_add (Call): none
    src/Notes.java:15:19 note_remove (Call): r-I-
    src/Notes.java:18:40 unknown `prefix + "x"` (Call): expression `shared()`
    src/Notes.java:19:39 note_list (Definition): no place
    src/Notes.java:20:29 note_move (Definition): R---
    "#);
    let tools = [
        "note_find",
        "note_add",
        "note_remove",
        "note_list",
        "note_move",
    ];
    insta::assert_snapshot!(written("src/Notes.java", BUILDERS, &tools), @r#"

    import io.modelcontextprotocol.spec.McpSchema;
    import io.modelcontextprotocol.spec.McpSchema.Tool;

    class Notes {
        static final String FIND = "note_find";

        List<McpSchema.Tool> tools(String prefix) {
            var find = Tool.builder().name(FIND).annotations(new McpSchema.ToolAnnotations(null, true, false, true, false, null)).build();
            var add = McpSchema.Tool.builder()
                .name("note_add")
                .description("Adds a note.") // once
                .annotations(new McpSchema.ToolAnnotations(null, true, false, true, false, null))
                .build();
            var remove = McpSchema.Tool.builder()
                .name("note_remove")
                .annotations(new McpSchema.ToolAnnotations("Remove", true, false, true, false, null))
                .build();
            var made = Tool.builder().name(prefix + "x").annotations(shared()).build();
            var list = new McpSchema.Tool("note_list", "", schema);
            var move = new Tool("note_move", null, "", schema, null,
                new McpSchema.ToolAnnotations(null, true, MOVES, null, null, null), null);
            return List.of(find, add, remove, made, list, move);
        }
    }
    refused: NoPlace
    refused: Computed(Destructive)
    "#);
}

const ANNOTATIONS_BUILDER: &str = r#"
import io.modelcontextprotocol.spec.McpSchema.*;

class Notes {
    Tool add = Tool.builder("note_add", schema)
        .annotations(ToolAnnotations.builder().title("Add").readOnlyHint(false).build())
        .build();
    Tool list = Tool.builder("note_list", schema).build();
}
"#;

#[test]
fn builders_of_annotations() {
    let tools = ["note_add", "note_list"];
    insta::assert_snapshot!(written("src/Notes.java", ANNOTATIONS_BUILDER, &tools), @r#"

    import io.modelcontextprotocol.spec.McpSchema.*;

    class Notes {
        Tool add = Tool.builder("note_add", schema)
            .annotations(ToolAnnotations.builder().title("Add").readOnlyHint(true).destructiveHint(false).idempotentHint(true).openWorldHint(false).build())
            .build();
        Tool list = Tool.builder("note_list", schema).annotations(ToolAnnotations.builder().readOnlyHint(true).destructiveHint(false).idempotentHint(true).openWorldHint(false).build()).build();
    }
    "#);
}

#[test]
fn tools_of_others_are_none() {
    let text = r#"
import workshop.Tool;
class Bench {
    @Tool(name = "hammer") void hammer() { Tool.builder().name("saw").build(); new Tool("a", "b", "c"); }
}
"#;
    insta::assert_snapshot!(survey(&[("src/Bench.java", text)]), @"");
}
