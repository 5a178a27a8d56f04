//! The guide page on what hosts do.

use sayso_audit::hosts::{HostProfile, Parser, guide_markdown};

/// The part of the page under a heading.
fn section(page: &str, heading: &str, next: &str) -> String {
    let start = page.find(&format!("\n{heading}\n")).unwrap();
    let end = page.find(&format!("\n{next}\n")).unwrap();
    page[start..end].trim().to_owned()
}

#[test]
fn it_tells_of_every_host_and_every_mode() {
    let page = guide_markdown();
    for host in HostProfile::all() {
        assert!(
            page.contains(&format!("\n### {}\n", host.name)),
            "{}",
            host.id
        );
        let behaviour = host.behaviour.as_ref().unwrap();
        for text in [&behaviour.absent, &behaviour.version, &behaviour.date_read] {
            assert!(page.contains(text.as_str()), "{}: {text}", host.id);
        }
        for mode in &behaviour.modes {
            let heading = format!("\n**{}** (`{}`", mode.name, mode.id);
            assert!(page.contains(&heading), "{}: {heading}", host.id);
        }
    }
    for parser in Parser::all() {
        assert!(page.contains(&format!("\n### {}\n", parser.name)));
    }
}

#[test]
fn its_links_lead_to_its_headings() {
    let page = guide_markdown();
    let anchors: Vec<String> = page
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' '))
        .map(|heading| {
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || " -".contains(*c));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        })
        .collect();
    let links: Vec<&str> = page
        .split("](#")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    assert!(links.len() > 80);
    for link in links {
        assert!(anchors.iter().any(|anchor| anchor == link), "{link}");
    }
}

#[test]
fn one_host_in_words() {
    let page = guide_markdown();
    insta::assert_snapshot!(section(&page, "### Visual Studio Code", "### GitHub Copilot code review"), @"
    ### Visual Studio Code

    `vscode`. [Documentation](https://code.visualstudio.com/docs/agents/reference/mcp-configuration)

    - version: d2fe6d3bf903, of 2026-10-02.
    - known from: its source, or watching it.
    - reads: `readOnlyHint`, `openWorldHint` and `title`.
    - absent: A tool without `readOnlyHint` counts as one that writes. Against the specification, one without `openWorldHint` counts as closed: its results are not reviewed. `destructiveHint` is not looked at.
    - malformed: as [No validation, JavaScript truthiness](#no-validation-javascript-truthiness) (as was read or watched).
    - title: `annotations.title`, else `title`, else `name`.
    - changed listing: read again when the server tells of it. A tool is registered anew when its title, its need of approval, its schema or its description changes. The listing with its hints is also kept on disk, and used before the server has started.
    - repeats: a call is sent again, at most once, when the connection was lost: every tool. When the connection fails in a way that it can mend. Hints are not looked at.
    - result goes to a person first: `openWorldHint` is true: yes (a person approves the result before the model sees it, also when the call itself was silent; not for servers in a sandbox, nor where everything is allowed, nor after a saved approval); anything else: no.
    - introduces itself as: `Visual Studio Code` and `Visual Studio Code - Insiders`.

    **Default permissions** (`default`, the default)

    - `readOnlyHint` is true: calls the tool without asking. `destructiveHint` is not looked at: a tool that claims both runs silently.
    - anything else: asks a person, and offers to remember the answer. The answer can be remembered for the session, the workspace or for good.

    **Tool never approved automatically** (`never-auto-approve`), needs: `chat.tools.eligibleForAutoApproval` is false for the tool

    - every tool: asks a person before every call. `readOnlyHint` does not count here.

    **Server in a sandbox** (`sandboxed`)

    - every tool: calls the tool without asking. Hints are not looked at.

    **Allow all** (`allow-all`), needs: allow all, autopilot, or `chat.tools.global.autoApprove`

    - every tool: calls the tool without asking.

    Remarks:

    - Approvals that are saved stay when the hints change.

    Faults and contradictions:

    - A tool that only reads an open world got past every review until microsoft/vscode#266399, which brought the review of results.
    - Its pages disagree: the one on security has every MCP call approved, the one for extensions has `readOnlyHint` skip it.
    - Copilot for Eclipse ignores hints and always asks: microsoft/copilot-for-eclipse#112.

    Sources:

    - microsoft/vscode: src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts, McpToolImplementation.prepareToolInvocation and _syncTools (read at 027907cb37d0)
    - src/vs/workbench/contrib/chat/browser/tools/languageModelToolsService.ts, shouldAutoConfirm, shouldAutoConfirmPostExecution and eligibleForAutoApproval
    - src/vs/workbench/contrib/mcp/common/mcpServer.ts, _populateLiveData, _callWithProgress and McpServerMetadataCache (read at 0052d689f910)
    - src/vs/workbench/contrib/mcp/common/mcpServerRequestHandler.ts (its client name)
    - s1300105/auth_gap: docs/textbook/appendix-g, a survey of 2026-10-02 for the commit named
    ");
}

#[test]
fn hints_that_are_no_booleans_in_words() {
    let page = guide_markdown();
    insta::assert_snapshot!(section(&page, "## Hints that are no booleans", "### TypeScript SDK"), @r#"
    ## Hints that are no booleans

    A hint is `true`, `false` or not there. What else is sent meets the code that reads the listing before it meets any policy, and some of that code then loses the whole listing: every tool of the server is gone, not only the one at fault. So leave a hint out rather than send `null`.

    | reader | `null` | text | a number | a list or an object | `annotations: null` | other `annotations` | `title: null` | a key twice |
    |---|---|---|---|---|---|---|---|---|
    | [TypeScript SDK](#typescript-sdk) | lost | lost | lost | lost | lost | lost | lost | the last counts |
    | [Python SDK](#python-sdk) | absent | coerced | coerced | lost | absent | lost | absent | the last counts |
    | [Rust SDK (rmcp)](#rust-sdk-rmcp) | absent | lost | lost | lost | absent | lost | absent | lost |
    | [Go SDK](#go-sdk) | absent | lost | lost | lost | absent | lost | absent | the last counts |
    | [Optional fields of a Rust type](#optional-fields-of-a-rust-type) | absent | lost | lost | lost | absent | lost | absent | lost |
    | [No validation, JavaScript truthiness](#no-validation-javascript-truthiness) | absent | truthy | truthy | truthy | absent | absent | absent | the last counts |
    | [Only real booleans count](#only-real-booleans-count) | absent | absent | absent | absent | absent | absent | absent | unknown |

    - *lost*: the whole listing is refused
    - *absent*: read as if it were not there
    - *coerced*: `"true"`, `"yes"`, `"on"`, `1` and their opposites are read as booleans; for anything else the listing is lost
    - *truthy*: anything but an empty text, `0` and `null` is read as true
    "#);
}
