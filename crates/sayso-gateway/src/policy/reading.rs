//! What a policy reads: the parts of its condition, and what each looks at.

use cedar_policy::pst::{BinaryOp, Clause, Expr, UnaryOp, Var};
use std::sync::Arc;

use super::arguments::Read;

/// What a condition looks at besides what is known of tool and caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// Of the arguments.
    pub(super) arguments: Read,
    /// The time.
    pub(super) now: bool,
    /// Whether the call is confirmed.
    pub(super) confirmed: bool,
}

impl Reads {
    /// Whether it looks at what is another for each call.
    pub(super) fn varies(&self) -> bool {
        self.now || !self.arguments.is_nothing()
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.arguments.add(&other.arguments);
        self.now |= other.now;
        self.confirmed |= other.confirmed;
    }

    /// What an expression looks at.
    pub(super) fn of(expression: &Expr) -> Self {
        let mut reads = Self::default();
        reads.look(expression);
        reads
    }

    fn look(&mut self, expression: &Expr) {
        if let Some(path) = context_path(expression) {
            return self.add_path(&path);
        }
        match expression {
            Expr::HasAttr { expr, attrs } => match context_path(expr) {
                Some(mut path) => {
                    path.extend(attrs.iter().map(ToString::to_string));
                    self.add_path(&path);
                }
                None => self.look(expr),
            },
            Expr::UnaryOp { expr, .. } | Expr::GetAttr { expr, .. } | Expr::Like { expr, .. } => {
                self.look(expr)
            }
            Expr::BinaryOp { left, right, .. } => {
                self.look(left);
                self.look(right);
            }
            Expr::Is { expr, in_expr, .. } => {
                self.look(expr);
                in_expr.iter().for_each(|inner| self.look(inner));
            }
            Expr::IfThenElse {
                cond,
                then_expr,
                else_expr,
            } => [cond, then_expr, else_expr]
                .into_iter()
                .for_each(|inner| self.look(inner)),
            Expr::Set(elements) => elements.iter().for_each(|inner| self.look(inner)),
            Expr::Record(members) => members.values().for_each(|inner| self.look(inner)),
            Expr::Literal(_) | Expr::Var(_) | Expr::Slot(_) | Expr::Unknown { .. } => {}
            // What is not known here may look at anything.
            _ => self.add_path(&[]),
        }
    }

    fn add_path(&mut self, path: &[String]) {
        match path {
            [] => {
                self.arguments = Read::Whole;
                self.now = true;
                self.confirmed = true;
            }
            [first, rest @ ..] => match first.as_str() {
                "arguments" => self.arguments.add_path(rest),
                "now" => self.now = true,
                "confirmed" => self.confirmed = true,
                _ => {}
            },
        }
    }
}

/// The names that lead from `context` to this expression, if it is such a path.
pub(super) fn context_path(expression: &Expr) -> Option<Vec<String>> {
    path_from(expression, Var::Context)
}

/// The names that lead from a variable to this expression, if it is such a path.
pub(super) fn path_from(expression: &Expr, variable: Var) -> Option<Vec<String>> {
    match expression {
        Expr::Var(found) if *found == variable => Some(Vec::new()),
        Expr::GetAttr { expr, attr } => {
            let mut path = path_from(expr, variable)?;
            path.push(attr.to_string());
            Some(path)
        }
        _ => None,
    }
}

/// The parts that all have to be true, in the order they are evaluated in: `when { a && b } unless
/// { c || d }` is `a`, `b`, not `c`, not `d`. Evaluation ends at the first that is not true.
pub(super) fn conjuncts(clauses: &[Clause]) -> Vec<Clause> {
    let mut parts = Vec::new();
    for clause in clauses {
        match clause {
            Clause::When(expression) => split(expression, true, &mut parts),
            Clause::Unless(expression) => split(expression, false, &mut parts),
        }
    }
    parts
}

fn split(expression: &Arc<Expr>, wanted: bool, parts: &mut Vec<Clause>) {
    match (expression.as_ref(), wanted) {
        (
            Expr::BinaryOp {
                op: BinaryOp::And,
                left,
                right,
            },
            true,
        )
        | (
            Expr::BinaryOp {
                op: BinaryOp::Or,
                left,
                right,
            },
            false,
        ) => {
            split(left, wanted, parts);
            split(right, wanted, parts);
        }
        (
            Expr::UnaryOp {
                op: UnaryOp::Not,
                expr,
            },
            _,
        ) => split(expr, !wanted, parts),
        (_, true) => parts.push(Clause::When(Arc::clone(expression))),
        (_, false) => parts.push(Clause::Unless(Arc::clone(expression))),
    }
}

/// What a part looks at.
pub(super) fn reads_of(clause: &Clause) -> Reads {
    match clause {
        Clause::When(expression) | Clause::Unless(expression) => Reads::of(expression),
    }
}
