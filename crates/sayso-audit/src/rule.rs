//! What a rule is: a check, and everything about it that is not code.

use sayso_core::finding::{Confidence, Evidence, Finding, Location, Severity};
use sayso_core::hint::{Hint, Hints};
use sayso_core::json::Value;

use crate::context::{Context, ToolReading};

/// Everything about a rule that is not code.
#[derive(Debug)]
pub struct RuleMeta {
    /// Kebab-case; also the name of the rule's file.
    pub id: &'static str,
    /// What it finds, in a few words.
    pub summary: &'static str,
    /// How much its findings matter unless they say otherwise.
    pub severity: Severity,
    /// How sure its findings are unless they say otherwise.
    pub confidence: Confidence,
    /// The version it came with.
    pub since: &'static str,
    /// Markdown: what it checks, why it matters, an example that fails and one that passes, its limits.
    pub documentation: &'static str,
}

/// A check. It sees one listing and cannot fail.
pub trait Rule: Sync {
    /// Everything about it that is not code.
    fn meta(&self) -> &'static RuleMeta;

    /// Looks at one tool.
    fn tool(&self, context: &Context<'_>, tool: &ToolReading<'_>, findings: &mut Findings) {
        let _ = (context, tool, findings);
    }

    /// Looks at the listing as a whole.
    fn listing(&self, context: &Context<'_>, findings: &mut Findings) {
        let _ = (context, findings);
    }
}

/// Declares a rule: its documentation as doc comments, its metadata, its type.
///
/// The documentation has a section `## Fails` and a section `## Passes` with a JSON block
/// each (`tools/list` result, or one tool); both are run as tests.
macro_rules! rule {
    (
        $(#[doc = $documentation:literal])*
        $name:ident {
            id: $id:literal,
            summary: $summary:literal,
            severity: $severity:ident,
            confidence: $confidence:ident,
            since: $since:literal,
        }
    ) => {
        $(#[doc = $documentation])*
        #[derive(Debug)]
        pub(crate) struct $name;

        impl $name {
            /// The rule's metadata.
            pub(crate) const META: $crate::rule::RuleMeta = $crate::rule::RuleMeta {
                id: $id,
                summary: $summary,
                severity: sayso_core::finding::Severity::$severity,
                confidence: sayso_core::finding::Confidence::$confidence,
                since: $since,
                documentation: concat!($($documentation, "\n"),*),
            };
        }
    };
}
pub(crate) use rule;

/// How many findings one rule may have about one tool. A tool made to have a million of them
/// would otherwise hold the judgement up and bury everything else.
const MOST: usize = 50;

/// What the rules have found so far.
#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    /// The rule and the tool of the last draft, and how many there were of them in a row.
    row: Option<(&'static str, usize, usize)>,
}

impl Findings {
    /// Begins a finding about a tool; it stands at the tool's name until told otherwise.
    pub fn about(
        &mut self,
        meta: &'static RuleMeta,
        tool: &ToolReading<'_>,
        message: impl Into<String>,
    ) -> Draft<'_> {
        let position = tool.tool.position();
        let count = match self.row {
            Some((rule, of, count)) if rule == meta.id && of == position => count + 1,
            _ => 1,
        };
        self.row = Some((meta.id, position, count));
        let mut message = message.into();
        let mut location = Location::default();
        if count <= MOST {
            let value = tool.tool.value();
            let at = value.get("name").unwrap_or(value);
            location = Location {
                page: tool.tool.page(),
                pointer: at.pointer(),
                span: at.span(),
            };
        }
        if count == MOST {
            message.push_str("; more of the same are not listed");
        }
        let mut draft = self.draft(meta, Some(position), location, message);
        draft.muted = count > MOST;
        draft
    }

    /// Begins a finding about the listing as a whole.
    pub fn about_listing(
        &mut self,
        meta: &'static RuleMeta,
        message: impl Into<String>,
    ) -> Draft<'_> {
        self.draft(meta, None, Location::default(), message.into())
    }

    fn draft(
        &mut self,
        meta: &'static RuleMeta,
        tool: Option<usize>,
        location: Location,
        message: String,
    ) -> Draft<'_> {
        Draft {
            findings: self,
            muted: false,
            finding: Finding {
                rule: meta.id,
                severity: meta.severity,
                confidence: meta.confidence,
                tool,
                hint: None,
                message,
                location,
                evidence: Vec::new(),
                help: None,
                suggestion: Hints::default(),
            },
        }
    }

    /// Everything found, by tool in listing order (the listing as a whole first), gravest first within a tool.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Finding> {
        self.found.sort_by(|a, b| {
            (
                a.tool,
                std::cmp::Reverse(a.severity),
                a.location.span,
                a.rule,
                a.hint,
            )
                .cmp(&(
                    b.tool,
                    std::cmp::Reverse(b.severity),
                    b.location.span,
                    b.rule,
                    b.hint,
                ))
        });
        self.found
    }
}

/// A finding being put together; [`Draft::report`] hands it in.
#[derive(Debug)]
#[must_use = "a draft is dropped unless it is reported"]
pub struct Draft<'f> {
    findings: &'f mut Findings,
    finding: Finding,
    /// Whether there are too many like it already.
    muted: bool,
}

impl Draft<'_> {
    /// Another severity than the rule's own.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.finding.severity = severity;
        self
    }

    /// Another confidence than the rule's own.
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.finding.confidence = confidence;
        self
    }

    /// The hint it is about.
    pub fn hint(mut self, hint: Hint) -> Self {
        self.finding.hint = Some(hint);
        self
    }

    /// Where it is: this value, on this page.
    pub fn at(mut self, page: usize, value: Value<'_>) -> Self {
        self.finding.location = Location {
            page,
            pointer: value.pointer(),
            span: value.span(),
        };
        self
    }

    /// A piece of text it rests on.
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.finding.evidence.push(evidence);
        self
    }

    /// What to do about it, as a sentence without a full stop.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.finding.help = Some(help.into());
        self
    }

    /// A value that would be right.
    pub fn suggest(mut self, hint: Hint, value: bool) -> Self {
        *self.finding.suggestion.get_mut(hint) = Some(value);
        self
    }

    /// Hands the finding in.
    pub fn report(self) {
        if !self.muted {
            self.findings.found.push(self.finding);
        }
    }
}
