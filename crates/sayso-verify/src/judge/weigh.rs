//! From single calls to a verdict.

use sayso_core::hint::Hint;

use crate::change::Class;
use crate::event::{Act, Event};
use crate::judge::deed::{Deed, Kind, Threat, all, deeds, replaces_without_loss};
use crate::judge::{Standard, Verdict, Witness, contact, reply, words};
use crate::observation::{Effects, Observation};

/// How many lines a witness has.
const LINES: usize = 24;

/// One observation with what is to be seen in it.
#[derive(Debug)]
pub(super) struct Look<'a> {
    observation: &'a Observation,
    standard: &'a Standard,
    first: Vec<Deed>,
    second: Vec<Deed>,
    beyond: Vec<String>,
}

/// How one call stands to one promise, mildest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// It failed, and says so.
    Failed(String),
    /// It was not made a second time.
    NotRepeated,
    /// It was done elsewhere, at these hosts.
    Remote(String),
    /// Nothing is against the promise.
    Fine,
    /// Caches only.
    Cache,
    /// The server's own state only.
    OwnState,
    /// Something of it is not seen.
    Unseen(String),
    /// An attempt that the jail refused is against it.
    Tried,
    /// It is broken.
    Broken,
}

impl<'a> Look<'a> {
    pub(super) fn at(observation: &'a Observation, standard: &'a Standard) -> Self {
        let again = observation.again.as_ref();
        let mut beyond: Vec<String> = effects_of(observation)
            .flat_map(all)
            .filter_map(contact::beyond)
            .collect();
        beyond.sort_unstable();
        beyond.dedup();
        Self {
            observation,
            standard,
            first: deeds(&observation.effects, standard),
            second: again.map_or_else(Vec::new, |again| deeds(&again.effects, standard)),
            beyond,
        }
    }

    /// What is worth knowing whatever the verdicts.
    pub(super) fn notes(&self) -> Vec<String> {
        let changes = effects_of(self.observation).flat_map(|effects| &effects.changes);
        let replaced = changes
            .filter(|change| change.class == Class::UserData && replaces_without_loss(change))
            .map(|change| {
                format!(
                    "{}: nothing is lost, but it is no additive update",
                    words::change(change)
                )
            });
        let limits = effects_of(self.observation).flat_map(|effects| &effects.limits);
        let limits =
            limits.map(|limit| format!("the jail itself prevented: {}", words::shown(limit)));
        replaced.chain(limits).collect()
    }

    fn standing(&self, hint: Hint) -> Standing {
        match hint {
            Hint::ReadOnly => self.held(self.both(), |kind| match kind {
                Kind::Change { .. } => Some(Standing::Broken),
                Kind::Attempt(_) => Some(Standing::Tried),
                Kind::Unseen => Some(Standing::Unseen(String::new())),
            }),
            Hint::Destructive => self.held(self.both(), |kind| match kind {
                Kind::Change { loses: true, .. } => Some(Standing::Broken),
                Kind::Attempt(Threat::Loss) => Some(Standing::Tried),
                Kind::Attempt(Threat::PerhapsLoss) | Kind::Unseen => {
                    Some(Standing::Unseen(String::new()))
                }
                _ => None,
            }),
            Hint::Idempotent => self.repeated(),
            Hint::OpenWorld if !self.beyond.is_empty() => Standing::Broken,
            Hint::OpenWorld => self.failed().unwrap_or(Standing::Fine),
        }
    }

    fn both(&self) -> impl Iterator<Item = &Deed> {
        self.first.iter().chain(&self.second)
    }

