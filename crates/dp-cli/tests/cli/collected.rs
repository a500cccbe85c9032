//! `estimate --collected`: the text of Janus's `collect`, and rows for data warehouses.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Folder, ROOT, json, program, refusal, run, success, text};

/// The task of a planned job.
fn planned(folder: &Folder, name: &str, job: &str) -> String {
    let task = folder.at(name);
    success(&format!("plan --epsilon 1 --delta 1e-9 {job} --task {task}"));
    task
}

/// The path of a collected text.
fn sample(name: &str) -> String {
    format!("{ROOT}/crates/dp-cli/tests/collected/{name}")
}

const HISTOGRAM: &str =
    "--type histogram:64 --clients 46 --policy histogram-gaussian --releases 30";

#[test]
fn the_text_of_a_collector_becomes_the_estimates_of_its_totals() {
    let folder = Folder::new();
    let count = planned(&folder, "count.toml", "--type count --clients 1200");
    let sum = planned(&folder, "sum.toml", "--type sum:80 --clients 310");
    // A negative sum in the field of libprio up to 0.16, and in the one of later versions.
    let sums = fs::read_to_string(sample("sum.time_interval.stdout")).expect("a sample");
    let ready = folder.with("ready", format!("State: Ready\n{sums}"));
    let old = sums.replace("9000", "340282366920938462946865773367900766198");
    let [old, new] =
        [folder.with("old", old), folder.with("new", sums.replace("9000", "18446744069414584310"))];
    let interval = "2026-03-01T00:00:00Z/2026-03-01T08:00:00Z";
    let fixed = "hnBcFvT2W7k1bVdPZr0yQm8sLxJgAoUeRiNtYqCwDzE";
    for (task, file, batch, first) in [
        (count, sample("count.fixed_size.stdout"), fixed, "-10"),
        (sum.clone(), sample("sum.time_interval.stdout"), interval, "9000"),
        (sum.clone(), ready, interval, "9000"),
        (sum.clone(), old, interval, "-11"),
        (sum.clone(), new, interval, "-11"),
    ] {
        let line = format!("estimate --task {task} --collected {file}");
        let document = json(&line);
        let estimate = text(&document["rows"][0]["estimate"]);
        assert_eq!((text(&document["batch"]), estimate), (batch, first), "{file}");
        assert!(
            success(&line).contains(&format!("\nbatch {batch}, from 2026-03-01T00:00:00Z to "))
        );
    }
    let other = sample("histogram_gaussian.run.stdout");
    assert!(
        refusal(&format!("estimate --task {sum} --collected {other}")).contains("totals is 64")
    );
}

#[test]
fn a_text_without_a_result_has_an_exit_status_and_words_of_its_own() {
    let folder = Folder::new();
    let task = planned(&folder, "task.toml", HISTOGRAM);
    let cut = folder.with("cut", "Number of reports: 46\nInterval start: 2026-11-28 08:00");
    let failed = folder.with("failed", "Error: no such host\n");
    for (file, status, said) in [
        (sample("histogram_gaussian.polljob.stdout"), 75, "is not ready"),
        (sample("histogram_gaussian.empty.stderr"), 66, "no report, or fewer than"),
        (sample("histogram_gaussian.newjob.stdout"), 2, "created and not collected"),
        (failed, 2, "collect failed: no such host"),
        (folder.with("empty", ""), 2, "VALUE: collect printed nothing, and its error"),
        (cut, 2, "line 2 is \"2026-11-28 08:00\": expected a time such as"),
    ] {
        let output = run(&format!("estimate --task {task} --collected {file} --rows json"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0), "{error}");
        assert!(error.contains(&file) && error.contains(said), "{error}");
    }
}

/// The other batches are answered, and the exit status tells why the small batch is not.
#[test]
fn a_small_batch_is_left_out_with_its_file_the_field_and_a_status() {
    let folder = Folder::new();
    let task = planned(&folder, "task.toml", HISTOGRAM);
    let text = fs::read_to_string(sample("histogram_gaussian.run.stdout")).expect("a sample");
    let good = folder.with("good", &text);
    let small = folder.with("small", text.replace("11-28", "11-27").replace(": 46", ": 22"));
    let line = format!("estimate --task {task} --rows json --collected");
    let output = run(&format!("{line} {small} --collected {good}"));
    let error = String::from_utf8_lossy(&output.stderr);
    let said = format!("{small}: 22 reports: expected at least 23, batch.min_reports of {task}: ");
    assert!(output.status.code() == Some(66) && error.contains(&said), "{error}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), success(&format!("{line} {good}")));
    let alone = run(&format!("{line} {small}"));
    assert_eq!((alone.status.code(), alone.stdout.len()), (Some(66), 0));
    // Also where both texts are in one file.
    let both = folder.with("both", "State: Not ready\n".to_owned() + &folder.read("good"));
    let output = run(&format!("{line} {both}"));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(75) && error.contains("both, text 1: the coll"),
        "{error}"
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), success(&format!("{line} {good}")));
}

