//! What an operator sets about the gate, as `[gate]` of `sayso.toml` has it.

mod check;
mod defaults;

pub use check::{KnownTool, SettingProblem};

use std::collections::BTreeMap;
use std::path::PathBuf;

use sayso_core::effective::Trust;
use serde::{Deserialize, Serialize};

/// How the gate works.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GateSettings {
    /// The address to listen on for Streamable HTTP, such as `127.0.0.1:8931`; standard input and
    /// output when left out.
    pub listen: Option<String>,
    /// Names that the `Host` header may have besides those of this machine.
    pub hosts: Vec<String>,
    /// Values that the `Origin` header may have besides those of this machine.
    pub origins: Vec<String>,
    /// Where journal, approvals and first pins are kept, counted from the settings file.
    /// `sayso.db` when left out.
    pub store: Option<PathBuf>,
    /// The lock that holds the pins, counted from the settings file. `sayso.lock` when left out.
    pub lock: Option<PathBuf>,
    /// The rulings, counted from the settings file. `sayso.rulings.toml` when left out.
    pub rulings: Option<PathBuf>,
    /// What was observed of tools at work, as `sayso verify` writes it, counted from the settings file.
    /// `sayso.evidence.json` when left out, and nothing where there is no such file.
    pub evidence: Option<PathBuf>,
    /// Policies: names of ready sets, or Cedar files counted from the settings file.
    /// `spec-default` when left out.
    pub policy: Vec<String>,
    /// Groups of callers: the group's name, and the callers in it.
    pub groups: BTreeMap<String, Vec<String>>,
    /// Which hints hosts are shown.
    pub hints: HintsShown,
    /// When a tool's name gets its server's name in front.
    pub prefix: Prefix,
    /// How long a served tool's name may be, in characters. 64 when left out.
    #[schemars(range(min = 8))]
    pub max_name: Option<usize>,
    /// Who answers when a policy asks.
    pub approval: ApprovalForm,
    /// How long a call waits for that answer before it says "pending", in seconds. 50 when left out.
    #[schemars(range(min = 1))]
    pub wait: Option<u64>,
    /// How long an approval can be given and used, in seconds. 900 when left out.
    #[schemars(range(min = 1))]
    pub approval_expires: Option<u64>,
    /// What the journal keeps.
    pub journal: JournalSettings,
    /// How much of anything there may be.
    pub limits: LimitSettings,
    /// The servers behind the gate, by the name they are called here.
    pub servers: BTreeMap<String, ServerSettings>,
}

/// Which hints hosts are shown.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum HintsShown {
    /// The values the gate itself decides by; what the server claimed is kept in `_meta`.
    #[default]
    Effective,
    /// What the server claims, byte for byte.
    AsClaimed,
}

/// When a name gets its server's name in front.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Prefix {
    /// When there is more than one server.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never; two tools of one name are refused when the gate starts.
    Never,
}

/// Who answers when a policy asks.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalForm {
    /// The operator, with `sayso approvals`.
    #[default]
    Terminal,
    /// The person at the host, by elicitation: only for hosts whose answers count. Where a host
    /// cannot ask, the operator.
    Host,
    /// Nobody: what has to be asked is denied.
    None,
}

/// What the journal keeps.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct JournalSettings {
    /// How arguments are kept.
    pub arguments: ArgumentsKept,
    /// Names of arguments whose values are replaced, at any depth, in any case of letters, with
    /// `arguments = "redacted"`; besides those that name a secret.
    pub redact: Vec<String>,
    /// What an entry has to survive before a call goes out.
    pub durability: Durability,
    /// What is kept of reading and the like.
    pub reads: ReadsKept,
}

/// What the journal keeps of requests that are no calls: reads, prompts, completions, tasks, and
/// methods that the gate does not know.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ReadsKept {
    /// All of them.
    #[default]
    All,
    /// Those that are denied.
    Denied,
}

