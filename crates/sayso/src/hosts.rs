//! Which hosts are known: those that ship with the program and those a person adds, and which of
//! them are meant by `NAME[:MODE]`.

mod added;
mod choice;
mod counts;
mod freshness;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use sayso_audit::hosts::{Behaviour, Column, HostKind, HostProfile, Modes};
use sayso_core::suggest::nearest;

pub(crate) use choice::{Choice, ModeChoice};
pub(crate) use counts::HostCounts;
pub(crate) use freshness::{Freshness, STALE_AFTER_DAYS};

use crate::error::{Failure, quoted};

/// Every host something is known of.
#[derive(Debug, Default)]
pub(crate) struct KnownHosts {
    hosts: Vec<KnownHost>,
}

/// One host and where what is known of it comes from.
#[derive(Debug)]
pub(crate) struct KnownHost {
    /// What is known.
    pub(crate) profile: Cow<'static, HostProfile>,
    /// The file somebody added; `None` for what ships with the program.
    pub(crate) file: Option<PathBuf>,
}

/// Begins to read the profiles that ship with the program beside whatever else is done; whoever
/// asks for them first waits for what is left of it.
pub(crate) fn prepare() {
    // Without a thread they are read when they are asked for.
    let _ = std::thread::Builder::new().spawn(|| HostProfile::all().len());
}

impl KnownHosts {
    /// The hosts that ship with the program.
    pub(crate) fn shipped() -> Self {
        let hosts = HostProfile::all().iter().map(|profile| KnownHost {
            profile: Cow::Borrowed(profile),
            file: None,
        });
        Self {
            hosts: hosts.collect(),
        }
    }

    /// The hosts that ship with the program, with those of `directory` over them; where none is
    /// named, with those of the person's own folder ([`own_directory`]).
    ///
    /// # Errors
    /// When the directory that was named is not there, or a profile in it cannot be used: then
    /// the error tells of every such file.
    pub(crate) fn load(directory: Option<&Path>) -> Result<Self, Failure> {
        let mut known = Self::shipped();
        let own = own_directory();
        for (profile, file) in added::read(directory, own.as_deref())? {
            known.add(profile, file);
        }
        Ok(known)
    }

    /// A host that is known already does from now on what the profile says; where it keeps its
    /// servers stays as it was unless the profile says that too.
    fn add(&mut self, profile: HostProfile, file: PathBuf) {
        let known = self
            .hosts
            .iter_mut()
            .find(|known| known.profile.id == profile.id);
        let Some(known) = known else {
            self.hosts.push(KnownHost {
                profile: Cow::Owned(profile),
                file: Some(file),
            });
            return;
        };
        let configuration = profile
            .configuration
            .clone()
            .or_else(|| known.profile.configuration.clone());
        let behaviour = profile
            .behaviour
            .clone()
            .or_else(|| known.profile.behaviour.clone());
        known.profile = Cow::Owned(HostProfile {
            configuration,
            behaviour,
            ..profile
        });
        known.file = Some(file);
    }

    /// Every host whose dealings with hints are known, in the order of their ids, the added ones
    /// behind.
    pub(crate) fn behaving(&self) -> impl Iterator<Item = (&KnownHost, &Behaviour)> {
        self.hosts
            .iter()
            .filter_map(|known| Some((known, known.profile.behaviour.as_ref()?)))
    }

    /// The hosts somebody asked for, each in the modes asked for: without names every current host
    /// and the model one, in the order they are known in.
    ///
    /// # Errors
    /// When a host or a mode is not known; the nearest is suggested.
    pub(crate) fn columns(
        &self,
        choices: &[Choice],
        modes: &ModeChoice,
    ) -> Result<Vec<Column<'_>>, Failure> {
        let mut columns: Vec<Column<'_>> = Vec::new();
        if choices.is_empty() {
            let modes = match modes {
                ModeChoice::Default => Modes::Default,
                ModeChoice::All => Modes::All,
                ModeChoice::Named(mode) => {
                    return Err(Failure::usage(format!(
                        "`--mode {mode}` is a mode of one host, and none is named"
                    ))
                    .hint("add `--host NAME`, or write `--mode all`"));
                }
            };
            let current = self
                .behaving()
                .filter(|(known, _)| known.profile.kind != HostKind::Former);
            columns.extend(current.flat_map(|(known, _)| Column::of(&known.profile, modes)));
        }
        for choice in choices {
            for column in self.chosen(choice, modes)? {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
        }
        Ok(columns)
    }

