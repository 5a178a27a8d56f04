//! A text made from another by changing single values and leaving every other byte as it is.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Value;

/// Changes to one value of a document, and the text that has them.
///
/// What nobody changes keeps its bytes: spaces, key order, number spelling, repeated keys. Of two
/// changes of one value the later counts; changes inside a value that is replaced or removed are
/// dropped with it. Every `raw` has to be one JSON value, or the text made is none.
#[derive(Clone, Debug)]
pub struct Splice<'a> {
    root: Value<'a>,
    /// What becomes of values, by the offset each begins at.
    changes: BTreeMap<usize, Change<'a>>,
    /// New members of objects, by the offset the object begins at.
    insertions: BTreeMap<usize, Insertion<'a>>,
}

#[derive(Clone, Debug)]
enum Change<'a> {
    Replace(Value<'a>, String),
    Remove(Value<'a>),
}

#[derive(Clone, Debug)]
struct Insertion<'a> {
    object: Value<'a>,
    /// Key, decoded, and raw value, in the order they were set.
    members: Vec<(String, String)>,
}

/// A range of the text and what stands there afterwards.
struct Patch<'p> {
    range: Range<usize>,
    text: std::borrow::Cow<'p, str>,
}

impl<'a> Splice<'a> {
    /// Changes nothing yet: the text would be `root.raw()`.
    #[must_use]
    pub fn new(root: Value<'a>) -> Self {
        Self {
            root,
            changes: BTreeMap::new(),
            insertions: BTreeMap::new(),
        }
    }

    /// Whether nothing was changed.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.changes.is_empty() && self.insertions.is_empty()
    }

    /// Puts `raw` where `value` stands. A value outside the root is left alone.
    pub fn replace(&mut self, value: Value<'a>, raw: impl Into<String>) -> &mut Self {
        if self.holds(value) {
            let at = value.span().start;
            self.changes.insert(at, Change::Replace(value, raw.into()));
        }
        self
    }

    /// Takes a member out of its object, key and all, or an element out of its array. The root
    /// itself stays.
    pub fn remove(&mut self, member: Value<'a>) -> &mut Self {
        if self.holds(member) && member.span() != self.root.span() {
            self.changes
                .insert(member.span().start, Change::Remove(member));
        }
        self
    }

    /// Makes `raw` the value of `key` in `object`: in place where the key is (at its first place
    /// where it is repeated; the others go), behind the last member where it is not. What is no
    /// object is left alone.
    pub fn set(&mut self, object: Value<'a>, key: &str, raw: impl Into<String>) -> &mut Self {
        if !object.is_object() || !self.holds(object) {
            return self;
        }
        let mut present = object.get_all(key);
        if let Some(first) = present.next() {
            for other in present {
                self.remove(other);
            }
            return self.replace(first, raw);
        }
        let insertion = self
            .insertions
            .entry(object.span().start)
            .or_insert_with(|| Insertion {
                object,
                members: Vec::new(),
            });
        match insertion.members.iter_mut().find(|(set, _)| set == key) {
            Some((_, value)) => *value = raw.into(),
            None => insertion.members.push((key.to_owned(), raw.into())),
        }
        self
    }

    /// The text with all changes.
    #[must_use]
    pub fn finish(&self) -> String {
        let Range { start, end } = self.root.span().range();
        let text = self.root.document().text();
        let mut patches = self.patches();
        patches.sort_by_key(|patch| patch.range.start);
        let grown: usize = patches.iter().map(|patch| patch.text.len()).sum();
        let mut made = String::with_capacity(end.saturating_sub(start) + grown);
        let mut cursor = start;
        for patch in patches {
            // What begins before the cursor is inside something replaced or removed.
            if patch.range.start < cursor {
                continue;
            }
            made.push_str(text.get(cursor..patch.range.start).unwrap_or_default());
            made.push_str(&patch.text);
            cursor = patch.range.end;
        }
        made.push_str(text.get(cursor..end).unwrap_or_default());
        made
    }

    /// Whether a value stands in the root, or is it.
    fn holds(&self, value: Value<'a>) -> bool {
        let (root, own) = (self.root.span(), value.span());
        std::ptr::eq(self.root.document().text(), value.document().text())
            && root.start <= own.start
            && own.end <= root.end
    }

    fn patches(&self) -> Vec<Patch<'_>> {
        let mut patches = Vec::new();
        let mut thinned = BTreeMap::new();
        for change in self.changes.values() {
            match change {
                Change::Replace(value, raw) => patches.push(Patch {
                    range: value.span().range(),
                    text: raw.into(),
                }),
                Change::Remove(value) => {
                    if let Some(parent) = value.parent() {
                        thinned.insert(parent.span().start, parent);
                    }
                }
            }
        }
        for container in thinned.into_values() {
            self.removals(container, &mut patches);
        }
        for insertion in self.insertions.values() {
            patches.push(self.insertion(insertion));
        }
        patches
    }

    fn is_removed(&self, value: Value<'a>) -> bool {
        matches!(
            self.changes.get(&value.span().start),
            Some(Change::Remove(_))
        )
    }

    /// Each removed child goes with the comma before it; those before the first that stays, with
    /// the comma behind.
    fn removals(&self, container: Value<'a>, patches: &mut Vec<Patch<'_>>) {
        let mut children = children(container).peekable();
        let mut end_before = None;
        let mut any_kept = false;
        while let Some(child) = children.next() {
            let end = child.span().end;
            if self.is_removed(child) {
                let range = match (any_kept, end_before, children.peek()) {
                    (true, Some(before), _) => before..end,
                    (_, _, Some(next)) => start_with_key(child)..start_with_key(*next),
                    _ => start_with_key(child)..end,
                };
                patches.push(Patch {
                    range,
                    text: "".into(),
                });
            } else {
                any_kept = true;
            }
            end_before = Some(end);
        }
    }

    fn insertion<'s>(&'s self, insertion: &'s Insertion<'a>) -> Patch<'s> {
        let object = insertion.object;
        let mut at = object.span().start + 1;
        let mut any = false;
        for child in children(object) {
            at = child.span().end;
            any |= !self.is_removed(child);
        }
        let mut text = String::new();
        for (key, raw) in &insertion.members {
            if any {
                text.push(',');
            }
            any = true;
            text.push_str(&serde_json::Value::from(key.as_str()).to_string());
            text.push(':');
            text.push_str(raw);
        }
        Patch {
            range: at..at,
            text: text.into(),
        }
    }
}

/// Members' values or elements, whichever it has.
fn children(container: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let members = container.members().map(|member| member.value);
    members.chain(container.elements())
}

/// Where an item of a container begins: at its key, if it has one.
fn start_with_key(value: Value<'_>) -> usize {
    value.key_span().unwrap_or(value.span()).start
}
