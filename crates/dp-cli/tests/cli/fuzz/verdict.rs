//! Which rules a run broke.

use super::child::{Outcome, cut};
use super::folder::Change;
use super::line::{Line, Output};

pub(crate) fn broken(outcome: &Outcome, line: &Line, changes: &[Change]) -> Vec<String> {
    let mut broken = Vec::new();
    broken.extend(end(outcome));
    broken.extend(errors(outcome));
    broken.extend(answers(outcome));
    broken.extend(documents(outcome));
    broken.extend(losses(outcome, line, changes));
    broken.extend(
        changes
            .iter()
            .filter_map(|change| touched(outcome, line, change)),
    );
    broken
}

/// It ends by itself with a status that it has.
fn end(outcome: &Outcome) -> Option<String> {
    if outcome.is_stuck {
        return Some("waits for ever".to_owned());
    }
    match (outcome.status, outcome.signal) {
        (Some(0..=2), _) => None,
        // SIGXCPU; SIGKILL is the hard limit of some systems.
        (_, Some(24 | 9)) => Some("takes too long".to_owned()),
        // SIGABRT is what a failed allocation ends in.
        (_, Some(signal)) => Some(format!("signal {signal}: {}", shown(&outcome.stderr))),
        (status, None) => Some(format!("status {status:?}: {}", shown(&outcome.stderr))),
    }
}

/// Standard error has no panic and, if the command failed, one line of plain text. A reader of standard
/// output that has gone is no failure to talk about.
fn errors(outcome: &Outcome) -> Vec<String> {
    let mut broken = Vec::new();
    let said = || shown(&outcome.stderr);
    let Ok(text) = std::str::from_utf8(&outcome.stderr) else {
        return vec![format!("errors that are no text: {}", said())];
    };
    if text.contains("panicked at") {
        broken.push(format!("panic: {}", said()));
    }
    // A long run says how far it is.
    let is_progress = |line: &str| line.ends_with(" left") || line.contains(" reports will take ");
    if text.lines().filter(|line| !is_progress(line)).count() > 1 {
        broken.push(format!("more than one line of errors: {}", said()));
    }
    if !(text.is_empty() || text.ends_with('\n')) {
        broken.push(format!("an error without an end: {}", said()));
    }
    if outcome.status == Some(2) && !text.starts_with("error: ") {
        broken.push(format!("status 2 without an error: {}", said()));
    }
    if text.trim_end_matches('\n').chars().any(is_control) {
        broken.push(format!("control characters in an error: {}", said()));
    }
    if text.chars().count() > 2000 {
        broken.push(format!("a long error: {}", said()));
    }
    broken
}

/// What is printed has no control characters but ends of lines.
fn answers(outcome: &Outcome) -> Option<String> {
    let Ok(text) = std::str::from_utf8(&outcome.stdout) else {
        return Some("an answer that is no text".to_owned());
    };
    let forging = text.lines().find(|line| line.chars().any(is_control))?;
    Some(format!(
        "control characters in an answer: {}",
        shown(forging.as_bytes())
    ))
}

/// What begins as a JSON document and was delivered is one.
fn documents(outcome: &Outcome) -> Option<String> {
    let is_begun = outcome.status == Some(0) && outcome.stdout.starts_with(b"{");
    let is_whole = serde_json::from_slice::<serde_json::Value>(&outcome.stdout).is_ok();
    (is_begun && !is_whole).then(|| "an answer that is half a JSON document".to_owned())
}

/// Every answer is more than nothing, and what is full takes none of it. A statement can be in a file alone.
fn losses(outcome: &Outcome, line: &Line, changes: &[Change]) -> Option<String> {
    let is_silent = line.output == Output::File && outcome.stdout.is_empty();
    let is_in_a_file = line.has("statement") && changes.iter().any(|change| change.is_new);
    let is_lost = (is_silent || line.output == Output::Full) && !is_in_a_file;
    (outcome.status == Some(0) && is_lost).then(|| "status 0 though no answer arrived".to_owned())
}

/// What a line may leave: the file that it was told to write.
fn touched(outcome: &Outcome, line: &Line, change: &Change) -> Option<String> {
    let path = change.path.to_string_lossy();
    let name = path.as_ref();
    let names = line.words.iter().any(|word| {
        let word = String::from_utf8_lossy(word);
        let options = [
            "--json=",
            "--task=",
            "--strategy=",
            "--markdown=",
            "--yaml=",
        ];
        let value = options.into_iter().find_map(|name| word.strip_prefix(name));
        let word = value.unwrap_or(&word);
        let word = word.trim_start_matches("./");
        // Links lead to these.
        let target = match word {
            "to-data" => "data.csv",
            "nowhere" => "gone",
            "to-folder/new" => "folder/new",
            _ => word,
        };
        target.trim_start_matches("folder/../") == name
    });
    let is_done = outcome.status == Some(0) || line.output != Output::File;
    let is_json = |word: &Vec<u8>| word.starts_with(b"--json");
    let writes = line.words.iter().any(is_json)
        || ["plan", "sweep", "statement", "create", "record"]
            .iter()
            .any(|word| line.has(word));
    // An interrupted entry is removed before a further one is refused.
    let may_change = line.has("record") || line.has("--force");
    if change.is_new {
        let is_told = names && writes && is_done;
        return (!is_told).then(|| format!("leaves {name:?}"));
    }
    let is_told = names && may_change;
    (!is_told).then(|| format!("changes {name:?}"))
}

/// Control characters, ends of lines, and what changes the order in which others are shown.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

fn shown(bytes: &[u8]) -> String {
    cut(&format!("{:?}", String::from_utf8_lossy(bytes)))
}
