//! What is pinned.

use std::path::Path;

use sayso_core::drift::Promises;
use sayso_core::effective::Effective;
use sayso_core::lock::{LaunchSource, Lock, PinnedServer};
use sayso_core::reveal::reveal_line;
use unicode_width::UnicodeWidthStr as _;

use super::super::screen::{Screen, Style};
use super::super::wording::plural;
use super::human::about;
use crate::audit_report::{Detail, Presentation};

/// The widest a name may be before the rest of its line goes out of step.
const NAME: usize = 40;

pub(super) fn render(lock: &Lock, file: &Path, presentation: &Presentation) -> String {
    let mut screen = Screen::new(presentation);
    for (name, server) in &lock.servers {
        screen.styled(Style::Heading, name);
        heading(&mut screen, server);
        if presentation.detail > Detail::Quiet {
            tools(&mut screen, server, presentation.detail);
        }
        screen.blank();
    }
    let tools = lock.servers.values().map(|server| server.tools.len()).sum();
    screen.line(&format!(
        "{}: {}, {}",
        reveal_line(&file.display().to_string()),
        plural(lock.servers.len(), "server"),
        plural(tools, "tool")
    ));
    screen.into_text()
}

fn heading(screen: &mut Screen, server: &PinnedServer) {
    let identity = match (&server.identity, &server.version) {
        (Some(name), Some(version)) => Some(format!("server: {name} {version}")),
        (Some(name), None) => Some(format!("server: {name}")),
        _ => None,
    };
    let protocol = server
        .protocol
        .as_ref()
        .map(|protocol| format!("protocol {protocol}"));
    let source = match &server.launch.source {
        LaunchSource::Command(line) => Some(format!("command: {line}")),
        LaunchSource::Url(url) => Some(format!("address: {url}")),
        LaunchSource::File(file) => Some(format!("saved listing: {file}")),
        LaunchSource::Elsewhere => None,
    };
    let configured = server
        .launch
        .configuration
        .as_ref()
        .map(|configured| format!("configured in {}", configured.file));
    let parts = [identity, protocol, source, configured];
    let parts: Vec<String> = parts.into_iter().flatten().chain([about(server)]).collect();
    screen.faint(&parts.join(" · "));
}

fn tools(screen: &mut Screen, server: &PinnedServer, detail: Detail) {
    let names = server.tools.keys().map(|name| reveal_line(name).width());
    let width = names.max().unwrap_or_default().min(NAME);
    for (name, tool) in &server.tools {
        let shown = reveal_line(name);
        let padding = " ".repeat(width.saturating_sub(shown.width()));
        let effective = Effective::from_claims(&tool.claims);
        let promises = screen.faintly(&Promises::of(&effective).to_string());
        screen.line(&format!("  {shown}{padding}  {promises}"));
        if detail == Detail::Verbose {
            screen.line(&format!(
                "    {}",
                screen.faintly(&tool.digest.whole.to_string())
            ));
        }
    }
}
