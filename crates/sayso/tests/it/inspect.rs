//! `--names` and `--show`.

use crate::sayso::Sayso;

const LISTING: &str = "{\"tools\":[{\"name\":\"b\",\"x\":1.0e2,\"inputSchema\":{},\"tags\":[],\"name\":\"again\"},\n {\"name\":\"a\\u200bb\"}, {\"name\":\"c\", \"description\":\"r\u{202e}l\"}, {\"title\":\"no name\"}]}";

#[test]
fn names_come_in_their_order_with_hidden_characters_made_visible() {
    insta::assert_snapshot!(Sayso::new("audit --names tools.json").file("tools.json", LISTING).shown(), @r"
    exit code: 0
    ----- stdout
    b
    a\u{200b}b
    c
    #4
    ");
}

#[test]
fn names_of_several_targets_have_the_target_before_them() {
    let sayso = Sayso::new("audit --names one.json two.json")
        .file("one.json", r#"[{"name": "a"}]"#)
        .file("two.json", r#"[{"name": "a"}, {"name": "b"}]"#);
    insta::assert_snapshot!(sayso.shown(), @r"
    exit code: 0
    ----- stdout
    one.json	a
    two.json	a
    two.json	b
    ");
}

#[test]
fn a_tool_is_shown_as_it_came() {
    let show = |arguments: &str| {
        Sayso::new("audit tools.json")
            .argument("--show")
            .argument(arguments)
            .file("tools.json", LISTING)
    };
    insta::assert_snapshot!(show("b").shown(), @r#"
    exit code: 0
    ----- stdout
    {
      "name": "b",
      "x": 1.0e2,
      "inputSchema": {},
      "tags": [],
      "name": "again"
    }
    "#);
    insta::assert_snapshot!(show("b").argument("--raw").shown(), @r#"
    exit code: 0
    ----- stdout
    {"name":"b","x":1.0e2,"inputSchema":{},"tags":[],"name":"again"}
    "#);
    insta::assert_snapshot!(show("c").shown(), @r#"
    exit code: 0
    ----- stdout
    {
      "name": "c",
      "description": "r\u202el"
    }
    "#);
    insta::assert_snapshot!(show("#4").shown(), @r#"
    exit code: 0
    ----- stdout
    {
      "title": "no name"
    }
    "#);
}

#[test]
fn an_unknown_tool_is_told_with_the_likely_one() {
    let sayso = Sayso::new("audit tools.json --show list_fils").file(
        "tools.json",
        r#"[{"name": "list_files"}, {"name": "read_file"}]"#,
    );
    insta::assert_snapshot!(sayso.shown(), @r"
    exit code: 2
    ----- stderr
    error: no tool is called `list_fils`
    hint: did you mean `list_files`?
    ");
}

#[test]
fn the_raw_bytes_are_the_bytes() {
    let tool = "{ \"name\" : \"x\",\r\n \"n\":1E400, \"d\":\"\\ud800 \u{200b}\" }";
    let sayso =
        Sayso::new("audit tools.json --show x --raw").file("tools.json", format!("[{tool}]"));
    assert_eq!(sayso.run().stdout, format!("{tool}\n"));
}

#[test]
fn names_of_an_incomplete_listing_are_never_called_all() {
    let sayso = Sayso::new("audit --names tools.json").file(
        "tools.json",
        r#"{"tools": [{"name": "a"}], "nextCursor": "more"}"#,
    );
    insta::assert_snapshot!(sayso.shown(), @r#"
    exit code: 3
    ----- stdout
    a
    ----- stderr
    error: `tools.json`: the listing is incomplete: the file ends before the page at cursor "more"
    "#);
}
