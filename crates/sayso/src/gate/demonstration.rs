//! The gate without settings: the scratch server behind the policy that the specification's defaults
//! come to, with one argument that may have one value only.

use std::path::Path;

use sayso_gateway::settings::GateSettings;

use super::rules::Place;
use crate::error::Failure;

/// The settings of the demonstration.
const SETTINGS: &str = include_str!("demonstration.toml");

/// A gate in a folder that goes with it.
#[derive(Debug)]
pub(crate) struct Demonstration {
    folder: tempfile::TempDir,
}

impl Demonstration {
    /// Makes the folder.
    ///
    /// # Errors
    /// When that is not possible.
    pub(crate) fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("sayso-gate-").tempdir();
        let folder = folder.map_err(|error| {
            Failure::usage("cannot make a folder for the demonstration").source(error)
        })?;
        Ok(Self { folder })
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where its rules are.
    ///
    /// # Errors
    /// When this program's own file cannot be found.
    pub(crate) fn place(&self) -> Result<Place, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::usage("cannot find this program's own file").source(error))?;
        let mut settings: GateSettings = toml::from_str(SETTINGS)
            .map_err(|error| Failure::usage(format!("the demonstration's settings: {error}")))?;
        for server in settings.servers.values_mut() {
            server.command = Some(program.display().to_string());
            let folder = self.folder.path().join("scratch").display().to_string();
            server.args = ["scratch", "--dir", &folder].map(str::to_owned).to_vec();
        }
        Ok(Place {
            settings,
            folder: self.folder.path().to_owned(),
        })
    }
}
