//! The generated pages.

use crate::sayso::Sayso;

#[test]
fn the_pages_are_up_to_date() {
    let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let ran = Sayso::new("generate-reference --check")
        .argument(pages)
        .run();
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn a_stale_page_is_told() {
    let sayso = Sayso::new("generate-reference .");
    assert_eq!(sayso.run().code, Some(0));
    let check = |sayso: &Sayso| sayso.command().arg("--check").output().unwrap();
    assert_eq!(check(&sayso).status.code(), Some(0));
    let sayso = sayso.file("reference/cli.md", "old");
    let output = check(&sayso);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("not up to date: `./reference/cli.md`")
    );
}
