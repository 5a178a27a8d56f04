//! What a verb does to the tool's environment.

/// A class of verbs, by effect.
///
/// The classes are as fine as the four hints need: two verbs belong to one class when
/// the same values follow from both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Act {
    /// Looks and tells: `get`, `list`, `search`.
    Read,
    /// Works something out from what it is given: `calculate`, `convert`, `render`.
    Compute,
    /// Makes something to hand over, which may or may not stay: `generate`, `build`, `take`.
    Make,
    /// Makes one more thing: `create`, `add`, `append`.
    Add,
    /// Copies or brings in; what is there already may be in the way: `import`, `upload`, `copy`.
    Bring,
    /// Reaches a person or another party: `send`, `notify`, `invite`.
    Send,
    /// Makes something public or live: `publish`, `release`, `deploy`.
    Publish,
    /// Moves money or buys: `charge`, `refund`, `purchase`.
    Pay,
    /// Changes a thing that is there: `update`, `edit`, `rename`.
    Update,
    /// Changes a setting or a relation, where little is overwritten: `enable`, `assign`, `extend`.
    Adjust,
    /// Puts another thing in its place: `overwrite`, `replace`, `reset`.
    Replace,
    /// Changes by a step, so that each call changes again: `toggle`, `increment`, `rotate`.
    Step,
    /// Takes from one place to another: `move`, `transfer`.
    Move,
    /// Takes away for good: `delete`, `purge`, `revoke`.
    Remove,
    /// Ends or retires without erasing: `archive`, `cancel`, `stop`.
    End,
    /// Starts, resumes, restarts: `start`, `reboot`, `scale`.
    Control,
    /// Sets something off: `trigger`, `fire`, `launch`.
    Trigger,
    /// Runs what the caller names: `run`, `execute`, `invoke`.
    Run,
    /// Runs a job that has effects of its own: tests, a build, a workflow.
    Job,
    /// Changes what later calls act on: `switch`, `select`, `activate`.
    Select,
    /// Opens a session or connection: `connect`, `login`.
    Connect,
    /// Closes one: `disconnect`, `logout`.
    Disconnect,
    /// Takes the next item so that nobody else gets it: `claim`, `dequeue`, `lease`.
    Claim,
    /// Changes the state of an item: `mark`, `acknowledge`, `complete`.
    Mark,
    /// Puts data somewhere it stays: `save`, `write`, `export`.
    Save,
    /// Does several things, some of them writes: `manage`, `administer`.
    Manage,
    /// Acts on a page or a device as a person would: `click`, `type`, `press`.
    Interact,
}

impl Act {
    /// Whether the class leaves its environment other than it was.
    #[must_use]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::Compute | Self::Make | Self::Run)
    }

    /// Whether something that was there may be gone afterwards.
    #[must_use]
    pub const fn destroys(self) -> bool {
        matches!(self, Self::Update | Self::Replace | Self::Remove)
    }

    /// Whether the class only adds.
    #[must_use]
    pub const fn adds_only(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Compute | Self::Make | Self::Add | Self::Connect
        )
    }
}

pub(super) use Act::{
    Add, Adjust, Bring, Claim, Compute, Connect, Control, Disconnect, End, Interact, Make, Manage,
    Mark, Move, Pay, Publish, Read, Remove, Replace, Run, Save, Select, Send, Step, Trigger,
    Update,
};
