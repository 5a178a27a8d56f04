//! Tests of arguments that need no evaluation.
//!
//! Most policies that look at an argument begin with a comparison that is false. The plain ones are
//! done here on the arguments as they are: where the answer is *false* beyond doubt, evaluating the
//! policy would have ended there, too. Whatever else the answer may be is left to Cedar.

use cedar_policy::pst::{BinaryOp, Clause, Expr, Literal, PatternElem};
use sayso_core::json::{Kind, Value};

use super::arguments::{ArgumentType, Fields, whole};
use super::reading::context_path;

/// A test of one argument.
#[derive(Clone, Debug)]
pub(super) struct Test {
    argument: String,
    check: Check,
    /// What the check has to give for the policy to go on.
    wanted: bool,
}

#[derive(Clone, Debug)]
enum Check {
    /// It is there.
    Given,
    /// It is this.
    Is(Literal),
    /// It is one of these.
    OneOf(Vec<Literal>),
    /// Text like this.
    Like(Vec<PatternElem>),
    /// A number less than this.
    Less(i64),
    /// A number greater than this.
    Greater(i64),
}

/// The leading parts that are such tests.
pub(super) fn tests(parts: &[Clause]) -> Vec<Test> {
    parts.iter().map_while(test).collect()
}

fn test(part: &Clause) -> Option<Test> {
    let (expression, wanted) = match part {
        Clause::When(expression) => (expression, true),
        Clause::Unless(expression) => (expression, false),
    };
    let (argument, check, positive) = match expression.as_ref() {
        Expr::HasAttr { expr, attrs } if attrs.tail.is_empty() => {
            let path = context_path(expr)?;
            let argument = attrs.head.to_string();
            return (path == ["arguments"]).then_some(Test {
                argument,
                check: Check::Given,
                wanted,
            });
        }
        Expr::GetAttr { .. } => (argument(expression)?, Check::Is(Literal::Bool(true)), true),
        Expr::Like { expr, pattern } => (argument(expr)?, Check::Like(pattern.clone()), true),
        Expr::BinaryOp { op, left, right } => comparison(*op, left, right)?,
        _ => return None,
    };
    Some(Test {
        argument,
        check,
        wanted: wanted == positive,
    })
}

/// A comparison with what is written in the policy, and what it has to give.
fn comparison(op: BinaryOp, left: &Expr, right: &Expr) -> Option<(String, Check, bool)> {
    let number = |expression: &Expr| match expression {
        Expr::Literal(Literal::Long(number)) => Some(*number),
        _ => None,
    };
    let literal = |expression: &Expr| match expression {
        Expr::Literal(Literal::EntityUID(_)) => None,
        Expr::Literal(literal) => Some(literal.clone()),
        _ => None,
    };
    match op {
        BinaryOp::Eq | BinaryOp::NotEq => {
            let (name, value) = match (argument(left), argument(right)) {
                (Some(name), None) => (name, literal(right)?),
                (None, Some(name)) => (name, literal(left)?),
                _ => return None,
            };
            Some((name, Check::Is(value), op == BinaryOp::Eq))
        }
        BinaryOp::Contains => match left {
            Expr::Set(values) => {
                let values = values.iter().map(|value| literal(value));
                let values: Option<Vec<_>> = values.collect();
                Some((argument(right)?, Check::OneOf(values?), true))
            }
            _ => None,
        },
        BinaryOp::Less => Some((argument(left)?, Check::Less(number(right)?), true)),
        BinaryOp::GreaterEq => Some((argument(left)?, Check::Less(number(right)?), false)),
        BinaryOp::Greater => Some((argument(left)?, Check::Greater(number(right)?), true)),
        BinaryOp::LessEq => Some((argument(left)?, Check::Greater(number(right)?), false)),
        _ => None,
    }
}

/// The argument that an expression reads whole.
fn argument(expression: &Expr) -> Option<String> {
    match context_path(expression)?.as_slice() {
        [first, name] if first == "arguments" => Some(name.clone()),
        _ => None,
    }
}

