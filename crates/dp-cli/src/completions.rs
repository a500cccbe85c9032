//! `completions`: what a shell needs to complete the words of a command, and manual pages.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use dp_files::OutputFile;

use crate::delivery::print;
use crate::failure::Failure;
use crate::{CommandLine, NAME};

/// Print a shell's completions of `dp-cli`, or write its manual pages
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// The shell: bash, zsh, fish, elvish or powershell
    #[arg(value_name = "SHELL", required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write a manual page for each command to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  dp-cli completions bash > ~/.local/share/bash-completion/completions/dp-cli
  dp-cli completions zsh > \"${fpath[1]}/_dp-cli\"
  dp-cli completions fish > ~/.config/fish/completions/dp-cli.fish
  dp-cli completions --man ~/.local/share/man/man1";

/// Prints the completions, or writes the manual pages and prints their number.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut command = CommandLine::command();
    let mut script = Vec::new();
    if let Some(shell) = options.shell {
        clap_complete::generate(shell, &mut command, NAME, &mut script);
        return Ok(print(String::from_utf8_lossy(&script))?);
    }
    let Some(folder) = &options.man else { unreachable!("clap asks for a shell or a folder") };
    // Global options are on every page.
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages);
    let number = pages.len();
    for page in pages {
        let path = folder.join(page.get_filename());
        let is_own =
            |beginning: &[u8]| String::from_utf8_lossy(beginning).contains(&format!(".TH {NAME}"));
        OutputFile::prepare(&path, is_own)?.write(|writer| page.render(&mut *writer))?;
    }
    Ok(print(format!("{number} manual pages are in {}.\n", folder.display()))?)
}

/// Adds the manual page of a command that has been built, and of all below it.
fn add_pages(command: &clap::Command, pages: &mut Vec<Man>) {
    pages.push(Man::new(command.clone()));
    let below = command.get_subcommands().filter(|below| below.get_name() != "help");
    below.for_each(|below| add_pages(below, pages));
}
