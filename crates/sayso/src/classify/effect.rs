//! The four classes of effect that come of the answers, and the two questions people merge.
//!
//! "Is this dangerous" asks what a call does to what is already there; "is this safe to repeat"
//! asks what a second identical call does beyond the first. A tool that adds a note is neither
//! dangerous nor safe to repeat, so the two are told apart in every class.

use sayso_core::hint::Hints;

/// What a call leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EffectClass {
    /// It changes nothing.
    Reads,
    /// It takes nothing away, and every call adds once more.
    Adds,
    /// It takes nothing away, and a second identical call changes nothing further.
    Ensures,
    /// It removes or overwrites what was there.
    Destroys,
}

impl EffectClass {
    /// All four, the mildest first.
    pub(crate) const ALL: [Self; 4] = [Self::Reads, Self::Adds, Self::Ensures, Self::Destroys];

    /// The class of a tool, as soon as the answers tell it.
    pub(crate) fn of(hints: &Hints<Option<bool>>) -> Option<Self> {
        match (hints.read_only?, hints.destructive, hints.idempotent) {
            (true, ..) => Some(Self::Reads),
            (false, Some(true), _) => Some(Self::Destroys),
            (false, Some(false), Some(true)) => Some(Self::Ensures),
            (false, Some(false), Some(false)) => Some(Self::Adds),
            (false, ..) => None,
        }
    }

    /// The class as one word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Adds => "adds",
            Self::Ensures => "ensures",
            Self::Destroys => "destroys",
        }
    }

    /// What the class is.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Reads => "it changes nothing",
            Self::Adds => "it takes nothing away, and every call adds once more",
            Self::Ensures => "it takes nothing away, and a second identical call changes nothing",
            Self::Destroys => "it removes or overwrites what was there",
        }
    }

    /// Whether a call is dangerous, and why.
    pub(crate) const fn danger(self) -> &'static str {
        match self {
            Self::Reads => "no: nothing is changed",
            Self::Adds | Self::Ensures => "no: nothing is lost, so a host need not ask first",
            Self::Destroys => "yes: something is lost, so a host should ask first",
        }
    }

    /// Whether a call may be repeated after a time-out, and why; `idempotent` is what was
    /// answered, which only a tool that destroys leaves open.
    pub(crate) const fn repeat(self, idempotent: Option<bool>) -> &'static str {
        match (self, idempotent) {
            (Self::Reads, _) => "yes: as often as one likes",
            (Self::Adds, _) => "no: a second call adds again",
            (Self::Ensures, _) => "yes: it ends where the first call ended",
            (Self::Destroys, Some(true)) => "yes: what is gone stays gone, and nothing more goes",
            (Self::Destroys, Some(false)) => "no: a second call changes something further",
            (Self::Destroys, None) => "another question, which comes next",
        }
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::hint::Hints;

    use super::EffectClass;

    #[test]
    fn danger_and_repetition_come_apart() {
        let class = |destructive, idempotent| {
            let hints = Hints {
                read_only: Some(false),
                destructive: Some(destructive),
                idempotent: Some(idempotent),
                open_world: None,
            };
            let class = EffectClass::of(&hints).unwrap();
            (
                class.as_str(),
                class.danger().starts_with("yes"),
                class.repeat(Some(idempotent)).starts_with("yes"),
            )
        };
        assert_eq!(class(false, false), ("adds", false, false));
        assert_eq!(class(false, true), ("ensures", false, true));
        assert_eq!(class(true, false), ("destroys", true, false));
        assert_eq!(class(true, true), ("destroys", true, true));
    }

    #[test]
    fn no_class_is_told_before_it_is_known() {
        let mut hints = Hints::default();
        assert_eq!(EffectClass::of(&hints), None);
        hints.destructive = Some(true);
        assert_eq!(EffectClass::of(&hints), None);
        hints.read_only = Some(false);
        assert_eq!(EffectClass::of(&hints), Some(EffectClass::Destroys));
        hints.destructive = Some(false);
        assert_eq!(EffectClass::of(&hints), None);
    }
}
