//! `sayso lock`.

mod arguments;

use std::collections::BTreeSet;
use std::io::{self, Write as _};

use sayso_audit::semantics::Semantics;
use sayso_core::lock::Lock;
use sayso_core::reveal::reveal_line;
use sayso_core::suggest::nearest;

pub(super) use arguments::LockArgs;

use super::ask::{ask, somebody_is_there};
use super::output;
use super::target_arguments::{Plan, Verb};
use crate::audit_report::Presentation;
use crate::error::{Failure, Outcome, quoted};
use crate::lock::pin::{NoPin, Pinning};
use crate::lock::{Action, LockReport, LockedServer, State, change, file, launch, pin};
use crate::targets::PlannedTarget;
use crate::{exit, report};

/// What is done with targets, for errors.
const VERB: Verb = Verb {
    does: "pin",
    example: "sayso lock --example",
};

impl LockArgs {
    pub(super) fn run(self) -> Outcome {
        let read = self.settings.read()?;
        output::check_directories([&self.report.output, &Some(self.file.clone())])?;
        let found = file::read(&self.file)?;
        if self.list {
            return self.list(found.as_ref().ok_or_else(|| self.no_lock())?);
        }
        let action = self.action();
        let lock = match (found, action) {
            (Some(lock), _) => lock,
            (None, Action::Pin) => Lock::default(),
            (None, Action::Check | Action::Accept) => return Err(self.no_lock()),
        };
        let (plan, names) = self.plan(&lock)?;
        let options = self
            .reading
            .run_options(read.settings.audit.jobs, !self.detail.quiet);
        let pinnings = match action {
            Action::Check => pin::read(plan.targets, &options)?,
            Action::Pin | Action::Accept => pin::read_twice(plan.targets, &options)?,
        };
        let semantics = read.settings.audit.semantics;
        let named = names.into_iter().zip(pinnings).collect();
        let mut report = self.compare(action, &lock, named, plan.notes, semantics);
        self.check_accepted(&report)?;
        match action {
            Action::Check => self.write(&report)?,
            Action::Pin => {
                let after = pinned_anew(&lock, &mut report);
                self.save(&lock, &after)?;
                self.write(&report)?;
            }
            Action::Accept => self.accept(&lock, &mut report)?,
        }
        Ok(exit::of(report.whole(), report.fails()))
    }

    fn action(&self) -> Action {
        match (self.check, &self.accept) {
            (true, _) => Action::Check,
            (_, Some(_)) => Action::Accept,
            _ => Action::Pin,
        }
    }

    /// The tools to take over; all of them where none is named.
    fn accepted_tools(&self) -> BTreeSet<&str> {
        let names = self.accept.iter().flatten().map(String::as_str);
        names.filter(|name| !name.is_empty()).collect()
    }

    fn no_lock(&self) -> Failure {
        let file = self.file.display();
        Failure::usage(format!("there is no lock `{file}` yet"))
            .hint("`sayso lock TARGET` pins a server and writes it")
    }

    /// The targets named, or for a comparison those of the lock; and what each is called there.
    fn plan(&self, lock: &Lock) -> Result<(Plan, Vec<String>), Failure> {
        if !self.target.asks_for_any() && self.action() != Action::Pin {
            if lock.servers.is_empty() {
                let file = self.file.display();
                return Err(Failure::usage(format!("no server is pinned in `{file}`"))
                    .hint("`sayso lock TARGET` pins one"));
            }
            let servers = lock.servers.iter();
            let targets = servers.map(|(name, pinned)| launch::again(name, pinned));
            let plan = Plan {
                targets: targets.collect(),
                notes: Vec::new(),
            };
            return Ok((plan, lock.servers.keys().cloned().collect()));
        }
        let plan = self.target.plan(&VERB)?;
        let names = match (&self.name, plan.targets.len()) {
            (None, _) => names(&plan.targets)?,
            (Some(name), 1) => vec![name.clone()],
            (Some(_), count) => {
                let failure = format!("`--as` names one server, and there are {count} targets");
                return Err(Failure::usage(failure).hint(
                    "pin one target at a time; `--server NAME` chooses one of a configuration",
                ));
            }
        };
        Ok((plan, names))
    }

