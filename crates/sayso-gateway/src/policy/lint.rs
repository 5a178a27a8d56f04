//! What Cedar's validation lets pass and can only be a mistake.

use cedar_policy::pst::{BinaryOp, Clause, Expr, Literal, Var};
use cedar_policy::{Effect, Policy};
use sayso_core::suggest::{nearest, quoted};

use super::error::PolicyError;
use super::reading::{Reads, context_path, path_from};
use super::rule::Rule;
use super::schema::{TRANSPORTS, words};
use super::scope::Scope;

/// A mistake: what is wrong, and what to do about it.
pub(super) type Mistake = (String, Option<String>);

/// Mistakes in a policy, by what it reads and its condition. They are looked for once, when the
/// policy is read: taking a policy apart is most of what reading it costs.
pub(super) fn mistakes(policy: &Policy, reads: &Reads, condition: &[Clause]) -> Vec<Mistake> {
    let scope = Scope::of(policy);
    let mut found = Vec::new();
    let mut tell = |message: String, hint: Option<String>| found.push((message, hint));
    if policy.effect() == Effect::Permit && scope.only_lists() {
        tell(
            "a permit of `list` alone has no effect: a tool is listed when a call of it can be permitted".to_owned(),
            Some("permit `Action::\"call\"`, or forbid `Action::\"list\"` to hide a tool".to_owned()),
        );
    }
    if !reads.arguments.is_nothing() && !scope.only_calls() {
        tell(
            "it reads `context.arguments`, and only calls have arguments".to_owned(),
            Some("say `action == Action::\"call\"` in its scope".to_owned()),
        );
    }
    for clause in condition {
        let (Clause::When(expression) | Clause::Unless(expression)) = clause;
        look(expression, &mut tell);
    }
    found
}

/// The mistakes of all rules, where they are.
pub(super) fn told(rules: &[Rule]) -> impl Iterator<Item = PolicyError> {
    rules.iter().flat_map(|rule| {
        let mistakes = rule.mistakes.iter();
        mistakes.map(|(message, hint)| PolicyError {
            source: rule.source.to_string(),
            place: rule.place,
            message: message.clone(),
            hint: hint.clone(),
        })
    })
}

/// Comparisons with a word that the attribute never has.
fn look(expression: &Expr, tell: &mut impl FnMut(String, Option<String>)) {
    match expression {
        Expr::BinaryOp {
            op: BinaryOp::Eq | BinaryOp::NotEq,
            left,
            right,
        } => {
            compare(left, right, tell);
            compare(right, left, tell);
        }
        Expr::BinaryOp {
            op: BinaryOp::Contains,
            left,
            right,
        } => {
            if let Expr::Set(values) = left.as_ref() {
                values.iter().for_each(|value| compare(right, value, tell));
            }
        }
        _ => {}
    }
    match expression {
        Expr::UnaryOp { expr, .. } => look(expr, tell),
        Expr::BinaryOp { left, right, .. } => {
            look(left, tell);
            look(right, tell);
        }
        Expr::IfThenElse {
            cond,
            then_expr,
            else_expr,
        } => [cond, then_expr, else_expr]
            .into_iter()
            .for_each(|inner| look(inner, tell)),
        _ => {}
    }
}

fn compare(attribute: &Expr, value: &Expr, tell: &mut impl FnMut(String, Option<String>)) {
    let Expr::Literal(Literal::String(word)) = value else {
        return;
    };
    let (name, known) = if let Some(path) = path_from(attribute, Var::Resource) {
        (format!("resource.{}", path.join(".")), words(&path))
    } else if context_path(attribute).is_some_and(|path| path == ["transport"]) {
        ("context.transport".to_owned(), Some(TRANSPORTS.to_vec()))
    } else {
        return;
    };
    let Some(known) = known.filter(|known| !known.contains(&word.as_str())) else {
        return;
    };
    let hint = match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean `\"{meant}\"`?"),
        None => format!("it is one of {}", quoted(known)),
    };
    tell(format!("`{name}` is never `\"{word}\"`"), Some(hint));
}
