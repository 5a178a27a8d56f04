//! Which tool is meant: exactly one, as it was accepted, by the rules of this moment.

use std::sync::Arc;

use sayso_core::reveal::reveal_line;
use sayso_mcp::server::Transport;

use crate::caller::Caller;
use crate::catalogue::{Catalogue, Tool};
use crate::pins::Admission;
use crate::refusal::{ReasonCode, Refusal};

/// Finds the tool that a caller means. Names are told apart letter by letter.
///
/// # Errors
/// When there is none that this caller is shown, or it drifted.
pub fn resolve(
    catalogue: &Catalogue,
    name: &str,
    caller: &Caller,
    transport: Transport,
    now: i64,
) -> Result<Arc<Tool>, Refusal> {
    let unknown = |why: &str| {
        let shown: String = name.chars().take(128).collect();
        let mut refusal = Refusal::new(
            ReasonCode::UnknownTool,
            format!("unknown tool: {}", reveal_line(&shown)),
        );
        refusal.kept_back = Some(why.to_owned());
        refusal
    };
    let Some(tool) = catalogue.get(name) else {
        return Err(unknown("there is no such tool"));
    };
    match tool.admission {
        Admission::Held => return Err(unknown("nobody has accepted the tool yet")),
        _ if !catalogue.is_visible(tool, caller, transport, now) => {
            return Err(unknown("no policy shows the tool to this caller"));
        }
        Admission::Blocked => return Err(drifted(tool)),
        Admission::Usable(_) => {}
    }
    Ok(Arc::clone(tool))
}

fn drifted(tool: &Tool) -> Refusal {
    const TOLD: usize = 3;
    let mut told: Vec<&str> = tool.moved.iter().take(TOLD).map(String::as_str).collect();
    if tool.moved.len() > TOLD {
        told.push("and more");
    }
    let message = format!(
        "`{}` is not what was accepted any more: {}",
        tool.served_as,
        told.join("; ")
    );
    Refusal::new(ReasonCode::Drifted, message)
}
