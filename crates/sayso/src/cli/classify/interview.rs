//! Asking a person about the tools of each server, one after the other.

use sayso_audit::hosts::Overlay;
use sayso_core::ruling::Ruling;
use sayso_core::rulings::Rulings;

use super::Run;
use super::terminal::{Input, Terminal};
use crate::classify::annotations::{HostsNow, Prompts};
use crate::classify::question::Answers;
use crate::classify::ruled;
use crate::classify::session::{Session, Stage};
use crate::classify::{Server, Subject};
use crate::error::Failure;
use crate::report::classify::screen::{self, View};
use crate::today::civil;

impl Run<'_> {
    /// Asks about every tool to be looked at, until all are answered or the person quits.
    pub(super) fn interview(&self) -> Result<(), Failure> {
        if self.meant().next().is_none() {
            return Ok(());
        }
        let columns = self.real_columns()?;
        let mut reviewer = self.arguments.reviewer.clone();
        let terminal = Terminal::take()?;
        for server in self.servers() {
            let asked: Vec<&Subject<'_>> = server
                .subjects
                .iter()
                .filter(|subject| self.arguments.means(subject))
                .collect();
            if asked.is_empty() {
                continue;
            }
            let mut one = Interview {
                run: self,
                server,
                before: self.file.read()?,
                written: vec![None; asked.len()],
                session: Session::new(names(&asked), server.names(), reviewer.clone()),
                asked,
                hosts: HostsNow::new(server.listing, &columns),
                prompts: Prompts::default(),
            };
            if !one.hold(&terminal)? {
                break;
            }
            reviewer = one.session.reviewer().map(str::to_owned);
        }
        Ok(())
    }
}

fn names(asked: &[&Subject<'_>]) -> Vec<String> {
    let names = asked
        .iter()
        .map(|subject| subject.tool.label().into_owned());
    names.collect()
}

/// One server's session and where its answers go.
struct Interview<'r, 'a> {
    run: &'r Run<'a>,
    server: &'r Server<'a>,
    /// The rulings there were before.
    before: Rulings,
    asked: Vec<&'r Subject<'a>>,
    session: Session,
    /// The answers that are in the file.
    written: Vec<Option<Answers>>,
    hosts: HostsNow<'r>,
    prompts: Prompts,
}

impl Interview<'_, '_> {
    /// Holds the session; whether it was answered to its end.
    fn hold(&mut self, terminal: &Terminal) -> Result<bool, Failure> {
        let file = self.run.file.shown();
        let mut scroll = 0_usize;
        self.count()?;
        loop {
            let view = View {
                server: self.server.name,
                subjects: &self.asked,
                session: &self.session,
                prompts: self.prompts,
                file: &file,
                scroll,
            };
            let (lines, most) = screen::lines(&view, terminal.room());
            terminal.draw(&lines)?;
            let finished = self.session.stage() == Stage::Finished;
            match terminal.next()? {
                Input::Resized => {}
                Input::Scroll(by) => scroll = scroll.saturating_add_signed(by).min(most),
                Input::Key(key) => {
                    let stage = self.session.stage();
                    if self.session.press(key) {
                        self.record()?;
                    }
                    if self.session.stage() != stage {
                        scroll = 0;
                    }
                }
            }
            if self.session.stage() == Stage::Over {
                return Ok(finished);
            }
        }
    }

    /// Writes what was answered since, and takes out what was taken back.
    fn record(&mut self) -> Result<(), Failure> {
        let file = &self.run.file;
        let recorded = self.session.recorded().to_vec();
        for ((now, then), subject) in recorded.iter().zip(&self.written).zip(&self.asked) {
            if now == then {
                continue;
            }
            let name = subject.tool.label();
            let ruling = match now {
                Some(answers) => Some(self.ruling(subject, answers)),
                None => self.before.get(self.server.name, &name).cloned(),
            };
            match ruling {
                Some(ruling) => file.put(&[ruling])?,
                None => file.remove(self.server.name, &name)?,
            }
        }
        self.written = recorded;
        self.count()
    }

    fn ruling(&self, subject: &Subject<'_>, answers: &Answers) -> Ruling {
        let ruling = ruled::ruling(self.server.name, subject, answers, civil());
        // What is not asked about stays as somebody wrote it.
        match self.before.get(self.server.name, &ruling.tool) {
            Some(before) => ruled::keeping(ruling, before),
            None => ruling,
        }
    }

    /// Counts the prompts that all rulings of the file save.
    fn count(&mut self) -> Result<(), Failure> {
        let rulings = self.run.file.read()?;
        let proposed: Overlay = self.server.proposed(&rulings);
        self.prompts = self.hosts.with(&proposed);
        Ok(())
    }
}
