//! One verdict on a table and on a number, whichever command reads it.

use serde_json::Value;

use crate::support::{Folder, ROOT};

/// Commands that read a table, its names and its rows.
const READERS: [(&str, &str, [&str; 2]); 3] = [
    ("simulate --seed 1 --ideal --column x --bins 0,1 --data", "x,y", ["1,7", "0,8"]),
    ("simulate --seed 1 --ideal --column os --bins a,b --counts", "os,count", ["a,3", "b,4"]),
    (
        "audit --task examples/tasks/count.toml --collections",
        "batch,attempt,reports,truth,released",
        ["monday,1,1000,3,4", "tuesday,1,1000,3,2"],
    ),
];

/// The answer of a command without its options, or the sentence of its refusal.
fn answer(line: &str, words: &[&str]) -> Result<Value, String> {
    let task = format!("{ROOT}/examples");
    let line = line.replace(" examples", &format!(" {task}"));
    let words = line.split(' ').chain(words.iter().copied()).chain(["--json", "-"]);
    let answer = dp_cli::answer(words).map_err(|failure| failure.sentence())?;
    let mut document: Value = serde_json::from_slice(&answer["json"]).expect("JSON");
    let fields = document.as_object_mut().expect("fields");
    fields.remove("inputs");
    fields.remove("summary");
    Ok(document)
}

/// The verdict of each reader on its table in the form that `write` gives its lines.
fn verdicts(write: impl Fn(Vec<String>) -> String) -> Vec<Result<Value, String>> {
    let read = |(line, header, rows): &(&str, &str, [&str; 2])| {
        let folder = Folder::new();
        let lines = [&[*header], &rows[..]].concat().iter().map(|row| (*row).to_owned()).collect();
        answer(line, &[&folder.with("table.csv", write(lines))])
    };
    READERS.iter().map(read).collect()
}

/// dp-simulation tests all forms of tables: a command that read one by itself would differ here.
#[test]
fn every_command_reads_and_refuses_tables_alike() {
    let plain = verdicts(|lines| lines.join("\n"));
    assert!(plain.iter().all(Result::is_ok), "{plain:?}");
    let of_spreadsheets =
        |lines: Vec<String>| ["\u{feff}sep=;\r\n", &lines.join("\r\n").replace(',', ";")].concat();
    assert_eq!(verdicts(of_spreadsheets), plain);
    let with_numbers_of_rows =
        |lines: Vec<String>| [",", &lines.join("\n").replace('\n', "\n1,")].concat();
    assert_eq!(verdicts(with_numbers_of_rows), plain);
    let open = "line 3: a quote that is not closed";
    for (said, end) in [(open, "\""), ("line 3: it has ", "1,1,1,1,1,1,1")] {
        let form = |lines: Vec<String>| [&lines[..2].join("\n"), "\n", end].concat();
        for refused in verdicts(form).into_iter().map(|verdict| verdict.expect_err(said)) {
            assert!(refused.contains("table.csv") && refused.contains(said), "{refused}");
        }
    }
}
