//! References in values: `${NAME}`, `${env:NAME}`, `${input:token}` and so on.

use super::profile::{ReferenceRules, ReferenceSyntax};

/// Something outside the file that a value refers to. Who reads a
/// configuration is asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'a> {
    /// An environment variable.
    Environment(&'a str),
    /// The project's directory.
    ProjectDirectory,
    /// The home directory.
    HomeDirectory,
    /// What the host asks the person for or keeps elsewhere:
    /// `${input:token}` has the source `input` and the name `token`.
    Elsewhere {
        /// Where the host would look.
        source: &'a str,
        /// Under which name.
        name: &'a str,
    },
}

/// A reference that has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unresolved {
    /// The reference, without a default it may hold.
    pub(super) written: String,
    /// What to do about it.
    pub(super) hint: String,
}

/// A value with its references resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) value: String,
    /// Text that looks like a reference, in a way this host does not read.
    pub(super) left: Option<String>,
}

/// Who answers for references.
pub(super) type Resolver<'a> = dyn Fn(Reference<'_>) -> Option<String> + 'a;

/// Resolves the references in a value.
pub(super) fn resolve(
    text: &str,
    rules: &ReferenceRules,
    resolver: &Resolver<'_>,
) -> Result<Resolved, Vec<Unresolved>> {
    let mut value = String::with_capacity(text.len());
    let mut left = None;
    let mut unresolved = Vec::new();
    let mut rest = text;
    while let Some(index) = rest.find(['$', '{']) {
        let Some((before, at)) = rest.split_at_checked(index) else {
            break;
        };
        value.push_str(before);
        let (token, after) = token(at, rules);
        match token {
            Token::Text(text) => value.push_str(text),
            Token::Lookalike { text, shown } => {
                value.push_str(text);
                left.get_or_insert(shown);
            }
            Token::Reference {
                reference,
                default,
                shown,
            } => match resolver(reference) {
                Some(found) => value.push_str(&found),
                None => match default {
                    Some(default) => value.push_str(default),
                    None => unresolved.push(Unresolved {
                        written: shown,
                        hint: hint(reference),
                    }),
                },
            },
        }
        rest = after;
    }
    value.push_str(rest);
    if unresolved.is_empty() {
        Ok(Resolved { value, left })
    } else {
        Err(unresolved)
    }
}

/// What to do about a reference without a value.
pub(super) fn hint(reference: Reference<'_>) -> String {
    match reference {
        Reference::Environment(name) => format!("set the environment variable `{name}`"),
        Reference::ProjectDirectory => "run it in the project's directory".to_owned(),
        Reference::HomeDirectory => "set the home directory".to_owned(),
        Reference::Elsewhere { .. } => {
            "only the host can look that up; start the server by its own command, with the value filled in"
                .to_owned()
        }
    }
}

enum Token<'t> {
    Text(&'t str),
    Lookalike {
        text: &'t str,
        shown: String,
    },
    Reference {
        reference: Reference<'t>,
        default: Option<&'t str>,
        shown: String,
    },
}

/// Reads one token at a `$` or `{`, and returns it with what follows.
fn token<'t>(at: &'t str, rules: &ReferenceRules) -> (Token<'t>, &'t str) {
    let has = |syntax: ReferenceSyntax| rules.syntax.contains(&syntax);
    if let Some(inner) = at.strip_prefix("${{") {
        if let Some((inner, after)) = inner.split_once("}}") {
            return (
                template(at, inner, after, has(ReferenceSyntax::Template)),
                after,
            );
        }
    } else if let Some(inner) = at.strip_prefix("${") {
        if let Some((inner, after)) = inner.split_once('}') {
            return (braced(at, inner, after, rules), after);
        }
    } else if let Some(inner) = at.strip_prefix('$') {
        let end = inner
            .find(|c: char| !is_name_char(c))
            .unwrap_or(inner.len());
        if let Some((name, after)) = inner.split_at_checked(end)
            && is_name(name)
            && has(ReferenceSyntax::Bare)
        {
            let shown = format!("${name}");
            let reference = Reference::Environment(name);
            return (
                Token::Reference {
                    reference,
                    default: None,
                    shown,
                },
                after,
            );
        }
    } else if let Some((inner, after)) = at.strip_prefix('{').and_then(|at| at.split_once('}')) {
        let read = inner
            .split_once(':')
            .and_then(|(source, name)| match source {
                "env" if has(ReferenceSyntax::EnvPlain) => Some(Reference::Environment(name)),
                "file" if has(ReferenceSyntax::FilePlain) => {
                    Some(Reference::Elsewhere { source, name })
                }
                _ => None,
            });
        if let Some(reference) = read {
            let shown = format!("{{{inner}}}");
            return (
                Token::Reference {
                    reference,
                    default: None,
                    shown,
                },
                after,
            );
        }
    }
    let first = at.chars().next().map_or(0, char::len_utf8);
    let (text, after) = at.split_at_checked(first).unwrap_or((at, ""));
    (Token::Text(text), after)
}

