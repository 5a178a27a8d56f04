//! A lock from its text, checked against itself.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    Configured, FORMAT, Launch, LaunchSource, Lock, PinnedServer, PinnedTool, definition,
    name as pinned_name,
};
use crate::digest::{Digest, Part, Parts, ToolDigest};
use crate::hint::{Claim, Hint, Hints};
use crate::listing::Era;
use crate::tool::Tool;

/// Why a text is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is not TOML of the form a lock has.
    #[error("{0}")]
    Toml(Box<toml::de::Error>),
    /// It was written by a later version.
    #[error("it has format {0}, and this version reads format {FORMAT}")]
    Format(i64),
    /// Something in it contradicts something else in it.
    #[error("{message}")]
    Inconsistent {
        /// Where, in bytes.
        offset: usize,
        /// What does not fit.
        message: String,
    },
}

impl From<toml::de::Error> for LockError {
    fn from(error: toml::de::Error) -> Self {
        Self::Toml(Box::new(error))
    }
}

impl LockError {
    /// What to do about it, where the words of the error do not say it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Toml(_) => None,
            Self::Format(_) => Some("use the version of sayso that wrote it, or a later one"),
            Self::Inconsistent { .. } => Some(
                "a lock is written by `sayso lock`, not by hand: take it from version control again",
            ),
        }
    }
}