/// What tests come to, one after the other: that all pass, or that one fails, beyond doubt. `None`
/// where the answer of one is for Cedar to say: evaluating it may fail.
pub(super) fn all_pass(
    tests: &[Test],
    arguments: Option<Value<'_>>,
    fields: &Fields,
) -> Option<bool> {
    let mut answers = tests.iter().map(|test| test.passes(arguments, fields));
    answers
        .find(|passes| *passes != Some(true))
        .unwrap_or(Some(true))
}

impl Test {
    /// Whether it passes; `None` where that is for Cedar to say.
    fn passes(&self, arguments: Option<Value<'_>>, fields: &Fields) -> Option<bool> {
        let given = arguments.map(|arguments| arguments.get_all(&self.argument));
        let mut given = given.into_iter().flatten();
        let (value, more) = (given.next(), given.next());
        if more.is_some() {
            return None;
        }
        let field = fields.typed.get(&self.argument);
        let absent = match (value, field) {
            (None, _) => true,
            (Some(value), Some(field)) => field.nullable && value.is_null(),
            (Some(_), None) => return None,
        };
        match (&self.check, value, field) {
            (Check::Given, ..) if absent => Some(!self.wanted),
            (check, Some(value), Some(field)) if !absent => check
                .holds(value, &field.kind)
                .map(|holds| holds == self.wanted),
            _ => None,
        }
    }
}

impl Check {
    /// Whether it holds of a value of a type; `None` where that is for Cedar to say.
    fn holds(&self, value: Value<'_>, kind: &ArgumentType) -> Option<bool> {
        match (self, kind) {
            // Only a value that fits its type is shown to policies.
            (Self::Given, ArgumentType::String) => (value.kind() == Kind::String).then_some(true),
            (Self::Given, ArgumentType::Boolean) => value.as_bool().map(|_| true),
            (Self::Given, ArgumentType::Long) => whole(value).map(|_| true),
            (Self::Given, _) => None,
            (Self::Is(literal), _) => is(value, kind, literal),
            (Self::OneOf(literals), _) => {
                let mut all_no = true;
                for literal in literals {
                    match is(value, kind, literal) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => all_no = false,
                    }
                }
                all_no.then_some(false)
            }
            (Self::Like(pattern), ArgumentType::String) => Some(like(pattern, &value.as_str()?)),
            (Self::Less(bound), ArgumentType::Long) => Some(whole(value)? < *bound),
            (Self::Greater(bound), ArgumentType::Long) => Some(whole(value)? > *bound),
            _ => None,
        }
    }
}

fn is(value: Value<'_>, kind: &ArgumentType, literal: &Literal) -> Option<bool> {
    match (kind, literal) {
        (ArgumentType::String, Literal::String(text)) => Some(value.as_str()? == text.as_str()),
        (ArgumentType::Boolean, Literal::Bool(expected)) => Some(value.as_bool()? == *expected),
        (ArgumentType::Long, Literal::Long(number)) => Some(whole(value)? == *number),
        _ => None,
    }
}

/// Whether a text is like a pattern, in which a wildcard stands for any text, also none.
fn like(pattern: &[PatternElem], text: &str) -> bool {
    let (mut pattern, mut text) = (pattern, text.chars());
    // Where to go on after the last wildcard if what follows it does not fit.
    let mut back = None;
    loop {
        let next = text.clone().next();
        match (pattern, next) {
            ([PatternElem::Wildcard, rest @ ..], _) => {
                back = Some((rest, text.clone()));
                pattern = rest;
            }
            ([PatternElem::Char(expected), rest @ ..], Some(found)) if *expected == found => {
                text.next();
                pattern = rest;
            }
            ([], None) => return true,
            _ => {
                let Some((after, from)) = &mut back else {
                    return false;
                };
                if from.next().is_none() {
                    return false;
                }
                (pattern, text) = (*after, from.clone());
            }
        }
    }
}
