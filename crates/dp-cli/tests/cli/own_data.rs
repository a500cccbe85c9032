//! Data of one's own, as they come: delimiters, texts, missing values, real numbers, values beyond a range.

use std::fs;

use serde_json::Value;

use crate::support::{number, refusal, simulated, success, text};

const PEOPLE: &str = "platform;age;weight_kg;agree\nios;31;70,5;yes\nandroid;;81.2;no\n\
                      ios;45;39.2;unknown\nKaiOS;200;140.31;NA\n";

/// A folder with these people, and the path of their file.
fn people(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("people.csv");
    fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

fn with<'a>(path: &'a str, line: &'a str) -> Vec<&'a str> {
    let data = ["--data", path];
    data.into_iter().chain(line.split(' ')).collect()
}

/// The truth in every coordinate, and what is said of the data.
fn truth(document: &Value) -> (String, &Value) {
    let rows = document["coordinates"].as_array().expect("an array");
    let pair = |row: &Value| format!("{}={}", text(&row["label"]), text(&row["truth"]));
    (
        rows.iter().map(pair).collect::<Vec<_>>().join(" "),
        &document["data"],
    )
}

#[test]
fn values_are_measured_as_the_options_say() {
    let (_folder, path) = people(&PEOPLE.replace("70,5", "70.5"));
    for (line, expected) in [
        (
            "--column platform --bins ios,android,KaiOS",
            "ios=2 android=1 KaiOS=1",
        ),
        (
            "--column platform --bins android,ios --other",
            "android=1 ios=2 other=1",
        ),
        (
            "--column platform --bins distinct --delimiter ;",
            "KaiOS=1 android=1 ios=2",
        ),
        (
            "--column age --bins 40..60/10 --missing skip --clamp",
            "40..50=2 50..60=1",
        ),
        (
            "--column age --bins 40..60/10 --missing zero --overflow-bins",
            "below 40=2 40..50=1 50..60=0 60 and above=1",
        ),
        (
            "--policy count-laplace --column agree --yes yes --no no,unknown,NA",
            "agree=1",
        ),
        (
            "--policy sum-laplace --column age --max-measurement 80 --clamp --missing skip",
            "age=156",
        ),
        (
            "--policy sum-laplace --column weight_kg --grid 0..150/0.5",
            "weight_kg=331",
        ),
        (
            "--policy average-gaussian --column weight_kg --grid 40..140/20 --clamp",
            "weight_kg=85",
        ),
        (
            "--policy sumvec-laplace --columns weight_kg,age --grid 0..200/0.5 --missing zero",
            "weight_kg=331 age=276",
        ),
        (
            "--policy multihot-rappor --column platform --bins ios,android --overflow",
            "ios=2 android=1 other=1",
        ),
    ] {
        let document = simulated(&with(&path, line));
        assert_eq!(truth(&document).0, expected, "{line}");
    }
}

#[test]
fn what_was_changed_is_counted_in_text_and_document() {
    let (_folder, path) = people(PEOPLE);
    let line = "--column age --bins 40..60/10 --missing skip --clamp";
    let document = simulated(&with(&path, line));
    let (_, data) = truth(&document);
    assert_eq!(data["rows"], "4");
    assert_eq!(data["rows_skipped"], "1");
    assert_eq!(data["values_zeroed"], "0");
    assert_eq!(
        (&data["values_clamped_below"], &data["values_clamped_above"]),
        (&"1".into(), &"1".into())
    );
    assert_eq!(document["summary"]["clients"], "3");
    let printed = success(&[&["simulate"], &with(&path, line)[..]].concat());
    for said in [
        "1 of 4 rows are left out because a value is missing: the estimates are about the other 3",
        "Clamped values: 1 below the range and 1 above, which count as its ends",
    ] {
        assert!(printed.contains(said), "{printed}");
    }
    let line = "--policy sum-laplace --column age --max-measurement 200 --missing zero";
    let printed = success(&[&["simulate"], &with(&path, line)[..]].concat());
    assert!(
        printed.contains("Missing values: 1, which count as 0"),
        "{printed}"
    );
}

#[test]
fn a_grid_of_the_options_is_that_of_a_task() {
    let grid = [
        "--policy",
        "average-laplace",
        "--epsilon",
        "0.5",
        "--column",
        "weight_kg",
    ];
    let grid = [&grid[..], &["--grid", "40..140/0.1", "--clamp"]].concat();
    let task = [
        "--task",
        "examples/tasks/weight.toml",
        "--column",
        "weight_kg",
    ];
    let (spelled_out, from_file) = (simulated(&grid), simulated(&task));
    for name in ["coordinates", "question", "data", "vdaf", "policy"] {
        assert_eq!(spelled_out[name], from_file[name], "{name}");
    }
    assert_eq!(spelled_out["parameters"]["grid_low"], "40");
    assert_eq!(spelled_out["parameters"]["max_measurement"], "1000");
}

#[test]
fn what_the_data_are_not_is_refused_on_one_line() {
    let (_folder, path) = people(PEOPLE);
    for (line, said) in [
        (
            "--column age --bins 0..100/10",
            "people.csv: line 3: age is \"\": expected a value, or --missing skip or zero",
        ),
        (
            "--policy sum-laplace --column weight_kg --grid 0..150/0.5",
            "line 2: weight_kg is 70,5: expected a number with a point, such as 70.5",
        ),
        (
            "--column platform --bins 0..10/1",
            "line 2: platform is ios: expected a number such as",
        ),
        (
            "--column platform --bins ios,android",
            "line 5: platform is KaiOS: expected one of ios",
        ),
        (
            "--column platform --bins ios,android --clamp",
            "error: bins is ios,android: expected LOW..HIGH/WIDTH",
        ),
        (
            "--column platform",
            "bins is missing: expected LOW..HIGH/WIDTH, values such as 0,1,2",
        ),
        (
            "--column platform --delimiter ,",
            "column is platform: expected one of platform;age;",
        ),
        (
            "--column age --delimiter ;;",
            "delimiter is ;;: expected comma, semicolon, tab or bar",
        ),
        (
            "--column age --missing drop",
            "missing is drop: expected skip, zero or refuse",
        ),
        (
            "--column age --bins 0..300/10 --clamp --other",
            "clamp true has no meaning with --overflow-bins: leave one of them out",
        ),
        (
            "--policy count-laplace --column agree --clamp",
            "clamp true has no meaning with --policy count-laplace: leave it out",
        ),
        (
            "--policy l1boundsum-laplace --columns age --max-measurement 9 --clamp",
            "clamp true has no meaning with --policy l1boundsum-laplace",
        ),
        (
            "--policy histogram-laplace --column age --grid 0..9/1",
            "grid 0..9/1 has no meaning with --policy histogram-laplace: leave it out",
        ),
        (
            "--policy sum-laplace --column age --grid 0..9/2",
            "grid is 0..9/2: expected for its granularity a number of which the range is a multiple",
        ),
        (
            "--policy sum-laplace --column age --grid x",
            "grid is x: expected LOW..HIGH/STEP",
        ),
        (
            "--policy sum-laplace --column age --grid 0..9/1 --max-measurement 9",
            "max-measurement 9 has no meaning with --grid: leave one of them out",
        ),
        (
            "--policy sum-laplace --column age --grid 0..100/1 --missing skip",
            "line 5: age is 200: expected a number from 0 to 100",
        ),
        (
            "--policy count-laplace --column agree --yes yes --no yes,no",
            "yes is yes: expected a code that is not one of --no",
        ),
        (
            "--policy count-laplace --column agree --yes yes --no no,unknown",
            "line 5: agree is NA: expected a value, or --missing skip or zero",
        ),
    ] {
        let refused = refusal(&[&["simulate"], &with(&path, line)[..]].concat());
        assert!(refused.contains(said), "{refused:?} is not {said:?}");
    }
    let refused = refusal(&["simulate", "--delimiter", ";"]);
    assert!(
        refused.contains("delimiter ; has no meaning without --data"),
        "{refused}"
    );
    let weight = [
        "--task",
        "examples/tasks/weight.toml",
        "--column",
        "weight_kg",
    ];
    let refused = refusal(&[&["simulate", "--grid", "0..1/1"], &weight[..]].concat());
    assert!(
        refused.contains("grid 0..1/1 has no meaning with --task: leave it out"),
        "{refused}"
    );
}

#[test]
fn files_that_are_no_table_in_utf_8_say_what_to_do() {
    for (bytes, said) in [
        (
            &b"\xff\xfea\0;\0b\0\n\0"[..],
            "line 1: it begins with the byte order mark of UTF-16: save",
        ),
        (
            b"name;age\nZo\xeb;31\n",
            "line 2: byte 3 is not UTF-8, in value 1 (name): save the file as",
        ),
        (
            b"a;b,c\n1;2\n",
            "line 1: its values could be separated by a comma or by a semicolon: ",
        ),
        (
            b"a;a\n1;2\n",
            "line 1: column 2 has the name of another one, a",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.csv");
        fs::write(&path, bytes).expect("written");
        let path = path.to_str().expect("UTF-8");
        let refused = refusal(&[
            "simulate", "--data", path, "--column", "age", "--bins", "0..90/10",
        ]);
        assert!(refused.contains(said), "{refused:?} is not {said:?}");
    }
}

#[test]
fn consistent_estimates_are_named_in_text_and_document() {
    let options =
        "--policy histogram-laplace --bins 130..220/5 --epsilon 0.1 --trials 3 --consistent";
    let options: Vec<&str> = options.split(' ').collect();
    let document = simulated(&options);
    let rows = document["coordinates"].as_array().expect("an array");
    let of_first = || rows.iter().filter(|row| row["trial"] == "0");
    let total: f64 = of_first().map(|row| number(&row["consistent"])).sum();
    assert!((total - 1629.0).abs() < 1e-6, "{total}");
    assert!(rows.iter().all(|row| number(&row["consistent"]) >= 0.0));
    assert!(
        rows.iter().any(|row| number(&row["estimate"]) < 0.0),
        "the raw ones stay"
    );
    assert!(
        rows.iter()
            .all(|row| text(&row["estimate"]).parse::<i64>().is_ok()),
        "integers are written as such"
    );
    assert_eq!(document["post_processing"]["name"], "partition");
    let words = text(&document["post_processing"]["words"]);
    assert!(
        words.contains("costs no privacy") && words.contains("It is biased"),
        "{words}"
    );
    let summary = &document["summary"];
    let processed = &summary["consistent"];
    let (raw, processed) = (&summary["observed_std"], &processed["observed_std"]);
    assert!(number(processed) < number(raw), "{summary}");
    assert!(
        number(&summary["consistent"]["bias_error"]) > 0.0,
        "{summary}"
    );

    let printed = success(&[&["simulate", "--seed", "1"], &options[..]].concat());
    for said in [
        "  consistent     ± 95 %",
        "consistent: the estimates are moved",
        "consistent estimates ",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
    let plain = simulated(&["--policy", "count-laplace"]);
    assert!(plain["post_processing"].is_null() && plain["coordinates"][0]["consistent"].is_null());
    assert!(plain["summary"]["consistent"].is_null());

    // Of vectors in which exactly one bit is set the sum is known too, of others it is not.
    for (policy, known) in [
        ("multihot-one-hot-rappor --epsilon0 1", "partition"),
        ("multihot-rappor --epsilon0 1", "range"),
        ("average-laplace", "range"),
        ("l1boundsum-laplace", "bounded-total"),
    ] {
        let line = format!("--consistent --clients 50 --policy {policy}");
        let document = simulated(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(document["post_processing"]["name"], known, "{policy}");
    }
}

#[test]
fn a_report_says_why_reports_are_missing() {
    let none = success(&["simulate", "--seed", "1", "--policy", "count-laplace"]);
    assert!(none.contains("  missing reports        0\n"), "{none}");
    let lossy =
        "--policy multihot-one-hot-rappor --epsilon0 3 --false-positive-rate 0.3 --clients 300";
    let lossy: Vec<&str> = lossy.split(' ').collect();
    let lossy = success(&[&["simulate", "--seed", "1"], &lossy[..]].concat());
    assert!(
        lossy.contains(" not sent, as the randomized measurement was not a valid one\n"),
        "{lossy}"
    );
}
