//! English verb forms, as far as the table of verbs needs them.

use super::Forms;

/// Verbs whose past is not `-ed`: base, past, participle.
const IRREGULAR: &[(&str, &str, &str)] = &[
    ("begin", "began", "begun"),
    ("bring", "brought", "brought"),
    ("build", "built", "built"),
    ("buy", "bought", "bought"),
    ("choose", "chose", "chosen"),
    ("cut", "cut", "cut"),
    ("draw", "drew", "drawn"),
    ("find", "found", "found"),
    ("forget", "forgot", "forgotten"),
    ("freeze", "froze", "frozen"),
    ("get", "got", "gotten"),
    ("give", "gave", "given"),
    ("hide", "hid", "hidden"),
    ("lose", "lost", "lost"),
    ("make", "made", "made"),
    ("overwrite", "overwrote", "overwritten"),
    ("pay", "paid", "paid"),
    ("put", "put", "put"),
    ("read", "read", "read"),
    ("rebuild", "rebuilt", "rebuilt"),
    ("redo", "redid", "redone"),
    ("reset", "reset", "reset"),
    ("rewrite", "rewrote", "rewritten"),
    ("run", "ran", "run"),
    ("rerun", "reran", "rerun"),
    ("see", "saw", "seen"),
    ("sell", "sold", "sold"),
    ("send", "sent", "sent"),
    ("set", "set", "set"),
    ("show", "showed", "shown"),
    ("shut", "shut", "shut"),
    ("spend", "spent", "spent"),
    ("split", "split", "split"),
    ("take", "took", "taken"),
    ("tell", "told", "told"),
    ("undo", "undid", "undone"),
    ("unset", "unset", "unset"),
    ("withdraw", "withdrew", "withdrawn"),
    ("write", "wrote", "written"),
];

/// Verbs that double their last letter.
const DOUBLING: &[&str] = &[
    "ban",
    "begin",
    "chat",
    "commit",
    "cut",
    "drag",
    "drop",
    "fetchplan",
    "flag",
    "forget",
    "get",
    "grab",
    "label",
    "log",
    "map",
    "pin",
    "plan",
    "plot",
    "pop",
    "put",
    "remit",
    "rerun",
    "reset",
    "run",
    "scan",
    "scrap",
    "set",
    "ship",
    "shut",
    "snap",
    "split",
    "stop",
    "submit",
    "swap",
    "tag",
    "tap",
    "transfer",
    "trim",
    "unban",
    "undrop",
    "unpin",
    "unset",
    "unsub",
    "unzip",
    "wrap",
    "zip",
    "scrub",
    "strip",
    "hotswap",
    "untag",
    "debug",
    "cancel",
    "enrol",
];

/// Every form of a verb, with what it is.
pub(super) fn forms(base: &str) -> Vec<(Forms, String)> {
    let mut forms = vec![
        (Forms::BASE, base.to_owned()),
        (Forms::THIRD, third(base)),
        (Forms::GERUND, gerund(base)),
    ];
    match IRREGULAR.iter().find(|(verb, ..)| *verb == base) {
        Some((_, past, participle)) => {
            forms.push((Forms::PAST, (*past).to_owned()));
            forms.push((Forms::PAST, (*participle).to_owned()));
        }
        None => forms.push((Forms::PAST, past(base))),
    }
    // Both spellings are common.
    if base == "cancel" || base == "label" {
        forms.push((Forms::PAST, format!("{base}ed")));
        forms.push((Forms::GERUND, format!("{base}ing")));
    }
    forms
}

fn third(base: &str) -> String {
    if let Some(stem) = consonant_y(base) {
        format!("{stem}ies")
    } else if ["s", "x", "z", "ch", "sh", "do", "go"]
        .iter()
        .any(|end| base.ends_with(end))
    {
        format!("{base}es")
    } else {
        format!("{base}s")
    }
}

fn past(base: &str) -> String {
    if let Some(stem) = consonant_y(base) {
        format!("{stem}ied")
    } else if base.ends_with('e') {
        format!("{base}d")
    } else {
        format!("{}ed", doubled(base))
    }
}

fn gerund(base: &str) -> String {
    match base.strip_suffix('e') {
        Some(stem) if !base.ends_with("ee") => format!("{stem}ing"),
        _ => format!("{}ing", doubled(base)),
    }
}

fn doubled(base: &str) -> String {
    let mut stem = base.to_owned();
    if DOUBLING.contains(&base) {
        stem.extend(base.chars().last());
    }
    stem
}

fn consonant_y(base: &str) -> Option<&str> {
    base.strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']))
}
