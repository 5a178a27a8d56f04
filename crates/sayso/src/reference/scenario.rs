//! `scenario.schema.json`, from the types that read `scenario.toml`.

use sayso_verify::scenario::Scenario;

pub(super) fn schema() -> String {
    let schema = schemars::schema_for!(Scenario);
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text + "\n"
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::schema;
    use sayso_verify::scenario::Scenario;

    /// What the program reads fits the schema, and what it refuses does not.
    #[test]
    fn the_schema_takes_what_is_read() {
        let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let fits = |text: &str| {
            let table = toml::from_str::<toml::Table>(text).unwrap();
            validator.is_valid(&serde_json::to_value(table).unwrap())
        };
        let reads = |text: &str| Scenario::read(text, Path::new("scenario.toml")).is_ok();
        for good in [
            "[[step]]\ntool = \"a\"",
            "fixture = \"git\"\nsettle = 500\n[[step]]\ntool = \"a\"\narguments = { b = [1] }",
            "folder = \"b\"\n[[step]]\ntool = \"a\"\narguments = '{\"b\": null}'\nrepeat = false",
            "[[step]]\ntool = \"a\"\nsetup = true",
            "[[step]]\ntool = \"a\"\nskip = \"needs an account\"",
            "[[step]]\ntool = \"a\"\nexpect = { readOnlyHint = \"can't tell\", isError = false }",
        ] {
            assert!(fits(good) && reads(good), "{good}");
        }
        for wrong in [
            "fixture = \"got\"\n[[step]]\ntool = \"a\"",
            "[[step]]\ntol = \"a\"",
            "[[step]]\narguments = {}",
            "[[step]]\ntool = \"a\"\narguments = [1]",
            "[[step]]\ntool = \"a\"\nskip = \"\"",
            "[[step]]\ntool = \"a\"\nrepeat = \"no\"",
            "[[step]]\ntool = \"a\"\nexpect = { readOnlyHint = \"true\" }",
            "step = []",
        ] {
            assert!(!fits(wrong) && !reads(wrong), "{wrong}");
        }
    }
}
