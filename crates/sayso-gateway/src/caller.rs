//! Who calls.

/// Who calls, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The name: `local` for whoever can reach this gate on this machine.
    pub name: String,
    /// The groups of the settings that name it.
    pub groups: Vec<String>,
}
