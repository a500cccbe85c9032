//! Help, completions and manual pages of every command.

use clap::Subcommand as _;

use crate::support::success;

/// Every command by its words, the program first, with the long names of its options.
fn commands() -> Vec<(String, Vec<String>)> {
    fn gather(command: &clap::Command, path: &str, all: &mut Vec<(String, Vec<String>)>) {
        let options = command.get_arguments().filter(|one| !one.is_hide_set());
        let options = options.filter_map(|one| one.get_long().map(str::to_owned));
        all.push((path.to_owned(), options.collect()));
        for below in command.get_subcommands() {
            gather(below, &format!("{path} {}", below.get_name()), all);
        }
    }
    let mut all = Vec::new();
    gather(&dp_cli::Command::augment_subcommands(clap::Command::new("dp-cli")), "", &mut all);
    all
}

#[test]
fn completions_manuals_and_help_know_every_command_and_option() {
    let scripts = ["bash", "elvish", "powershell", "zsh"]
        .map(|shell| success(&format!("completions {shell}")));
    assert!(success("completions fish").contains("--epsilon0"));
    for (path, options) in commands() {
        let (page, help) = (success(&format!("man{path}")), success(&format!("{path} --help")));
        let name = format!("dp-cli{path}").replace([' ', '-'], "\\-");
        assert!(page.contains(&format!("{name} \\-")), "{path}: {page}");
        for option in options {
            assert!(scripts.iter().all(|script| script.contains(&option)), "{path} {option}");
            assert!(page.contains(&option.replace('-', "\\-")), "{path} {option}: {page}");
            assert!(help.contains(&format!("--{option}")), "{path} {option}");
        }
        let mut lines = help.lines().filter(|line| !line.starts_with("Usage: "));
        let wide = lines.find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{path}");
    }
}

/// The names under `inputs` are the names of the options.
#[test]
fn an_option_is_echoed_by_the_name_it_is_typed_by() {
    fn check(command: &clap::Command) {
        for argument in command.get_arguments() {
            if let Some(name) = argument.get_long() {
                assert_eq!(argument.get_id().as_str(), name.replace('-', "_"));
            }
        }
        command.get_subcommands().for_each(check);
    }
    check(&dp_cli::Command::augment_subcommands(clap::Command::new("dp-cli")));
}
