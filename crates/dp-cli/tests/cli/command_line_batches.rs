//! Tasks on data, as a user types them: real numbers, batches that fall short, what then remains.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{ROOT, epsilon, number, refusal, simulated, success, text};

#[test]
fn a_mean_of_decimals_is_reported_in_their_unit() {
    let task = [
        "--task",
        "examples/tasks/weight.toml",
        "--column",
        "weight_kg",
    ];
    let document = simulated(&task);
    let row = &document["coordinates"][0];
    let number = |name: &str| number(&row[name]);
    // The mean of the column is 71.0521; rounding to 100 g moves it by at most 0.05, and clamping at
    // 40 and 140 by less than that.
    assert!((number("truth") - 71.0521).abs() < 0.1, "{row}");
    // Two Laplace noises of scale 1000/0.5 cells in a sum, of 0.1 kg each.
    let expected = 2.0 * 2000.0 * 0.1 / 1629.0;
    let stated = number("standard_error");
    assert!((stated / expected - 1.0).abs() < 1e-3, "{row}");
    assert!((number("estimate") - number("truth")).abs() < 40.0 * expected);
    let question = text(&document["question"]);
    assert!(
        question.contains("from 40 to 140 in steps of 0.1"),
        "{question}"
    );
    assert_eq!(document["parameters"]["max_measurement"], "1000");
    assert_eq!(document["parameters"]["grid_granularity"], "0.1");
}

#[test]
fn what_remains_is_said_after_each_promise() {
    let hedged = success(&[
        "simulate",
        "--policy",
        "count-response-laplace",
        "--clients",
        "40",
    ]);
    assert_eq!(hedged.matches("Otherwise: ").count(), 3, "{hedged}");
}

#[test]
fn compensation_is_set_by_its_options() {
    let policy = ["--policy", "compensated-rappor", "--clients", "40"];
    let few = simulated(&[&policy[..], &["--wanted-honest-clients", "30"]].concat());
    let epsilon = |document: &Value| epsilon(&document["guarantees"][1]);
    assert!(epsilon(&few) > 5.0, "nobody is missing");
    assert!(epsilon(&simulated(&policy)) < 1.0, "9960 are made up for");
    let refused = refusal(
        &[
            &["simulate"],
            &policy[..],
            &["--assumed-malicious-clients", "40"],
        ]
        .concat(),
    );
    assert!(
        refused.starts_with("error: clients is 40: expected at least 41"),
        "{refused}"
    );
}

#[test]
fn totals_of_decimals_are_in_their_unit_in_every_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("task.toml");
    let weight = Path::new(ROOT).join("examples/tasks/weight.toml");
    let document = fs::read_to_string(weight).expect("a task");
    let vector = document
        .replace("Prio3Average\"", "Prio3SumVec\"\nlength = 2")
        .replace("\"140\"", "\"210\"");
    fs::write(&path, vector).expect("written");
    let path = path.to_str().expect("UTF-8");
    let document = simulated(&["--task", path, "--columns", "weight_kg,height_cm"]);
    let rows = document["coordinates"].as_array().expect("an array");
    // The means of the columns over 1629 people.
    for (row, mean) in rows.iter().zip([71.0521, 168.75]) {
        let truth = number(&row["truth"]) / 1629.0;
        assert!((truth - mean).abs() < 1.0, "{row}");
    }
    assert_eq!(rows.len(), 2);
    let refused = refusal(&["simulate", "--task", path, "--column", "weight_kg"]);
    assert!(
        refused.starts_with("error: columns is missing: expected columns"),
        "{refused}"
    );
}

#[test]
fn a_batch_that_falls_short_of_its_least_size_is_not_released() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("task.toml");
    let diagnoses = Path::new(ROOT).join("examples/tasks/multihot.toml");
    let document = fs::read_to_string(diagnoses).expect("a task");
    // Clients drop up to two reports in five.
    let lossy = document.replace("rate = 0", "rate = \"0.4\"");
    fs::write(&path, lossy).expect("written");
    let columns = "asthma,tb,colitis,polio,tumor";
    let run = |clients| {
        let path = path.to_str().expect("UTF-8");
        let task = ["simulate", "--task", path, "--columns", columns];
        [&task[..], &["--seed", "1", "--clients", clients]].concat()
    };
    success(&run("5000"));
    let refused = refusal(&run("1000"));
    assert!(
        refused.ends_with("reports: the policy releases none below 1000\n")
            || refused.ends_with("reports: the policy releases none below 1000"),
        "{refused}"
    );
}
