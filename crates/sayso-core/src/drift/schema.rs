//! Which way an input schema moved: whether a call can reach further than before.
//!
//! A new argument, a new value for one, a looser constraint give more reach: relaxing. What was
//! taken away or narrowed is tightening, other words are neutral. An argument that had to be there
//! and is gone is both: calls pass now that named nothing. Keywords are read as JSON Schema 2020-12
//! and draft-07 mean them; local references are followed. What cannot be told counts as relaxing
//! ([`SchemaChangeKind::Unclear`]): somebody has to look.

mod keyword;
mod members;
mod subschema;

use std::collections::HashSet;
use std::fmt;

use super::Direction;
use crate::json::Value;
use crate::reveal::reveal_line;
use subschema::Subschema;

/// How much is compared, in keywords and in 64 bytes of their values; whatever is beyond is
/// [`SchemaChangeKind::Unclear`]. A schema of a few megabytes stays below, unless its references
/// multiply it.
const MOST_WORK: usize = 1_000_000;

/// What happened at one place of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaChangeKind {
    /// An argument, or a property inside one, that was not there.
    ArgumentAdded,
    /// One that is no longer there.
    ArgumentRemoved,
    /// A value, a type or an alternative that was not allowed.
    ValueAdded,
    /// One that is no longer allowed.
    ValueRemoved,
    /// A constraint that lets more through, or is gone.
    Loosened,
    /// A constraint that lets less through, or is new.
    Narrowed,
    /// A change whose direction cannot be told from the schema.
    Unclear,
    /// Words that constrain nothing.
    Wording,
}

impl SchemaChangeKind {
    /// The direction it is taken for.
    #[must_use]
    pub const fn direction(self) -> Direction {
        match self {
            Self::ArgumentAdded | Self::ValueAdded | Self::Loosened | Self::Unclear => {
                Direction::Relaxing
            }
            Self::ArgumentRemoved | Self::ValueRemoved | Self::Narrowed => Direction::Tightening,
            Self::Wording => Direction::Neutral,
        }
    }
}

/// One change in a schema.
#[derive(Clone, Debug)]
pub struct SchemaChange<'a> {
    /// What happened.
    pub kind: SchemaChangeKind,
    /// The argument it happened to, such as `filter.kind` or `tags[]`; empty for all arguments together.
    pub argument: String,
    /// The keyword; empty where the whole subschema is meant.
    pub keyword: String,
    /// What stood there. Of an added value there is nothing.
    pub before: Option<Value<'a>>,
    /// What stands there. Of a removed value there is nothing.
    pub after: Option<Value<'a>>,
}

impl SchemaChange<'_> {
    /// The direction it is taken for.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.kind.direction()
    }
}

impl fmt::Display for SchemaChange<'_> {
    /// As part of a sentence, what is invisible written out: ``new argument `force` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let argument = reveal_line(&self.argument);
        match self.kind {
            SchemaChangeKind::ArgumentAdded => return write!(f, "new argument `{argument}`"),
            SchemaChangeKind::ArgumentRemoved => return write!(f, "argument `{argument}` is gone"),
            _ => {}
        }
        if self.keyword == "required" {
            match self.kind {
                SchemaChangeKind::Narrowed => return write!(f, "`{argument}` is now required"),
                SchemaChangeKind::Loosened => {
                    return write!(f, "`{argument}` is no longer required");
                }
                _ => {}
            }
        }
        if argument.is_empty() {
            f.write_str("the arguments: ")?;
        } else {
            write!(f, "`{argument}`: ")?;
        }
        let keyword = reveal_line(&self.keyword);
        match self.kind {
            SchemaChangeKind::ValueAdded => {
                write!(f, "may now be {}", Shown(self.after))
            }
            SchemaChangeKind::ValueRemoved => {
                write!(f, "may no longer be {}", Shown(self.before))
            }
            _ if self.keyword.is_empty() => f.write_str("the schema changed"),
            _ => match (self.before, self.after) {
                (None, after) => write!(f, "`{keyword}` is now {}", Shown(after)),
                (before, None) => write!(f, "`{keyword}` is gone, was {}", Shown(before)),
                (before, after) => {
                    write!(f, "`{keyword}` was {}, is {}", Shown(before), Shown(after))
                }
            },
        }
    }
}

/// A value in a line, shortened.
struct Shown<'a>(Option<Value<'a>>);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 60;
        let raw = self.0.map_or("anything", Value::raw);
        let line = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = reveal_line(&line);
        write!(f, "`{}", line.chars().take(MOST).collect::<String>())?;
        f.write_str(if line.chars().count() > MOST {
            "…`"
        } else {
            "`"
        })
    }
}

