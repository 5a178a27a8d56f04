//! The embedded example: a real server of forty tools, started as a process of its own.
//!
//! Its tools are named as those of the server in a published audit, and their descriptions
//! carry the same facts in other words: one contacts a person, one consumes a credit, one says
//! "idempotent" in prose only, two undo each other. As found they have no annotations.

use serde_json::Value;

use crate::audit_report::TargetDescription;
use crate::error::Failure;
use crate::targets::{PlannedTarget, Process};

/// The tools, as an array.
const TOOLS: &str = include_str!("example/tools.json");

/// What an honest fix gives each tool, by its name.
const ANNOTATIONS: &str = include_str!("example/annotations.json");

/// The server's name.
pub(crate) const NAME: &str = "sayso-example";

/// The hidden command that serves it.
pub(crate) const COMMAND: &str = "example-server";

/// The example as a target: this very program, serving.
pub(crate) fn target(annotated: bool) -> Result<PlannedTarget, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
    let program = program.into_os_string().into_string().map_err(|path| {
        Failure::usage(format!(
            "the path of this program, `{}`, is not Unicode",
            path.to_string_lossy()
        ))
    })?;
    let mut arguments = vec![COMMAND.to_owned()];
    if annotated {
        arguments.push("--annotated".to_owned());
    }
    let process = Process {
        program,
        arguments,
        environment: Vec::new(),
        directory: None,
    };
    Ok(PlannedTarget {
        name: "example".to_owned(),
        description: TargetDescription::Example { annotated },
        ..PlannedTarget::from_command(process)
    })
}

/// The tools to list.
///
/// # Errors
/// When the embedded files do not fit each other; a test holds them together.
pub(crate) fn tools(annotated: bool) -> Result<Vec<Value>, serde_json::Error> {
    let mut tools: Vec<Value> = serde_json::from_str(TOOLS)?;
    if annotated {
        let annotations: serde_json::Map<String, Value> = serde_json::from_str(ANNOTATIONS)?;
        for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            if let Some(annotations) = annotations.get(name) {
                tool.insert("annotations".to_owned(), annotations.clone());
            }
        }
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use super::{ANNOTATIONS, tools};

    #[test]
    fn every_tool_has_its_annotations_and_none_is_left_over() {
        let annotations: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(ANNOTATIONS).unwrap();
        let annotated = tools(true).unwrap();
        assert_eq!(annotated.len(), 40);
        assert_eq!(annotations.len(), 40);
        assert!(annotated.iter().all(|tool| {
            tool.get("annotations")
                .is_some_and(serde_json::Value::is_object)
        }));
        assert!(
            tools(false)
                .unwrap()
                .iter()
                .all(|tool| tool.get("annotations").is_none())
        );
    }
}
