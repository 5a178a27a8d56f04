//! A jail without namespaces: Landlock keeps files from being written and TCP from being used.
//!
//! Landlock has no say over a file's mode, owner, times and attributes (`landlock(7)`); there the watcher
//! refuses what the plan does not name.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::view::Step;
use crate::plan::Plan;

/// What is written by everybody and keeps nothing.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
];

/// Restricts this thread and what it starts, for good.
pub(super) fn restrict(plan: &Plan) -> Step<()> {
    let said = |error: landlock::RulesetError| format!("restrict it with Landlock: {error}");
    let all = AccessFs::from_all(ABI::V6);
    let written = plan.writable.iter().map(std::path::PathBuf::as_path);
    let devices = DEVICES.map(Path::new);
    let status = Ruleset::default()
        // From version 3 on a file cannot be emptied by opening it: less is of no use.
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V3))
        .map(|rules| rules.set_compatibility(CompatLevel::BestEffort))
        .and_then(|rules| rules.handle_access(all))
        .and_then(|rules| rules.handle_access(AccessNet::ConnectTcp))
        .and_then(|rules| rules.scope(Scope::AbstractUnixSocket | Scope::Signal))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(["/"], AccessFs::from_read(ABI::V6))))
        .and_then(|rules| rules.add_rules(path_beneath_rules(written, all)))
        .and_then(|rules| {
            let access = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
            rules.add_rules(path_beneath_rules(devices, access))
        })
        .and_then(|rules| rules.restrict_self())
        .map_err(said)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("restrict it with Landlock: it is not there".to_owned()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}
