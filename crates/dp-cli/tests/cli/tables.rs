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

/// Where an integer is expected: an option, a measurement, a count of people, the reports of a
/// collection, and a total; then what is read, or said.
#[test]
fn a_number_is_one_number_or_an_error_with_its_readings() {
    let counts = |text: &str| {
        let folder = Folder::new();
        let people = folder.with("people.csv", format!("x;count\n0;1\n1;\"{text}\"\n"));
        let numbers = "simulate --seed 1 --ideal --policy sum-laplace --max-measurement 5000";
        let collected = format!("batch;attempt;reports;truth;released\na;1;\"{text}\";3;4\n");
        let collected = folder.with("collected.csv", collected);
        let estimate = "estimate --task examples/tasks/count.toml --reports";
        let fields = |answer: Result<Value, String>, name: &str| {
            answer.map(|document| document[name].clone())
        };
        [
            fields(answer(estimate, &[text, "--totals", "7"]), "reports"),
            fields(answer(&format!("{estimate} 4000 --totals"), &[text]), "rows"),
            fields(answer(&format!("{numbers} --column count --data"), &[&people]), "coordinates"),
            fields(
                answer("simulate --seed 1 --ideal --column x --bins 0,1 --counts", &[&people]),
                "coordinates",
            ),
            fields(
                answer("audit --task examples/tasks/count.toml --collections", &[&collected]),
                "verdicts",
            ),
        ]
    };
    let plain = counts("3000");
    assert!(plain.iter().all(Result::is_ok), "{plain:?}");
    for same in ["3e3", "3_000", "3 000", "3'000", "3000.0", "3k", "+3000"] {
        assert_eq!(counts(same), plain, "{same}");
    }
    for (text, mark) in [("3.000", "point"), ("3,000", "comma")] {
        let said = format!(
            "is {text}: expected 3000 or 3, as its {mark} may group digits or begin a fraction"
        );
        for (place, refused) in counts(text).into_iter().enumerate() {
            // Behind --totals a comma separates totals.
            let is_list = place == 1 && mark == "comma";
            assert!(refused.is_err_and(|refused| is_list || refused.contains(&said)));
        }
    }
    for wrong in ["3,5", "3.5", "6000/2", "0_003", "3.000,5", "3.000.000", "three", "1/0"] {
        assert!(counts(wrong).iter().all(Result::is_err), "{wrong}");
    }
}
