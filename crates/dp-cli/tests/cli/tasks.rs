//! Policies by name and tasks by file, as a user types them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{ROOT, epsilon, number, refusal, simulated, success, text};

fn policies() -> Vec<Value> {
    let document: Value = serde_json::from_str(&success(&["policies", "--json"])).expect("JSON");
    document["policies"].as_array().expect("an array").clone()
}

#[test]
fn every_policy_that_is_listed_runs_by_its_name_and_says_whom_it_protects_from() {
    for policy in policies() {
        let name = text(&policy["policy"]);
        let arguments = ["--policy", name, "--clients", "40"];
        let document = simulated(&[&arguments[..], &["--accept-weak-promise"]].concat());
        assert_eq!(document["policy"], name);
        assert_eq!(document["vdaf"], policy["vdaf"]);
        let guarantees = document["guarantees"].as_array().expect("an array");
        let listed = policy["guarantees"].as_array().expect("an array");
        assert_eq!((guarantees.len(), listed.len()), (3, 3));
        for (guarantee, listed) in guarantees.iter().zip(listed) {
            let proved = !listed["budget"].is_null();
            assert_eq!(
                !guarantee.is_null(),
                proved,
                "{name}: {guarantee} and {listed}"
            );
            assert!(!text(&listed["must_be_honest"]).is_empty());
            assert!(!text(&listed["otherwise"]).is_empty(), "{name}: {listed}");
        }
        let summary = &document["summary"];
        assert_eq!(summary["clients"], "40");
        assert!(number(&summary["predicted_std"]) > 0.0, "{name}");
    }
}

#[test]
fn the_table_has_a_line_for_each_policy_and_each_sentence_once() {
    let table = success(&["policies"]);
    let names: BTreeSet<String> = policies()
        .iter()
        .map(|row| text(&row["policy"]).to_owned())
        .collect();
    assert!(names.len() >= 33, "{names:?}");
    let lines: Vec<&str> = table.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), names.len() + 1, "{table}");
    for words in [
        ["count-laplace", "1.919", "none", "ε 1", "ε 1"].as_slice(),
        &["sum-gaussian", "none", "ε 1, δ 1e-9", "ε 1, δ 1e-9"],
        &["count-response", "ε 1", "ε 1", "δ 1e-9"],
        &["multihot-rappor", "ε 4", "ε 4"],
    ] {
        let line = lines
            .iter()
            .find(|line| line.split(' ').next() == words.first().copied());
        let mut rest = *line.expect("a line");
        for word in words {
            let place = rest
                .find(word)
                .unwrap_or_else(|| panic!("{word:?} is missing in {line:?}"));
            rest = &rest[place + word.len()..];
        }
    }
    for part in ["only the client itself", "Otherwise:", "the ε of column OC"] {
        assert!(table.contains(part), "{part:?} is missing in {table}");
    }
    assert!(
        table.lines().all(|line| line.chars().count() <= 100),
        "{table}"
    );
    let sentences = table.lines().filter(|line| line.contains("no promise:"));
    assert_eq!(
        sentences.count(),
        1,
        "policies of which the same is true share it: {table}"
    );
}

#[test]
fn each_example_task_runs_by_the_command_in_its_first_line() {
    let mut vdafs = BTreeSet::new();
    for entry in fs::read_dir(Path::new(ROOT).join("examples/tasks")).expect("a folder") {
        let path = entry.expect("a file").path();
        let document = fs::read_to_string(&path).expect("text");
        let command = document.lines().next().expect("a line");
        let command = command
            .strip_prefix("# cargo xtask simulate ")
            .expect("a command");
        let arguments: Vec<&str> = command.split(' ').collect();
        let document = simulated(&[arguments.as_slice(), &["--clients", "1000"]].concat());
        assert_eq!(
            document["parameters"]["task_digest"].as_str().map(str::len),
            Some(64)
        );
        vdafs.insert(text(&document["vdaf"]).to_owned());
    }
    assert_eq!(vdafs.len(), 7, "one for each VDAF: {vdafs:?}");
}

