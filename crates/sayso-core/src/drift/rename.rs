//! Which tool a vanished one has probably become.

use std::collections::BTreeSet;

use crate::digest::ToolDigest;
use crate::json::Value;
use crate::tool::Tool;

/// How alike two tools have to be to be taken for one that was renamed.
const LIKE_ENOUGH: f64 = 0.6;

/// How many characters of a description are compared.
const DESCRIPTION: usize = 2_000;

/// How many vanished and how many new tools are compared in full; of more, only those that
/// kept every part are found.
const MOST: usize = 64;

/// A vanished tool and what it has probably become.
#[derive(Clone, Copy, Debug)]
pub struct Rename<'a> {
    /// The tool as it was.
    pub before: Tool<'a>,
    /// The new tool that is most like it.
    pub after: Tool<'a>,
    /// How alike they are, from 0.6 to 1; 1 where nothing but the name differs.
    pub likeness: f64,
}

/// Pairs vanished tools with new ones, the most alike first, each at most once.
///
/// Tools are alike by their description (half), their schemas (three tenths) and their name (a
/// fifth).
#[must_use]
pub fn renames<'a>(vanished: &[Tool<'a>], new: &[Tool<'a>]) -> Vec<Rename<'a>> {
    let traits = |tools: &[Tool<'a>]| tools.iter().copied().map(Traits::of).collect::<Vec<_>>();
    let (vanished, new) = (traits(vanished), traits(new));
    let in_full = vanished.len() <= MOST && new.len() <= MOST;
    let mut pairs = Vec::new();
    for (old_position, old) in vanished.iter().enumerate() {
        for (new_position, new) in new.iter().enumerate() {
            // Two tools that say nothing are equal, and not alike.
            let only_renamed = old.digest.parts == new.digest.parts && !old.description.is_empty();
            let likeness = if only_renamed {
                1.0
            } else if in_full {
                old.likeness(new)
            } else {
                continue;
            };
            if likeness >= LIKE_ENOUGH {
                let name = name_likeness(&old.name, &new.name);
                pairs.push((likeness, name, old_position, new_position));
            }
        }
    }
    pairs.sort_by(|one, other| {
        let by_likeness = other.0.total_cmp(&one.0);
        by_likeness
            .then(other.1.total_cmp(&one.1))
            .then((one.2, one.3).cmp(&(other.2, other.3)))
    });
    let (mut old_taken, mut new_taken) = (BTreeSet::new(), BTreeSet::new());
    let mut renames = Vec::new();
    for (likeness, _, old_position, new_position) in pairs {
        if old_taken.contains(&old_position) || new_taken.contains(&new_position) {
            continue;
        }
        if let (Some(old), Some(new)) = (vanished.get(old_position), new.get(new_position)) {
            old_taken.insert(old_position);
            new_taken.insert(new_position);
            renames.push(Rename {
                before: old.tool,
                after: new.tool,
                likeness,
            });
        }
    }
    renames
}

/// What of a tool is compared.
struct Traits<'a> {
    tool: Tool<'a>,
    digest: ToolDigest,
    name: String,
    description: String,
    arguments: BTreeSet<String>,
}

impl<'a> Traits<'a> {
    fn of(tool: Tool<'a>) -> Self {
        let description = tool.description().unwrap_or_default();
        let arguments = tool
            .input_schema()
            .and_then(|schema| schema.get("properties"))
            .into_iter()
            .flat_map(Value::members)
            .map(|member| member.key.into_owned())
            .collect();
        Self {
            tool,
            digest: ToolDigest::of(tool),
            name: tool.name().unwrap_or_default().into_owned(),
            description: description.chars().take(DESCRIPTION).collect(),
            arguments,
        }
    }

    fn likeness(&self, other: &Self) -> f64 {
        let name = name_likeness(&self.name, &other.name);
        let description = strsim::sorensen_dice(&self.description, &other.description);
        let schemas = if self.digest.parts.schemas == other.digest.parts.schemas {
            1.0
        } else {
            let shared = self.arguments.intersection(&other.arguments).count();
            let all = self.arguments.union(&other.arguments).count();
            // Counts of arguments: far below what an f64 holds.
            if all == 0 {
                1.0
            } else {
                0.8 * (shared as f64 / all as f64)
            }
        };
        // What neither has says nothing about whether they are the same.
        let description_weight = weight(
            0.5,
            self.description.is_empty() && other.description.is_empty(),
        );
        let schemas_weight = weight(0.3, self.arguments.is_empty() && other.arguments.is_empty());
        let weighted = 0.2 * name + description_weight * description + schemas_weight * schemas;
        weighted / (0.2 + description_weight + schemas_weight)
    }
}

/// By letters changed, or by pairs of letters kept: words that changed places are still the same.
fn name_likeness(one: &str, other: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(one, other).max(strsim::sorensen_dice(one, other))
}

fn weight(of: f64, nothing_there: bool) -> f64 {
    if nothing_there { 0.0 } else { of }
}
