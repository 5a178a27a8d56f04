//! What was observed of tools at work, beside what their words tell.

use sayso_core::finding::{Confidence, Evidence};
use sayso_core::hint::{Hint, Hints};

use super::Suggestion;
use crate::context::{Context, ToolReading};
use crate::excerpt;
use crate::observed::Observed;

/// How many lines of a witness are shown.
const LINES: usize = 3;

/// Follows what was seen, and tells where nothing was.
pub(super) fn follow(context: &Context<'_>, hints: &mut [Hints<Option<Suggestion>>]) {
    let Some(observed) = context.observed else {
        return;
    };
    for (tool, suggestions) in context.tools.iter().zip(hints) {
        let noted = tool.tool.name().and_then(|name| observed.noted.get(&*name));
        for (hint, noted) in noted.into_iter().flatten() {
            let suggestion = suggestions.get_mut(*hint);
            let because = format!("watched at work, {}", noted.words);
            if noted.value != hint.default_value() {
                if let Some(suggestion) = suggestion {
                    suggestion.because.push_str("; ");
                    suggestion.because.push_str(&because);
                }
                continue;
            }
            let before = suggestion.take();
            let against = before
                .filter(|before| before.value != noted.value)
                .map_or_else(Vec::new, |before| before.evidence);
            *suggestion = Some(Suggestion {
                value: noted.value,
                confidence: Confidence::High,
                evidence: witness(observed, tool, *hint),
                against,
                because,
            });
        }
    }
}

/// What a call did, line by line.
fn witness(observed: &Observed, tool: &ToolReading<'_>, hint: Hint) -> Vec<Evidence> {
    let location = excerpt::place(tool.tool.page(), tool.tool.value());
    let name = tool.tool.name();
    let seen = name
        .and_then(|name| observed.tools.get(&*name))
        .and_then(|seen| seen.get(&hint));
    let lines = seen
        .into_iter()
        .flat_map(|seen| seen.what.iter().take(LINES));
    lines
        .map(|line| Evidence {
            location: location.clone(),
            text: line.clone(),
            mark: 0..line.len(),
            label: "seen at work".to_owned(),
        })
        .collect()
}
