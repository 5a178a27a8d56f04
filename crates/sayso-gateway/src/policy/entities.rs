//! Callers, tools and what else policies look at, as Cedar has them.

use std::collections::{HashMap, HashSet};

use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, RestrictedExpression,
};
use sayso_core::effective::{Effective, Evidence, Trust};
use sayso_core::hint::{Hint, Hints};

use super::arguments::{Fields, Read};
use super::facts::ToolFacts;
use super::question::{Action, Question};
use super::scope::Kind;
use crate::caller::Caller;

/// The types of entities, read once.
#[derive(Clone, Debug)]
pub(super) struct Names {
    caller: EntityTypeName,
    group: EntityTypeName,
    server: EntityTypeName,
    tool: EntityTypeName,
    prompt: EntityTypeName,
    resource: EntityTypeName,
    actions: [(Action, EntityUid); 5],
}

/// Who and what a request is about.
#[derive(Clone, Debug)]
pub(super) struct Parties {
    pub(super) principal: EntityUid,
    pub(super) resource: EntityUid,
    pub(super) entities: Entities,
}

impl Names {
    pub(super) fn new() -> Result<Self, String> {
        let name = |text: &str| -> Result<EntityTypeName, String> {
            text.parse()
                .map_err(|error| format!("no type can be called `{text}`: {error}"))
        };
        let action = name("Action")?;
        Ok(Self {
            caller: name("Caller")?,
            group: name("Group")?,
            server: name("Server")?,
            tool: name(Kind::Tool.name())?,
            prompt: name(Kind::Prompt.name())?,
            resource: name(Kind::Resource.name())?,
            actions: Action::ALL.map(|known| (known, uid(&action, known.as_str()))),
        })
    }

    pub(super) fn action(&self, action: Action) -> Option<EntityUid> {
        let mut known = self.actions.iter();
        let (_, uid) = known.find(|(known, _)| *known == action)?;
        Some(uid.clone())
    }

    /// A caller and a tool whose values are these.
    pub(super) fn tool(
        &self,
        caller: &Caller,
        tool: &ToolFacts,
        effective: &Effective,
    ) -> Result<Parties, String> {
        let server = uid(&self.server, &tool.server);
        let resource = uid(&self.tool, &tool.key().to_string());
        let attributes = attributes(tool, effective, server.clone())?;
        let entity = entity(resource.clone(), attributes, [server.clone()])?;
        let server = self.server(server, &tool.server, tool.trust)?;
        self.parties(caller, resource, [entity, server])
    }

    /// A caller and a prompt or resource.
    pub(super) fn item(
        &self,
        caller: &Caller,
        kind: Kind,
        server: &str,
        trust: Trust,
        name: &str,
    ) -> Result<Parties, String> {
        let server_uid = uid(&self.server, server);
        let (type_name, key) = match kind {
            Kind::Resource => (&self.resource, "uri"),
            _ => (&self.prompt, "name"),
        };
        let resource = uid(type_name, &format!("{server}/{name}"));
        let attributes = HashMap::from([
            (key.to_owned(), text(name)),
            (
                "server".to_owned(),
                RestrictedExpression::new_entity_uid(server_uid.clone()),
            ),
        ]);
        let entity = entity(resource.clone(), attributes, [server_uid.clone()])?;
        let server = self.server(server_uid, server, trust)?;
        self.parties(caller, resource, [entity, server])
    }

    fn server(&self, server: EntityUid, name: &str, trust: Trust) -> Result<Entity, String> {
        let attributes = HashMap::from([
            ("name".to_owned(), text(name)),
            ("trust".to_owned(), text(trust_word(trust))),
        ]);
        entity(server, attributes, [])
    }

    fn parties(
        &self,
        caller: &Caller,
        resource: EntityUid,
        others: [Entity; 2],
    ) -> Result<Parties, String> {
        let principal = uid(&self.caller, &caller.name);
        let groups = caller.groups.iter().map(|group| uid(&self.group, group));
        let attributes = HashMap::from([("name".to_owned(), text(&caller.name))]);
        let entity = entity(principal.clone(), attributes, groups)?;
        let all = others.into_iter().chain([entity]);
        let entities = Entities::from_entities(all, None).map_err(|error| error.to_string())?;
        Ok(Parties {
            principal,
            resource,
            entities,
        })
    }
}

fn uid(kind: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(id))
}

fn entity(
    uid: EntityUid,
    attributes: HashMap<String, RestrictedExpression>,
    parents: impl IntoIterator<Item = EntityUid>,
) -> Result<Entity, String> {
    let parents: HashSet<EntityUid> = parents.into_iter().collect();
    Entity::new(uid, attributes, parents).map_err(|error| error.to_string())
}