#[derive(Deserialize)]
struct Head {
    format: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    #[serde(rename = "format")]
    _format: i64,
    #[serde(default)]
    server: Vec<ServerForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerForm {
    name: Spanned<String>,
    identity: Option<String>,
    version: Option<String>,
    protocol: Option<String>,
    era: Option<EraForm>,
    complete: Spanned<bool>,
    tools: Spanned<usize>,
    launch: LaunchForm,
    instructions: Option<InstructionsForm>,
    #[serde(default)]
    tool: Vec<ToolForm>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EraForm {
    Legacy,
    Modern,
}

/// The era as the file has it.
pub(super) const fn era_word(era: Era) -> &'static str {
    match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchForm {
    command: Option<String>,
    url: Option<String>,
    file: Option<String>,
    directory: Option<String>,
    #[serde(default)]
    environment: Vec<String>,
    configuration: Option<Configured>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstructionsForm {
    digest: Spanned<Digest>,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolForm {
    name: Spanned<String>,
    claims: ClaimsForm,
    digest: DigestForm,
    description: Option<String>,
    definition: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsForm {
    #[serde(rename = "readOnlyHint")]
    read_only: Spanned<Claim>,
    #[serde(rename = "destructiveHint")]
    destructive: Spanned<Claim>,
    #[serde(rename = "idempotentHint")]
    idempotent: Spanned<Claim>,
    #[serde(rename = "openWorldHint")]
    open_world: Spanned<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DigestForm {
    whole: Spanned<Digest>,
    text: Spanned<Digest>,
    schemas: Spanned<Digest>,
    annotations: Spanned<Digest>,
    rest: Spanned<Digest>,
}

impl Lock {
    /// Reads a lock. A byte order mark before it and Windows line ends in it do not count.
    ///
    /// # Errors
    /// When it is no lock, or contradicts itself.
    pub fn from_text(text: &str) -> Result<Self, LockError> {
        // Neither ever stands in a lock for itself, but tools that handle text files add them.
        // Offsets in errors are those in what is left.
        let text = normalised(text);
        let head: Head = toml::from_str(&text)?;
        match head.format {
            Some(format) if format != i64::from(FORMAT) => return Err(LockError::Format(format)),
            _ => {}
        }
        let file: FileForm = toml::from_str(&text)?;
        let mut servers = BTreeMap::new();
        for form in file.server {
            let (offset, name) = (form.name.span().start, form.name.get_ref().clone());
            let pinned = server(form)?;
            if servers.insert(name.clone(), pinned).is_some() {
                return Err(inconsistent(
                    offset,
                    format!("two servers are called `{name}`"),
                ));
            }
        }
        Ok(Self { servers })
    }
}

/// The text as it was written: without a byte order mark, with line feeds alone.
#[must_use]
pub fn normalised(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    text.replace("\r\n", "\n")
}

fn inconsistent(offset: usize, message: String) -> LockError {
    LockError::Inconsistent { offset, message }
}

fn server(form: ServerForm) -> Result<PinnedServer, LockError> {
    let name = form.name.get_ref();
    if !form.complete.get_ref() {
        return Err(inconsistent(
            form.complete.span().start,
            format!("the listing of `{name}` is not complete, and no such listing is ever pinned"),
        ));
    }
    let instructions = match form.instructions {
        Some(instructions)
            if Digest::of_text(&instructions.text) != *instructions.digest.get_ref() =>
        {
            return Err(inconsistent(
                instructions.digest.span().start,
                format!("the instructions of `{name}` do not have the digest beside them"),
            ));
        }
        other => other.map(|instructions| instructions.text),
    };
    let mut tools = BTreeMap::new();
    for form in form.tool {
        let (offset, tool_name) = (form.name.span().start, form.name.get_ref().clone());
        let pinned = tool(name, &form)?;
        if tools.insert(tool_name.clone(), pinned).is_some() {
            return Err(inconsistent(
                offset,
                format!("two tools of `{name}` are called `{tool_name}`"),
            ));
        }
    }
    if tools.len() != *form.tools.get_ref() {
        return Err(inconsistent(
            form.tools.span().start,
            format!(
                "`{name}` has {} tools by its count and {} by their entries",
                form.tools.get_ref(),
                tools.len()
            ),
        ));
    }
    let source = match form.launch {
        LaunchForm {
            command: Some(line),
            ..
        } => LaunchSource::Command(line),
        LaunchForm { url: Some(url), .. } => LaunchSource::Url(url),
        LaunchForm {
            file: Some(file), ..
        } => LaunchSource::File(file),
        _ => LaunchSource::Elsewhere,
    };
    Ok(PinnedServer {
        identity: form.identity,
        version: form.version,
        protocol: form.protocol,
        era: form.era.map(|era| match era {
            EraForm::Legacy => Era::Legacy,
            EraForm::Modern => Era::Modern,
        }),
        instructions,
        launch: Launch {
            source,
            directory: form.launch.directory,
            environment: form.launch.environment,
            configuration: form.launch.configuration,
        },
        tools,
    })
}

/// A tool, whose definition must have the name, the digests and the claims that stand beside it.
fn tool(server: &str, form: &ToolForm) -> Result<PinnedTool, LockError> {
    let name = form.name.get_ref();
    let at = form.definition.span().start;
    let of = || format!("`{name}` of `{server}`");
    let description = form.description.as_deref();
    let document = definition::put_together(name, description, form.definition.get_ref())
        .ok_or_else(|| inconsistent(at, format!("the definition of {} is no JSON object", of())))?;
    let tool = Tool::new(document.root(), 0, 0);
    if pinned_name(tool).as_ref() != Some(name) {
        return Err(inconsistent(
            at,
            format!("the definition of {} has a name of its own", of()),
        ));
    }
    let pinned = PinnedTool::of(tool);
    let written = [
        ("whole", &form.digest.whole, pinned.digest.whole),
        ("text", &form.digest.text, part(&pinned, Part::Text)),
        (
            "schemas",
            &form.digest.schemas,
            part(&pinned, Part::Schemas),
        ),
        (
            "annotations",
            &form.digest.annotations,
            part(&pinned, Part::Annotations),
        ),
        ("rest", &form.digest.rest, part(&pinned, Part::Rest)),
    ];
    for (key, written, worked_out) in written {
        if *written.get_ref() != worked_out {
            return Err(inconsistent(
                written.span().start,
                format!(
                    "the definition of {} does not have the digest `{key}` beside it",
                    of()
                ),
            ));
        }
    }
    let claims = Hints {
        read_only: &form.claims.read_only,
        destructive: &form.claims.destructive,
        idempotent: &form.claims.idempotent,
        open_world: &form.claims.open_world,
    };
    for hint in Hint::ALL {
        let written = claims.get(hint);
        if written.get_ref() != pinned.claims.get(hint) {
            return Err(inconsistent(
                written.span().start,
                format!(
                    "the definition of {} does not make the claim {hint} beside it",
                    of()
                ),
            ));
        }
    }
    Ok(pinned)
}

fn part(pinned: &PinnedTool, part: Part) -> Digest {
    let ToolDigest { parts, .. } = &pinned.digest;
    let parts: &Parts<Digest> = parts;
    *parts.get(part)
}
