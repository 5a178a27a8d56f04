//! The name of a tool that is called after its method.

use tree_sitter::Node;

use super::Finder;
use crate::syntax::field;

impl Finder<'_> {
    /// The name the SDK derives: without `Async` if the method is asynchronous, with anything but
    /// ASCII letters and digits as underscores, in snake case.
    pub(super) fn derived_name(&self, method: Node<'_>, name: Node<'_>) -> String {
        let whole = self.text(name).trim_start_matches('@');
        let result = field(method, "returns").or_else(|| field(method, "type"));
        let without = whole
            .strip_suffix("Async")
            .filter(|rest| !rest.is_empty() && result.is_some_and(|of| self.is_awaited(of)))
            .unwrap_or(whole);
        let mut ascii = String::new();
        for character in without.chars() {
            if character.is_ascii_alphanumeric() {
                ascii.push(character);
            } else if !ascii.ends_with('_') || character == '_' {
                ascii.push('_');
            }
        }
        let trimmed = ascii.trim_matches('_');
        snake_case(if trimmed.is_empty() { whole } else { trimmed })
    }

    /// Whether a method with that result is asynchronous to the SDK.
    fn is_awaited(&self, result: Node<'_>) -> bool {
        let result = self.text(result);
        let (class, is_generic) = match result.split_once('<') {
            Some((class, _)) => (class, true),
            None => (result, false),
        };
        let class = class.rsplit(['.', ':']).next().unwrap_or(class).trim();
        matches!(class, "Task" | "ValueTask") || (is_generic && class == "IAsyncEnumerable")
    }
}

/// Snake case as .NET's `JsonNamingPolicy.SnakeCaseLower` has it: a word begins with a capital
/// behind a small letter or digit, and with the last of several capitals before a small letter.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut before: Option<char> = None;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_uppercase() {
            let begins = match before {
                Some(before) if before.is_uppercase() => {
                    characters.peek().is_some_and(|next| next.is_lowercase())
                }
                Some(before) => before.is_alphanumeric(),
                None => false,
            };
            if begins {
                snake.push('_');
            }
        }
        snake.extend(character.to_lowercase());
        before = Some(character);
    }
    snake
}
