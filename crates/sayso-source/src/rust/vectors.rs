//! `vec![…]`, whose items a parser takes for mere tokens.

use std::ops::Range;

use tree_sitter::{Node, Parser, Tree};

use crate::syntax::{field, text, walk};

/// How deep vectors are looked into.
const DEEPEST: usize = 4;

/// The tree in which the items of every `vec![…]` are read as expressions: what makes it a macro is
/// blanked out, so that an array is left, with every byte in its place.
pub(crate) fn opened(parser: &mut Parser, tree: Tree, source: &str) -> Tree {
    let mut tree = tree;
    let mut blanked = source.to_owned();
    for _ in 0..DEEPEST {
        let marks = marks(tree.root_node(), source);
        if marks.is_empty() {
            break;
        }
        for mark in marks {
            let blank = " ".repeat(mark.len());
            blanked.replace_range(mark, &blank);
        }
        match parser.parse(&blanked, None) {
            // What cannot be read as arrays is better read as tokens.
            Some(opened) if !opened.root_node().has_error() || tree.root_node().has_error() => {
                tree = opened;
            }
            _ => break,
        }
    }
    tree
}

/// The bytes of each `vec!` before a bracket.
fn marks(root: Node<'_>, source: &str) -> Vec<Range<usize>> {
    let mut marks = Vec::new();
    walk(root, |node| {
        let name = field(node, "macro").filter(|_| node.kind() == "macro_invocation");
        let items = node
            .named_child(1)
            .filter(|items| text(*items, source).starts_with('['));
        if let Some((name, items)) = name.zip(items)
            && text(name, source) == "vec"
        {
            marks.push(name.start_byte()..items.start_byte());
        }
    });
    marks
}
