//! What the READMEs show is what the program does: a block of `console` has commands, each behind `$ `, and below a
//! command what it prints. `SNAPSHOT=write` writes that anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{ROOT, run};

/// How the commands of this program begin in a README.
const NAMES: [&str; 2] = ["cargo xtask ", "dp-cli "];

/// Commands that `cargo xtask` has and this program has not.
const OTHERS: [&str; 7] = [
    "constant-time",
    "instructions",
    "site",
    "soak",
    "speed",
    "timing",
    "vectors",
];

/// A command of a block and what is shown below it.
struct Shown {
    /// The lines of the command, with what continues it.
    lines: Vec<String>,
    output: String,
}

impl Shown {
    /// The command on one line, without the name of the program; `None` if it is that of another program.
    fn arguments(&self) -> Option<String> {
        let joined: Vec<&str> = self
            .lines
            .iter()
            .map(|line| line.trim_end_matches('\\').trim())
            .collect();
        let joined = joined.join(" ");
        let typed = joined.strip_prefix("$ ")?;
        NAMES
            .iter()
            .find_map(|name| typed.strip_prefix(name))
            .map(str::to_owned)
    }

    /// What a shell prints for it, where the shell has all that it takes.
    fn printed(&self) -> Option<String> {
        let arguments = self.arguments()?;
        let mut tools = arguments
            .split('|')
            .skip(1)
            .filter_map(|part| part.split_whitespace().next());
        let has = |tool: &str| shell(&format!("command -v {tool}")).is_some();
        if !tools.all(has) {
            return None;
        }
        let printed = shell(&format!("'{}' {arguments}", env!("CARGO_BIN_EXE_dp-cli")));
        Some(printed.unwrap_or_else(|| panic!("{arguments} fails")))
    }
}

/// The standard output of a command in the folder of the repository; `None` if it fails.
fn shell(line: &str) -> Option<String> {
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(ROOT)
        .output()
        .expect("a shell");
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).expect("UTF-8"))
}

/// A page in pieces: text as it is, and the commands of its blocks.
enum Piece {
    Text(String),
    Command(Shown),
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if is_console {
            let continues = |shown: &Shown| {
                shown.output.is_empty()
                    && shown.lines.last().is_some_and(|last| last.ends_with('\\'))
            };
            match pieces.last_mut() {
                Some(Piece::Command(shown)) if continues(shown) => {
                    shown.lines.push(line.to_owned())
                }
                Some(Piece::Command(shown)) if !line.starts_with("$ ") => {
                    let _ = writeln!(shown.output, "{line}");
                }
                _ => pieces.push(Piece::Command(Shown {
                    lines: vec![line.to_owned()],
                    output: String::new(),
                })),
            }
            continue;
        }
        match pieces.last_mut() {
            Some(Piece::Text(text)) => {
                let _ = writeln!(text, "{line}");
            }
            _ => pieces.push(Piece::Text(format!("{line}\n"))),
        }
    }
    pieces
}

fn written(pieces: &[Piece]) -> String {
    let written = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Command(shown) => shown.lines.join("\n") + "\n" + &shown.output,
    });
    written.collect()
}

/// The README of the repository, those of its crates, and their other pages.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let mut pages = vec![
        root.join("README.md"),
        root.join("docs/dap.md"),
        root.join("docs/clusters.md"),
    ];
    for entry in fs::read_dir(root.join("crates")).expect("a folder") {
        let path = entry.expect("an entry").path();
        pages.push(path.join("README.md"));
        let docs = fs::read_dir(path.join("docs")).into_iter().flatten();
        pages.extend(docs.map(|entry| entry.expect("an entry").path()));
    }
    pages.retain(|path| path.extension().is_some_and(|end| end == "md") && path.exists());
    pages.sort();
    pages
}

#[test]
fn what_a_readme_shows_below_a_command_is_what_it_prints() {
    let is_recorded = std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let mut pieces = pieces(&page);
        assert_eq!(written(&pieces), page, "{path:?}");
        for piece in &mut pieces {
            let Piece::Command(shown) = piece else {
                continue;
            };
            if shown.output.is_empty() {
                continue;
            }
            let Some(printed) = shown.printed() else {
                continue;
            };
            compared += 1;
            if printed != shown.output {
                let command = shown.lines.join(" ");
                wrong.push(format!(
                    "{path:?}: {command}\nis shown with\n{}and prints\n{printed}",
                    shown.output
                ));
                shown.output = printed;
            }
        }
        if is_recorded && written(&pieces) != page {
            fs::write(&path, written(&pieces)).expect("written");
        }
    }
    assert!(compared >= 2, "{compared}");
    assert!(is_recorded || wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every command that is shown has the options with which it is shown.
#[test]
fn every_command_of_a_readme_can_be_typed() {
    let mut count = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for piece in pieces(&page) {
            let Piece::Command(shown) = piece else {
                continue;
            };
            let Some(arguments) = shown.arguments() else {
                continue;
            };
            let typed = arguments
                .split(['|', '#', '>', '&'])
                .next()
                .unwrap_or_default();
            let mut words: Vec<&str> = typed.split_whitespace().collect();
            if words.first().is_some_and(|name| OTHERS.contains(name)) {
                continue;
            }
            words.push("--help");
            let output = run(&words.join(" "));
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{path:?}: {arguments}: {error}");
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}
