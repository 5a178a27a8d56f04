//! The languages that are read.

use tree_sitter::{Parser, Tree};

use crate::rust;

/// A language registrations are found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript, in which angle brackets before an expression are a cast.
    TypeScript,
    /// JavaScript, and TypeScript or JavaScript with JSX.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// C#.
    CSharp,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// Go.
    Go,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::TypeScript,
        Self::JavaScript,
        Self::Python,
        Self::Rust,
        Self::CSharp,
        Self::Java,
        Self::Kotlin,
        Self::Go,
    ];

    /// The language of a file, by the ending of its name. Files that only declare what stands
    /// elsewhere (`.d.ts`, `.pyi`) register nothing and have none.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (stem, ending) = name.rsplit_once('.')?;
        match ending {
            "ts" | "mts" | "cts" => {
                (!stem.ends_with(".d") && !stem.contains(".d.")).then_some(Self::TypeScript)
            }
            "tsx" | "js" | "jsx" | "mjs" | "cjs" => Some(Self::JavaScript),
            "py" => Some(Self::Python),
            "rs" => Some(Self::Rust),
            "cs" => Some(Self::CSharp),
            "java" => Some(Self::Java),
            "kt" | "kts" => Some(Self::Kotlin),
            "go" => Some(Self::Go),
            _ => None,
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "TypeScript",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::CSharp => "C#",
            Self::Java => "Java",
            Self::Kotlin => "Kotlin",
            Self::Go => "Go",
        }
    }

    /// The syntax tree of a text. Text that is not well-formed has a tree too, with the broken
    /// part marked; `None` only when there is no parser.
    pub(crate) fn parse(self, text: &str) -> Option<Tree> {
        let grammar = match self {
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::JavaScript => tree_sitter_typescript::LANGUAGE_TSX,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
        };
        let mut parser = Parser::new();
        parser.set_language(&grammar.into()).ok()?;
        let tree = parser.parse(text, None)?;
        Some(match self {
            Self::Rust => rust::opened(&mut parser, tree, text),
            _ => tree,
        })
    }
}
