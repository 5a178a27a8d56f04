//! Arguments that stand in headers too (MCP 2026-07-28, "Custom Headers from Tool Parameters").

use std::collections::{HashMap, HashSet};

use reqwest::header::{HeaderName, HeaderValue};
use sayso_core::json::{Document, Kind, Limits, Value};
use sayso_core::listing::Listing;

use super::headers::encoded_value;
use crate::page::last;

/// The largest integer that may stand in a header, and minus the smallest.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Which arguments of which tools stand in headers, by the tools' names.
#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, Vec<Parameter>>);

/// An argument that stands in a header.
#[derive(Debug)]
struct Parameter {
    header: HeaderName,
    /// The keys that lead to it.
    path: Vec<String>,
}

impl Parameters {
    /// As a listing declares them with `x-mcp-header`. A tool that declares one in a way that
    /// is not allowed has none at all; other clients do not even show such a tool.
    pub(super) fn of(listing: &Listing) -> Self {
        let tools = listing.tools().filter_map(|tool| {
            let parameters = declared(tool.input_schema()?)?;
            Some((tool.name()?.into_owned(), parameters))
        });
        Self(tools.collect())
    }

    /// The headers of a call. What is absent or null in the arguments has none.
    pub(super) fn headers(&self, tool: &str, arguments: &str) -> Vec<(HeaderName, HeaderValue)> {
        let Some(parameters) = self.0.get(tool) else {
            return Vec::new();
        };
        let Ok(arguments) = Document::parse(arguments.to_owned(), &Limits::default()) else {
            return Vec::new();
        };
        let header = |parameter: &Parameter| {
            let value = encoded_value(&parameter.value(arguments.root())?)?;
            Some((parameter.header.clone(), value))
        };
        parameters.iter().filter_map(header).collect()
    }
}

impl Parameter {
    /// Its value in these arguments.
    fn value(&self, arguments: Value<'_>) -> Option<String> {
        let mut keys = self.path.iter();
        text(keys.try_fold(arguments, |value, key| last(value, key))?)
    }
}

/// The headers for the arguments of one call, as the tool's input schema declares them with
/// `x-mcp-header`: names and values, not encoded. None where one of them is declared in a way
/// that is not allowed.
#[must_use]
pub fn parameter_headers(input_schema: Value<'_>, arguments: Value<'_>) -> Vec<(String, String)> {
    let parameters = declared(input_schema).unwrap_or_default();
    let header = |parameter: &Parameter| {
        let value = parameter.value(arguments)?;
        Some((parameter.header.as_str().to_owned(), value))
    };
    parameters.iter().filter_map(header).collect()
}

/// What a schema declares; `None` if that is nothing, or not allowed.
fn declared(schema: Value<'_>) -> Option<Vec<Parameter>> {
    let mut parameters = Vec::new();
    collect(schema, &[], &mut parameters)?;
    let mut seen = HashSet::new();
    let unique = parameters.iter().all(|one| seen.insert(one.header.clone()));
    (unique && !parameters.is_empty()).then_some(parameters)
}

/// Adds what the properties of a schema declare, however deep; `None` if one of them may not.
fn collect(schema: Value<'_>, path: &[String], parameters: &mut Vec<Parameter>) -> Option<()> {
    let properties = last(schema, "properties");
    for property in properties.into_iter().flat_map(Value::members) {
        let mut path = path.to_vec();
        path.push(property.key.into_owned());
        if let Some(name) = last(property.value, "x-mcp-header") {
            let kind = last(property.value, "type").and_then(Value::as_str)?;
            if !matches!(&*kind, "string" | "integer" | "boolean") {
                return None;
            }
            let header = format!(
                "mcp-param-{}",
                name.as_str().filter(|name| !name.is_empty())?
            );
            parameters.push(Parameter {
                header: HeaderName::try_from(header).ok()?,
                path: path.clone(),
            });
        }
        collect(property.value, &path, parameters)?;
    }
    Some(())
}