#[test]
fn a_zero_concentrated_budget_is_shown_by_its_rho() {
    let document = simulated(&[
        "--policy",
        "count-gaussian",
        "--rho",
        "1/2",
        "--clients",
        "40",
    ]);
    assert!(document["guarantees"][0].is_null());
    for place in 1..3 {
        let guarantee = &document["guarantees"][place];
        assert_eq!(guarantee["budget"]["zero_concentrated"]["rho"], "1/2");
    }
}

#[test]
fn several_honest_aggregators_are_trust_models_of_their_own() {
    let epsilons = |arguments: &[&str]| -> Vec<(String, String)> {
        let document = simulated(arguments);
        let guarantees = document["guarantees"].as_array().expect("an array");
        let proved = guarantees.iter().filter(|guarantee| !guarantee.is_null());
        proved
            .map(|guarantee| {
                let model = text(&guarantee["trust_model"]).to_owned();
                (model, epsilon(guarantee).to_string())
            })
            .collect()
    };
    let named = |rows: &[(String, String)]| -> Vec<String> {
        rows.iter().map(|(model, _)| model.clone()).collect()
    };
    let one = epsilons(&["--policy", "count-gaussian", "--clients", "40"]);
    assert_eq!(named(&one), ["OAOC", "OAMC"]);
    let two = [
        "--policy",
        "count-gaussian",
        "--clients",
        "40",
        "--honest-aggregators",
        "2",
    ];
    assert_eq!(one[0].1, "0.906");
    let two = epsilons(&two);
    assert_eq!(named(&two), ["OAOC", "OAMC", "2AOC", "2AMC"]);
    assert_eq!(two[..2], one, "of one aggregator nothing changes");
    assert_ne!(two[2].1, "0.906", "two draws hide more");
    assert_eq!(two[2].1, two[3].1);
    let task = [
        "--task",
        "examples/tasks/average.toml",
        "--column",
        "years_smoking",
    ];
    let of_task = epsilons(&[&task[..], &["--clients", "1000"]].concat());
    assert_eq!(of_task[0], ("OAOC".to_owned(), "1".to_owned()));
    assert_eq!(of_task[2].0, "2AOC");
    assert_ne!(of_task[2].1, "1", "the task counts on two");
    let one = [
        &task[..],
        &["--clients", "1000", "--honest-aggregators", "1"],
    ];
    assert_eq!(named(&epsilons(&one.concat())), ["OAOC", "OAMC"]);
}

#[test]
fn the_default_rate_leaves_delta_to_the_crowd() {
    let of_crowd = |arguments: &[&str]| -> f64 {
        let policy = ["--policy", "multihot-rappor", "--epsilon0", "1"];
        let data = ["--bins", "120..200/2", "--clients", "10000"];
        let document = simulated(&[&policy[..], &data, arguments].concat());
        epsilon(&document["guarantees"][2])
    };
    assert!((0.07..0.0753).contains(&of_crowd(&[])));
    // At a larger delta less is needed.
    assert!(of_crowd(&["--delta", "1e-6"]) < of_crowd(&[]));
}

#[test]
fn a_run_of_which_no_promise_protects_anybody_asks_to_be_accepted() {
    let weak = [
        "--policy",
        "count-laplace",
        "--epsilon",
        "21",
        "--clients",
        "40",
    ];
    let refused = refusal(&[&["simulate"], &weak[..]].concat());
    assert!(
        refused.starts_with("error: accept-weak-promise is missing: expected"),
        "{refused}"
    );
    let accepted = [&weak[..], &["--accept-weak-promise"]].concat();
    let document = simulated(&accepted);
    assert_eq!(document["guarantees"][1]["protects_nobody"], true);
    let words = text(&document["guarantees_in_words"][1]).to_owned();
    assert!(words.contains("This protects nobody"), "{words}");
    let printed = success(&[&["simulate"], &accepted[..]].concat());
    assert!(printed.contains("protects nobody"), "{printed}");
    // The local promise of a crowd is labelled, and not refused.
    let document = simulated(&["--policy", "multihot-rappor"]);
    assert_eq!(document["guarantees"][0]["protects_nobody"], true);
    assert_eq!(document["guarantees"][2]["protects_nobody"], false);
}

