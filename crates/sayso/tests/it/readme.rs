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
    assert_eq!(excerpts, 2);
}

#[test]
fn every_option_in_the_guide_on_hosts_exists() {
    let help = Sayso::new("hosts --help").run().stdout;
    let guide = include_str!("../../../../docs/guides/hosts.md");
    let readme = include_str!("../../../../README.md");
    let section = readme.split("## What hosts do with it").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    for option in (guide.to_owned() + section)
        .split(|character: char| !(character.is_ascii_lowercase() || character == '-'))
    {
        if option.starts_with("--") && option.len() > 2 && !option.starts_with("---") {
            assert!(help.contains(option), "{option}");
        }
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
