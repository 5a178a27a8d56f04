//! Values by a JSON Schema: those it names itself before those that are made up.

use std::cell::Cell;

use sayso_core::reveal::reveal_line;
use serde_json::{Map, Value as Json};

use super::input_schema::{InputSchema, Part};
use super::{kind, number, text};
use crate::fixture::Built;

/// How deep values are made.
const DEEPEST: usize = 8;

/// How many values are made for one tool.
const MOST_MADE: usize = 3000;

/// How many elements a list is given.
const MOST_ELEMENTS: usize = 64;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Missing {
    /// Nobody can know one.
    #[error("nothing can be made up for `{0}`")]
    Unknown(String),
    /// None that was made fits the schema.
    #[error("no value for `{0}` was found that fits its schema")]
    Unfit(String),
    /// None that was made fits the pattern.
    #[error("no value for the pattern `{pattern}` of `{name}` was found")]
    Pattern {
        /// The argument.
        name: String,
        /// The pattern.
        pattern: String,
    },
}

/// Makes values for one tool.
pub(super) struct Maker<'a> {
    pub(super) schema: InputSchema<'a>,
    pub(super) built: &'a Built,
    pub(super) tool: &'a str,
    pub(super) description: &'a str,
    made: Cell<usize>,
}

/// Values that fit, the plainest first, until there are enough of them.
struct Found<'f> {
    fits: &'f dyn Fn(&Json) -> bool,
    values: Vec<Json>,
    most: usize,
}

impl Found<'_> {
    /// Takes a value if it fits and is not there yet.
    fn offer(&mut self, value: Json) {
        if !self.is_full() && !self.values.contains(&value) && (self.fits)(&value) {
            self.values.push(value);
        }
    }

    fn is_full(&self) -> bool {
        self.values.len() >= self.most
    }
}

impl<'a> Maker<'a> {
    pub(super) const fn new(
        schema: InputSchema<'a>,
        built: &'a Built,
        tool: &'a str,
        description: &'a str,
    ) -> Self {
        Self {
            schema,
            built,
            tool,
            description,
            made: Cell::new(0),
        }
    }

    /// Arguments that the tool takes: those that must be given, or all. One for each way the schema
    /// leaves, the likeliest first.
    pub(super) fn arguments(&self, all: bool) -> Result<Vec<Map<String, Json>>, Missing> {
        let mut found: Vec<Map<String, Json>> = Vec::new();
        let mut missing = None;
        for way in self.schema.ways(&[self.schema.root()]) {
            match self.members(&way, all, 0) {
                Ok(members) => {
                    let value = Json::Object(members);
                    if self.schema.takes(&value)
                        && let Json::Object(members) = value
                        && !found.contains(&members)
                    {
                        found.push(members);
                    }
                }
                Err(why) => {
                    missing.get_or_insert(why);
                }
            }
        }
        match found.is_empty() {
            true => Err(missing.unwrap_or_else(|| Missing::Unfit("arguments".to_owned()))),
            false => Ok(found),
        }
    }

