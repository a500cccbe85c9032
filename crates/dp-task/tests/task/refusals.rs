//! A document that is no task is refused on one line with the field, its value and the accepted
//! values: `refusals.txt` has documents and their lines.

use dp_task::{AggregatorNoise, Budget, Error, Task, TaskDocument};
use toml::Table;

use crate::common::{COMPENSATED, HISTOGRAM, RAPPOR, WEIGHTS, edited};

fn document(name: &str) -> &'static str {
    match name {
        "HISTOGRAM" => HISTOGRAM,
        "RAPPOR" => RAPPOR,
        "WEIGHTS" => WEIGHTS,
        "COMPENSATED" => COMPENSATED,
        other => panic!("{other} is no document"),
    }
}

fn as_json(toml: &Table) -> String {
    serde_json::to_string(toml).expect("JSON")
}

/// Each case of `table`: its first line, the edited document and the expected line. `read` makes of
/// the named document what is edited.
fn cases(table: &str, read: impl Fn(&str) -> String) -> Vec<(&str, String, &str)> {
    let is_case = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
    let lines: Vec<&str> = table.lines().filter(is_case).collect();
    lines
        .chunks(2)
        .map(|pair| {
            let (name, edits) = pair[0].split_once(" | ").expect("a name and edits");
            let edits = edits.replace('⏎', "\n");
            let edits = edits.split(" ;; ").map(|edit| edit.split_once('→').expect("an edit"));
            let edits: Vec<_> = edits.map(|(old, new)| (old.trim(), new.trim())).collect();
            (pair[0], edited(&read(document(name)), &edits), pair[1].trim())
        })
        .collect()
}

/// What is said about a document, on one line.
fn said(read: Result<Task, Error>) -> String {
    let line = read.map_or_else(|error| error.to_string(), |_| "accepted".to_owned());
    assert!(!line.contains('\n'), "{line:?}");
    line
}

#[test]
fn each_document_has_its_line_as_toml_and_as_json() {
    let (toml, json) = include_str!("refusals.txt").split_once("[JSON]").expect("two parts");
    let (mut tried, mut others) = (0, Vec::new());
    let mut check = |case: &str, read: Result<Task, Error>, expected: &str| {
        tried += 1;
        let line = said(read);
        if line != expected {
            others.push(format!("{case}\n    {line}\n    {expected}\n"));
        }
    };
    for (case, document, expected) in cases(toml, str::to_owned) {
        check(case, Task::from_toml(&document), expected);
        if let Ok(tree) = document.parse::<Table>() {
            check(case, Task::from_json(as_json(&tree)), expected);
        }
    }
    let from_toml = |text: &str| as_json(&text.parse().expect("TOML"));
    for (case, document, expected) in cases(json, from_toml) {
        check(case, Task::from_json(&document), expected);
    }
    check("a list", Task::from_json("[]"), "document is […]: expected a table");
    assert!(others.is_empty(), "{}", others.concat());
    assert!(tried > 350, "{tried}");
}

#[test]
fn what_no_document_can_say_is_refused() {
    let mut document = TaskDocument::from_toml(HISTOGRAM).expect("a document");
    let budget = Budget::renyi("2".parse().expect("a number"), "1".parse().expect("a number"));
    let budget = budget.expect("an order above 1");
    document.aggregator_noise = Some(AggregatorNoise::DiscreteGaussian { budget });
    let line = said(Task::new(document));
    assert!(line.starts_with("aggregator_noise.budget is \"Rényi "), "{line}");
}
