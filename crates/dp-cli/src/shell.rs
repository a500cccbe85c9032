//! `completions` and `man`: what a shell and a manual know of the commands, made from their options.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum as _};
use clap_complete::Shell;
use clap_mangen::Man;
use dp_exact::{ParameterError, shown};

use crate::delivery::print;
use crate::failure::Failure;
use crate::program;

/// The program that is completed and documented; `cargo xtask` has the same commands.
const NAME: &str = "dp-cli";

/// Print the completions of a shell, to be read by it
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dp-cli completions bash >~/.local/share/bash-completion/completions/dp-cli
  dp-cli completions zsh >~/.zfunc/_dp-cli
  dp-cli completions fish >~/.config/fish/completions/dp-cli.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "elvish", "fish", "powershell", "zsh"]))]
    shell: String,
}

/// Print the manual page of the program or of a command
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dp-cli man | man -l -
  dp-cli man calibrate gaussian >dp-cli-calibrate-gaussian.1")]
pub(crate) struct Manual {
    /// The command [default: the program]
    command: Vec<String>,
}

/// Prints the completions.
pub(crate) fn complete(options: &Completions) -> Result<(), Failure> {
    let shell = Shell::from_str(&options.shell, true)
        .map_err(|accepted| ParameterError::new("shell", &options.shell, accepted))?;
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program(), NAME, &mut text);
    Ok(print(String::from_utf8_lossy(&text))?)
}

/// Prints the page.
pub(crate) fn manual(options: &Manual) -> Result<(), Failure> {
    let mut program = program();
    // Gives every command its full name.
    program.build();
    let mut command = &program;
    // A page is also known as dp-cli-calibrate-gaussian.
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
