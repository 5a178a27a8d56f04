//! The servers of the gate as targets: for commands that read listings, and as a lock names them.

use std::path::Path;

use sayso_core::json::line_column;
use sayso_gateway::server::filled_in;
use sayso_gateway::settings::{GateSettings, ServerSettings};

use crate::audit_report::{ConfiguredIn, Unreadable};
use crate::targets::{HttpServer, PlannedTarget, Process, Source};

/// What a configuration of the gate is called beside those of hosts.
const HOST: &str = "sayso gate";

/// Every server of the settings, by name. `folder` is what paths are counted from.
pub(crate) fn planned(settings: &GateSettings, folder: &Path) -> Vec<PlannedTarget> {
    let servers = settings.servers.iter();
    servers
        .map(|(name, server)| PlannedTarget {
            name: name.clone(),
            ..target(server, folder)
        })
        .collect()
}

/// As [`planned`], with the place in the settings file each stands at.
pub(crate) fn configured(
    settings: &GateSettings,
    folder: &Path,
    file: &str,
    text: &str,
) -> Vec<PlannedTarget> {
    let place = |name: &str| ConfiguredIn {
        host: HOST.to_owned(),
        file: file.to_owned(),
        line: line(text, name),
    };
    let planned = planned(settings, folder).into_iter();
    planned
        .map(|target| PlannedTarget {
            configured_in: Some(place(&target.name)),
            ..target
        })
        .collect()
}

/// The line a server's table begins at; the first where that is not told.
fn line(text: &str, name: &str) -> usize {
    let document = toml_edit::Document::parse(text).ok();
    let table = document.as_ref().and_then(|document| {
        let servers = document.get("gate")?.get("servers")?;
        servers.get(name)?.span()
    });
    table.map_or(1, |span| line_column(text, span.start).line)
}

fn target(server: &ServerSettings, folder: &Path) -> PlannedTarget {
    let variable = |name: &str| std::env::var(name).ok();
    let fill = |(name, value): (&String, &String)| -> Result<(String, String), String> {
        Ok((name.clone(), filled_in(value, &variable)?))
    };
    let environment: Result<Vec<_>, _> = server.env.iter().map(fill).collect();
    let headers: Result<Vec<_>, _> = server.headers.iter().map(fill).collect();
    let (environment, headers) = match (environment, headers) {
        (Ok(environment), Ok(headers)) => (environment, headers),
        (Err(missing), _) | (_, Err(missing)) => {
            let mut target = PlannedTarget::from_argument("-", &[], None);
            target.source = Source::Unreadable(Unreadable::new(missing));
            return target;
        }
    };
    match &server.url {
        Some(url) => {
            let mut target = PlannedTarget::from_argument(url, &headers, None);
            if let Source::Http(HttpServer { headers: sent, .. }) = &mut target.source {
                *sent = headers;
            }
            target
        }
        None => PlannedTarget::from_command(Process {
            program: server.command.clone().unwrap_or_default(),
            arguments: server.args.clone(),
            environment,
            directory: server.cwd.as_ref().map(|directory| folder.join(directory)),
        }),
    }
}