    /// The one host and mode that `NAME[:MODE]` means; the default mode where it names none.
    ///
    /// # Errors
    /// When there is no such host or mode; the nearest is suggested.
    pub(crate) fn column(&self, choice: &Choice) -> Result<Column<'_>, Failure> {
        let columns = self.chosen(choice, &ModeChoice::Default)?;
        // A profile with no or several default modes is refused when it is read.
        let first = columns.into_iter().next();
        first.ok_or_else(|| Failure::usage(format!("host `{}` has no default mode", choice.host)))
    }

    fn chosen(&self, choice: &Choice, modes: &ModeChoice) -> Result<Vec<Column<'_>>, Failure> {
        let (profile, behaviour) = self.find(&choice.host)?;
        let named = match (&choice.mode, modes) {
            (Some(mode), _) | (None, ModeChoice::Named(mode)) => Some(mode),
            (None, _) => None,
        };
        let modes = match (named, modes) {
            (Some(mode), _) => {
                if behaviour.mode(mode).is_none() {
                    return Err(no_mode(&choice.host, behaviour, mode));
                }
                Modes::Named(mode)
            }
            (None, ModeChoice::All) => Modes::All,
            (None, _) => Modes::Default,
        };
        Ok(Column::of(profile, modes))
    }

    /// The host with this id.
    fn find(&self, id: &str) -> Result<(&HostProfile, &Behaviour), Failure> {
        let known = self.hosts.iter().find(|known| known.profile.id == id);
        match known.map(|known| (&*known.profile, known.profile.behaviour.as_ref())) {
            Some((profile, Some(behaviour))) => Ok((profile, behaviour)),
            Some((_, None)) => Err(Failure::usage(format!(
                "what `{id}` does with hints is not known"
            ))
            .hint("`sayso hosts --list` lists the hosts of which it is")),
            None => {
                let failure = Failure::usage(format!("no host is called `{id}`"));
                let ids = self.behaving().map(|(known, _)| known.profile.id.as_str());
                Err(match nearest(id, ids) {
                    Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                    None => failure.hint("`sayso hosts --list` lists the hosts"),
                })
            }
        }
    }
}

fn no_mode(host: &str, behaviour: &Behaviour, mode: &str) -> Failure {
    let failure = Failure::usage(format!("host `{host}` has no mode `{mode}`"));
    let ids = behaviour.modes.iter().map(|mode| mode.id.as_str());
    match nearest(mode, ids.clone()) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint(format!("it has {}", quoted(ids))),
    }
}

/// Whether a host is one that calls tools: the model of the documented defaults is none, and the
/// check of a directory calls nothing. They are shown and never counted.
pub(crate) fn is_real(host: &HostProfile) -> bool {
    host.kind.calls_tools() && host.kind != HostKind::Model
}

/// The folder a person's own profiles lie in: `sayso/hosts` in the system's folder for settings.
pub(crate) fn own_directory() -> Option<PathBuf> {
    Some(dirs::config_dir()?.join("sayso").join("hosts"))
}

#[cfg(test)]
mod tests {
    use super::{Choice, KnownHosts, ModeChoice};

    fn labels(choices: &[&str], modes: &ModeChoice) -> Result<Vec<String>, String> {
        let known = KnownHosts::shipped();
        let choices: Vec<Choice> = choices.iter().map(|text| text.parse().unwrap()).collect();
        known
            .columns(&choices, modes)
            .map(|columns| {
                columns
                    .iter()
                    .map(|column| column.label().into_owned())
                    .collect()
            })
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn former_hosts_have_to_be_named() {
        let all = labels(&[], &ModeChoice::Default).unwrap();
        let former = KnownHosts::shipped();
        let former: Vec<&str> = former
            .behaving()
            .filter(|(known, _)| known.profile.kind == sayso_audit::hosts::HostKind::Former)
            .map(|(known, _)| known.profile.id.as_str())
            .collect();
        assert!(!former.is_empty());
        for id in former {
            assert!(!all.iter().any(|label| label == id), "{id}");
            assert_eq!(labels(&[id], &ModeChoice::Default).unwrap(), [id]);
        }
    }

    #[test]
    fn every_host_in_every_mode_can_be_asked_for() {
        let known = KnownHosts::shipped();
        for (host, behaviour) in known.behaving() {
            let id = &host.profile.id;
            assert_eq!(labels(&[id], &ModeChoice::Default).unwrap(), [id.as_str()]);
            let all = labels(&[id], &ModeChoice::All).unwrap();
            assert_eq!(all.len(), behaviour.modes.len());
            for mode in &behaviour.modes {
                let choice: Choice = format!("{id}:{}", mode.id).parse().unwrap();
                let column = known.column(&choice).unwrap();
                assert_eq!(
                    (column.host.id.as_str(), &column.mode.id),
                    (id.as_str(), &mode.id)
                );
                let named = ModeChoice::Named(mode.id.clone());
                assert_eq!(labels(&[id], &named).unwrap(), [column.label()]);
            }
        }
    }

    #[test]
    fn an_added_profile_leaves_standing_what_it_says_nothing_of() {
        let mut known = KnownHosts::shipped();
        let before = known.hosts.iter().position(|known| {
            known.profile.configuration.is_some() && known.profile.behaviour.is_some()
        });
        let place = before.unwrap();
        let shipped = known.hosts[place].profile.clone().into_owned();
        let mut added = shipped.clone();
        added.configuration = None;
        let behaviour = added.behaviour.as_mut().unwrap();
        behaviour.version = "another".to_owned();
        known.add(added, "added.toml".into());
        let now = &known.hosts[place];
        assert_eq!(now.profile.configuration, shipped.configuration);
        assert_eq!(now.profile.behaviour.as_ref().unwrap().version, "another");
        assert_eq!(now.file.as_deref(), Some("added.toml".as_ref()));
    }

    #[test]
    fn a_host_named_twice_is_one_column() {
        let all = labels(&[], &ModeChoice::Default).unwrap();
        let first = all.first().unwrap().as_str();
        let twice = labels(&[first, first], &ModeChoice::Default);
        assert_eq!(twice.unwrap(), [first]);
    }
}
