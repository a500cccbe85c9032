//! `completions`: what a shell needs to complete the words of a command, and manual pages.

use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use dp_exact::shown;
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

/// Prints the completions, or writes the manual pages and says where they are.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut command = CommandLine::command();
    let mut script = Vec::new();
    if let Some(shell) = options.shell {
        clap_complete::generate(shell, &mut command, NAME, &mut script);
        return Ok(print(String::from_utf8_lossy(&script))?);
    }
    let Some(folder) = &options.man else { unreachable!("clap asks for a shell or a folder") };
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_pages(command, folder)?;
    Ok(print(format!("The manual pages are in {}.\n", shown(folder)))?)
}

/// The beginning of every manual page, by which a page is known that may be replaced.
const BEGINNING: &[u8] = b".ie \\n(.g .ds Aq";

/// Writes the manual pages of the command and of all below it to the folder.
fn write_pages(command: Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below.clone(), folder)?;
    }
    let page = Man::new(command);
    let path = folder.join(page.get_filename());
    let file = OutputFile::prepare(&path, |beginning| beginning.starts_with(BEGINNING))?;
    Ok(file.write(|writer| page.render(writer))?)
}
