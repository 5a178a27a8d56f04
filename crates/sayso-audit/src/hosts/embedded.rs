//! The host profiles that ship with the program.
//!
//! A new host is one file in `hosts/`, one line here and one fixture folder in
//! `tests/hosts/`; a test holds the three together.

/// File stem and text of every `hosts/*.toml`, in the order hosts are listed
/// and preferred when a configuration fits several of them.
pub(super) const PROFILES: &[(&str, &str)] = &[
    ("claude-code", include_str!("../../hosts/claude-code.toml")),
    (
        "claude-desktop",
        include_str!("../../hosts/claude-desktop.toml"),
    ),
    ("vscode", include_str!("../../hosts/vscode.toml")),
    ("cursor", include_str!("../../hosts/cursor.toml")),
    ("codex", include_str!("../../hosts/codex.toml")),
    ("gemini-cli", include_str!("../../hosts/gemini-cli.toml")),
    (
        "windsurf-devin",
        include_str!("../../hosts/windsurf-devin.toml"),
    ),
    ("zed", include_str!("../../hosts/zed.toml")),
    ("goose", include_str!("../../hosts/goose.toml")),
    ("opencode", include_str!("../../hosts/opencode.toml")),
    ("cline", include_str!("../../hosts/cline.toml")),
    ("continue", include_str!("../../hosts/continue.toml")),
    ("lm-studio", include_str!("../../hosts/lm-studio.toml")),
    ("copilot-cli", include_str!("../../hosts/copilot-cli.toml")),
    ("qwen-code", include_str!("../../hosts/qwen-code.toml")),
    ("kiro", include_str!("../../hosts/kiro.toml")),
    ("amazon-q", include_str!("../../hosts/amazon-q.toml")),
    ("roo-code", include_str!("../../hosts/roo-code.toml")),
    ("crush", include_str!("../../hosts/crush.toml")),
    ("warp", include_str!("../../hosts/warp.toml")),
    ("amp", include_str!("../../hosts/amp.toml")),
    ("junie", include_str!("../../hosts/junie.toml")),
];