/// Everything that changed from one input schema to another; a missing one allows anything.
#[must_use]
pub fn schema_changes<'a>(
    before: Option<Value<'a>>,
    after: Option<Value<'a>>,
) -> Vec<SchemaChange<'a>> {
    let roots = Sides(before, after);
    if roots.same() {
        return Vec::new();
    }
    let mut comparison = Comparison {
        roots,
        pending: vec![Pair::whole(roots)],
        work: 0,
        changes: Vec::new(),
    };
    comparison.run();
    comparison.changes
}

/// What stands at one place before and after.
#[derive(Clone, Copy)]
struct Sides<'a>(Option<Value<'a>>, Option<Value<'a>>);

impl<'a> Sides<'a> {
    fn same(self) -> bool {
        match self {
            Self(Some(old), Some(new)) => super::same(old, new),
            Self(old, new) => old.is_none() && new.is_none(),
        }
    }

    fn both(self) -> bool {
        self.0.is_some() && self.1.is_some()
    }

    fn any(self, is: impl Fn(Value<'a>) -> bool) -> bool {
        self.0.is_some_and(&is) || self.1.is_some_and(&is)
    }
}

/// Two subschemas to compare.
struct Pair<'a> {
    /// The argument they are for.
    argument: String,
    /// The keyword they stand under; empty for an argument's own.
    keyword: String,
    sides: Sides<'a>,
    /// Whether they stand where a looser schema need not let more through, as under `not`.
    unclear: bool,
}

impl<'a> Pair<'a> {
    fn whole(sides: Sides<'a>) -> Self {
        Self {
            argument: String::new(),
            keyword: String::new(),
            sides,
            unclear: false,
        }
    }

    /// What stands for a part of the argument: a property's name, `*`, `[]`; empty for itself.
    fn part(&self, what: &str, keyword: &str, sides: Sides<'a>) -> Self {
        let argument = match (self.argument.as_str(), what) {
            (argument, "") => argument.to_owned(),
            ("", what) => what.to_owned(),
            (argument, what) if what.starts_with('[') => format!("{argument}{what}"),
            (argument, what) => format!("{argument}.{what}"),
        };
        Self {
            argument,
            keyword: keyword.to_owned(),
            sides,
            unclear: self.unclear,
        }
    }
}

struct Comparison<'a> {
    roots: Sides<'a>,
    pending: Vec<Pair<'a>>,
    work: usize,
    changes: Vec<SchemaChange<'a>>,
}

impl<'a> Comparison<'a> {
    fn run(&mut self) {
        // A reference may lead back to where it stands.
        let mut seen = HashSet::new();
        while let Some(pair) = self.pending.pop() {
            let Sides(old, new) = pair.sides;
            if !seen.insert((old.map(Value::index), new.map(Value::index), pair.unclear)) {
                continue;
            }
            if self.work > MOST_WORK {
                let whole = Pair::whole(self.roots);
                self.add(&whole, SchemaChangeKind::Unclear, "", self.roots);
                return;
            }
            self.pair(&pair);
        }
    }

    fn pair(&mut self, pair: &Pair<'a>) {
        let before = Subschema::read(pair.sides.0, self.roots.0);
        let after = Subschema::read(pair.sides.1, self.roots.1);
        let kind = match (before, after) {
            (Subschema::Keywords(before), Subschema::Keywords(after)) => {
                let values = before.values().chain(after.values()).flatten();
                self.work += values
                    .map(|value| 1 + value.raw().len() / 64)
                    .sum::<usize>();
                return self.keywords(pair, &before, &after);
            }
            (Subschema::Nothing, Subschema::Nothing) => return,
            (Subschema::Nothing, Subschema::Keywords(_)) => SchemaChangeKind::Loosened,
            (Subschema::Keywords(_), Subschema::Nothing) => SchemaChangeKind::Narrowed,
            _ if pair.sides.same() => return,
            _ => SchemaChangeKind::Unclear,
        };
        self.add(pair, kind, &pair.keyword, pair.sides);
    }

    /// Notes a change; where a looser schema need not let more through, its direction is unclear.
    fn add(&mut self, pair: &Pair<'a>, kind: SchemaChangeKind, keyword: &str, sides: Sides<'a>) {
        let kind = if pair.unclear && kind != SchemaChangeKind::Wording {
            SchemaChangeKind::Unclear
        } else {
            kind
        };
        self.changes.push(SchemaChange {
            kind,
            argument: pair.argument.clone(),
            keyword: keyword.to_owned(),
            before: sides.0,
            after: sides.1,
        });
    }

    /// Has two subschemas compared later.
    fn descend(&mut self, pair: Pair<'a>) {
        self.pending.push(pair);
    }
}
