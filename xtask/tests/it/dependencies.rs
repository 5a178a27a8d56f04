//! `deny.toml`, checked without another tool: licences, banned crates, sources.

use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Banned>,
}

#[derive(Deserialize)]
struct Banned {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    license: Option<String>,
    source: Option<String>,
}

fn deny() -> Deny {
    toml::from_str(include_str!("../../../deny.toml")).expect("deny.toml")
}

fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo metadata");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Metadata = serde_json::from_slice(&output.stdout).expect("metadata");
    metadata.packages
}

#[test]
fn every_licence_is_allowed() {
    let allowed: Vec<spdx::Licensee> = deny()
        .licenses
        .allow
        .iter()
        .map(|licence| spdx::Licensee::parse(licence).unwrap())
        .collect();
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| {
            let Some(licence) = &package.license else {
                return true;
            };
            // Crates from before SPDX write `MIT/Apache-2.0`.
            let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
                .expect("an SPDX expression");
            !expression
                .evaluate(|required| allowed.iter().any(|licence| licence.satisfies(required)))
        })
        .map(|package| {
            format!(
                "{}: {}",
                package.name,
                package.license.as_deref().unwrap_or("none")
            )
        })
        .collect();
    assert_eq!(refused, Vec::<String>::new(), "not allowed by deny.toml");
}

#[test]
fn no_banned_crate_is_used() {
    let packages = packages();
    for banned in deny().bans.deny {
        assert!(
            packages.iter().all(|package| package.name != banned.name),
            "{}: {}",
            banned.name,
            banned.reason
        );
    }
}

#[test]
fn every_crate_comes_from_the_registry_or_from_here() {
    for package in packages() {
        let known = package
            .source
            .as_deref()
            .is_none_or(|source| source.starts_with("registry+"));
        assert!(known, "{} comes from {:?}", package.name, package.source);
    }
}