#[test]
fn what_does_not_go_with_a_task_or_a_policy_is_refused() {
    let heights = "examples/tasks/histogram.toml";
    for (arguments, line) in [
        (
            vec!["--task", heights, "--policy", "count-laplace"],
            "policy is count-laplace: expected a policy that aggregates histogram:12, as the task does",
        ),
        (
            vec!["--task", heights, "--epsilon", "1"],
            "epsilon 1 has no meaning with --task",
        ),
        (
            vec!["--task", heights, "--aggregators", "3"],
            "aggregators 3 has no meaning with",
        ),
        (
            vec!["--task", heights, "--bins", "140..200/10"],
            "bins is 6: expected 12, as the task's vdaf.length",
        ),
        (
            vec!["--task", heights, "--accept-weak-promise"],
            "accept-weak-promise true has no meaning with --task: set",
        ),
        (
            vec!["--task", heights, "--columns", "asthma,tb"],
            "columns asthma,tb has no meaning with",
        ),
        (
            vec!["--task", heights, "--clients", "999"],
            "clients is 999: expected at least 1000, the task's batch.min_reports",
        ),
        (
            vec!["--task", heights, "--clients", "100001"],
            "clients is 100001: expected at most 100000",
        ),
        (
            vec!["--task", heights, "--honest-aggregators", "3"],
            "honest-aggregators is 3: expected an integer from 1 to 2",
        ),
        (
            vec!["--task", "examples/README.md"],
            "examples/README.md: expected a name that ends in .toml or .json",
        ),
        (vec!["--task", "no/such.toml"], "no/such.toml: "),
        (
            vec!["--policy", "sum-laplace", "--wanted-honest-clients", "9"],
            "wanted-honest-clients 9 has no meaning with",
        ),
        (
            vec!["--honest-clients", "1630"],
            "honest-clients is 1630: expected an integer from 1 to 1629",
        ),
        (
            vec!["--policy", "count-laplace", "--rho", "1"],
            "rho 1 has no meaning with --policy count-laplace",
        ),
        (
            vec!["--policy", "count-gaussian", "--rho", "0"],
            "rho is 0: expected a number greater than 0",
        ),
        (
            vec!["--policy", "sum-laplace", "--column", "age"],
            "max-measurement is missing: expected the largest",
        ),
        (
            vec![
                "--policy",
                "sum-laplace",
                "--column",
                "age",
                "--max-measurement",
                "60",
            ],
            "nhefs.csv: line ",
        ),
        (
            vec!["--policy", "count-laplace", "--columns", "asthma"],
            "columns asthma has no meaning with",
        ),
        (
            vec![
                "--policy",
                "sum-laplace",
                "--max-measurement",
                "9999999999999999999",
            ],
            "max-measurement is 9999999999999999999: expected",
        ),
    ] {
        let refused = refusal(&[vec!["simulate"], arguments].concat());
        assert!(
            refused.starts_with(&format!("error: {line}")),
            "{refused:?} is not {line:?}"
        );
    }
}

#[test]
fn a_field_of_a_task_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("task.toml");
    let heights = Path::new(ROOT).join("examples/tasks/histogram.toml");
    let document = fs::read_to_string(heights).expect("a task");
    fs::write(&path, document.replace("\"OAOC\"", "\"OC\"")).expect("written");
    let path = path.to_str().expect("UTF-8");
    let refused = refusal(&["simulate", "--task", path]);
    let line = format!("error: {path}: trust.model is OC: expected a trust model");
    assert!(refused.starts_with(&line), "{refused}");
}
