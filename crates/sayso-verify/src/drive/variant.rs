//! Variants of a plain call, one argument at a time.

use serde_json::{Map, Value as Json};

use super::input_schema::Part;
use super::value::{Maker, elements, named, properties};
use super::{kind, name};
use crate::fixture::Known;

/// How deep variants are looked for.
const DEEPEST: usize = 3;

/// What a variant tries. Of each there is one in turn, so that few variants try much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// Where something is to go, something is already.
    Existing,
    /// Another of the values that the schema names.
    Choice,
    /// A switch, on or off.
    Flag,
    /// Another path.
    Path,
    /// Nothing.
    Empty,
}

const GROUPS: [Group; 5] = [
    Group::Existing,
    Group::Choice,
    Group::Flag,
    Group::Path,
    Group::Empty,
];

struct Variant {
    group: Group,
    step: String,
    value: Json,
}

/// Variants of these arguments, each with what is special about it.
pub(super) fn variants(
    maker: &Maker<'_>,
    plain: &Map<String, Json>,
) -> Vec<(String, Map<String, Json>)> {
    let mut found = Vec::new();
    for way in maker.schema.ways(&[maker.schema.root()]) {
        for (name, parts) in properties(&way) {
            let place = Place {
                label: name.clone(),
                name: &name,
                now: plain.get(&name),
                depth: 0,
            };
            for variant in of_value(maker, &place, &parts) {
                let mut arguments = plain.clone();
                arguments.insert(name.clone(), variant.value);
                found.push((variant.group, variant.step, arguments));
            }
        }
    }
    in_turn(found)
}

/// One of each group, then the next of each.
fn in_turn(found: Vec<(Group, String, Map<String, Json>)>) -> Vec<(String, Map<String, Json>)> {
    let mut counts = GROUPS.map(|group| (group, 0_usize));
    let mut numbered: Vec<(usize, usize, String, Map<String, Json>)> = Vec::new();
    for (group, step, arguments) in found {
        let mut all = counts.iter_mut().enumerate();
        let Some((place, (_, count))) = all.find(|(_, (known, _))| *known == group) else {
            continue;
        };
        numbered.push((*count, place, step, arguments));
        *count += 1;
    }
    numbered.sort_by_key(|(turn, place, ..)| (*turn, *place));
    let in_turn = numbered.into_iter();
    in_turn
        .map(|(_, _, step, arguments)| (step, arguments))
        .collect()
}

/// A value within the arguments.
struct Place<'p> {
    label: String,
    name: &'p str,
    now: Option<&'p Json>,
    depth: usize,
}

fn of_value(maker: &Maker<'_>, place: &Place<'_>, parts: &[Part<'_>]) -> Vec<Variant> {
    let Place { label, name, .. } = place;
    let mut variants = Vec::new();
    for way in maker.schema.ways(parts) {
        let choices = named(&way);
        if !choices.is_empty() {
            variants.extend(choices.into_iter().map(|value| Variant {
                group: Group::Choice,
                step: format!("{label} = {value}"),
                value,
            }));
            continue;
        }
        for kind in kind::of(&way) {
            match kind {
                "boolean" => variants.extend([true, false].map(|value| Variant {
                    group: Group::Flag,
                    step: format!("{label} = {value}"),
                    value: Json::Bool(value),
                })),
                "string" => {
                    if name::is_path(name) {
                        variants.extend(paths(maker, place));
                    }
                    variants.push(empty(label, Json::String(String::new())));
                }
                "array" => variants.extend(lists(maker, place, &way)),
                "object" => variants.extend(objects(maker, place, &way)),
                _ => {}
            }
        }
    }
    variants.retain(|variant| place.now != Some(&variant.value));
    variants
}

fn empty(label: &str, value: Json) -> Variant {
    Variant {
        group: Group::Empty,
        step: format!("{label} is empty"),
        value,
    }
}

fn paths(maker: &Maker<'_>, place: &Place<'_>) -> Vec<Variant> {
    let now = place.now.and_then(Json::as_str);
    let is = |known: Known| now.is_some() && now == maker.built.value(known);
    let is_new = is(Known::NewFile) || is(Known::NewFolder);
    let existing = if is(Known::NewFolder) {
        Known::Folder
    } else {
        Known::OtherFile
    };
    let others = [
        (existing, "is there already"),
        (Known::Ignored, "is ignored by git"),
        (Known::Outside, "leads out of the workspace"),
        (Known::NewFile, "is not there"),
    ];
    let others = others.into_iter().filter_map(|(known, words)| {
        let value = maker.built.value(known)?;
        let is_existing = is_new && known == existing;
        Some(Variant {
            group: if is_existing {
                Group::Existing
            } else {
                Group::Path
            },
            step: format!("{} {words}", place.label),
            value: Json::String(value.to_owned()),
        })
    });
    others.collect()
}

/// A list of one variant each of its element, and the empty list.
fn lists(maker: &Maker<'_>, place: &Place<'_>, way: &[Part<'_>]) -> Vec<Variant> {
    let mut variants = vec![empty(&place.label, Json::Array(Vec::new()))];
    let (_, element) = elements(way);
    if place.depth >= DEEPEST || element.is_empty() {
        return variants;
    }
    let now = place.now.and_then(|now| now.get(0));
    let inner = Place {
        label: format!("{}[0]", place.label),
        name: place.name,
        now,
        depth: place.depth + 1,
    };
    let of_element = of_value(maker, &inner, &element).into_iter();
    variants.extend(of_element.map(|variant| Variant {
        value: Json::Array(vec![variant.value]),
        ..variant
    }));
    variants
}

/// An object with one variant of a member.
fn objects(maker: &Maker<'_>, place: &Place<'_>, way: &[Part<'_>]) -> Vec<Variant> {
    let mut variants = Vec::new();
    if place.depth >= DEEPEST {
        return variants;
    }
    let made = match place.now {
        Some(now) => Ok(now.clone()),
        None => maker.value(place.name, way, place.depth + 1),
    };
    let Ok(Json::Object(now)) = made else {
        return variants;
    };
    for (name, parts) in properties(way) {
        let inner = Place {
            label: format!("{}.{name}", place.label),
            name: &name,
            now: now.get(&name),
            depth: place.depth + 1,
        };
        for variant in of_value(maker, &inner, &parts) {
            let mut members = now.clone();
            members.insert(name.clone(), variant.value);
            variants.push(Variant {
                value: Json::Object(members),
                ..variant
            });
        }
    }
    variants
}