/// An argument as a text: a number only if it is an integer that all languages can hold.
fn text(value: Value<'_>) -> Option<String> {
    match value.kind() {
        Kind::String => value.as_str().map(std::borrow::Cow::into_owned),
        Kind::Number => value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() <= SAFE_INTEGER)
            .map(|number| format!("{number:.0}")),
        _ => value.as_bool().map(|flag| flag.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::json::{Document, Limits};
    use sayso_core::listing::{Listing, Page};

    use super::Parameters;

    fn headers(properties: &str, arguments: &str) -> String {
        let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
        let page = format!(r#"[{{"name":"run","inputSchema":{schema}}}]"#);
        let document = Document::parse(page, &Limits::default()).unwrap();
        let mut listing = Listing::default();
        let tools = document.root().index();
        let page = Page {
            document,
            lines_before: 0,
        };
        listing.push_page(page, tools);
        let headers = Parameters::of(&listing).headers("run", arguments);
        let shown = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
        shown.collect::<Vec<_>>().join(", ")
    }

    const REGION: &str = r#"{"region":{"type":"string","x-mcp-header":"Region"}}"#;

    #[test]
    fn arguments_are_found_at_any_depth() {
        let properties = r#"{
            "region": {"type":"string","x-mcp-header":"Region"},
            "plain": {"type":"string"},
            "limits": {"type":"object","properties":{
                "rows":{"type":"integer","x-mcp-header":"Rows"},
                "strict":{"type":"boolean","x-mcp-header":"Strict"}}}
        }"#;
        let arguments = r#"{"region":"größe","plain":"x","limits":{"rows":4.2e1,"strict":false}}"#;
        insta::assert_snapshot!(headers(properties, arguments), @"mcp-param-region: =?base64?Z3LDtsOfZQ==?=, mcp-param-rows: 42, mcp-param-strict: false");
    }

    #[test]
    fn what_is_absent_has_no_header() {
        for arguments in ["{}", r#"{"region":null}"#, r#"{"region":{}}"#, "[]", "7"] {
            assert_eq!(headers(REGION, arguments), "", "{arguments}");
        }
        let rows = r#"{"rows":{"type":"integer","x-mcp-header":"Rows"}}"#;
        for arguments in [r#"{"rows":1.5}"#, r#"{"rows":9007199254740993}"#] {
            assert_eq!(headers(rows, arguments), "", "{arguments}");
        }
    }

    #[test]
    fn a_tool_that_declares_one_wrongly_has_none() {
        for second in [
            r#"{"type":"number","x-mcp-header":"Rows"}"#,
            r#"{"x-mcp-header":"Rows"}"#,
            r#"{"type":"string","x-mcp-header":""}"#,
            r#"{"type":"string","x-mcp-header":"a b"}"#,
            r#"{"type":"string","x-mcp-header":7}"#,
            r#"{"type":"string","x-mcp-header":"REGION"}"#,
        ] {
            let properties = format!(
                r#"{{"region":{{"type":"string","x-mcp-header":"Region"}},"second":{second}}}"#
            );
            assert_eq!(headers(&properties, r#"{"region":"x"}"#), "", "{second}");
        }
        assert_eq!(headers(REGION, r#"{"region":"x"}"#), "mcp-param-region: x");
    }

    #[test]
    fn one_call_has_its_headers_unencoded() {
        let document = |text: &str| Document::parse(text.to_owned(), &Limits::default()).unwrap();
        let schema = document(&format!(r#"{{"properties":{REGION}}}"#));
        let arguments = document(r#"{"region":"größe","other":1}"#);
        let headers = super::parameter_headers(schema.root(), arguments.root());
        assert_eq!(headers, [("mcp-param-region".into(), "größe".into())]);
        let wrong = document(r#"{"properties":{"region":{"type":"number","x-mcp-header":"R"}}}"#);
        assert!(super::parameter_headers(wrong.root(), arguments.root()).is_empty());
    }
}
