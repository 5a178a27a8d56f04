//! What a module imports of the SDK.

use tree_sitter::Node;

use crate::syntax::{children, text};

/// What a module imports of the SDK.
pub(super) struct Imports {
    /// What the class of annotations is called here, or would be.
    pub(super) class: String,
    /// Whether that name is known here.
    pub(super) knows_class: bool,
    /// Whether anything of an SDK is imported.
    pub(super) of_sdk: bool,
    /// Where one more import goes: behind the statement that ends there, or before the line that
    /// begins there.
    pub(super) place: usize,
}

impl Imports {
    pub(super) fn of(root: Node<'_>, source: &str) -> Self {
        let mut imports = Self {
            class: "ToolAnnotations".to_owned(),
            knows_class: false,
            of_sdk: false,
            place: 0,
        };
        let (mut last_of_sdk, mut last, mut first_relative) = (None, None, None);
        let mut module = None;
        for (position, statement) in children(root).into_iter().enumerate() {
            if position == 0 && is_docstring(statement) {
                imports.place = statement.end_byte();
            }
            if !is_import(statement) {
                continue;
            }
            let written = text(statement, source);
            let words: Vec<&str> = written
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
                .filter(|word| !word.is_empty())
                .collect();
            imports.knows_class |= words.contains(&"ToolAnnotations");
            let from = words.get(1).copied().unwrap_or_default();
            if from.starts_with('.') {
                first_relative = first_relative.or(Some(statement.start_byte()));
                continue;
            }
            last = Some(statement.end_byte());
            if is_sdk(from) {
                imports.of_sdk = true;
                last_of_sdk = Some(statement.end_byte());
                module = module.or(types_module(&words));
            }
        }
        // Those of the module's own package come last.
        imports.place = last_of_sdk
            .or(last)
            .or(first_relative)
            .unwrap_or(imports.place);
        if let Some(module) = module.filter(|_| !imports.knows_class) {
            imports.class = format!("{module}.ToolAnnotations");
            imports.knows_class = true;
        }
        imports
    }
}

fn is_import(statement: Node<'_>) -> bool {
    matches!(
        statement.kind(),
        "import_statement" | "import_from_statement" | "future_import_statement"
    )
}

fn is_docstring(statement: Node<'_>) -> bool {
    let only = statement.named_child(0);
    statement.kind() == "expression_statement" && only.is_some_and(|only| only.kind() == "string")
}

fn is_sdk(module: &str) -> bool {
    matches!(
        module.split('.').next(),
        Some("mcp" | "mcp_types" | "fastmcp")
    )
}

/// The name under which a statement imports the module of protocol types.
fn types_module(words: &[&str]) -> Option<String> {
    let name = match words {
        ["import", "mcp.types" | "mcp_types", "as", name]
        | ["import", name @ ("mcp.types" | "mcp_types")]
        | ["from", "mcp", "import", "types", "as", name] => name,
        ["from", "mcp", "import", names @ ..] if names.contains(&"types") => "types",
        _ => return None,
    };
    Some(name.to_owned())
}
