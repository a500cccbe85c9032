//! `estimate --collected`: the text of Janus's `collect`, and rows for data warehouses.

use std::collections::HashSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Folder, ROOT, json, program, refusal, run, success, text};

/// The task of a planned job.
fn planned(folder: &Folder, job: &str) -> String {
    let task = folder.at("task.toml");
    success(&format!("plan --epsilon 1 --delta 1e-9 {job} --task {task} --force"));
    task
}

/// The path of a collected text.
fn sample(name: &str) -> String {
    format!("{ROOT}/crates/dp-cli/tests/collected/{name}")
}

const HISTOGRAM: (&str, &str) = (
    "--type histogram:64 --clients 46 --policy histogram-gaussian",
    "histogram_gaussian.run.stdout",
);

#[test]
fn the_text_of_a_collector_becomes_the_estimates_of_its_totals() {
    let folder = Folder::new();
    let sums = "Number of reports: 310\nInterval start: 2026-03-01 00:00:00 UTC\n\
                Interval end: 2026-03-01 08:00:00 UTC\nInterval length: 28800s\nAggregation result: ";
    // A negative sum in the field of libprio up to 0.16, and in the one of later versions.
    let old = folder.with("old", format!("{sums}340282366920938462946865773367900766198\n"));
    let new = folder.with("new", format!("{sums}18446744069414584310\n"));
    let interval = "2026-03-01T00:00:00Z/2026-03-01T08:00:00Z";
    let fixed = "hnBcFvT2W7k1bVdPZr0yQm8sLxJgAoUeRiNtYqCwDzE";
    let sum = "--type sum:80 --clients 310";
    for (job, file, batch, first) in [
        ("--type count --clients 1200", sample("count.fixed_size.stdout"), fixed, "-10"),
        (sum, sample("sum.time_interval.stdout"), interval, "9000"),
        (sum, old, interval, "-11"),
        (sum, new, interval, "-11"),
    ] {
        let task = planned(&folder, job);
        let document = json(&format!("estimate --task {task} --collected {file}"));
        let estimate = text(&document["rows"][0]["estimate"]);
        assert_eq!((text(&document["batch"]), estimate), (batch, first), "{file}");
        let said = success(&format!("estimate --task {task} --collected {file}"));
        assert!(
            said.contains(&format!("\nbatch {batch}, from 2026-03-01T00:00:00Z to ")),
            "{said}"
        );
    }
    // Of another task: another number of totals.
    let task = planned(&folder, "--type histogram:12 --clients 46");
    let collected = sample(HISTOGRAM.1);
    assert!(refusal(&format!("estimate --task {task} --collected {collected}")).contains("is 64"));
}

#[test]
fn a_text_without_a_result_has_an_exit_status_and_words_of_its_own() {
    let folder = Folder::new();
    let task = planned(&folder, HISTOGRAM.0);
    let cut = folder.with("cut", "Number of reports: 46\nInterval start: 2026-11-28 08:00");
    for (file, status, said) in [
        (sample("histogram_gaussian.polljob.stdout"), 75, "is not ready"),
        (sample("histogram_gaussian.empty.stderr"), 66, "no report, or fewer than"),
        (sample("histogram_gaussian.newjob.stdout"), 2, "created and not collected"),
        (cut, 2, "line 2 is \"2026-11-28 08:00\": expected a time such as"),
    ] {
        for output in ["", " --rows json", " --json"] {
            let output = run(&format!("estimate --task {task} --collected {file}{output}"));
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0), "{error}");
            assert!(error.contains(&file) && error.contains(said), "{error}");
        }
    }
}

