//! `sayso policy explain`.

use clap::{Args, ValueEnum};
use sayso_core::json::{Document, Limits};
use sayso_gateway::caller::Caller;
use sayso_gateway::policy::{Action, Question, SessionFacts, Subject, ToolKey};
use sayso_mcp::server::Transport;

use super::rules::RulesArgs;
use crate::audit_report::Detail;
use crate::cli::output;
use crate::error::{Failure, Outcome};
use crate::policy::{self, cases};
use crate::{exit, report};

/// Say what would be decided of a call, by which policies, and where each value comes from
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The server, by the name it is pinned under
    #[arg(long)]
    server: String,

    /// The tool, by its name at the server
    #[arg(long)]
    tool: String,

    /// The arguments of the call, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,

    /// Whether the tool is listed, instead of a call
    #[arg(long)]
    list: bool,

    /// Who calls
    #[arg(long, value_name = "NAME", default_value = "local")]
    caller: String,

    /// A group the caller is in, besides those of the settings that name it; can be repeated
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,

    /// As if a person had approved the call
    #[arg(long)]
    confirmed: bool,

    /// As if the session had read private data
    #[arg(long)]
    read_private: bool,

    /// As if the session had read what anybody may have written
    #[arg(long)]
    read_untrusted: bool,

    /// As if it were this time, such as 2026-11-30T12:00:00Z
    #[arg(long, value_name = "TIME")]
    at: Option<String>,

    /// How the caller is connected
    #[arg(long, value_enum, default_value_t)]
    transport: Wire,

    /// A ready set or a Cedar file instead of those of the settings; can be repeated
    #[arg(long = "policy", value_name = "POLICY")]
    policies: Vec<String>,

    #[command(flatten)]
    rules: RulesArgs,
}

/// How a caller is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Wire {
    /// Over standard input and output
    #[default]
    Stdio,
    /// Over Streamable HTTP
    Http,
}

impl ExplainArgs {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.read(&self.policies)?;
        if rules.lock.is_none() {
            return Err(Failure::usage("there is no lock, so no tool is known")
                .hint("`sayso lock TARGET` pins a server; `--lock FILE` names another lock"));
        }
        let policies = rules.policies()?;
        let key = ToolKey::new(&self.server, &self.tool);
        let known = cases::find(&rules.known, &key).map_err(Failure::usage)?;
        let arguments = Document::parse(self.arguments.clone(), &Limits::default())
            .map_err(|error| Failure::usage("the arguments are no JSON").source(error))?;
        if !arguments.root().is_object() {
            return Err(Failure::usage("the arguments are no JSON object"));
        }
        let arguments = (!self.list).then(|| arguments.root());
        let effective = known.effective(arguments);
        let now = self.at.as_deref().map_or(Ok(super::now()), cases::time);
        let caller = self.caller(&rules.settings.groups);
        let question = Question {
            caller: &caller,
            action: if self.list {
                Action::List
            } else {
                Action::Call
            },
            subject: Subject::Tool {
                key: &key,
                effective: &effective,
            },
            arguments,
            confirmed: self.confirmed,
            now: now.map_err(Failure::usage)?,
            transport: match self.transport {
                Wire::Stdio => Transport::Stdio,
                Wire::Http => Transport::Http,
            },
            session: SessionFacts {
                read_private: self.read_private,
                read_untrusted: self.read_untrusted,
            },
        };
        let explanation = policies.explain(&question);
        let server = rules.settings.servers.get(&self.server);
        let confinement = server.filter(|_| !self.list).and_then(|server| {
            policy::confinement(server, &self.tool, &effective, &explanation.verdict)
        });
        output::write(
            None,
            |_, out| {
                let told = confinement.as_deref();
                report::policy::explain(&question, known, &explanation, told, out)
            },
            Detail::Normal,
        )?;
        Ok(exit::CLEAN)
    }

    fn caller(&self, groups: &std::collections::BTreeMap<String, Vec<String>>) -> Caller {
        let set = groups
            .iter()
            .filter(|(_, members)| members.contains(&self.caller))
            .map(|(name, _)| name.clone());
        let mut all: Vec<String> = set.chain(self.groups.iter().cloned()).collect();
        all.sort();
        all.dedup();
        Caller {
            name: self.caller.clone(),
            groups: all,
        }
    }
}