    fn compare(
        &self,
        action: Action,
        lock: &Lock,
        pinnings: Vec<(String, Pinning)>,
        mut notes: Vec<String>,
        semantics: Semantics,
    ) -> LockReport {
        let read: BTreeSet<&str> = pinnings.iter().map(|(name, _)| name.as_str()).collect();
        let left_out: Vec<String> = lock
            .servers
            .keys()
            .filter(|name| !read.contains(name.as_str()))
            .map(|name| reveal_line(name).into_owned())
            .collect();
        if !left_out.is_empty() && action != Action::Pin {
            let names = quoted(left_out.iter().map(String::as_str));
            notes.push(format!("in the lock, and not looked at: {names}"));
        }
        for (name, pinning) in &pinnings {
            let name = reveal_line(name).into_owned();
            notes.extend(pinning.notes.iter().map(|note| format!("`{name}`: {note}")));
        }
        LockReport {
            version: env!("CARGO_PKG_VERSION"),
            file: self.file.display().to_string(),
            action,
            asks: false,
            fail_on: self.fail_on,
            servers: pinnings
                .into_iter()
                .map(|(name, pinning)| locked(lock, name, pinning, semantics))
                .collect(),
            notes,
        }
    }

    /// That each tool to be taken over is one that changed.
    fn check_accepted(&self, report: &LockReport) -> Result<(), Failure> {
        let changed: BTreeSet<&str> = report
            .servers
            .iter()
            .flat_map(LockedServer::changes)
            .filter_map(|change| change.tool.as_deref())
            .collect();
        // A server that was not read may be the one with the tool.
        if !report.whole() {
            return Ok(());
        }
        for tool in self.accepted_tools() {
            if changed.contains(tool) {
                continue;
            }
            let failure = Failure::usage(format!("no tool called `{}` changed", reveal_line(tool)));
            return Err(match nearest(tool, changed.iter().copied()) {
                Some(meant) => failure.hint(format!("did you mean `{}`?", reveal_line(meant))),
                None if changed.is_empty() => failure.hint("no tool changed at all"),
                None => failure.hint(format!("what changed: {}", quoted(changed))),
            });
        }
        Ok(())
    }

    /// Shows what changed, asks, and takes it over.
    fn accept(&self, lock: &Lock, report: &mut LockReport) -> Result<(), Failure> {
        let tools = self.accepted_tools();
        let mut after = lock.clone();
        let mut taken = false;
        for server in &mut report.servers {
            taken |= take_over(&mut after, server, &tools);
        }
        if !taken {
            return self.write(report);
        }
        if self.yes {
            self.save(lock, &after)?;
            return self.write(report);
        }
        if !somebody_is_there() {
            forget(report);
            self.write(report)?;
            return Err(
                Failure::usage("nothing was taken over: there is nobody to ask")
                    .hint("read the differences, then add `--yes`"),
            );
        }
        report.asks = true;
        self.write(report)?;
        if ask(&format!("Take this over into {}?", report.file))? {
            return self.save(lock, &after);
        }
        forget(report);
        writeln!(anstream::stderr(), "nothing was taken over")?;
        Ok(())
    }

    /// Writes the lock, unless it is as it was.
    fn save(&self, before: &Lock, after: &Lock) -> Result<(), Failure> {
        let same = before == after && self.file.exists();
        if same || after.servers.is_empty() {
            return Ok(());
        }
        file::write(&self.file, after)
    }