/// Rows of another task or another interval stay, with a warning that names both.
#[test]
fn rows_that_may_count_a_report_twice_have_a_warning() {
    let folder = Folder::new();
    let task = planned(&folder, "task.toml", HISTOGRAM);
    let other = planned(&folder, "other.toml", &HISTOGRAM.replace("30", "31"));
    let first = fs::read_to_string(sample("histogram_gaussian.run.stdout")).expect("a sample");
    let file = |name: &str, from: &str, to: &str| folder.with(name, first.replace(from, to));
    let [same, next, longer] = [
        file("same", "", ""),
        file("next", "11-28", "11-29"),
        file("longer", "start: 2026-11-28", "start: 2026-11-27"),
    ];
    for format in ["json", "csv"] {
        for (task, collected, warned) in [
            (&task, &same, ""),
            (&task, &next, ""),
            (&other, &same, "batch \"2026-11-28T08:00:00Z/2026-11-28T16:00:00Z\" of the task "),
            (&task, &longer, "batch \"2026-11-27T08:00:00Z/2026-11-28T16:00:00Z\" of the task "),
        ] {
            let rows = folder.at(&format!("rows.{format}"));
            let line = format!("estimate --task {task} --collected {collected} --rows {format}");
            let output = run(&format!("{line} --rows-file {rows}"));
            let (printed, error) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(printed.ends_with(": 64 of 64.\n"), "{printed}{error}");
            assert_eq!(error.is_empty(), warned.is_empty(), "{error}");
            assert!(error.contains(warned) && error.lines().count() <= 1, "{error}");
        }
    }
}

#[test]
fn totals_are_read_as_json_writes_them() {
    let folder = Folder::new();
    let two = planned(&folder, "two.toml", "--type histogram:2 --clients 1234");
    let estimates = |totals: &str| {
        let mut estimate =
            program(&format!("estimate --task {two} --reports 1234 --json --totals"));
        let output = estimate.arg(totals).output().expect("it runs");
        let document: Value = serde_json::from_slice(&output.stdout).expect(totals);
        document["rows"].clone()
    };
    let plain = estimates("[600,634]");
    for same in ["600, 634", r#"["600","634"]"#, r#"{"a": 1, "totals": ["600", 634]}"#] {
        assert_eq!(estimates(same), plain, "{same}");
    }
}

#[test]
fn rows_are_appended_once_and_other_numbers_for_their_keys_are_refused() {
    let folder = Folder::new();
    let task = planned(&folder, "task.toml", HISTOGRAM);
    let (collected, ledger) = (sample("histogram_gaussian.run.stdout"), folder.at("year.ledger"));
    success(&format!("ledger create {ledger} --task {task}"));
    let line = format!("estimate --task {task} --rows json --collected");
    let unrecorded = refusal(&format!("{line} {collected} --ledger {ledger}"));
    assert!(unrecorded.contains("expected a ledger with a release of the task"), "{unrecorded}");
    success(&format!("ledger record {ledger} --task {task} --name monday"));
    let of_ledger = format!("{line} {collected} --ledger {ledger}");
    assert!(String::from_utf8_lossy(&run(&of_ledger).stderr).contains("task lack a batch"));
    success(&format!("ledger record {ledger} --task {task} --name 2026-11-28"));
    assert!(run(&of_ledger).stderr.is_empty());
    let printed = success(&of_ledger);
    let rows = printed.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let rows: Vec<Value> = rows.collect();
    for (name, value) in [
        ("batch", json!("2026-11-28T08:00:00Z/2026-11-28T16:00:00Z")),
        ("entry", json!(1)),
        ("label", json!("bucket 1")),
        ("reports", json!(46)),
        ("low", json!(null)),
        ("delta", json!(1e-9)),
        ("trust_model", json!("OAOC")),
        ("releases_planned", json!(30)),
        ("releases_so_far", json!(2)),
    ] {
        assert_eq!(rows[1][name], value, "{name}");
    }
    let number = |name: &str| rows[1][name].as_f64().expect("a number");
    assert!(number("lower_95") < number("estimate") && number("estimate") < number("upper_95"));
    assert!(rows.len() == 64 && number("epsilon") <= 1.0 && number("epsilon") > 0.9);

    let first = fs::read_to_string(&collected).expect("a sample");
    let next = first.replace("11-28", "11-29");
    let both = folder.with("both", format!("{first}{next}"));
    let other = folder.with("other", next.replace("[49", "[48"));
    let twice = folder.with("twice", format!("{next}{}", next.replace("[49", "[48")));
    for format in ["json", "csv"] {
        let (line, name) = (line.replace("json", format), format!("rows.{format}"));
        // An empty file is a file without rows.
        let to_file = format!("--rows-file {}", folder.with(&name, ""));
        assert!(success(&format!("{line} {collected} {to_file}")).ends_with(": 64 of 64.\n"));
        let before = folder.read(&name);
        assert!(refusal(&format!("{line} {twice} {to_file}")).contains("a second release"));
        assert_eq!(before, success(&format!("{line} {collected}")));
        // The number of releases so far may be another one.
        success(&format!("{line} {collected} {to_file} --ledger {ledger}"));
        assert_eq!(folder.read(&name), before);
        assert!(success(&format!("{line} {both} {to_file}")).ends_with(": 64 of 128.\n"));
        let after = folder.read(&name);
        assert!(after.starts_with(&before));
        let refused = refusal(&format!("{line} {other} {to_file}"));
        assert!(refused.contains("a second release"), "{refused}");
        assert_eq!(folder.read(&name), after);
    }
    // A file that cannot grow to all rows stays as it was; a new one has the umask's mode.
    let full = format!(
        "trap '' XFSZ; ulimit -f 1; $0 {line} {collected} --rows-file {}",
        folder.at("full")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &full, env!("CARGO_BIN_EXE_dp-cli")]);
    assert_eq!(shell.output().expect("a shell").status.code(), Some(2));
    assert_eq!(folder.read("full"), "");
    let mode = |name| fs::metadata(folder.at(name)).expect("a file").permissions();
    assert_eq!(mode("full"), mode("both"));
    let cut = folder.with("cut", &first[..first.len() - 1]);
    for foreign in [folder.at("rows.csv"), task, cut] {
        let before = fs::read(&foreign).expect("a file");
        refusal(&format!("{line} {collected} --rows-file {foreign}"));
        assert_eq!(fs::read(&foreign).expect("a file"), before);
    }
}

