//! `--names` and `--show`: what was listed, without any judgement.

use std::io::{self, Write};

use sayso_core::json::{Kind, Value};
use sayso_core::listing::{Completeness, Listing};
use sayso_core::reveal::{hidden, reveal_line};
use sayso_core::suggest::nearest;

use crate::audit_report::Unreadable;
use crate::cli::to_stdout;
use crate::error::{Failure, Outcome};
use crate::exit;
use crate::run::Reading;

/// The tools' names in the order they came, a line each; with several targets the target's
/// name and a tab before each.
pub(super) fn names(readings: &[Reading]) -> Outcome {
    let code = tell_unreadable(readings)?;
    let several = readings.len() > 1;
    to_stdout(|out| {
        for (reading, listing) in listings(readings) {
            for tool in listing.tools() {
                if several {
                    write!(out, "{}\t", reveal_line(&reading.target.name))?;
                }
                writeln!(out, "{}", reveal_line(&tool.label()))?;
            }
        }
        Ok(())
    })?;
    Ok(code)
}

/// The entry of one tool, in every target that has it.
pub(super) fn show(tool: &str, raw: bool, readings: &[Reading]) -> Outcome {
    let code = tell_unreadable(readings)?;
    let entries: Vec<Value<'_>> = listings(readings)
        .flat_map(|(_, listing)| listing.tools())
        .filter(|entry| entry.label() == tool)
        .map(|entry| entry.value())
        .collect();
    if entries.is_empty() {
        return if code == exit::CLEAN {
            Err(unknown(tool, readings))
        } else {
            Ok(code)
        };
    }
    to_stdout(|out| {
        for entry in &entries {
            if raw {
                out.write_all(entry.raw().as_bytes())?;
            } else {
                indented(*entry, 0, out)?;
            }
            writeln!(out)?;
        }
        Ok(())
    })?;
    Ok(code)
}

fn unknown(tool: &str, readings: &[Reading]) -> Failure {
    let names: Vec<String> = listings(readings)
        .flat_map(|(_, listing)| listing.tools())
        .map(|tool| tool.label().into_owned())
        .collect();
    let failure = Failure::usage(format!("no tool is called `{}`", reveal_line(tool)));
    match nearest(tool, names.iter().map(String::as_str)) {
        Some(meant) => failure.hint(format!("did you mean `{}`?", reveal_line(meant))),
        None => failure.hint("`--names` prints the names of all tools"),
    }
}

fn listings(readings: &[Reading]) -> impl Iterator<Item = (&Reading, &Listing)> {
    readings
        .iter()
        .filter_map(|reading| Some((reading, &reading.outcome.as_ref().ok()?.listing)))
}

/// Tells on standard error what could not be read, or not whole, and what the run ends with.
fn tell_unreadable(readings: &[Reading]) -> Outcome {
    let mut code = exit::CLEAN;
    let mut err = anstream::stderr().lock();
    for Reading { target, outcome } in readings {
        let name = reveal_line(&target.name);
        match outcome {
            Ok(read) => {
                if let Completeness::Incomplete(reason) = &read.listing.completeness {
                    code = exit::UNREADABLE;
                    writeln!(err, "error: `{name}`: the listing is incomplete: {reason}")?;
                }
            }
            Err(unreadable) => {
                code = exit::UNREADABLE;
                tell(&name, unreadable, &mut err)?;
            }
        }
    }
    Ok(code)
}

fn tell(name: &str, unreadable: &Unreadable, err: &mut dyn Write) -> io::Result<()> {
    let Unreadable {
        message,
        hint,
        details,
    } = unreadable;
    // What is wrong with a file begins with its name anyway.
    let name = if message.contains(name) {
        String::new()
    } else {
        format!("`{name}`: ")
    };
    writeln!(err, "error: {name}{message}")?;
    for line in details {
        writeln!(err, "  {}", reveal_line(line))?;
    }
    match hint {
        Some(hint) => writeln!(err, "hint: {hint}"),
        None => Ok(()),
    }
}

/// The value with line breaks and two spaces a level. Keys, their order and every number and
/// string stay as they came; hidden characters are written as JSON escapes.
fn indented(value: Value<'_>, level: usize, out: &mut dyn Write) -> io::Result<()> {
    let (open, close, is_empty) = match value.kind() {
        Kind::Object => ("{", "}", value.members().next().is_none()),
        Kind::Array => ("[", "]", value.elements().next().is_none()),
        _ => return visible(value.raw(), out),
    };
    out.write_all(open.as_bytes())?;
    let children: Box<dyn Iterator<Item = (Option<&str>, Value<'_>)>> = if value.is_object() {
        Box::new(value.members().map(|member| {
            let text = value.document().text();
            (text.get(member.key_span.range()), member.value)
        }))
    } else {
        Box::new(value.elements().map(|element| (None, element)))
    };
    for (number, (key, child)) in children.enumerate() {
        let separator = if number == 0 { "" } else { "," };
        write!(out, "{separator}\n{:width$}", "", width = 2 * (level + 1))?;
        if let Some(key) = key {
            visible(key, out)?;
            out.write_all(b": ")?;
        }
        indented(child, level + 1, out)?;
    }
    if !is_empty {
        write!(out, "\n{:width$}", "", width = 2 * level)?;
    }
    out.write_all(close.as_bytes())
}

/// A JSON literal; characters that hide are written as the escapes they are equal to.
fn visible(literal: &str, out: &mut dyn Write) -> io::Result<()> {
    for character in literal.chars() {
        if hidden(character).is_none() {
            write!(out, "{character}")?;
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
    }
    Ok(())
}
