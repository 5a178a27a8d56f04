//! `cli.md`.

use std::fmt::Write as _;

use clap::{Arg, Command};

use super::{cell, made_from};

pub(super) fn page() -> String {
    let mut program = crate::cli::command();
    program.build();
    let mut page = format!("# Command line\n\n{}", made_from("crates/sayso/src/cli"));
    let about = program
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "\n{}.\n\nStandard output is data, standard error is talk. ",
        about.trim_end_matches('.')
    );
    page.push_str("What the program ends with is in [exit codes](exit-codes.md); what a project can set for good is in [configuration](configuration.md).\n");
    sections(&mut page, &program);
    page
}

/// A section a command, those of its subcommands behind it.
fn sections(page: &mut String, program: &Command) {
    for command in program
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        section(page, command);
        sections(page, command);
    }
}

fn section(page: &mut String, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let usage: Vec<&str> = usage
        .trim_start_matches("Usage: ")
        .lines()
        .map(str::trim)
        .collect();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let _ = write!(
        page,
        "\n## `{}`\n\n{}.\n\n```text\n{}\n```\n",
        command.get_bin_name().unwrap_or(command.get_name()),
        about.trim_end_matches('.'),
        usage.join("\n")
    );
    let arguments = || {
        command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
    };
    let mut headings: Vec<Option<&str>> = Vec::new();
    for argument in arguments() {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    for heading in headings {
        let title = heading.unwrap_or("General");
        let _ = write!(page, "\n### {title}\n\n| option | meaning |\n|---|---|\n");
        for argument in arguments().filter(|argument| argument.get_help_heading() == heading) {
            let _ = writeln!(
                page,
                "| {} | {} |",
                cell(&spelling(argument)),
                cell(&meaning(argument))
            );
        }
    }
}

/// How an argument is written.
fn spelling(argument: &Arg) -> String {
    let value = value(argument);
    let mut names = Vec::new();
    if let Some(long) = argument.get_long() {
        let value = if value.is_empty() {
            value
        } else {
            format!(" {value}")
        };
        names.push(format!("`--{long}{value}`"));
    } else if argument.get_short().is_none() {
        names.push(format!("`{value}`"));
    }
    if let Some(short) = argument.get_short() {
        names.push(format!("`-{short}`"));
    }
    names.join(", ")
}

fn value(argument: &Arg) -> String {
    if !argument.get_action().takes_values() {
        return String::new();
    }
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(clap::builder::Str::as_str).collect();
    let optional = argument
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    if argument.get_long().is_none() && argument.get_short().is_none() {
        return names.join(" ");
    }
    if optional {
        format!("[{}]", names.join(" "))
    } else {
        format!("<{}>", names.join(" "))
    }
}

fn meaning(argument: &Arg) -> String {
    let help = argument
        .get_long_help()
        .or_else(|| argument.get_help())
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut meaning = help.replace("\n\n", ". ").trim_end_matches('.').to_owned();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        let _ = write!(meaning, ". One of {}", values.join(", "));
    }
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if argument.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(meaning, ". Default: {}", defaults.join(" "));
    }
    meaning
}
