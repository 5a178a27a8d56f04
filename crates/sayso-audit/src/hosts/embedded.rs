//! The host profiles that ship with the program.
//!
//! A new host is one file in `hosts/`, one line here and, if the file says where the host keeps
//! its servers, one fixture folder in `tests/hosts/`; a test holds the three together.

/// The profile whose file stem is given.
macro_rules! profiles {
    ($($stem:literal),* $(,)?) => {
        &[$(($stem, include_str!(concat!("../../hosts/", $stem, ".toml")))),*]
    };
}

/// File stem and text of every `hosts/*.toml`, in the order hosts are listed
/// and preferred when a configuration fits several of them.
pub(super) const PROFILES: &[(&str, &str)] = profiles![
    "documented-defaults",
    "claude-code",
    "claude-agent-sdk",
    "claude-desktop",
    "anthropic-mcp-connector",
    "vscode",
    "copilot-code-review",
    "copilot-cloud-agent",
    "cursor",
    "codex",
    "codex-apps",
    "codex-legacy-2026-02",
    "chatgpt-developer-mode",
    "chatgpt-directory-submission",
    "openai-responses-mcp",
    "gemini-cli",
    "windsurf-devin",
    "zed",
    "goose",
    "opencode",
    "cline",
    "cline-sdk-cli",
    "continue",
    "continue-cli",
    "lm-studio",
    "copilot-cli",
    "qwen-code",
    "kiro",
    "amazon-q",
    "roo-code",
    "crush",
    "warp",
    "amp",
    "junie",
    "librechat",
    "open-webui",
    "hf-chat-ui",
    "n8n-instance-ai",
    "docker-agent",
    "openhands-sdk",
    "executor",
    "fast-agent",
    "mcp-use",
    "langchain-mcp-adapters",
    "openai-agents-python",
    "pydantic-ai",
];
