use crate::support::survey;

#[test]
fn calls_of_register_tool() {
    let text = r#"
import { z } from "zod";
const NAMES = { list: "note_list" } as const;
enum Tools { Get = "note_get" }
const PREFIX = "note";
const removal = { description: "Remove", annotations: { readOnlyHint: false, destructiveHint: true } };
server.registerTool("note_add", { description: "Add", inputSchema: {} }, async () => ({ content: [] }));
server.registerTool(NAMES.list, { annotations: { readOnlyHint: true, openWorldHint: isOpen() } }, list);
server.registerTool(Tools.Get, { annotations: READS }, get);
server.registerTool(`${PREFIX}_remove`, removal, remove);
server.registerTool(`${process.env.PREFIX}_move`, {}, move);
registerResource("not_a_tool", {}, handler);
"#;
    insta::assert_snapshot!(survey(&[("src/index.ts", text)]), @"
    src/index.ts:7:21 note_add (Call): none
    src/index.ts:8:21 note_list (Call): R---
    src/index.ts:9:21 note_get (Call): expression `READS`
    src/index.ts:10:21 note_remove (Call): rD--
    src/index.ts:11:21 unknown ``${process.env.PREFIX}_move`` (Call): none
    ");
}

#[test]
fn calls_of_tool() {
    let text = r#"
server.tool("a", async () => ({ content: [] }));
server.tool("b", "Reads b", async () => ({ content: [] }));
server.tool("c", "Reads c", { path: z.string() }, run);
server.tool("d", { readOnlyHint: true }, run);
server.tool("e", "Reads e", shape, { readOnlyHint: true, destructiveHint: false }, run);
server.tool("f", "Reads " + "f", { readOnlyHint: true, title: "F" }, run);
server.addTool({ name: "g", description: "Reads g", parameters: z.object({}), execute: run });
toolbox.tool();
"#;
    insta::assert_snapshot!(survey(&[("index.js", text)]), @"
    index.js:2:13 a (Call): none
    index.js:3:13 b (Call): none
    index.js:4:13 c (Call): none
    index.js:5:13 d (Call): R---
    index.js:6:13 e (Call): Rd--
    index.js:7:13 f (Call): R---
    index.js:8:18 g (Call): none
    ");
}

#[test]
fn objects_that_a_handler_lists() {
    let text = r#"
import { READ } from "./names.js";
import * as names from "./names.js";
const TOOLS: Tool[] = [
  { name: READ, description: "Reads", inputSchema: { type: "object", properties: { name: { type: "string" } } } },
];
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [
    ...TOOLS,
    { "name": names.WRITE, "inputSchema": { type: "object" }, "annotations": { "readOnlyHint": false } },
  ],
}));
server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [{ name: "hello", arguments: [] }] }));
"#;
    let names = "export const READ = 'file_read';\nexport const WRITE = 'file_write';\n";
    insta::assert_snapshot!(survey(&[("src/index.mts", text), ("src/names.ts", names)]), @"
    src/index.mts:5:5 file_read (Definition): none
    src/index.mts:10:7 file_write (Definition): r---
    ");
}

#[test]
fn a_file_that_is_broken_still_gives_what_can_be_read() {
    let text = "server.registerTool(\"a\", { description: \"A\" }, run);\nfunction (\n";
    insta::assert_snapshot!(survey(&[("index.ts", text)]), @"index.ts:1:21 a (Call): none");
}
