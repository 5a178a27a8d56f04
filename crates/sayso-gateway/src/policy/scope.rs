//! What a policy can be about, by its scope alone.

use cedar_policy::{ActionConstraint, EntityTypeName, EntityUid, Policy, ResourceConstraint};

use super::facts::ToolKey;
use super::question::Action;

/// The scope of a policy, without its principal: which callers it is about shows with the caller.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    actions: Actions,
    resource: ResourceConstraint,
}

#[derive(Clone, Debug)]
enum Actions {
    Any,
    These(Vec<String>),
}

/// A kind of thing an action is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tool,
    Prompt,
    Resource,
}

impl Kind {
    /// Whether this can be done with such a thing.
    pub(super) const fn takes(self, action: Action) -> bool {
        match self {
            Self::Tool => matches!(action, Action::List | Action::Call),
            Self::Prompt => matches!(action, Action::List | Action::Get | Action::Complete),
            Self::Resource => matches!(action, Action::List | Action::Read | Action::Complete),
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Tool => "Tool",
            Self::Prompt => "Prompt",
            Self::Resource => "Resource",
        }
    }
}

impl Scope {
    pub(super) fn of(policy: &Policy) -> Self {
        let id = |uid: &EntityUid| uid.id().unescaped().to_owned();
        let actions = match policy.action_constraint() {
            ActionConstraint::Any => Actions::Any,
            ActionConstraint::Eq(action) => Actions::These(vec![id(&action)]),
            ActionConstraint::In(actions) => Actions::These(actions.iter().map(id).collect()),
        };
        Self {
            actions,
            resource: policy.resource_constraint(),
        }
    }

    /// Whether it can be about this action.
    pub(super) fn fits_action(&self, action: Action) -> bool {
        match &self.actions {
            Actions::Any => true,
            Actions::These(names) => names.iter().any(|name| name == action.as_str()),
        }
    }

    /// Whether it is about being listed and nothing else.
    pub(super) fn only_lists(&self) -> bool {
        self.only(Action::List)
    }

    /// Whether it is about calls and nothing else.
    pub(super) fn only_calls(&self) -> bool {
        self.only(Action::Call)
    }

    fn only(&self, action: Action) -> bool {
        match &self.actions {
            Actions::Any => false,
            Actions::These(names) => {
                !names.is_empty() && names.iter().all(|name| name == action.as_str())
            }
        }
    }

    /// Whether it can be about this tool.
    pub(super) fn fits_tool(&self, key: &ToolKey) -> bool {
        let kind = |name: &EntityTypeName| name.basename() == Kind::Tool.name();
        let is_tool =
            |uid: &EntityUid| kind(uid.type_name()) && uid.id().unescaped() == key.to_string();
        let holds_tool = |uid: &EntityUid| {
            is_tool(uid)
                || (uid.type_name().basename() == "Server" && uid.id().unescaped() == key.server)
        };
        match &self.resource {
            ResourceConstraint::Any => true,
            ResourceConstraint::Eq(uid) => is_tool(uid),
            ResourceConstraint::In(uid) => holds_tool(uid),
            ResourceConstraint::Is(name) => kind(name),
            ResourceConstraint::IsIn(name, uid) => kind(name) && holds_tool(uid),
        }
    }

    /// Whether it can be about a prompt or a resource.
    pub(super) fn fits_kind(&self, wanted: Kind) -> bool {
        let kind = |name: &EntityTypeName| name.basename() == wanted.name();
        let holds =
            |uid: &EntityUid| kind(uid.type_name()) || uid.type_name().basename() == "Server";
        match &self.resource {
            ResourceConstraint::Any => true,
            ResourceConstraint::Eq(uid) => kind(uid.type_name()),
            ResourceConstraint::In(uid) => holds(uid),
            ResourceConstraint::Is(name) => kind(name),
            ResourceConstraint::IsIn(name, uid) => kind(name) && holds(uid),
        }
    }
}