/// `${{ secrets.NAME }}`
fn template<'t>(at: &'t str, inner: &'t str, after: &str, known: bool) -> Token<'t> {
    let text = consumed(at, after);
    let Some((source, name)) = inner.trim().split_once('.') else {
        return Token::Text(text);
    };
    if !is_name(source) || !is_plain(name) {
        return Token::Text(text);
    }
    let shown = format!("${{{{ {source}.{name} }}}}");
    if known {
        Token::Reference {
            reference: Reference::Elsewhere { source, name },
            default: None,
            shown,
        }
    } else {
        Token::Lookalike { text, shown }
    }
}

/// `${NAME}`, `${NAME:-text}`, `${env:NAME}`, `${word:name}` and the host's own
/// names such as `${workspaceFolder}`.
fn braced<'t>(at: &'t str, inner: &'t str, after: &str, rules: &ReferenceRules) -> Token<'t> {
    let has = |syntax: ReferenceSyntax| rules.syntax.contains(&syntax);
    let text = consumed(at, after);
    let (head, tail) = match inner.split_once(':') {
        Some((head, tail)) => (head, Some(tail)),
        None => (inner, None),
    };
    if !is_name(head) {
        return Token::Text(text);
    }
    let reference = |reference, default, shown| Token::Reference {
        reference,
        default,
        shown,
    };
    match tail {
        None => {
            let shown = format!("${{{head}}}");
            if rules.project.iter().any(|name| name == head) {
                reference(Reference::ProjectDirectory, None, shown)
            } else if rules.home.iter().any(|name| name == head) {
                reference(Reference::HomeDirectory, None, shown)
            } else if has(ReferenceSyntax::Braced) {
                reference(Reference::Environment(head), None, shown)
            } else {
                Token::Lookalike { text, shown }
            }
        }
        Some(tail) => {
            if let Some(default) = tail.strip_prefix('-') {
                // A default may be a secret, so it is not shown.
                let shown = format!("${{{head}:-…}}");
                if has(ReferenceSyntax::BracedDefault) {
                    return reference(Reference::Environment(head), Some(default), shown);
                }
                return Token::Lookalike { text, shown };
            }
            let shown = if is_plain(tail) {
                format!("${{{head}:{tail}}}")
            } else {
                format!("${{{head}:…}}")
            };
            if head == "env" && has(ReferenceSyntax::EnvBraced) {
                reference(Reference::Environment(tail), None, shown)
            } else if rules.elsewhere.iter().any(|word| word == head) {
                reference(
                    Reference::Elsewhere {
                        source: head,
                        name: tail,
                    },
                    None,
                    shown,
                )
            } else {
                Token::Lookalike { text, shown }
            }
        }
    }
}

fn consumed<'t>(at: &'t str, after: &str) -> &'t str {
    at.get(..at.len() - after.len()).unwrap_or(at)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether the text can be the name of an environment variable.
