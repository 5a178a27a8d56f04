//! Whether a URI may have come of a template (RFC 6570).

use std::collections::BTreeSet;

/// Longer templates and URIs are not looked at.
const MAX_BYTES: usize = 4096;

/// Nor are templates of more pieces.
const MAX_PIECES: usize = 64;

enum Piece<'t> {
    /// Stands there as it is.
    Literal(&'t str),
    /// An expression, with its operator.
    Expression(Option<char>),
}

/// Whether `uri` may have come of `template`. What an expression stands for is not looked at, but
/// that a plain one, and those for a part of a path or a label, hold no `/`.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    if template.len() > MAX_BYTES || uri.len() > MAX_BYTES {
        return false;
    }
    let Some(pieces) = pieces(template).filter(|pieces| pieces.len() <= MAX_PIECES) else {
        return false;
    };
    if !pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Expression(_)))
    {
        return false;
    }
    let mut places = BTreeSet::from([0]);
    for piece in pieces {
        places = match piece {
            Piece::Literal(text) => places
                .into_iter()
                .filter(|at| uri.get(*at..).is_some_and(|rest| rest.starts_with(text)))
                .map(|at| at + text.len())
                .collect(),
            Piece::Expression(operator) => behind(uri, &places, operator),
        };
    }
    places.contains(&uri.len())
}

/// Where an expression that begins at one of these places may end.
fn behind(uri: &str, places: &BTreeSet<usize>, operator: Option<char>) -> BTreeSet<usize> {
    let mut ends = BTreeSet::new();
    // Up to here the run of the place before went, and so would that of this one.
    let mut reached = 0;
    for &start in places {
        ends.insert(start);
        let Some(rest) = uri.get(start..).filter(|_| start >= reached) else {
            continue;
        };
        let mut characters = rest.char_indices();
        if let Some(first @ ('/' | '?' | '&' | '#' | '.' | ';')) = operator {
            match characters.next() {
                Some((_, found)) if found == first => {
                    reached = start + found.len_utf8();
                    ends.insert(reached);
                }
                _ => continue,
            }
        }
        for (at, character) in characters {
            let is_free = matches!(operator, Some('+' | '#' | '/'));
            if !is_free && matches!(character, '/' | '?' | '#') {
                break;
            }
            reached = start + at + character.len_utf8();
            ends.insert(reached);
        }
    }
    ends
}

/// `None` where a brace has no partner.
fn pieces(template: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((literal, behind)) = rest.split_once('{') {
        let (expression, behind) = behind.split_once('}')?;
        pieces.push(Piece::Literal(literal));
        let operator = expression
            .chars()
            .next()
            .filter(|first| "+#/?&.;".contains(*first));
        pieces.push(Piece::Expression(operator));
        rest = behind;
    }
    pieces.push(Piece::Literal(rest));
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn plain_expressions_stay_in_their_part() {
        assert!(fits("file:///{name}", "file:///a.txt"));
        assert!(!fits("file:///{name}", "file:///a/b.txt"));
        assert!(fits(
            "test://template/{id}/data",
            "test://template/123/data"
        ));
        assert!(!fits(
            "test://template/{id}/data",
            "test://template/123/other"
        ));
    }

    #[test]
    fn operators_reach_further() {
        assert!(fits("file:///{+path}", "file:///a/b.txt"));
        assert!(fits("db://rows{/table*}", "db://rows/a/b"));
        assert!(fits(
            "db://rows{?limit,offset}",
            "db://rows?limit=1&offset=2"
        ));
        assert!(fits("db://rows{?limit}", "db://rows"));
    }

    #[test]
    fn no_template_fits_nothing() {
        assert!(!fits("file:///a", "file:///a"));
        assert!(!fits("file:///{a", "file:///x"));
    }

    #[test]
    fn many_expressions_take_no_time() {
        let template = "{a}".repeat(31) + "!";
        assert!(!fits(&template, &"x".repeat(4000)));
    }
}
