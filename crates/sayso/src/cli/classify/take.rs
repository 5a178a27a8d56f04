//! Taking rulings over without a person at a terminal: from a file of answers, or by binding anew
//! what was decided already.

use std::collections::BTreeMap;
use std::path::Path;

use sayso_core::suggest::nearest;
use sayso_core::reveal::reveal_line;
use sayso_core::ruling::Ruling;
use sayso_core::rulings::Rulings;

use super::Run;
use crate::classify::answers::{self, Known};
use crate::classify::standing::{lost_undo, undecided};
use crate::classify::{Server, Standing};
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
            listed: &|server, tool| Some(find(server)?.get(tool)?.digest),
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

    /// That an answer is about a tool that is listed, as it is listed, and leaves nothing open.
    fn check_answer(&self, file: &str, ruling: &Ruling) -> Result<(), Failure> {
        let (name, tool) = (reveal_line(&ruling.server), reveal_line(&ruling.tool));
        let Some(server) = self.servers().find(|server| server.name == ruling.server) else {
            let targets = self
                .targets
                .iter()
                .map(|target| &*target.reading.target.name);
            let failure = Failure::usage(format!("{file}: no target is called `{name}`"));
            return Err(
                match (nearest(&ruling.server, targets.clone()), self.targets.len()) {
                    (Some(meant), _) => failure.hint(format!("did you mean `{meant}`?")),
                    (None, 1) => failure.hint(format!("call the target so with `--as {name}`")),
                    (None, _) => failure,
                },
            );
        };
        let names = server.names();
        let Some(subject) = server.get(&ruling.tool) else {
            let failure = Failure::usage(format!("{file}: `{name}` has no tool `{tool}`"));
            let near = nearest(&ruling.tool, names.iter().map(String::as_str));
            return Err(failure.hint_if_known(near.map(|near| format!("did you mean `{near}`?"))));
        };
        if ruling.definition.digest != subject.digest.whole {
            return Err(Failure::usage(format!(
                "{file}: `{tool}` is not listed as it was when this was suggested"
            ))
            .hint(format!(
                "review it as it is now: `sayso classify --suggest --tool {tool}`"
            )));
        }
        if let [hint, ..] = undecided(ruling).as_slice() {
            return Err(
                Failure::usage(format!("{file}: `{tool}` leaves {hint} open"))
                    .hint(format!("add `[tool.{hint}]` with `value` and `why`")),
            );
        }
        match lost_undo(ruling, &names) {
            Some(undo) => Err(Failure::usage(format!(
                "{file}: `{tool}` is undone by `{}`, which is not listed",
                reveal_line(undo)
            ))
            .hint("name a tool of the same server, or write `undo = \"none\"`")),
            None => Ok(()),
        }
    }
}