fn is_name(text: &str) -> bool {
    text.chars().all(is_name_char)
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Whether the text is made of what names are made of, so that showing it
/// gives no secret away.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| is_name_char(c) || matches!(c, '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::{Reference, ReferenceRules, ReferenceSyntax, resolve};

    fn all() -> ReferenceRules {
        use ReferenceSyntax::{
            Bare, Braced, BracedDefault, EnvBraced, EnvPlain, FilePlain, Template,
        };
        ReferenceRules {
            syntax: vec![
                Braced,
                BracedDefault,
                Bare,
                EnvBraced,
                EnvPlain,
                FilePlain,
                Template,
            ],
            project: vec!["workspaceFolder".to_owned()],
            home: vec!["userHome".to_owned()],
            elsewhere: vec!["input".to_owned()],
        }
    }

    fn resolver(reference: Reference<'_>) -> Option<String> {
        match reference {
            Reference::Environment("TOKEN") => Some("t0k$TOKEN".to_owned()),
            Reference::ProjectDirectory => Some("/project".to_owned()),
            Reference::HomeDirectory => Some("/people/ada".to_owned()),
            _ => None,
        }
    }

    fn show(text: &str, rules: &ReferenceRules) -> String {
        match resolve(text, rules, &resolver) {
            Ok(resolved) => match resolved.left {
                Some(left) => format!("{text} -> {} (left {left})", resolved.value),
                None => format!("{text} -> {}", resolved.value),
            },
            Err(missing) => {
                let missing: Vec<String> = missing.into_iter().map(|one| one.written).collect();
                format!("{text} -> missing {}", missing.join(", "))
            }
        }
    }

    #[test]
    fn every_way_to_write_a_reference() {
        let shown = [
            "plain",
            "Bearer ${TOKEN}!",
            "$TOKEN/$TOKEN",
            "${env:TOKEN}",
            "{env:TOKEN}",
            "${NONE:-fallback}",
            "${TOKEN:-fallback}",
            "${workspaceFolder}/bin ${userHome}",
            "${NONE} and ${input:api-key}",
            "{file:~/token}",
            "${{ secrets.KEY }}",
            "costs 5$ or $9, {braces} ${ } ${",
            "ünï$TOKENé",
        ]
        .map(|text| show(text, &all()));
        insta::assert_snapshot!(shown.join("\n"), @r"
        plain -> plain
        Bearer ${TOKEN}! -> Bearer t0k$TOKEN!
        $TOKEN/$TOKEN -> t0k$TOKEN/t0k$TOKEN
        ${env:TOKEN} -> t0k$TOKEN
        {env:TOKEN} -> t0k$TOKEN
        ${NONE:-fallback} -> fallback
        ${TOKEN:-fallback} -> t0k$TOKEN
        ${workspaceFolder}/bin ${userHome} -> /project/bin /people/ada
        ${NONE} and ${input:api-key} -> missing ${NONE}, ${input:api-key}
        {file:~/token} -> missing {file:~/token}
        ${{ secrets.KEY }} -> missing ${{ secrets.KEY }}
        costs 5$ or $9, {braces} ${ } ${ -> costs 5$ or $9, {braces} ${ } ${
        ünï$TOKENé -> ünït0k$TOKENé
        ");
    }

    #[test]
    fn what_a_host_does_not_read_is_left_as_it_is_and_named() {
        let none = ReferenceRules::default();
        let shown = [
            "${TOKEN}",
            "${env:TOKEN}",
            "$TOKEN",
            "{env:TOKEN}",
            "${A:-hunter2}",
            "${{ secrets.KEY }}",
        ]
        .map(|text| show(text, &none));
        insta::assert_snapshot!(shown.join("\n"), @r"
        ${TOKEN} -> ${TOKEN} (left ${TOKEN})
        ${env:TOKEN} -> ${env:TOKEN} (left ${env:TOKEN})
        $TOKEN -> $TOKEN
        {env:TOKEN} -> {env:TOKEN}
        ${A:-hunter2} -> ${A:-hunter2} (left ${A:-…})
        ${{ secrets.KEY }} -> ${{ secrets.KEY }} (left ${{ secrets.KEY }})
        ");
    }
}