    fn list(&self, lock: &Lock) -> Outcome {
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::lock::write_pinned(lock, &self.file, self.report.format, presentation, out)
        };
        self.report.write(self.detail.into(), write)?;
        Ok(exit::CLEAN)
    }

    fn write(&self, report: &LockReport) -> Result<(), Failure> {
        let write = |presentation: &Presentation, out: &mut dyn io::Write| {
            report::lock::write(report, self.report.format, presentation, out)
        };
        self.report.write(self.detail.into(), write)
    }
}

/// One name, one server: of two with the same name each is named with its host.
fn names(targets: &[PlannedTarget]) -> Result<Vec<String>, Failure> {
    let repeated = |name: &str| targets.iter().filter(|target| target.name == name).count() > 1;
    let names = targets.iter().map(|target| match &target.configured_in {
        Some(place) if repeated(&target.name) => format!("{} ({})", target.name, place.host),
        _ => target.name.clone(),
    });
    let names: Vec<String> = names.collect();
    let mut seen = BTreeSet::new();
    for name in &names {
        if !seen.insert(name) {
            let name = reveal_line(name);
            return Err(Failure::usage(format!("two targets are called `{name}`"))
                .hint("pin them one at a time, and give one another name with `--as NAME`"));
        }
    }
    Ok(names)
}

fn locked(lock: &Lock, name: String, pinning: Pinning, semantics: Semantics) -> LockedServer {
    let Pinning {
        target, outcome, ..
    } = pinning;
    let state = match (outcome, lock.servers.get(&name)) {
        (Err(NoPin::Unreadable(unreadable)), _) => State::Unreadable(unreadable),
        (Err(NoPin::Refused(error)), _) => State::Unpinnable(error),
        (Ok(now), None) => State::Unpinned { now, pinned: false },
        (Ok(now), Some(before)) => State::Compared {
            changes: change::between(before, &now, semantics),
            before: Box::new(before.clone()),
            now: Box::new(now),
        },
    };
    LockedServer {
        name,
        target: target.description,
        configured_in: target.configured_in,
        state,
    }
}

/// The lock with every server that had no pin.
fn pinned_anew(lock: &Lock, report: &mut LockReport) -> Lock {
    let mut after = lock.clone();
    for server in &mut report.servers {
        if let State::Unpinned { now, pinned } = &mut server.state {
            after.servers.insert(server.name.clone(), now.clone());
            *pinned = true;
        }
    }
    after
}

/// Takes the named tools of a server over into the lock, or all that changed; whether anything
/// was.
fn take_over(lock: &mut Lock, server: &mut LockedServer, tools: &BTreeSet<&str>) -> bool {
    match &mut server.state {
        State::Unpinned { now, pinned } if tools.is_empty() => {
            lock.servers.insert(server.name.clone(), now.clone());
            *pinned = true;
            true
        }
        State::Compared { now, changes, .. } => {
            let Some(pinned) = lock.servers.get_mut(&server.name) else {
                return false;
            };
            if tools.is_empty() {
                *pinned = (**now).clone();
            }
            let mut taken = false;
            for change in changes {
                let tool = change.tool.as_deref();
                let named = tool.is_some_and(|tool| tools.contains(tool));
                change.accepted = tools.is_empty() || named;
                taken |= change.accepted;
                let Some(tool) = tool.filter(|_| change.accepted) else {
                    continue;
                };
                match now.tools.get(tool) {
                    Some(new) => drop(pinned.tools.insert(tool.to_owned(), new.clone())),
                    None => drop(pinned.tools.remove(tool)),
                }
            }
            taken
        }
        State::Unreadable(_) | State::Unpinnable(_) | State::Unpinned { .. } => false,
    }
}

/// That nothing was taken over after all.
fn forget(report: &mut LockReport) {
    for server in &mut report.servers {
        match &mut server.state {
            State::Unpinned { pinned, .. } => *pinned = false,
            State::Compared { changes, .. } => {
                changes
                    .iter_mut()
                    .for_each(|change| change.accepted = false);
            }
            State::Unreadable(_) | State::Unpinnable(_) => {}
        }
    }
}
