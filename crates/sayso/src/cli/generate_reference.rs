//! `sayso generate-reference`: writes or checks the generated pages of `docs/`. Hidden: it is for the
//! repository, not for users.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;

use crate::error::{Failure, Outcome};
use crate::{exit, reference};

/// The command's name.
pub(super) const NAME: &str = "generate-reference";

/// Write the generated pages of the documentation, or check that they are up to date
#[derive(Debug, Args)]
pub(super) struct GenerateReferenceArgs {
    /// The directory of the documentation
    dir: PathBuf,

    /// Change nothing; fail when a page is not what would be written
    #[arg(long)]
    check: bool,
}

impl GenerateReferenceArgs {
    pub(super) fn run(self) -> Outcome {
        let mut stale = Vec::new();
        for page in reference::pages() {
            let path = self.dir.join(page.name);
            // A page that is not there yet is as stale as one that differs.
            if std::fs::read_to_string(&path).unwrap_or_default() == page.text {
                continue;
            }
            if !self.check {
                let folder = path.parent().unwrap_or(&self.dir);
                std::fs::create_dir_all(folder)
                    .and_then(|()| std::fs::write(&path, &page.text))
                    .map_err(|error| {
                        Failure::usage(format!("cannot write `{}`", path.display())).source(error)
                    })?;
                writeln!(anstream::stderr(), "wrote {}", path.display())?;
            }
            stale.push(path.display().to_string());
        }
        if self.check && !stale.is_empty() {
            let names = crate::error::quoted(stale.iter().map(String::as_str));
            let failure = Failure::usage(format!("not up to date: {names}"));
            return Err(failure
                .hint("run `cargo xtask generate` and commit what it writes")
                .code_of(exit::FINDINGS));
        }
        Ok(exit::CLEAN)
    }
}
