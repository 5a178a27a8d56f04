//! Values: what an expression comes to without being run.

use tree_sitter::Node;

use super::Finder;
use crate::facts::NameSource;
use crate::syntax::{ancestors, children, field, quotable};

/// How many names are followed from one to the next.
const LONGEST_CHAIN: usize = 8;

/// What binds a name.
enum Binding<'t> {
    /// A constant, or a variable with this value.
    Value(Node<'t>),
    /// Something that only has a value when it runs.
    Running,
}

impl Finder<'_> {
    /// What a name comes to.
    pub(super) fn name_source(&self, node: Node<'_>) -> NameSource {
        self.follow(node, LONGEST_CHAIN)
            .unwrap_or_else(|| NameSource::Unknown(quotable(self.text(node))))
    }

    fn follow(&self, node: Node<'_>, left: usize) -> Option<NameSource> {
        let left = left.checked_sub(1)?;
        match node.kind() {
            "string_literal" | "raw_string_literal" => self.string(node).map(NameSource::Text),
            "verbatim_string_literal" => {
                let within = self.text(node).strip_prefix("@\"")?.strip_suffix('"')?;
                (!within.contains('"')).then(|| NameSource::Text(within.to_owned()))
            }
            "identifier" => {
                let name = self.text(node);
                match self.binding(name, node) {
                    Some(Binding::Value(value)) => self.follow(value, left),
                    Some(Binding::Running) => None,
                    None => {
                        // The class may go on in another file.
                        let class = self.class_around(node)?;
                        Some(NameSource::Constant(format!("{class}.{name}")))
                    }
                }
            }
            "member_access_expression" => {
                let owner = self.last_name(field(node, "expression")?);
                let is_class = owner.starts_with(|first: char| first.is_ascii_uppercase());
                let path = format!("{owner}.{}", self.text(field(node, "name")?));
                is_class.then_some(NameSource::Constant(path))
            }
            "invocation_expression" => {
                let is_nameof = self.text(field(node, "function")?) == "nameof";
                let argument = field(node, "arguments")?.named_child(0)?;
                is_nameof.then(|| NameSource::Text(self.last_name(argument).to_owned()))
            }
            _ => None,
        }
    }

    fn string(&self, node: Node<'_>) -> Option<String> {
        let mut whole = String::new();
        for part in children(node) {
            match part.kind() {
                "string_literal_content" | "raw_string_content" => whole.push_str(self.text(part)),
                "raw_string_start" | "raw_string_end" => {}
                _ => return None,
            }
        }
        // How much of a text of several lines is indentation is not worth finding out.
        (!whole.contains('\n')).then_some(whole)
    }

    fn class_around(&self, node: Node<'_>) -> Option<&str> {
        let class = ancestors(node).find(|around| {
            matches!(
                around.kind(),
                "class_declaration" | "struct_declaration" | "record_declaration"
            )
        })?;
        field(class, "name").map(|name| self.text(name))
    }

    /// What binds a name at a node, the innermost first; `None` for what comes from elsewhere.
    fn binding<'t>(&self, name: &str, at: Node<'t>) -> Option<Binding<'t>> {
        let is_name = |node: Node<'_>| self.text(node) == name;
        for around in ancestors(at) {
            let parameters = field(around, "parameters")
                .map(|list| match list.kind() {
                    "implicit_parameter" => vec![list],
                    _ => children(list),
                })
                .unwrap_or_default();
            let is_parameter = parameters
                .into_iter()
                .any(|parameter| is_name(field(parameter, "name").unwrap_or(parameter)));
            let is_loop =
                around.kind() == "foreach_statement" && field(around, "left").is_some_and(is_name);
            if is_parameter || is_loop {
                return Some(Binding::Running);
            }
            let statements = match around.kind() {
                "block" | "declaration_list" | "compilation_unit" => children(around),
                _ => continue,
            };
            let found = statements.into_iter().find_map(|statement| {
                let (declared, value) = self
                    .declared(statement)
                    .into_iter()
                    .find(|(declared, _)| is_name(*declared))?;
                let fixed = self.is_fixed(statement) || declared.kind() != "identifier";
                let value = value.filter(|_| fixed || around.kind() != "declaration_list");
                Some(value.map_or(Binding::Running, Binding::Value))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The variables that a statement or a field declares, with their values.
    fn declared<'t>(&self, statement: Node<'t>) -> Vec<(Node<'t>, Option<Node<'t>>)> {
        let statement = match statement.kind() {
            "global_statement" => statement.named_child(0).unwrap_or(statement),
            _ => statement,
        };
        if !matches!(
            statement.kind(),
            "local_declaration_statement" | "field_declaration"
        ) {
            return Vec::new();
        }
        let declarations = children(statement)
            .into_iter()
            .filter(|child| child.kind() == "variable_declaration");
        let declarators = declarations
            .flat_map(children)
            .filter(|child| child.kind() == "variable_declarator");
        let declared = declarators.filter_map(|declarator| {
            let name = field(declarator, "name")?;
            let value = children(declarator).last().copied();
            Some((name, value.filter(|value| *value != name)))
        });
        declared.collect()
    }

    /// Whether a field keeps the value it is declared with.
    fn is_fixed(&self, field: Node<'_>) -> bool {
        let modifiers = children(field);
        modifiers.into_iter().any(|modifier| {
            modifier.kind() == "modifier" && matches!(self.text(modifier), "const" | "readonly")
        })
    }

    /// The value of a variable, if it is one.
    pub(super) fn resolved<'t>(&self, node: Node<'t>) -> Node<'t> {
        match (node.kind() == "identifier").then(|| self.binding(self.text(node), node)) {
            Some(Some(Binding::Value(value))) => value,
            _ => node,
        }
    }

    /// The texts that a field declares, by class and name.
    pub(super) fn constants(&self, declaration: Node<'_>) -> Vec<(String, String)> {
        let Some(class) = self.class_around(declaration) else {
            return Vec::new();
        };
        if !self.is_fixed(declaration) {
            return Vec::new();
        }
        let declared = self.declared(declaration).into_iter();
        let constants = declared.filter_map(|(name, value)| match self.name_source(value?) {
            NameSource::Text(value) => Some((format!("{class}.{}", self.text(name)), value)),
            _ => None,
        });
        constants.collect()
    }
}