/// How arguments are kept in the journal. Their digest always is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentsKept {
    /// Whole, but for values whose name says that they are secret.
    #[default]
    Redacted,
    /// Whole.
    Whole,
    /// As a digest only.
    Digest,
}

/// What an entry of the journal has to survive before a call goes out.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// That this process is killed.
    #[default]
    Process,
    /// That the machine loses power.
    Power,
}

/// How much of anything there may be.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LimitSettings {
    /// Bytes of one message. 16 MiB when left out.
    pub message_bytes: Option<usize>,
    /// Levels a message may be nested. 128 when left out.
    pub depth: Option<usize>,
    /// Connections at once. 1,024 when left out.
    #[schemars(range(min = 1))]
    pub connections: Option<usize>,
    /// Sessions at once. 1,000 when left out.
    #[schemars(range(min = 1))]
    pub sessions: Option<usize>,
    /// Requests of one connection that run at once. 256 when left out.
    #[schemars(range(min = 1))]
    pub requests: Option<usize>,
    /// Calls that run at once, of all hosts together. 10,000 when left out.
    #[schemars(range(min = 1))]
    pub calls: Option<usize>,
}

/// One server behind the gate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ServerSettings {
    /// The program that starts it.
    pub command: Option<String>,
    /// The program's arguments.
    pub args: Vec<String>,
    /// Environment variables for it. `${NAME}` stands for a variable of the gate's own environment.
    pub env: BTreeMap<String, String>,
    /// The folder it is started in, counted from the settings file.
    pub cwd: Option<PathBuf>,
    /// The URL of its Streamable HTTP endpoint, instead of a command.
    pub url: Option<String>,
    /// Headers for that URL. `${NAME}` stands for a variable of the gate's own environment.
    pub headers: BTreeMap<String, String>,
    /// Whether its claims are believed.
    #[schemars(with = "TrustSchema")]
    pub trust: Trust,
    /// What happens with tools that nobody has pinned.
    pub first_use: FirstUse,
    /// What goes in front of its tools' names, with `_` between; its name when left out. Empty for
    /// nothing.
    pub prefix: Option<String>,
    /// Which protocol it is spoken to in.
    pub era: ServerEra,
    /// Whether hosts share one conversation with it.
    pub instances: Instances,
    /// How many sessions may have a conversation of their own with it at once; one that is idle makes
    /// room for another. 16 of a command and 1,000 of a URL when left out.
    #[schemars(range(min = 1))]
    pub max_instances: Option<usize>,
    /// How long it may take to start, in seconds. 60 when left out, and 120 for a command that may
    /// first download the program.
    #[schemars(range(min = 1))]
    pub start_timeout: Option<u64>,
    /// How long a call may take, in seconds. 300 when left out.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// How often a call is repeated after it was lost, where its effective hints allow that.
    pub retries: u32,
    /// What is done with results that do not fit the tool's `outputSchema`.
    pub results: Results,
    /// Which calls are made on an instance that the kernel keeps from acting. For a `command`, on
    /// Linux.
    pub confine: Confine,
    /// What is possible there all the same.
    pub confinement: ConfinementSettings,
    /// What is set about single tools, by their names at the server.
    pub tools: BTreeMap<String, ToolSettings>,
}

/// Which calls are made on a confined instance of a server.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confine {
    /// None: there is no such instance.
    #[default]
    Off,
    /// Those that only read on the server's word alone.
    ReadOnlyClaims,
    /// All, unless the policy that permits one has `@confine("off")`.
    All,
}

/// What is possible in confinement besides reading.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ConfinementSettings {
    /// Files and folders that calls may write to, counted from the settings file. With
    /// `confine = "all"`; a call that says it only reads writes nowhere.
    pub write: Vec<PathBuf>,
    /// Hosts that calls of open-world tools may reach: a name, or `*.` and a name. Any when left
    /// out; tools of a closed world reach none.
    pub network: Option<Vec<String>>,
    /// Folders of the server's own, counted from the settings file: it may write there, and nothing
    /// of that is left behind. Besides `.cache`, `.config`, `.local` and `.npm` of the home.
    pub state: Vec<PathBuf>,
}

