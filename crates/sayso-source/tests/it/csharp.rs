use crate::edit::written;
use crate::support::survey;

const ATTRIBUTES: &str = r#"
using ModelContextProtocol.Server;

[McpServerToolType]
public partial class NoteTools(NoteStore store)
{
    private const string Prune = "note_prune";

    /// <summary>Lists notes.</summary>
    [McpServerTool, Description("Lists notes.")]
    public static async Task<List<Note>> ListNotesAsync(string folder) => await store.All(folder);

    [McpServerTool(Name = "note_add", Title = "Add, (a note)")] // not twice
    [Description("Adds a note.")]
    public void Add(string text) { }

    [McpServerTool(
        Name = NoteNames.Remove,
        Destructive = true, // for good
        ReadOnly = Flags.Reads)]
    public void Remove(int id) { }

    [McpServerToolAttribute(Name = Prune, OpenWorld = true)]
    public int PruneAsync() => 0;

    [McpServerTool]
    public string GetHTTPStatus2Async() => "";
}
"#;

#[test]
fn attributes() {
    let names = "static class NoteNames { public const string Remove = \"note_remove\"; }\n";
    insta::assert_snapshot!(
        survey(&[("src/NoteTools.cs", ATTRIBUTES), ("src/NoteNames.cs", names)]),
        @"
    src/NoteTools.cs:11:42 list_notes (Decorator): none
    src/NoteTools.cs:13:27 note_add (Decorator): none
    src/NoteTools.cs:18:16 note_remove (Decorator): -D--
    src/NoteTools.cs:23:36 note_prune (Decorator): ---O
    src/NoteTools.cs:27:19 get_http_status2_async (Decorator): none
    "
    );
    let text = ATTRIBUTES.replace("ReadOnly = Flags.Reads", "ReadOnly = false");
    let text = text.replace("NoteNames.Remove", "\"note_remove\"");
    let tools = [
        "list_notes",
        "note_add",
        "note_remove",
        "note_prune",
        "get_http_status2_async",
    ];
    insta::assert_snapshot!(written("src/NoteTools.cs", &text, &tools), @r#"

    using ModelContextProtocol.Server;

    [McpServerToolType]
    public partial class NoteTools(NoteStore store)
    {
        private const string Prune = "note_prune";

        /// <summary>Lists notes.</summary>
        [McpServerTool(ReadOnly = true, Destructive = false, Idempotent = true, OpenWorld = false), Description("Lists notes.")]
        public static async Task<List<Note>> ListNotesAsync(string folder) => await store.All(folder);

        [McpServerTool(Name = "note_add", Title = "Add, (a note)", ReadOnly = true, Destructive = false, Idempotent = true, OpenWorld = false)] // not twice
        [Description("Adds a note.")]
        public void Add(string text) { }

        [McpServerTool(
            Name = "note_remove",
            Destructive = false, // for good
            ReadOnly = true,
            Idempotent = true,
            OpenWorld = false)]
        public void Remove(int id) { }

        [McpServerToolAttribute(Name = Prune, OpenWorld = false, ReadOnly = true, Destructive = false, Idempotent = true)]
        public int PruneAsync() => 0;

        [McpServerTool(ReadOnly = true, Destructive = false, Idempotent = true, OpenWorld = false)]
        public string GetHTTPStatus2Async() => "";
    }
    "#);
}

const PROGRAM: &str = r#"
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

var removes = new McpServerToolCreateOptions { Name = "note_remove" };
builder.WithTools([
    McpServerTool.Create(Notes.List, new McpServerToolCreateOptions { Name = "note_list", ReadOnly = false }),
    McpServerTool.Create(Notes.Add, new()
    {
        Name = "note_add",
        Description = "Adds a note.",
    }),
    McpServerTool.Create(Notes.Remove, removes),
    McpServerTool.Create(Notes.Clear),
]);

static ListToolsResult ListTools(string prefix) => new()
{
    Tools =
    [
        new Tool { Name = "note_find", InputSchema = schema },
        new Tool
        {
            Name = nameof(NoteCount),
            InputSchema = schema,
            Annotations = new ToolAnnotations { Title = "Count", ReadOnlyHint = null },
        },
        new()
        {
            Name = @"note_move",
            Description = "Moves a note.",
            InputSchema = schema
        },
        new ModelContextProtocol.Protocol.Tool { Name = prefix + "x" },
        new Tool { Name = prefix, Annotations = shared },
    ],
};
"#;

/// The tools of that program that have a name.
const NAMED: [&str; 6] = [
    "note_list",
    "note_add",
    "note_remove",
    "note_find",
    "NoteCount",
    "note_move",
];

#[test]
fn options_and_definitions() {
    insta::assert_snapshot!(survey(&[("src/Program.cs", PROGRAM)]), @r#"
    src/Program.cs:5:55 note_remove (Call): none
    src/Program.cs:7:78 note_list (Call): r---
    src/Program.cs:10:16 note_add (Call): none
    src/Program.cs:14:26 unknown `Notes.Clear` (Call): no place
    src/Program.cs:21:27 note_find (Definition): none
    src/Program.cs:24:20 NoteCount (Definition): ----
    src/Program.cs:30:20 note_move (Definition): none
    src/Program.cs:34:57 unknown `prefix + "x"` (Definition): none
    src/Program.cs:35:27 unknown `prefix` (Definition): expression `shared`
    "#);
    insta::assert_snapshot!(written("src/Program.cs", PROGRAM, &NAMED), @r#"

    using ModelContextProtocol.Protocol;
    using ModelContextProtocol.Server;

    var removes = new McpServerToolCreateOptions { Name = "note_remove", ReadOnly = true, Destructive = false, Idempotent = true, OpenWorld = false };
    builder.WithTools([
        McpServerTool.Create(Notes.List, new McpServerToolCreateOptions { Name = "note_list", ReadOnly = true, Destructive = false, Idempotent = true, OpenWorld = false }),
        McpServerTool.Create(Notes.Add, new()
        {
            Name = "note_add",
            Description = "Adds a note.",
            ReadOnly = true,
            Destructive = false,
            Idempotent = true,
            OpenWorld = false,
        }),
        McpServerTool.Create(Notes.Remove, removes),
        McpServerTool.Create(Notes.Clear),
    ]);

    static ListToolsResult ListTools(string prefix) => new()
    {
        Tools =
        [
            new Tool { Name = "note_find", InputSchema = schema, Annotations = new ToolAnnotations
            {
                ReadOnlyHint = true,
                DestructiveHint = false,
                IdempotentHint = true,
                OpenWorldHint = false
            } },
            new Tool
            {
                Name = nameof(NoteCount),
                InputSchema = schema,
                Annotations = new ToolAnnotations { Title = "Count", ReadOnlyHint = true, DestructiveHint = false, IdempotentHint = true, OpenWorldHint = false },
            },
            new()
            {
                Name = @"note_move",
                Description = "Moves a note.",
                InputSchema = schema,
                Annotations = new()
                {
                    ReadOnlyHint = true,
                    DestructiveHint = false,
                    IdempotentHint = true,
                    OpenWorldHint = false
                }
            },
            new ModelContextProtocol.Protocol.Tool { Name = prefix + "x" },
            new Tool { Name = prefix, Annotations = shared },
        ],
    };
    "#);
}

#[test]
fn tools_of_others_are_none() {
    let text = r#"
class Bench
{
    [Tool(Name = "hammer")]
    void Hammer() { var tool = new Tool { Name = "saw" }; }
}
"#;
    insta::assert_snapshot!(survey(&[("src/Bench.cs", text)]), @"");
}
