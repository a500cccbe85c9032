//! What shells and readers of manuals get: help, completions and pages for every command.

use std::process::Stdio;

use clap::Subcommand as _;

use crate::support::{success, xtask};

/// Every command by its words, the program first, with the long names of its options.
fn commands() -> Vec<(Vec<String>, Vec<String>)> {
    let program = dp_cli::Command::augment_subcommands(clap::Command::new("dp-cli"));
    let mut all = Vec::new();
    gather(&program, &[], &mut all);
    all
}

fn gather(command: &clap::Command, path: &[String], all: &mut Vec<(Vec<String>, Vec<String>)>) {
    let options = command.get_arguments().filter(|one| !one.is_hide_set());
    let options = options.filter_map(|one| one.get_long().map(str::to_owned));
    all.push((path.to_vec(), options.collect()));
    for below in command.get_subcommands() {
        gather(below, &[path, &[below.get_name().to_owned()]].concat(), all);
    }
}

fn words<'a>(path: &'a [String], before: &[&'a str], after: &[&'a str]) -> Vec<&'a str> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    [before, &path, after].concat()
}

#[test]
fn the_completions_of_every_shell_know_every_command_and_option() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = success(&["completions", shell]);
        for (path, mut options) in commands() {
            // fish completes the options of two levels of commands.
            if shell == "fish" && path.len() > 2 {
                options.clear();
            }
            for name in path.last().into_iter().chain(&options) {
                assert!(script.contains(name.as_str()), "{shell}: {path:?} {name}");
            }
        }
    }
}

#[test]
fn every_command_has_a_manual_page_with_its_options() {
    let page = success(&["man"]);
    assert!(
        page.contains(".SH NAME") && page.contains("dp\\-cli \\-"),
        "{page}"
    );
    for (path, options) in commands() {
        let page = success(&words(&path, &["man"], &[]));
        let name = [&["dp-cli".to_owned()], path.as_slice()].concat().join("-");
        let escaped = name.replace('-', "\\-");
        assert!(page.contains(&format!("{escaped} \\-")), "{path:?}: {page}");
        for option in options {
            let option = option.replace('-', "\\-");
            assert!(page.contains(&option), "{path:?} {option}: {page}");
        }
    }
}

#[test]
fn help_is_no_wider_than_100_columns_and_lists_every_option() {
    for (path, options) in commands() {
        let help = success(&words(&path, &[], &["--help"]));
        for option in options {
            assert!(help.contains(&format!("--{option}")), "{path:?} {option}");
        }
        // Examples stand as they are written.
        let wide = help.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{path:?}");
    }
}

#[test]
fn a_closed_pipe_ends_every_help_quietly() {
    let closed = || -> Stdio {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer.into()
    };
    let paths = commands();
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for (path, _) in &paths {
        lines.push(words(path, &[], &["--help"]));
        lines.push(words(path, &["man"], &[]));
    }
    lines.push(vec!["completions", "bash"]);
    lines.push(vec!["tables"]);
    lines.push(vec!["tables", "--json"]);
    lines.push(vec!["policies", "--type", "count", "--json"]);
    lines.push(vec!["help"]);
    for line in lines {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dp-cli"));
        let output = command.args(&line).stdout(closed()).stderr(Stdio::piped());
        let output = output.output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), error.as_str()),
            (Some(1), ""),
            "{line:?}"
        );
    }
    assert!(xtask(&["help"]).status.success());
}
