//! Taking rulings over without a person at a terminal: from a file of answers, or by binding anew
//! what was decided already.

use std::collections::BTreeMap;
use std::path::Path;

use sayso_core::reveal::reveal_line;
use sayso_core::ruling::Ruling;
use sayso_core::rulings::Rulings;
use sayso_core::suggest::nearest;

use super::Run;
use crate::classify::answers::{self, Known};
use crate::classify::standing::lost_undo;
use crate::classify::{Server, Standing, Subject};
use crate::error::Failure;
use crate::saved;
use crate::today::civil;

impl Run<'_> {
    /// Binds the rulings anew on tools that claim what was ruled since; how many, by server.
    pub(super) fn rebind(&self, rulings: &Rulings) -> Result<BTreeMap<&str, usize>, Failure> {
        let mut counts = BTreeMap::new();
        let mut bound: Vec<Ruling> = Vec::new();
        for server in self.servers() {
            for subject in &server.subjects {
                let (standing, ruling) =
                    Standing::of(rulings, server.name, subject.tool, &subject.digest);
                if let (Standing::Fulfilled, Some(ruling)) = (standing, ruling) {
                    bound.push(Ruling {
                        definition: subject.digest.into(),
                        ..ruling.clone()
                    });
                    *counts.entry(server.name).or_default() += 1;
                }
            }
        }
        if !bound.is_empty() {
            self.file.put(&bound)?;
        }
        Ok(counts)
    }

    /// Takes the reviewed answers of a file over.
    pub(super) fn take_answers(&self, path: &Path) -> Result<(), Failure> {
        let shown = path.display().to_string();
        let text = saved::read_text(path)
            .map_err(|error| Failure::usage(format!("cannot read `{shown}`")).source(error))?;
        let only = match self.targets.as_slice() {
            [one] => Some(one.reading.target.name.as_str()),
            _ => None,
        };
        let find = |server: &str| self.servers().find(|known| known.name == server);
        let known = Known {
            server: only,
            reviewer: self.arguments.reviewer.as_deref(),
            today: civil(),
            listed: &|server, tool| Ok(self.listed(&shown, server, tool)?.1.digest),
        };
        let mut rulings = answers::read(&text, &shown, &known)?;
        let wanted = &self.arguments.tool;
        rulings.retain(|ruling| wanted.is_empty() || wanted.contains(&ruling.tool));
        for ruling in &rulings {
            self.check_answer(&shown, ruling)?;
        }
        let place = |ruling: &Ruling| {
            let names = find(&ruling.server).map(Server::names).unwrap_or_default();
            names.iter().position(|name| *name == ruling.tool)
        };
        rulings.sort_by_cached_key(|ruling| (ruling.server.clone(), place(ruling)));
        if rulings.is_empty() {
            return Err(Failure::usage(format!("{shown}: it answers nothing"))
                .hint("`sayso classify --suggest TARGET` prints what to begin with"));
        }
        self.file.put(&rulings)
    }

    /// The tool an answer is about, with its server.
    fn listed(
        &self,
        file: &str,
        server: &str,
        tool: &str,
    ) -> Result<(&Server<'_>, &Subject<'_>), Failure> {
        let (name, tool_name) = (reveal_line(server), reveal_line(tool));
        let Some(found) = self.servers().find(|known| known.name == server) else {
            let targets = self.targets.iter();
            let targets = targets.map(|target| target.reading.target.name.as_str());
            let failure = Failure::usage(format!("{file}: no target is called `{name}`"));
            return Err(match (nearest(server, targets), self.targets.len()) {
                (Some(meant), _) if meant != server => {
                    failure.hint(format!("did you mean `{meant}`?"))
                }
                (Some(_), _) => failure.hint("it could not be read"),
                (None, 1) => failure.hint(format!("call the target so with `--as {name}`")),
                (None, _) => failure,
            });
        };
        if let Some(subject) = found.get(tool) {
            return Ok((found, subject));
        }
        let failure = Failure::usage(format!("{file}: `{name}` has no tool `{tool_name}`"));
        let names = found.names();
        let near = nearest(tool, names.iter().map(String::as_str));
        Err(failure.hint_if_known(near.map(|near| format!("did you mean `{near}`?"))))
    }

    /// That an answer is about a tool as it is listed, and leaves nothing open.
    fn check_answer(&self, file: &str, ruling: &Ruling) -> Result<(), Failure> {
        let tool = reveal_line(&ruling.tool);
        let (server, subject) = self.listed(file, &ruling.server, &ruling.tool)?;
        if ruling.definition.digest != subject.digest.whole {
            return Err(Failure::usage(format!(
                "{file}: `{tool}` is not listed as it was when this was suggested"
            ))
            .hint(format!(
                "review it as it is now: `sayso classify --suggest --tool {tool}`"
            )));
        }
        if let [hint, ..] = ruling.undecided().as_slice() {
            return Err(
                Failure::usage(format!("{file}: `{tool}` leaves {hint} open"))
                    .hint(format!("add `[tool.{hint}]` with `value` and `why`")),
            );
        }
        match lost_undo(ruling, &server.names()) {
            Some(undo) => Err(Failure::usage(format!(
                "{file}: `{tool}` is undone by `{}`, which is not listed",
                reveal_line(undo)
            ))
            .hint("name a tool of the same server, or write `undo = \"none\"`")),
            None => Ok(()),
        }
    }
}
