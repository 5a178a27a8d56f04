//! What every fixture gives, secrets included: the values are made up.

use super::read;

#[test]
fn claude_code() {
    insta::assert_snapshot!(read("claude-code", ".claude.json"), @r#"
    4: notes
        npx ["-y", "notes-server", "--root", "/people/ada/notes"]
        NOTES_TOKEN=t0ken-from-environment
        LANG=en
    10: issues
        StreamableHttp https://mcp.example.com/issues
        Authorization: Bearer t0ken-from-environment
    20: database in /srv/shop
        uvx ["sqlite-server", "shop.db"]
    21: events in /srv/shop (off)
        Sse http://127.0.0.1:8931/sse
    "#);
    insta::assert_snapshot!(read("claude-code", ".mcp.json"), @r"
    3: search
        search-server []
    Error .mcp.json:4:92: server `paid`: `${NOT_SET}` in `headers.X-Key` has no value
    hint: set the environment variable `NOT_SET`
    ");
}

#[test]
fn claude_desktop() {
    insta::assert_snapshot!(read("claude-desktop", "claude_desktop_config.json"), @r#"
    3: files
        npx ["-y", "@modelcontextprotocol/server-filesystem", "/srv/documents"]
    7: weather
        C:\Tools\weather.exe []
        WEATHER_KEY=${TOKEN}
    Note claude_desktop_config.json:9:31: server `weather`: `${TOKEN}` in `env.WEATHER_KEY` is passed on as it stands
    hint: Claude Desktop is not known to read such references
    Error claude_desktop_config.json:11:5: server `wiki`: has neither a command nor an address
    hint: see https://modelcontextprotocol.io/docs/develop/connect-local-servers
    "#);
}

#[test]
fn vscode() {
    insta::assert_snapshot!(read("vscode", "mcp.json"), @r#"
    7: tests
        /srv/shop/bin/tests ["--cache", "/people/ada/.cache/tests"]
        LEVEL=3
        VERBOSE=true
        KEY=t0ken-from-environment
        in /srv/shop
    19: docs
        Unknown https://mcp.example.com/docs
    20: feed
        Sse https://mcp.example.com/feed
    Note mcp.json:13:18: server `tests`: the variables in the file that `envFile` names are not read
    hint: set them in the environment beforehand
    Error mcp.json:17:31: server `tracker`: `${input:tracker-key}` in `env.TRACKER_KEY` has no value
    hint: only the host can look that up; start the server by its own command, with the value filled in
    "#);
    insta::assert_snapshot!(read("vscode", "settings.json"), @r#"
    5: clock
        uvx ["mcp-server-time"]
    "#);
}

#[test]
fn cursor() {
    insta::assert_snapshot!(read("cursor", "mcp.json"), @r#"
    3: browser
        npx ["browser-server", "--profile=/srv/shop/.profile"]
        BROWSER_KEY=t0ken-from-environment
    8: design
        Unknown https://mcp.example.com/design?team=7f3a
        X-Design-Key: t0ken-from-environment
    12: legacy
        Sse http://localhost:3845/sse
    "#);
}

#[test]
fn codex() {
    insta::assert_snapshot!(read("codex", "config.toml"), @r#"
    3: repository
        uvx ["mcp-server-git", "--repository", "."]
        GIT_PAGER=cat
        TOKEN=t0ken-from-environment
        HOME=/people/ada
    12: deploy
        StreamableHttp https://mcp.example.com/deploy
        X-Region: eu
        X-Team: blue
        Authorization: Bearer t0ken-from-environment
    18: old (off)
        old-server []
    "#);
}

#[test]
fn gemini_cli() {
    insta::assert_snapshot!(read("gemini-cli", "settings.json"), @r#"
    4: python
        python3 ["-m", "python_tools"]
        DATABASE=postgres://db.example.com/shop
        KEY=t0ken-from-environment
        in ./servers/python
    12: streaming
        StreamableHttp http://localhost:3000/mcp
        Authorization: Bearer t0ken-from-environment
    13: events
        Sse http://localhost:8080/sse
    14: modern
        StreamableHttp https://mcp.example.com/mcp
    15: scratch (off)
        scratch []
    "#);
}

#[test]
fn windsurf_devin() {
    insta::assert_snapshot!(read("windsurf-devin", "mcp_config.json"), @r#"
    3: tickets
        Unknown https://mcp.example.com/tickets
        Authorization: Bearer t0ken-from-environment
    7: team
        Unknown https://mcp.example.com/team
    8: shell (off)
        shell-server ["--safe"]
    Error mcp_config.json:9:59: server `vault`: `${file:…}` in `env.KEY` has no value
    hint: only the host can look that up; start the server by its own command, with the value filled in
    "#);
}

#[test]
fn zed() {
    insta::assert_snapshot!(read("zed", "settings.json"), @r#"
    5: local
        uvx ["mcp-server-fetch"]
    11: older
        older-server ["--stdio"]
        KEY=k-123
    14: remote
        Unknown https://mcp.example.com/zed
        X-Key: k-123
    16: off (off)
        off-server []
    Note settings.json:15:5: server `from-extension`: Zed brings it itself; there is no server to start or reach
    "#);
}

#[test]
fn goose() {
    insta::assert_snapshot!(read("goose", "config.yaml"), @r#"
    9: mail
        npx ["-y", "mail-server"]
        MAIL_HOST=mail.example.com
        MAIL_PORT=993
        TOKEN=t0ken-from-environment
    23: calendar (off)
        StreamableHttp https://mcp.example.com/calendar
        Authorization: Bearer t0ken-from-environment
    Note config.yaml:4:3: server `developer`: goose brings it itself; there is no server to start or reach
    Error config.yaml:36:16: server `ledger`: the variable `NOT_SET` that `env_keys` names is not set
    hint: set the environment variable `NOT_SET`
    "#);
}

#[test]
fn opencode() {
    insta::assert_snapshot!(read("opencode", "opencode.jsonc"), @r#"
    4: graph
        bun ["x", "graph-server"]
        GRAPH_KEY=t0ken-from-environment
    15: plain (off)
        Unknown https://mcp.example.com/plain
    Error opencode.jsonc:13:37: server `shop`: `{file:~/.secrets/shop}` in `headers.Authorization` has no value
    hint: only the host can look that up; start the server by its own command, with the value filled in
    Error opencode.jsonc:16:44: server `wrong`: `command` is a string, not a list of the program and its arguments
    hint: see https://opencode.ai/docs/mcp-servers/
    "#);
}

#[test]
fn cline() {
    insta::assert_snapshot!(read("cline", "cline_mcp_settings.json"), @r#"
    3: kitchen
        node ["/opt/kitchen/server.js"]
        KITCHEN_KEY=k-123
    10: pantry (off)
        Sse https://mcp.example.com/pantry
    11: market
        StreamableHttp https://mcp.example.com/market
    12: cellar
        cellar ["--list"]
    "#);
}

#[test]
fn continue_() {
    insta::assert_snapshot!(read("continue", "config.yaml"), @r#"
    10: SQLite
        uvx ["mcp-server-sqlite", "--db-path", "/srv/shop.db"]
        in /srv
    17: Remote
        StreamableHttp https://mcp.example.com/remote
        X-Key: k-123
    Error config.yaml:23:5: a server has no name
    hint: give it a `name`
    Error config.yaml:9:17: server `Docs`: `${{ secrets.DOCS_KEY }}` in `env.DOCS_KEY` has no value
    hint: only the host can look that up; start the server by its own command, with the value filled in
    "#);
    insta::assert_snapshot!(read("continue", "search.json"), @r#"
    1: search
        npx ["-y", "search-server"]
    "#);
}

#[test]
fn lm_studio() {
    insta::assert_snapshot!(read("lm-studio", "mcp.json"), @r#"
    3: models
        Unknown https://mcp.example.com/models
        Authorization: Bearer k-123
    4: files
        node ["files.js"]
    "#);
}

#[test]
fn copilot_cli() {
    insta::assert_snapshot!(read("copilot-cli", "mcp-config.json"), @r#"
    3: browser
        npx ["browser-server"]
    4: cloud
        StreamableHttp https://mcp.example.com/cloud
        Authorization: Bearer t0ken-from-environment
    10: stream
        Sse https://mcp.example.com/stream
    "#);
}

#[test]
fn qwen_code() {
    insta::assert_snapshot!(read("qwen-code", "settings.json"), @r"
    4: main
        StreamableHttp https://mcp.example.com/main
    5: other (off)
        other-server []
        KEY=t0ken-from-environment
    ");
}

#[test]
fn kiro() {
    insta::assert_snapshot!(read("kiro", "mcp.json"), @r#"
    3: specs
        uvx ["spec-server@latest"]
        SPEC_KEY=t0ken-from-environment
    4: api (off)
        Unknown https://mcp.example.com/api
        Authorization: Bearer t0ken-from-environment
    "#);
}

#[test]
fn amazon_q() {
    insta::assert_snapshot!(read("amazon-q", "default.json"), @r#"
    4: cloud-docs
        uvx ["cloud-docs-server"]
    5: gateway (off)
        StreamableHttp https://mcp.example.com/gateway
    "#);
}

#[test]
fn roo_code() {
    insta::assert_snapshot!(read("roo-code", "mcp.json"), @r#"
    3: build
        node ["/srv/shop/tools/build.js"]
        KEY=t0ken-from-environment
    10: remote
        StreamableHttp https://mcp.example.com/roo
    "#);
}

#[test]
fn crush() {
    insta::assert_snapshot!(read("crush", "crush.json"), @r#"
    4: filesystem
        node ["server.js"]
        NODE_ENV=production
    5: github
        StreamableHttp https://mcp.example.com/code
        Authorization: Bearer t0ken-from-environment
    6: stream (off)
        Sse https://mcp.example.com/sse
    "#);
}

#[test]
fn warp() {
    insta::assert_snapshot!(read("warp", ".mcp.json"), @r#"
    3: terminal
        npx ["terminal-server"]
        in /work
    4: remote
        Unknown https://mcp.example.com/warp
        X-Key: k-123
    "#);
}

#[test]
fn amp() {
    insta::assert_snapshot!(read("amp", "settings.json"), @r#"
    4: charts
        npx ["-y", "charts-server"]
        CHARTS_KEY=t0ken-from-environment
    5: index
        Unknown https://mcp.example.com/index
    "#);
}

#[test]
fn junie() {
    insta::assert_snapshot!(read("junie", "mcp.json"), @r#"
    3: runner
        runner ["--quiet"]
        RUNNER_HOME=/opt/runner
    "#);
}