/// Whether the file has the one batch already, or takes both at once.
#[test]
fn intervals_that_overlap_are_named_once() {
    let folder = Folder::new();
    let task = planned(&folder, "sum.toml", "--type sum:80 --clients 310");
    let first = sample("sum.time_interval.stdout");
    let text = fs::read_to_string(&first).expect("a sample");
    let overlaps = folder.with("overlaps", text.replace("08:00:00", "04:00:00"));
    let later = text.replace("00:00:00", "16:00:00").replace("08:00:00", "20:00:00");
    let later = folder.with("later", later);
    let line = format!("estimate --task {task} --rows csv --collected {first}");
    for (name, files, warnings) in [
        ("a", format!("--collected {overlaps}"), 1),
        ("b", String::new(), 0),
        ("b", format!("--collected {overlaps} --collected {later}"), 1),
        ("c", format!("--collected {later}"), 0),
        ("", format!("--collected {overlaps}"), 1),
    ] {
        let file = if name.is_empty() { "" } else { &format!("--rows-file {}", folder.at(name)) };
        let output = run(&format!("{line} {files} {file}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        assert_eq!(error.matches("may count in both").count(), warnings, "{name}: {error}");
    }
}

/// Loads rows twice, by the statements of `docs/rows.sql`.
const LOAD: &str = r#"
import csv, sqlite3, sys
statements = open(sys.argv[1]).read()
create = statements[statements.index("CREATE"):statements.index(";")]
insert = next(line for line in statements.splitlines() if line.startswith("INSERT INTO"))
rows = list(csv.DictReader(sys.stdin))
database = sqlite3.connect(":memory:")
database.execute(create)
assert [column[1] for column in database.execute("PRAGMA table_info(estimates)")] == list(rows[0])
database.execute("CREATE TABLE new_rows (%s)" % ", ".join(rows[0]))
marks = ", ".join("?" * len(rows[0]))
for _ in range(2):
    database.executemany("INSERT INTO new_rows VALUES (%s)" % marks, [[*row.values()] for row in rows])
    database.execute(insert)
print(*database.execute("SELECT count(*), sum(reports), sum(entry) FROM estimates").fetchone())
"#;

#[test]
fn rows_that_are_loaded_twice_are_there_once() {
    let folder = Folder::new();
    let task = planned(&folder, "task.toml", HISTOGRAM);
    let collected = sample("histogram_gaussian.run.stdout");
    let rows = success(&format!("estimate --task {task} --rows csv --collected {collected}"));
    let rows = folder.with("rows.csv", rows);
    let mut python = Command::new("python3");
    python.args(["-c", LOAD]).arg(format!("{ROOT}/crates/dp-cli/docs/rows.sql"));
    let Ok(output) = python.stdin(fs::File::open(rows).expect("rows")).output() else {
        eprintln!("left out: no python3");
        return;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "64 2944 2016\n", "{error}");
}
