//! What a target without a configured name is called in reports.

/// Programs that start something else, which is what the target is known as.
const RUNNERS: [&str; 12] = [
    "npx", "bunx", "pnpx", "uvx", "uv", "pnpm", "pipx", "node", "bun", "deno", "python", "python3",
];

/// Words between a runner and what it runs.
const RUNNER_WORDS: [&str; 6] = ["run", "dlx", "exec", "x", "tool", "--"];

/// The name of a command: the program's file name, or for a runner that of what it runs.
pub(super) fn of_command(program: &str, arguments: &[String]) -> String {
    let own = file_name(program);
    let stem = own
        .strip_suffix(".exe")
        .or_else(|| own.strip_suffix(".cmd"))
        .unwrap_or(own);
    if !RUNNERS.contains(&stem) {
        return own.to_owned();
    }
    let run = arguments
        .iter()
        .map(String::as_str)
        .find(|argument| !argument.starts_with('-') && !RUNNER_WORDS.contains(argument));
    match run {
        // A package keeps its scope; of a path the last part is enough.
        Some(package) if package.starts_with('@') => package.to_owned(),
        Some(path) => file_name(path).to_owned(),
        None => own.to_owned(),
    }
}

/// The name of an address: what stands between the scheme and the path.
pub(super) fn of_url(shown: &str) -> String {
    let rest = shown.split_once("://").map_or(shown, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority).to_owned()
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{of_command, of_url};

    #[test]
    fn a_command_is_called_by_what_it_runs() {
        for (line, expected) in [
            (&["/usr/bin/my-server", "--flag"] as &[&str], "my-server"),
            (
                &["npx", "-y", "@scope/server-files@1.2.3", "/tmp"],
                "@scope/server-files@1.2.3",
            ),
            (&["uv", "tool", "run", "mcp-server-git"], "mcp-server-git"),
            (&["python3", "-m", "mcp_server_time"], "mcp_server_time"),
            (&["node", "dist/index.js"], "index.js"),
            (&["node"], "node"),
            (&["C:\\tools\\npx.cmd", "-y", "files"], "files"),
        ] {
            let arguments: Vec<String> = line[1..]
                .iter()
                .map(|&argument| argument.to_owned())
                .collect();
            assert_eq!(of_command(line[0], &arguments), expected);
        }
        assert_eq!(of_url("https://…@host.test:8443/mcp?…"), "host.test:8443");
        assert_eq!(of_url("http://[::1]:3000"), "[::1]:3000");
    }
}
