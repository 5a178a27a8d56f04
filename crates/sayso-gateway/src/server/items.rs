//! Lists that are passed on item by item: prompts, resources and their templates.

use sayso_core::json::{Document, Value};
use sayso_core::listing::Completeness;

/// One list, all pages.
#[derive(Clone, Debug)]
pub struct Items {
    /// The key of the array in a result.
    pub(super) key: &'static str,
    /// The value of `result` of each page, in the order they came.
    pub(super) pages: Vec<Document>,
    /// Whether all pages are there.
    pub completeness: Completeness,
}

impl Items {
    /// A list of which all pages are there. `key` is that of the array in a result.
    #[must_use]
    pub fn complete(key: &'static str, pages: Vec<Document>) -> Self {
        Self {
            key,
            pages,
            completeness: Completeness::Complete,
        }
    }

    /// The value of `result` of each page, in the order they came.
    #[must_use]
    pub fn pages(&self) -> &[Document] {
        &self.pages
    }

    /// All items in the order they came.
    pub fn items(&self) -> impl Iterator<Item = Value<'_>> {
        self.pages.iter().flat_map(|page| {
            let array = page.root().get_all(self.key).last();
            array.into_iter().flat_map(Value::elements)
        })
    }
}