    /// The gravest of what deeds are to a promise, or what the call is without them.
    fn held<'d>(
        &self,
        deeds: impl Iterator<Item = &'d Deed>,
        against: impl Fn(Kind) -> Option<Standing>,
    ) -> Standing {
        let gravest = deeds
            .filter_map(|deed| match (against(deed.kind)?, deed.class) {
                (Standing::Unseen(_), _) => Some(Standing::Unseen(deed.line.clone())),
                (standing, class) if self.standard.counts(class) => Some(standing),
                (_, Class::OwnState) => Some(Standing::OwnState),
                (_, Class::Cache) => Some(Standing::Cache),
                (_, Class::Log | Class::UserData) => None,
            })
            .max();
        gravest.unwrap_or_else(|| self.without_deeds())
    }

    fn without_deeds(&self) -> Standing {
        if self.beyond.is_empty() {
            self.failed().unwrap_or(Standing::Fine)
        } else {
            Standing::Remote(self.beyond.join(", "))
        }
    }

    /// Why the call shows nothing, where it failed.
    fn failed(&self) -> Option<Standing> {
        self.observation.reply.failure().map(Standing::Failed)
    }

    fn repeated(&self) -> Standing {
        let Some(again) = &self.observation.again else {
            return self.failed().unwrap_or(Standing::NotRepeated);
        };
        let changed = self.held(self.second.iter(), |kind| match kind {
            Kind::Change { times: false, .. } => Some(Standing::Broken),
            Kind::Unseen => Some(Standing::Unseen(String::new())),
            _ => None,
        });
        if changed != Standing::Fine {
            return changed;
        }
        match reply::difference(&self.observation.reply, &again.reply) {
            None => Standing::Fine,
            Some(difference) => Standing::Unseen(format!(
                "the second reply differs from the first while no file does, at {difference}"
            )),
        }
    }

    /// What is told of this call where it is the witness for a hint.
    fn witness(&self, hint: Hint, standing: &Standing) -> Witness {
        let mut what: Vec<String> = match hint {
            Hint::Idempotent => Vec::new(),
            _ => self.lines(&self.observation.effects, &self.first, hint, standing),
        };
        if let Some(again) = &self.observation.again {
            let lines = self.lines(&again.effects, &self.second, hint, standing);
            let new: Vec<String> = lines
                .into_iter()
                .filter(|line| !what.contains(line))
                .map(|line| format!("at the second, identical call: {line}"))
                .collect();
            what.extend(new);
        }
        let more = what.len().saturating_sub(LINES);
        what.truncate(LINES);
        if more > 0 {
            what.push(format!("and {more} more"));
        }
        Witness {
            tool: self.observation.tool.clone(),
            step: self.observation.step.clone(),
            arguments: self.observation.arguments.clone(),
            what,
            reply: words::reply(&self.observation.reply),
            late: effects_of(self.observation).any(|effects| !effects.late.is_empty()),
            others: 0,
        }
    }

    /// What speaks against the hint, then the programs that ran and who was spoken to.
    fn lines(
        &self,
        effects: &Effects,
        deeds: &[Deed],
        hint: Hint,
        standing: &Standing,
    ) -> Vec<String> {
        let of_class = |deed: &Deed| match standing {
            Standing::OwnState => deed.class == Class::OwnState,
            Standing::Cache => deed.class == Class::Cache,
            _ => self.standard.counts(deed.class),
        };
        let tells = |deed: &&Deed| match (hint, deed.kind) {
            (Hint::OpenWorld, _) => false,
            (Hint::Destructive, Kind::Change { loses, .. }) => loses,
            (Hint::Idempotent, Kind::Change { times, .. }) => !times,
            (Hint::Idempotent, _) => false,
            _ => true,
        };
        let deeds = deeds.iter().filter(tells).filter(|deed| of_class(deed));
        let mut lines: Vec<String> = deeds.map(|deed| deed.line.clone()).collect();
        let told = all(effects)
            .filter(|event| is_told(event))
            .map(|event| words::act(&event.act, event.refused.as_deref()));
        for line in told {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// What orders witnesses of one standing.
    fn key(&self) -> (&str, &str) {
        (&self.observation.step, &self.observation.arguments)
    }
}

/// Whether an event belongs into a witness by itself.
fn is_told(event: &Event) -> bool {
    matches!(event.act, Act::Execute { .. }) || contact::beyond(event).is_some()
}

fn effects_of(observation: &Observation) -> impl Iterator<Item = &Effects> {
    let again = observation.again.as_ref().map(|again| &again.effects);
    std::iter::once(&observation.effects).chain(again)
}

/// The verdict on a promise.
pub(super) fn verdict(hint: Hint, looks: &[Look<'_>]) -> Verdict {
    let standings: Vec<(Standing, &Look<'_>)> = looks
        .iter()
        .map(|look| (look.standing(hint), look))
        .collect();
    let Some(gravest) = standings.iter().map(|(standing, _)| standing).max() else {
        let why = "no call was made".to_owned();
        return Verdict::NotExercised { why };
    };
    let number = |of: &dyn Fn(&Standing) -> bool| {
        let count = standings
            .iter()
            .filter(|(standing, _)| of(standing))
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    match gravest {
        Standing::Broken | Standing::Tried => {
            Verdict::Contradicted(best(hint, gravest, &standings))
        }
        Standing::OwnState => Verdict::OwnStateOnly(best(hint, gravest, &standings)),
        Standing::Cache => Verdict::CacheOnly(best(hint, gravest, &standings)),
        Standing::Unseen(why) => Verdict::CannotTell { why: why.clone() },
        Standing::Fine => Verdict::Consistent {
            observations: number(&|standing| *standing == Standing::Fine),
        },
        Standing::Remote(hosts) => Verdict::CannotTell {
            why: format!("remote: {}", words::shown(hosts)),
        },
        Standing::NotRepeated => Verdict::NotExercised {
            why: "no call was made a second time".to_owned(),
        },
        Standing::Failed(said) => Verdict::NotExercised {
            why: match standings.len() {
                1 => format!("the one call failed: {said}"),
                count => format!("all {count} calls failed, one with: {said}"),
            },
        },
    }
}

/// The witness for a standing: of those that show it the first by step and arguments.
fn best(hint: Hint, standing: &Standing, all: &[(Standing, &Look<'_>)]) -> Witness {
    let alike = || all.iter().filter(|(other, _)| other == standing);
    let mut witnesses: Vec<(_, Witness)> = alike()
        .map(|(_, look)| (look.key(), look.witness(hint, standing)))
        .collect();
    witnesses.sort_by(|(one, left), (other, right)| {
        (one, &left.what, &left.reply, left.late).cmp(&(
            other,
            &right.what,
            &right.reply,
            right.late,
        ))
    });
    let others = u32::try_from(witnesses.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let first = witnesses.into_iter().next().map(|(_, witness)| witness);
    Witness {
        others,
        ..first.unwrap_or_else(|| Witness {
            tool: String::new(),
            step: String::new(),
            arguments: String::new(),
            what: Vec::new(),
            reply: String::new(),
            late: false,
            others,
        })
    }
}

/// What a hint would be by what was observed.
pub(super) fn observed(hint: Hint, looks: &[Look<'_>]) -> Option<bool> {
    let gravest = looks.iter().map(|look| look.standing(hint)).max()?;
    match gravest {
        // Every default is what such a deed shows.
        Standing::Broken | Standing::Tried => Some(hint.default_value()),
        Standing::Fine | Standing::Cache | Standing::OwnState => Some(!hint.default_value()),
        Standing::Failed(_) | Standing::NotRepeated | Standing::Remote(_) | Standing::Unseen(_) => {
            None
        }
    }
}
