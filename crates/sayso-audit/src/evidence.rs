//! What a tool's name, prose and arguments say, with where they say it.

use std::marker::PhantomData;

use sayso_core::tool::Tool;

/// What one tool says outside its annotations.
#[derive(Debug)]
pub struct ToolEvidence<'a> {
    marker: PhantomData<&'a ()>,
}

impl<'a> ToolEvidence<'a> {
    /// Reads a tool.
    #[must_use]
    pub fn read(_tool: Tool<'a>) -> Self {
        Self { marker: PhantomData }
    }
}
