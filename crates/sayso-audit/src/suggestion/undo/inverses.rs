//! Verbs and their opposites.

/// Verbs that one set of verbs undoes, the usual ones first.
struct Inverse {
    done: &'static [&'static str],
    undone: &'static [&'static str],
}

#[rustfmt::skip]
const INVERSES: &[Inverse] = &[
    Inverse {
        done: &["create", "make", "new", "insert", "append", "register", "provision", "spawn", "clone", "copy", "duplicate", "upload", "import", "log", "record", "write", "save", "store", "define", "generate", "draft", "build", "install", "deploy", "allocate", "instantiate"],
        undone: &["delete", "remove", "destroy", "drop", "unregister", "deregister", "uninstall", "undeploy", "discard", "erase", "purge", "release", "deallocate", "archive", "close"],
    },
    Inverse {
        done: &["add", "put", "attach", "assign", "tag", "label", "include", "enrol", "enroll", "join", "connect"],
        undone: &["remove", "detach", "unassign", "untag", "unlabel", "delete", "exclude", "unenrol", "unenroll", "leave", "kick", "disconnect"],
    },
    Inverse {
        done: &["send", "post", "reply", "publish", "share", "comment", "submit", "propose", "request", "issue", "raise", "tweet", "forward"],
        undone: &["unsend", "retract", "recall", "withdraw", "unpublish", "unshare", "revoke", "delete", "remove", "cancel"],
    },
    Inverse {
        done: &["invite"],
        undone: &["uninvite", "withdraw", "revoke", "cancel", "rescind", "delete", "remove"],
    },
    Inverse {
        done: &["schedule", "book", "reserve", "order", "place", "hold", "queue", "enqueue", "start", "launch", "trigger", "run"],
        undone: &["cancel", "unschedule", "release", "abort", "stop", "terminate", "delete", "remove", "dequeue"],
    },
    Inverse { done: &["grant", "allow", "permit", "authorize", "authorise"], undone: &["revoke", "deny", "disallow", "remove", "deauthorize", "deauthorise"] },
    Inverse { done: &["delete", "remove", "trash", "archive", "discard"], undone: &["restore", "undelete", "recover", "unarchive", "reinstate"] },
    Inverse { done: &["remove", "detach", "unassign", "untag", "exclude", "leave"], undone: &["add", "attach", "assign", "tag", "include", "join", "put"] },
    Inverse { done: &["close", "resolve", "complete", "finish"], undone: &["reopen", "unresolve", "uncomplete", "open"] },
    Inverse { done: &["open", "reopen"], undone: &["close"] },
    Inverse { done: &["stop", "pause", "suspend", "halt"], undone: &["start", "resume", "continue"] },
    Inverse { done: &["start", "resume", "continue"], undone: &["stop", "pause", "suspend", "halt"] },
    Inverse { done: &["enable", "activate"], undone: &["disable", "deactivate"] },
    Inverse { done: &["disable", "deactivate"], undone: &["enable", "activate"] },
    Inverse { done: &["freeze", "ban", "block", "hide", "lock", "mute"], undone: &["unfreeze", "unban", "unblock", "show", "unlock", "unmute", "unhide"] },
    Inverse { done: &["login", "signin"], undone: &["logout", "signout"] },
    Inverse { done: &["mount", "link", "pair", "bind"], undone: &["unmount", "unlink", "unpair", "unbind", "eject"] },
    Inverse { done: &["acquire", "lease", "claim", "checkout"], undone: &["release", "return", "unclaim", "checkin"] },
    Inverse { done: &["undo"], undone: &["redo"] },
    Inverse { done: &["deposit"], undone: &["withdraw"] },
    Inverse { done: &["charge", "pay", "purchase", "buy"], undone: &["refund", "cancel", "return"] },
    Inverse { done: &["approve", "accept"], undone: &["unapprove", "revoke"] },
    Inverse { done: &["merge", "apply", "commit"], undone: &["revert", "rollback", "unapply", "unmerge"] },
];

/// How usual one verb is as the opposite of another, more being more; `None` where it is none.
pub(super) fn usual(done: &str, undone: &str) -> Option<usize> {
    if prefixed(undone, done) || prefixed(done, undone) {
        return Some(usize::MAX);
    }
    INVERSES
        .iter()
        .filter(|inverse| inverse.done.contains(&done))
        .filter_map(|inverse| {
            let place = inverse.undone.iter().position(|verb| *verb == undone)?;
            Some(inverse.undone.len() - place)
        })
        .max()
}

/// `unpin` and `pin`, `deactivate` and `activate`, `disconnect` and `connect`.
fn prefixed(long: &str, short: &str) -> bool {
    ["un", "de", "dis"]
        .iter()
        .any(|prefix| short.len() > 2 && long.strip_prefix(prefix) == Some(short))
}

/// Verbs after which something has to be given back that the caller must still have.
pub(super) fn gives_back(done: &str) -> bool {
    matches!(done, "remove" | "detach" | "exclude" | "leave")
}

/// Verbs whose outcome the caller does not choose.
pub(super) fn resets(verb: &str) -> bool {
    matches!(
        verb,
        "reset"
            | "restore"
            | "revert"
            | "rollback"
            | "rebuild"
            | "regenerate"
            | "reinstall"
            | "recreate"
            | "reformat"
            | "flash"
            | "squash"
            | "rebase"
    )
}
