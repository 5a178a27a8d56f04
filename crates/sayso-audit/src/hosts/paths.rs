//! Where the hosts' configurations lie on a machine.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::profile::{ConfigurationSource, FileSpec, Format, HostProfile, Paths, Scope};

/// An operating system, as far as paths differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux, and other systems with the XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Os {
    /// The system the program was built for.
    #[must_use]
    pub fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// A place where a host's configuration may lie. Whether it is there is for
/// the caller to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigurationFile<'p> {
    /// The path; a `*` in a component stands for any text.
    pub path: PathBuf,
    /// Id of the host.
    pub host: &'p str,
    /// Whom the file speaks for.
    pub scope: Scope,
    /// How it is written.
    pub format: Format,
    /// What [`super::read_configuration`] needs to read it.
    pub source: ConfigurationSource<'p>,
}

/// Every place where the known hosts keep configurations, host by host.
/// `environment` looks up a variable; `project` is the directory of the
/// project, without which project files are left out. Places that need a
/// variable that is not set (such as `HOME`) are left out.
pub fn configuration_paths(
    os: Os,
    environment: &dyn Fn(&str) -> Option<String>,
    project: Option<&Path>,
) -> Vec<ConfigurationFile<'static>> {
    HostProfile::all()
        .iter()
        .flat_map(|profile| profile.configuration_paths(os, environment, project))
        .collect()
}

impl HostProfile {
    /// The places of this host alone; see [`configuration_paths`].
    pub fn configuration_paths(
        &self,
        os: Os,
        environment: &dyn Fn(&str) -> Option<String>,
        project: Option<&Path>,
    ) -> Vec<ConfigurationFile<'_>> {
        let mut files: Vec<ConfigurationFile<'_>> = Vec::new();
        for source in self.sources() {
            for template in source.file.paths.on(os) {
                let Some(path) = expand(template, os, environment, project) else {
                    continue;
                };
                // With a variable such as XDG_CONFIG_HOME two templates can meet.
                if files
                    .iter()
                    .all(|file| file.path != path || file.source.file != source.file)
                {
                    files.push(ConfigurationFile::new(path, source));
                }
            }
        }
        files
    }
}

impl<'p> ConfigurationFile<'p> {
    fn new(path: PathBuf, source: ConfigurationSource<'p>) -> Self {
        let FileSpec { scope, format, .. } = *source.file;
        Self {
            path,
            host: &source.host.id,
            scope,
            format,
            source,
        }
    }

    /// Whether the path has a `*`, so that it must be looked for.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.path
            .components()
            .any(|component| is_pattern(&component))
    }

    /// The paths this place stands for: itself, or for a pattern every match,
    /// sorted. `names` lists the names in a directory, and nothing for one that
    /// is not there.
    pub fn matches(&self, names: &dyn Fn(&Path) -> Vec<OsString>) -> Vec<PathBuf> {
        let mut found = vec![PathBuf::new()];
        for component in self.path.components() {
            found = if is_pattern(&component) {
                let pattern = component.as_os_str().to_string_lossy();
                let mut matched: Vec<PathBuf> = found
                    .iter()
                    .flat_map(|directory| {
                        let fitting = names(directory)
                            .into_iter()
                            .filter(|name| fits(&pattern, &name.to_string_lossy()));
                        fitting.map(|name| directory.join(name)).collect::<Vec<_>>()
                    })
                    .collect();
                matched.sort();
                matched
            } else {
                found
                    .into_iter()
                    .map(|directory| directory.join(component))
                    .collect()
            };
        }
        found
    }
}

impl Paths {
    /// The templates for one operating system.
    pub(super) fn on(&self, os: Os) -> impl Iterator<Item = &String> {
        let own = match os {
            Os::Linux => &self.linux,
            Os::MacOs => &self.macos,
            Os::Windows => &self.windows,
        };
        self.all.iter().chain(own)
    }
}

fn is_pattern(component: &Component<'_>) -> bool {
    component.as_os_str().to_string_lossy().contains('*')
}

/// Whether a name fits a pattern in which `*` stands for any text and `?` for
/// any character. Takes time in proportion to both lengths, whatever the text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut read) = (0, 0);
    // The last star, and how much of the name it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(read) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == c => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else {
                    return false;
                };
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                read = taken + 1;
            }
        }
    }
    pattern.iter().skip(at).all(|left| *left == '*')
}

/// Fills in a template; `None` when a variable it needs is not set.
fn expand(
    template: &str,
    os: Os,
    environment: &dyn Fn(&str) -> Option<String>,
    project: Option<&Path>,
) -> Option<PathBuf> {
    let own = |text: &str| match os {
        Os::Windows => text.replace('/', "\\"),
        Os::Linux | Os::MacOs => text.to_owned(),
    };
    if let Some(rest) = template.strip_prefix("./") {
        return Some(project?.join(own(rest)));
    }
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(rest) = template.strip_prefix('~') {
        let home = match os {
            Os::Windows => set("USERPROFILE").or_else(|| set("HOME")),
            Os::Linux | Os::MacOs => set("HOME"),
        }?;
        return Some(PathBuf::from(home + &own(rest)));
    }
    if let Some((name, rest)) = template
        .strip_prefix("${")
        .and_then(|rest| rest.split_once('}'))
    {
        let (name, otherwise) = match name.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (name, None),
        };
        let front = match (set(name), otherwise) {
            (Some(value), _) => PathBuf::from(value),
            (None, Some(otherwise)) => expand(otherwise, os, environment, project)?,
            (None, None) => return None,
        };
        let mut path = front.into_os_string();
        path.push(own(rest));
        return Some(PathBuf::from(path));
    }
    Some(PathBuf::from(own(template)))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_and_question_marks_stand_for_text() {
        for (pattern, name, expected) in [
            ("mcp.json", "mcp.json", true),
            ("mcp.json", "mcp.jsonc", false),
            ("*", "", true),
            ("*", "Code - Insiders", true),
            ("*.yaml", "docs.yaml", true),
            ("*.yaml", ".yaml.bak", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("a*b*c", "a-b-c-b-c", true),
            ("a?c", "aéc", true),
            ("a?c", "ac", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "`{pattern}` on `{name}`");
        }
    }
}