    /// A value of this name that fits.
    pub(super) fn value(
        &self,
        name: &str,
        parts: &[Part<'a>],
        depth: usize,
    ) -> Result<Json, Missing> {
        let values = self.values(name, parts, depth, 1)?;
        let first = values.into_iter().next();
        first.ok_or_else(|| unfit(name, parts))
    }

    /// Different values that fit, as many as asked for or fewer, but one at least.
    fn values(
        &self,
        name: &str,
        parts: &[Part<'a>],
        depth: usize,
        most: usize,
    ) -> Result<Vec<Json>, Missing> {
        self.made.set(self.made.get() + 1);
        if depth > DEEPEST || self.made.get() > MOST_MADE {
            return Err(Missing::Unfit(reveal_line(name).into_owned()));
        }
        let fits = |value: &Json| self.schema.fits(parts, value);
        let mut found = Found {
            fits: &fits,
            values: Vec::new(),
            most,
        };
        let mut missing = None;
        for way in self.schema.ways(parts) {
            if let Err(why) = self.offer_all(name, &way, depth, &mut found) {
                missing.get_or_insert(why);
            } else if found.values.is_empty() {
                missing.get_or_insert_with(|| unfit(name, &way));
            }
            if found.is_full() {
                break;
            }
        }
        match found.values.is_empty() {
            true => Err(missing.unwrap_or_else(|| unfit(name, parts))),
            false => Ok(found.values),
        }
    }

    /// Offers what a schema names, or else what can be made of it.
    fn offer_all(
        &self,
        name: &str,
        way: &[Part<'a>],
        depth: usize,
        found: &mut Found<'_>,
    ) -> Result<(), Missing> {
        let choices = named(way);
        if !choices.is_empty() {
            choices.into_iter().for_each(|value| found.offer(value));
            return Ok(());
        }
        let examples = way
            .iter()
            .filter_map(|part| part.get("examples")?.as_array());
        let examples = examples.flatten();
        let defaults = || way.iter().filter_map(|part| part.get("default"));
        let is_plain = |value: &&Json| !value.is_null() && **value != "";
        for value in examples.chain(defaults().filter(is_plain)) {
            found.offer(value.clone());
        }
        let mut missing = None;
        for kind in kind::of(way) {
            if found.is_full() {
                return Ok(());
            }
            let offered = match kind {
                "boolean" => {
                    found.offer(Json::Bool(false));
                    found.offer(Json::Bool(true));
                    Ok(())
                }
                "integer" | "number" => {
                    let numbers = number::candidates(way, kind == "integer");
                    numbers.into_iter().for_each(|number| found.offer(number));
                    Ok(())
                }
                "null" => {
                    found.offer(Json::Null);
                    Ok(())
                }
                "array" => self.offer_lists(name, way, depth, found),
                "object" => self.offer_objects(way, depth, found),
                _ => self.texts(name, way).map(|texts| {
                    let texts = texts.into_iter().map(Json::String);
                    texts.for_each(|text| found.offer(text));
                }),
            };
            if let Err(why) = offered {
                missing.get_or_insert(why);
            }
        }
        match missing {
            Some(why) if found.values.is_empty() => Err(why),
            _ => {
                defaults().for_each(|value| found.offer(value.clone()));
                Ok(())
            }
        }
    }

    fn texts(&self, name: &str, way: &[Part<'a>]) -> Result<Vec<String>, Missing> {
        let about = way
            .iter()
            .find_map(|part| part.get("description")?.as_str());
        let about = format!("{} {}", about.unwrap_or_default(), self.description);
        text::candidates(name, way, &about, self.tool, self.built)
            .ok_or_else(|| Missing::Unknown(reveal_line(name).into_owned()))
    }

    fn offer_objects(
        &self,
        way: &[Part<'a>],
        depth: usize,
        found: &mut Found<'_>,
    ) -> Result<(), Missing> {
        found.offer(Json::Object(self.members(way, false, depth)?));
        if !found.is_full() {
            found.offer(Json::Object(self.members(way, true, depth)?));
        }
        Ok(())
    }

    /// Members: those that must be given, or all.
    fn members(
        &self,
        way: &[Part<'a>],
        all: bool,
        depth: usize,
    ) -> Result<Map<String, Json>, Missing> {
        let properties = properties(way);
        let required = required(way, all, &properties);
        let mut made = Map::new();
        for (name, parts) in &properties {
            let is_required = required.contains(name);
            if !is_required && !all {
                continue;
            }
            match self.value(name, parts, depth + 1) {
                Ok(value) => {
                    made.insert(name.clone(), value);
                }
                // What nobody asks for can be left out.
                Err(_) if !is_required => {}
                Err(missing) => return Err(missing),
            }
        }
        // What must be given and is not described may be anything that others may be.
        let others: Vec<Part<'a>> = way
            .iter()
            .filter_map(|part| part.below("additionalProperties"))
            .collect();
        for name in &required {
            if !made.contains_key(name) {
                made.insert(name.clone(), self.value(name, &others, depth + 1)?);
            }
        }
        let least = largest(way, "minProperties").min(MOST_ELEMENTS);
        let optional = properties.iter().map(|(name, parts)| (name.clone(), parts));
        let further = (1..=least).map(|number| (format!("made-up-{number}"), &others));
        for (name, parts) in optional.chain(further) {
            if made.len() < least
                && !made.contains_key(&name)
                && let Ok(value) = self.value(&name, parts, depth + 1)
            {
                made.insert(name, value);
            }
        }
        Ok(made)
    }

    fn offer_lists(
        &self,
        name: &str,
        way: &[Part<'a>],
        depth: usize,
        found: &mut Found<'_>,
    ) -> Result<(), Missing> {
        let (first, rest) = elements(way);
        let contained = way.iter().filter_map(|part| part.below("contains"));
        let contained: Vec<Part<'a>> = rest.iter().cloned().chain(contained).collect();
        let least = largest(way, "minItems").max(largest(way, "minContains"));
        let most = way.iter().filter_map(|part| part.get("maxItems")?.as_u64());
        let most = most.min().and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(MOST_ELEMENTS).min(MOST_ELEMENTS);
        let count = least.max(1).max(first.len()).min(most);
        let mut list = Vec::new();
        for parts in first.iter().take(count) {
            list.push(self.value(name, parts, depth + 1)?);
        }
        let unique = way
            .iter()
            .any(|part| part.get("uniqueItems") == Some(&Json::Bool(true)));
        if list.len() < count {
            let wanted = count - list.len();
            let values = match unique {
                // Some of them may be there already.
                true => self.values(name, &contained, depth + 1, count),
                false => self
                    .value(name, &contained, depth + 1)
                    .map(|value| vec![value; wanted]),
            };
            let values = match values {
                // There are no elements that it could have.
                Err(Missing::Unfit(_)) => Vec::new(),
                values => values?,
            };
            for value in values {
                if list.len() < count && !(unique && list.contains(&value)) {
                    list.push(value);
                }
            }
        }
        found.offer(Json::Array(list.clone()));
        // Different ones are longer or shorter.
        for length in (0..list.len()).rev() {
            list.truncate(length);
            found.offer(Json::Array(list.clone()));
        }
        Ok(())
    }
}

/// What a schema says a value is, if it says so: what all of the parts name.
pub(super) fn named(way: &[Part<'_>]) -> Vec<Json> {
    let of = |part: &Part<'_>| match (part.get("const"), part.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Json::Array(values))) => Some(values.clone()),
        _ => None,
    };
    let mut lists = way.iter().filter_map(of);
    let mut values = lists.next().unwrap_or_default();
    for list in lists {
        values.retain(|value| list.contains(value));
    }
    values
}

/// The properties of an object, in the order of the schema, each with all that describes it.
pub(super) fn properties<'a>(way: &[Part<'a>]) -> Vec<(String, Vec<Part<'a>>)> {
    let mut properties: Vec<(String, Vec<Part<'a>>)> = Vec::new();
    for (name, part) in way.iter().flat_map(|part| part.each("properties")) {
        match properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, parts)) => parts.push(part),
            None => properties.push((name, vec![part])),
        }
    }
    properties
}

/// The names that must be given; with `all`, also those that hang on any other.
fn required(way: &[Part<'_>], all: bool, properties: &[(String, Vec<Part<'_>>)]) -> Vec<String> {
    let texts = |list: &Json| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    let listed = way.iter().filter_map(|part| part.get("required"));
    let mut names: Vec<String> = listed.flat_map(texts).collect();
    let mut given = names.clone();
    if all {
        given.extend(properties.iter().map(|(name, _)| name.clone()));
    }
    let mut next = 0;
    while let Some(name) = given.get(next).cloned() {
        next += 1;
        for keyword in ["dependentRequired", "dependencies"] {
            let hanging = way.iter().filter_map(|part| part.get(keyword)?.get(&name));
            for more in hanging.flat_map(texts) {
                if !names.contains(&more) {
                    names.push(more.clone());
                    given.push(more);
                }
            }
        }
    }
    names
}

/// The elements of a list: those with a place of their own, and the others.
pub(super) fn elements<'a>(way: &[Part<'a>]) -> (Vec<Vec<Part<'a>>>, Vec<Part<'a>>) {
    let mut first: Vec<Vec<Part<'a>>> = Vec::new();
    let mut rest = Vec::new();
    for part in way {
        // Before 2020-12 `items` could be a list of them (Validation, draft-07 §6.4.1).
        let is_list = part.get("items").is_some_and(Json::is_array);
        let placed = if is_list { "items" } else { "prefixItems" };
        for (place, (_, element)) in part.each(placed).into_iter().enumerate() {
            match first.get_mut(place) {
                Some(parts) => parts.push(element),
                None => first.push(vec![element]),
            }
        }
        let others = if is_list { "additionalItems" } else { "items" };
        rest.extend(part.below(others));
    }
    (first, rest)
}

/// The largest of the numbers that a keyword has.
pub(super) fn largest(way: &[Part<'_>], keyword: &str) -> usize {
    let numbers = way.iter().filter_map(|part| part.get(keyword)?.as_u64());
    let largest = numbers.max().unwrap_or(0);
    usize::try_from(largest).unwrap_or(usize::MAX)
}

fn unfit(name: &str, way: &[Part<'_>]) -> Missing {
    let name = reveal_line(name).into_owned();
    let pattern = way.iter().find_map(|part| part.get("pattern")?.as_str());
    match pattern {
        Some(pattern) => Missing::Pattern {
            pattern: reveal_line(pattern).chars().take(120).collect(),
            name,
        },
        None => Missing::Unfit(name),
    }
}
