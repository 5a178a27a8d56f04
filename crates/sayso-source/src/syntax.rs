//! Reading syntax trees: what every language's finder needs.

use std::ops::Range;

use tree_sitter::Node;

/// The source of a node.
pub(crate) fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The child of that field.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The named children that are no comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect()
}

/// The nodes around this one, innermost first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), |node| node.parent())
}

/// Every named node of a tree in the order of the text, without recursion: nesting is as deep as
/// the file's author likes.
pub(crate) fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        if cursor.node().is_named() {
            visit(cursor.node());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Source on one line, short enough to be quoted.
pub(crate) fn quotable(source: &str) -> String {
    const LONGEST: usize = 60;
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The comma behind a node, if one stands there.
pub(crate) fn comma_after(node: Node<'_>) -> Option<Range<usize>> {
    let mut next = node.next_sibling();
    while let Some(sibling) = next {
        match sibling.kind() {
            "," => return Some(sibling.byte_range()),
            _ if sibling.is_extra() => next = sibling.next_sibling(),
            _ => return None,
        }
    }
    None
}
