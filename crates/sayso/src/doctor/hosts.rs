//! Whether the entries that hosts have of gates lead to one.

use std::path::Path;

use sayso_audit::hosts::{HostProfile, Scope};

use super::Finding;
use super::servers::found;
use crate::install::{HostFile, Servers, host_files};

/// Looks at every configuration of every known host for an entry of a gate.
pub(crate) fn look_at() -> Vec<Finding> {
    let hosts = HostProfile::all().iter();
    let scopes = [Scope::User, Scope::Project];
    let places = hosts.flat_map(|host| scopes.map(|scope| (host, scope)));
    let mut findings = Vec::new();
    for (host, scope) in places {
        let of = format!("host {}", host.id);
        match host_files(host, scope) {
            Ok(files) => findings.extend(files.iter().flat_map(|file| entry(&of, file))),
            Err(failure) => findings.push(Finding::note(of, failure.to_string())),
        }
    }
    findings
}

/// What is to be said of a file; nothing where no entry runs a gate.
fn entry(of: &str, file: &HostFile) -> Vec<Finding> {
    let shown = file.shown();
    let servers = match Servers::read(file) {
        Ok(servers) => servers,
        Err(failure) => return vec![Finding::note(of, failure.to_string())],
    };
    let Some(own) = &servers.own else {
        return Vec::new();
    };
    let again = format!("`sayso install {}` writes it anew", file.source.host.id);
    let name = &own.name;
    let mut findings = Vec::new();
    if found(&own.command, Path::new(".")).is_none() {
        let what = format!(
            "{shown}: `{name}` runs `{}`, which is not there",
            own.command
        );
        findings.push(Finding::problem(of, what, again));
    } else if !own.settings.exists() {
        let settings = own.settings.display();
        let what = format!("{shown}: `{name}` runs the gate of `{settings}`, which is not there");
        let hint =
            "put the file back, or put the servers back from the copy beside the configuration";
        findings.push(Finding::problem(of, what, hint));
    } else {
        let settings = own.settings.display();
        findings.push(Finding::fine(
            of,
            format!("{shown}: runs the gate of {settings}"),
        ));
    }
    let beside = servers.taken.len();
    if beside > 0 {
        let what = format!("{shown}: {beside} more servers run without the gate");
        findings.push(Finding::note(of, what));
    }
    findings
}
