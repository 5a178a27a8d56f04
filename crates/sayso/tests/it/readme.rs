//! What the README shows is what the program prints.

use super::sayso::Sayso;

#[test]
fn the_excerpt_is_real_output() {
    let readme = include_str!("../../../../README.md");
    let excerpt = readme
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("\n```").next())
        .unwrap();
    let output = Sayso::new("audit --example").run().stdout;
    // `[…]` on a line of its own stands for lines left out.
    let mut rest = output.as_str();
    for part in excerpt.split("[…]\n") {
        let part = part.trim_end();
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("not in the output any more:\n{part}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn every_option_in_the_guides_exists() {
    let help = Sayso::new("audit --help").run().stdout;
    for page in [
        include_str!("../../../../README.md"),
        include_str!("../../../../docs/guides/ci.md"),
    ] {
        for line in page
            .lines()
            .filter(|line| line.contains("sayso audit") || line.contains("| `--"))
        {
            // What stands behind ` -- ` belongs to the server.
            let ours = line.split(" -- ").next().unwrap_or(line);
            for option in
                ours.split(|character: char| !(character.is_ascii_lowercase() || character == '-'))
            {
                if option.starts_with("--") && option.len() > 2 {
                    assert!(help.contains(option), "{option} in: {line}");
                }
            }
        }
    }
}
