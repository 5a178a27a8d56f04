//! What the README shows is what the program prints.

use super::sayso::Sayso;

#[test]
fn the_excerpts_are_real_output() {
    let readme = include_str!("../../../../README.md");
    let mut excerpts = 0;
    for excerpt in readme.split("<!-- excerpt of `sayso ").skip(1) {
        let (command, rest) = excerpt
            .split_once("`; a test compares it -->\n```text\n")
            .unwrap();
        let (excerpt, _) = rest.split_once("\n```").unwrap();
        let output = Sayso::new(command).run().stdout;
        // `[…]` on a line of its own stands for lines left out.
        let mut rest = output.as_str();
        for part in excerpt.split("[…]\n") {
            let part = part.trim_end();
            let at = rest
                .find(part)
                .unwrap_or_else(|| panic!("not in the output of {command} any more:\n{part}"));
            rest = &rest[at + part.len()..];
        }
        excerpts += 1;
    }
    assert_eq!(excerpts, 3);
}

/// The options a text names: words that begin with two hyphens.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_ascii_lowercase() || character == '-'))
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
}

#[test]
fn every_option_in_the_other_guides_exists() {
    let readme = include_str!("../../../../README.md");
    let section = readme.split("## What hosts do with it").nth(1).unwrap();
    let section = section.split("\n## In CI").next().unwrap();
    let pages = [
        ("README.md", section),
        ("hosts.md", include_str!("../../../../docs/guides/hosts.md")),
        ("trace.md", include_str!("../../../../docs/guides/trace.md")),
        (
            "scratch.md",
            include_str!("../../../../docs/guides/scratch.md"),
        ),
        (
            "classify.md",
            include_str!("../../../../docs/guides/classify.md"),
        ),
        ("fix.md", include_str!("../../../../docs/guides/fix.md")),
        ("lock.md", include_str!("../../../../docs/guides/lock.md")),
        ("gate.md", include_str!("../../../../docs/guides/gate.md")),
        (
            "verify.md",
            include_str!("../../../../docs/guides/verify.md"),
        ),
    ];
    let commands = [
        "hosts",
        "trace",
        "scratch",
        "scratch set",
        "scratch reset",
        "scratch report",
        "classify",
        "fix",
        "lock",
        "gate",
        "verify",
    ];
    let helps = commands.map(|command| Sayso::new(&format!("{command} --help")).run().stdout);
    for (page, text) in pages {
        // A server's own option that a guide names, and Cargo's.
        let others = ["--token", "--release", "--features"];
        for option in options(text).filter(|option| !others.contains(option)) {
            assert!(
                helps.iter().any(|help| help.contains(option)),
                "{option} in {page}"
            );
        }
    }
}

#[test]
fn every_option_in_the_guides_on_auditing_exists() {
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
            for option in options(ours) {
                assert!(help.contains(option), "{option} in: {line}");
            }
        }
    }
}
