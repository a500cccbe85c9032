//! What the READMEs show is what the program does: a block of `console` has commands, each behind
//! `$ `, and below a command what it prints. `SNAPSHOT=write` writes that anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{ROOT, run};

/// Commands that `cargo xtask` has and this program has not.
const OTHERS: [&str; 3] = ["site", "speed", "vectors"];

/// A command of a block, on one line and without the name of the program, and what is shown below
/// it.
struct Shown {
    arguments: String,
    output: String,
}

/// The pages with commands: all READMEs, and the pages of the crates.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let mut pages = vec![root.join("README.md")];
    let crates = fs::read_dir(root.join("crates")).expect("a folder");
    let folders = crates.map(|entry| entry.expect("an entry").path());
    let folders = folders.flat_map(|folder| [folder.join("docs"), folder]);
    for folder in folders.chain([root.join("docs")]) {
        let files = fs::read_dir(folder).into_iter().flatten();
        pages.extend(files.map(|entry| entry.expect("an entry").path()));
    }
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages.sort();
    pages
}

/// The commands of this program that a page shows.
fn shown(page: &str) -> Vec<Shown> {
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let commands = blocks.flat_map(|block| {
        format!("\n{block}").split("\n$ ").map(str::to_owned).collect::<Vec<_>>()
    });
    let commands = commands.filter_map(|command| {
        let mut lines = command.lines();
        let mut typed = lines.next()?.to_owned();
        while let Some(open) = typed.strip_suffix('\\') {
            typed = format!("{} {}", open.trim_end(), lines.next()?.trim());
        }
        let arguments = typed.strip_prefix("cargo xtask ").or(typed.strip_prefix("dp-cli "))?;
        let output = lines.map(|line| format!("{line}\n")).collect();
        Some(Shown { arguments: arguments.to_owned(), output })
    });
    commands.collect()
}

/// The standard output of a command in the folder of the repository; `None` if it fails.
fn shell(line: &str) -> Option<String> {
    let output = Command::new("sh").args(["-c", line]).current_dir(ROOT).output().expect("a shell");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    output.status.success().then_some(text)
}

#[test]
fn what_a_readme_shows_below_a_command_is_what_it_prints() {
    let is_recorded = std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write");
    let mut compared = 0;
    for path in pages() {
        let mut page = fs::read_to_string(&path).expect("a page");
        for Shown { arguments, output } in shown(&page) {
            let mut tools =
                arguments.split('|').skip(1).filter_map(|part| part.split_whitespace().next());
            if output.is_empty()
                || !tools.all(|tool| shell(&format!("command -v {tool}")).is_some())
            {
                continue;
            }
            let printed = shell(&format!("'{}' {arguments}", env!("CARGO_BIN_EXE_dp-cli")));
            let printed = printed.unwrap_or_else(|| panic!("{arguments} fails"));
            assert!(is_recorded || printed == output, "{path:?}: {arguments} prints\n{printed}");
            page = page.replace(&output, &printed);
            compared += 1;
        }
        if is_recorded {
            fs::write(&path, page).expect("written");
        }
    }
    assert!(compared >= 2, "{compared}");
}

/// Every command that is shown has the options with which it is shown.
#[test]
fn every_command_of_a_readme_can_be_typed() {
    let mut count = 0;
    for path in pages() {
        for Shown { arguments, .. } in shown(&fs::read_to_string(&path).expect("a page")) {
            let typed = arguments.split(['|', '#', '>', '&']).next().unwrap_or_default();
            if OTHERS.iter().any(|name| typed.starts_with(name)) {
                continue;
            }
            let output = run(&format!("{} --help", typed.trim()));
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{path:?}: {arguments}: {error}");
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}