fn text(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

pub(super) const fn trust_word(trust: Trust) -> &'static str {
    match trust {
        Trust::Trusted => "trusted",
        Trust::Untrusted => "untrusted",
    }
}

pub(super) const fn ruled_word(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "true",
        Some(false) => "false",
        None => "none",
    }
}

pub(super) const fn observed_word(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Untested => "untested",
        Evidence::Consistent(_) => "consistent",
        Evidence::Contradicted => "contradicted",
    }
}

/// What a hint is called in policies.
pub(super) const fn hint_name(hint: Hint) -> &'static str {
    match hint {
        Hint::ReadOnly => "readOnly",
        Hint::Destructive => "destructive",
        Hint::Idempotent => "idempotent",
        Hint::OpenWorld => "openWorld",
    }
}

/// What policies see of the values: one hint bears on another, so that a tool that only reads
/// neither destroys nor does more at a repeat.
pub(super) fn shown(effective: &Effective) -> Hints<bool> {
    Hints {
        read_only: effective.read_only(),
        destructive: effective.may_destroy(),
        idempotent: effective.repeatable(),
        open_world: effective.open_world(),
    }
}

fn attributes(
    tool: &ToolFacts,
    effective: &Effective,
    server: EntityUid,
) -> Result<HashMap<String, RestrictedExpression>, String> {
    let of_hints = |make: &dyn Fn(Hint) -> RestrictedExpression| {
        let members = Hint::ALL.map(|hint| (hint_name(hint).to_owned(), make(hint)));
        RestrictedExpression::new_record(members).map_err(|error| error.to_string())
    };
    let ruling = tool.ruling.unwrap_or_default();
    let values = shown(effective);
    let labels = tool.labels.iter().map(|label| text(label));
    let mut attributes = HashMap::from([
        ("name", text(&tool.name)),
        ("server", RestrictedExpression::new_entity_uid(server)),
        ("servedAs", text(&tool.served_as)),
        ("trust", text(trust_word(tool.trust))),
        ("pin", text(tool.pin.as_str())),
        ("labels", RestrictedExpression::new_set(labels)),
        (
            "effective",
            of_hints(&|hint| RestrictedExpression::new_bool(*values.get(hint)))?,
        ),
        (
            "provenance",
            of_hints(&|hint| text(effective.hints.get(hint).provenance.as_str()))?,
        ),
        (
            "claimed",
            of_hints(&|hint| text(tool.claims.get(hint).as_str()))?,
        ),
        (
            "ruled",
            of_hints(&|hint| text(ruled_word(*ruling.get(hint))))?,
        ),
        (
            "observed",
            of_hints(&|hint| text(observed_word(*tool.observed.get(hint))))?,
        ),
    ]);
    if let Some(undo) = &tool.undo {
        attributes.insert("undo", text(undo));
    }
    let attributes = attributes.into_iter();
    Ok(attributes
        .map(|(name, value)| (name.to_owned(), value))
        .collect())
}

/// The context of a question, with of its arguments what is read.
pub(super) fn context(
    question: &Question<'_>,
    confirmed: bool,
    arguments: Option<(&Fields, &Read)>,
    now: bool,
) -> Result<Context, String> {
    let session = [
        ("readPrivate", question.session.read_private),
        ("readUntrusted", question.session.read_untrusted),
    ]
    .map(|(name, value)| (name.to_owned(), RestrictedExpression::new_bool(value)));
    let session = RestrictedExpression::new_record(session).map_err(|error| error.to_string())?;
    let transport = question.transport.to_string();
    let mut members = vec![
        (
            "confirmed".to_owned(),
            RestrictedExpression::new_bool(confirmed),
        ),
        (
            "transport".to_owned(),
            RestrictedExpression::new_string(transport),
        ),
        ("session".to_owned(), session),
    ];
    if now {
        members.push(("now".to_owned(), datetime(question.now)?));
    }
    if let Some((fields, read)) = arguments {
        let record = fields
            .record(question.arguments, read)
            .map_err(|mismatch| mismatch.to_string())?;
        members.push(("arguments".to_owned(), record));
    }
    Context::from_pairs(members).map_err(|error| error.to_string())
}

/// A time as Cedar writes it.
fn datetime(milliseconds: i64) -> Result<RestrictedExpression, String> {
    let time = jiff::Timestamp::from_millisecond(milliseconds)
        .map_err(|_| format!("{milliseconds} is no time in milliseconds"))?;
    let time = time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string();
    Ok(RestrictedExpression::new_datetime(time))
}