/// What happens with the tools of a server that nobody has pinned.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FirstUse {
    /// They are held back until `sayso lock` pins them.
    #[default]
    Refuse,
    /// Every call has to be approved, whatever the policy says.
    Ask,
    /// The first complete listing is pinned as it comes.
    TrustOnce,
}

/// Which protocol a server is spoken to in.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ServerEra {
    /// With the handshake, and without it where the server wants that.
    #[default]
    Auto,
    /// With the handshake (up to 2025-11-25).
    Legacy,
    /// Without the handshake (from 2026-07-28).
    Modern,
}

/// Whether hosts share one conversation with a server that has sessions.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Instances {
    /// Each host's session has its own.
    #[default]
    PerSession,
    /// All share one.
    Shared,
}

/// What is done with results that do not fit the tool's `outputSchema`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Results {
    /// They are not checked.
    #[default]
    Off,
    /// They pass, and the journal says so.
    Warn,
    /// The caller gets an error instead.
    Strict,
}

/// What is set about one tool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ToolSettings {
    /// Arguments that together are a key: of two calls with equal values in them one runs at a time.
    /// An empty list: of this tool one call runs at a time.
    pub exclusive: Option<Vec<String>>,
    /// What happens to the other call.
    pub when_busy: WhenBusy,
    /// How long a call may take, in seconds; as for the server when left out.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// How often a call is repeated after it was lost; as for the server when left out.
    pub retries: Option<u32>,
    /// What is done with results that do not fit `outputSchema`; as for the server when left out.
    pub results: Option<Results>,
    /// What is done with arguments that the input schema does not name.
    pub unknown_arguments: UnknownArguments,
    /// Whether defaults of the input schema are written into a call that leaves them out.
    pub defaults: Defaults,
    /// How arguments are kept in the journal; as for the gate when left out.
    pub journal: Option<ArgumentsKept>,
    /// What values an argument may have, by its name.
    pub arguments: BTreeMap<String, ArgumentSettings>,
    /// Words a policy can tell the tool by (`resource.labels`).
    pub labels: Vec<String>,
    /// What a session knows after a call: `untrusted` when it has read what anybody may have
    /// written, `private` when it has read what is not for everybody.
    pub returns: Vec<Returns>,
    /// What calls of this tool may do in confinement. A tool with something of its own here has an
    /// instance of its own.
    pub confinement: ToolConfinement,
}

/// What calls of one tool may do in confinement.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ToolConfinement {
    /// Not confined: for a tool that needs what other calls left in the server's memory.
    pub off: bool,
    /// Files and folders that it may write to, instead of those of the server.
    pub write: Option<Vec<PathBuf>>,
    /// Hosts that it may reach, instead of those of the server.
    pub network: Option<Vec<String>>,
}

/// What a session knows after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Returns {
    /// What anybody may have written.
    Untrusted,
    /// What is not for everybody.
    Private,
}

/// What happens to a call while another with the same key runs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WhenBusy {
    /// It is refused.
    #[default]
    Refuse,
    /// It waits its turn, as long as a call may take.
    Queue,
}

/// What is done with arguments that the input schema does not name.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownArguments {
    /// As the schema has it (`additionalProperties`).
    #[default]
    Schema,
    /// They are refused.
    Refuse,
}

/// Whether defaults of the input schema are written into a call.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Defaults {
    /// The call goes on as it came.
    #[default]
    Leave,
    /// They are written in, so that what was judged is what runs.
    Apply,
}

/// What values an argument may have.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ArgumentSettings {
    /// One of these.
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub one_of: Option<Vec<toml::Value>>,
    /// A path below this folder.
    pub under: Option<PathBuf>,
}

/// [`Trust`] as the schema has it.
#[derive(schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Trust")]
#[expect(dead_code, reason = "it lends its shape to the schema only")]
enum TrustSchema {
    /// Claims count as given.
    Trusted,
    /// Claims only raise risk.
    Untrusted,
}
