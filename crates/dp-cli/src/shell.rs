//! `completions` and `man`, generated from the options.

use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;
use dp_exact::{ParameterError, shown};

use crate::delivery::print;
use crate::failure::Failure;
use crate::program;

/// The program whose completions and manual are printed; `cargo xtask` has the same commands.
const NAME: &str = "dp-cli";

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dp-cli completions bash >~/.local/share/bash-completion/completions/dp-cli
  dp-cli completions zsh >~/.zfunc/_dp-cli
  dp-cli completions fish >~/.config/fish/completions/dp-cli.fish")]
pub(crate) struct CompletionsOptions {
    /// The shell
    shell: Shell,
}

/// Print the manual page of the program or of a command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dp-cli man | man -l -
  dp-cli man calibrate gaussian >dp-cli-calibrate-gaussian.1")]
pub(crate) struct ManualOptions {
    /// The command [default: the program]
    command: Vec<String>,
}

/// Prints the completions for a shell.
pub(crate) fn complete(options: &CompletionsOptions) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut program(), NAME, &mut text);
    Ok(print(String::from_utf8_lossy(&text))?)
}

/// Prints the manual page of a command in roff.
pub(crate) fn manual(options: &ManualOptions) -> Result<(), Failure> {
    let mut program = program();
    // Gives every command its full name.
    program.build();
    let mut command = &program;
    // `man dp-cli-calibrate-gaussian` names a page in one word.
    let words = options.command.iter();
    let words = words.flat_map(|word| word.trim_start_matches(NAME).split('-'));
    for word in words.filter(|word| !word.is_empty()) {
        command = command.find_subcommand(word).ok_or_else(|| {
            let names = command.get_subcommands().map(clap::Command::get_name);
            let accepted = format!("one of {}", names.collect::<Vec<_>>().join(", "));
            ParameterError::new("command", shown(word), accepted)
        })?;
    }
    let title = command.get_display_name().unwrap_or(NAME).to_owned();
    let mut text = Vec::new();
    let page = Man::new(command.clone().name(title));
    page.render(&mut text).map_err(Failure::other)?;
    Ok(print(String::from_utf8_lossy(&text))?)
}
