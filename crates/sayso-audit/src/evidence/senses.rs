//! Verbs that mean another thing in other company: `roll back`, `look up`, `open a ticket`.

use super::act::Act;

/// A verb's sense in the company of certain words.
pub(super) struct Sense {
    /// What the verb begins with, in any of its forms.
    pub(super) stem: &'static str,
    /// The words of which one has to follow at once; any if empty.
    pub(super) next: &'static [&'static str],
    /// The words of which one has to stand in the same sentence; none if empty.
    pub(super) company: &'static [&'static str],
    /// What it does then.
    pub(super) act: Act,
}

const fn next(stem: &'static str, next: &'static [&'static str], act: Act) -> Sense {
    Sense {
        stem,
        next,
        company: &[],
        act,
    }
}

const fn with(stem: &'static str, company: &'static [&'static str], act: Act) -> Sense {
    Sense {
        stem,
        next: &[],
        company,
        act,
    }
}

/// The senses, the first that fits counts.
pub(super) const SENSES: &[Sense] = &[
    with("roll", &["back"], Act::Replace),
    with(
        "mov",
        &["stage", "status", "state", "phase", "column", "step"],
        Act::Update,
    ),
    next("add", &["up", "together"], Act::Compute),
    next("back", &["up"], Act::Add),
    next("back", &[], Act::Read),
    next("block", &["until", "till"], Act::Read),
    with(
        "resolv",
        &[
            "issue",
            "alert",
            "incident",
            "ticket",
            "thread",
            "conversation",
            "comment",
            "comments",
            "discussion",
            "task",
            "error",
            "conflict",
            "conflicts",
            "case",
            "problem",
            "request",
            "dispute",
            "threads",
            "alerts",
            "alarm",
        ],
        Act::Mark,
    ),
    next("resolv", &[], Act::Read),
    with("extract", &["archive", "zip", "tar", "tarball"], Act::Bring),
    with("fetch", &["remote", "upstream", "origin"], Act::Bring),
    with(
        "accept",
        &[
            "invitation",
            "invite",
            "offer",
            "request",
            "terms",
            "order",
            "bid",
            "quote",
            "proposal",
            "application",
        ],
        Act::Mark,
    ),
    with("load", &["into"], Act::Bring),
    with("pull", &["into", "image", "remote", "branch"], Act::Bring),
    with(
        "releas",
        &[
            "lock",
            "lease",
            "reservation",
            "hold",
            "claim",
            "port",
            "address",
        ],
        Act::Disconnect,
    ),
    with("plac", &["order", "orders", "bid", "trade"], Act::Pay),
    with("return", &["factory"], Act::Replace),
    next("look", &[], Act::Read),
    next("check", &["out", "in"], Act::Update),
    next("log", &["in", "into", "on"], Act::Connect),
    next("sign", &["in", "into", "on"], Act::Connect),
    next("log", &["out", "off"], Act::Disconnect),
    next("sign", &["out", "off"], Act::Disconnect),
    next("set", &["up"], Act::Add),
    next("tear", &["down"], Act::Remove),
    next("shut", &["down", "off"], Act::End),
    next("turn", &["on", "off"], Act::Adjust),
    next("switch", &["on", "off"], Act::Adjust),
    next("tak", &["down", "offline", "away", "off"], Act::Remove),
    with("tak", &["next", "oldest", "queue", "over"], Act::Claim),
    with("mak", &["default", "active", "current"], Act::Select),
    with(
        "mak",
        &["visible", "public", "private", "available"],
        Act::Publish,
    ),
    with(
        "mak",
        &[
            "copy",
            "backup",
            "duplicate",
            "entry",
            "booking",
            "reservation",
        ],
        Act::Add,
    ),
    with("mak", &["payment", "purchase", "transfer"], Act::Pay),
    with("bring", &["back"], Act::Replace),
    with(
        "restor",
        &[
            "backup",
            "backups",
            "snapshot",
            "version",
            "revision",
            "point",
            "default",
            "defaults",
            "original",
            "previous",
            "earlier",
            "factory",
            "copy",
            "dump",
            "checkpoint",
        ],
        Act::Replace,
    ),
    next("restor", &[], Act::Control),
    next("hand", &["in"], Act::Add),
    with(
        "respond",
        &["invitation", "invite", "event", "meeting"],
        Act::Mark,
    ),
    with(
        "open",
        &[
            "issue",
            "ticket",
            "case",
            "pull",
            "pr",
            "account",
            "position",
            "request",
            "incident",
            "branch",
            "dispute",
            "merge",
            "order",
            "thread",
            "discussion",
        ],
        Act::Add,
    ),
    with(
        "open",
        &[
            "connection",
            "session",
            "port",
            "socket",
            "tunnel",
            "channel",
            "stream",
            "database",
        ],
        Act::Connect,
    ),
    with(
        "open",
        &["tab", "app", "application", "window"],
        Act::Interact,
    ),
    next("open", &[], Act::Make),
    next("start", &["here"], Act::Read),
    with(
        "confirm",
        &[
            "order",
            "booking",
            "reservation",
            "appointment",
            "payment",
            "purchase",
            "delivery",
        ],
        Act::Mark,
    ),
    next("confirm", &[], Act::Read),
];