#[test]
fn totals_are_read_as_json_writes_them_and_a_comma_is_not_guessed() {
    let folder = Folder::new();
    let two = planned(&folder, "--type histogram:2 --clients 1234");
    let other = Folder::new();
    let one = planned(&other, "--type sum:80 --clients 1234");
    let estimates = |totals: &str| {
        let mut estimate =
            program(&format!("estimate --task {two} --reports 1234 --json --totals"));
        let output = estimate.arg(totals).output().expect("it runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect(totals);
        document["rows"].clone()
    };
    let plain = estimates("600,634");
    for same in [
        "[600, 634]",
        "[\"600\",\"634\"]",
        "{\"totals\": [600, 634]}",
        "{\"a\":1,\"totals\":[\"600\",634]}",
    ] {
        assert_eq!(estimates(same), plain, "{same}");
    }
    assert_ne!(estimates("1,234"), plain);
    let said = refusal(&format!("estimate --task {one} --reports 1234 --totals 1,234"));
    assert!(
        said.contains("totals is 1,234: expected 1234 or \"1, 234\", as its comma may"),
        "{said}"
    );
}

#[test]
fn rows_are_appended_once_and_other_numbers_for_their_keys_are_refused() {
    let folder = Folder::new();
    let task = planned(&folder, &format!("{} --releases 30", HISTOGRAM.0));
    let collected = sample(HISTOGRAM.1);
    let ledger = folder.at("year.ledger");
    success(&format!("ledger create {ledger} --task {task}"));
    success(&format!("ledger record {ledger} --task {task} --name monday"));
    let line = format!("estimate --task {task} --rows json --collected");
    let printed = success(&format!("{line} {collected} --ledger {ledger}"));
    let rows: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 64);
    for (name, value) in [
        ("batch", json!("2026-11-28T08:00:00Z/2026-11-28T16:00:00Z")),
        ("entry", json!(1)),
        ("label", json!("bucket 1")),
        ("reports", json!(46)),
        ("low", json!(null)),
        ("delta", json!(1e-9)),
        ("trust_model", json!("OAOC")),
        ("releases_planned", json!(30)),
        ("releases_so_far", json!(1)),
    ] {
        assert_eq!(rows[1][name], value, "{name}");
    }
    let number = |name: &str| rows[1][name].as_f64().expect("a number");
    assert!(number("lower_95") < number("estimate") && number("estimate") < number("upper_95"));
    assert!(number("epsilon") <= 1.0 && number("epsilon") > 0.9);
    let keys: HashSet<String> =
        rows.iter().map(|row| format!("{} {}", row["batch"], row["entry"])).collect();
    assert_eq!(keys.len(), 64);

    let next = std::fs::read_to_string(&collected).expect("a sample").replace("11-28", "11-29");
    let both = folder
        .with("both", format!("{}{next}", std::fs::read_to_string(&collected).expect("a sample")));
    let other = folder.with("other", next.replace("[49", "[48"));
    for (format, first_lines) in [("json", 64), ("csv", 65)] {
        let line = line.replace("json", format);
        let file = folder.at(&format!("estimates.{format}"));
        let said = success(&format!("{line} {collected} --rows-file {file}"));
        assert!(said.contains("Of 64 rows 64 new in "), "{said}");
        let before = folder.read(&format!("estimates.{format}"));
        assert_eq!(before.lines().count(), first_lines);
        // The number of releases so far may be another one.
        success(&format!("{line} {collected} --rows-file {file} --ledger {ledger}"));
        assert_eq!(folder.read(&format!("estimates.{format}")), before);
        assert!(
            success(&format!("{line} {both} --rows-file {file}")).contains("Of 128 rows 64 new")
        );
        let after = folder.read(&format!("estimates.{format}"));
        assert!(after.starts_with(&before) && after.lines().count() == first_lines + 64);
        let refused = refusal(&format!("{line} {other} --rows-file {file}"));
        assert!(refused.contains("a second release"), "{refused}");
        assert_eq!(folder.read(&format!("estimates.{format}")), after);
    }
    for foreign in [folder.with("thesis", "A thesis.\n"), folder.at("estimates.csv"), task] {
        let before = std::fs::read(&foreign).expect("a file");
        refusal(&format!("{line} {collected} --rows-file {foreign}"));
        assert_eq!(std::fs::read(&foreign).expect("a file"), before);
    }
}

/// Loads rows of JSON and of CSV twice, by the statements of `docs/rows.sql`.
const LOAD: &str = r#"
import csv, json, sqlite3, sys
folder, statements = sys.argv[1], open(sys.argv[2]).read()
create = statements[statements.index("CREATE"):statements.index(";") + 1]
insert = next(line for line in statements.splitlines() if line.startswith("INSERT INTO estimates SELECT"))
lines = [json.loads(line) for line in open(folder + "/rows.json")]
assert list(lines[0]) == [column["name"] for column in json.load(open(sys.argv[3]))], "schema"
table = list(csv.DictReader(open(folder + "/rows.csv")))
for rows in lines, table:
    database = sqlite3.connect(":memory:")
    database.execute(create)
    assert [row[1] for row in database.execute("PRAGMA table_info(estimates)")] == list(rows[0])
    for _ in range(2):
        database.execute("CREATE TABLE new_rows (%s)" % ", ".join(rows[0]))
        marks = ", ".join("?" * len(rows[0]))
        database.executemany("INSERT INTO new_rows VALUES (%s)" % marks, [list(row.values()) for row in rows])
        database.execute(insert)
        database.execute("DROP TABLE new_rows")
    print(*database.execute("SELECT count(*), sum(reports), min(estimate) FROM estimates").fetchone())
"#;

#[test]
fn rows_that_are_loaded_twice_are_there_once() {
    let folder = Folder::new();
    let task = planned(&folder, HISTOGRAM.0);
    let collected = sample(HISTOGRAM.1);
    for format in ["json", "csv"] {
        let line = format!("estimate --task {task} --rows {format} --collected {collected}");
        folder.with(&format!("rows.{format}"), success(&line));
    }
    let docs = format!("{ROOT}/crates/dp-cli/docs");
    let mut python = Command::new("python3");
    python.args(["-c", LOAD]).arg(folder.path());
    python.args([format!("{docs}/rows.sql"), format!("{docs}/rows.bigquery.json")]);
    let Ok(output) = python.output() else {
        eprintln!("left out: no python3");
        return;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0] == lines[1], "{said}{error}");
    assert!(lines[0].starts_with("64 2944 -"), "{said}");
}
