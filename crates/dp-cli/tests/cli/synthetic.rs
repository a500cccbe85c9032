//! Synthetic data: a task runs without a file, whatever it aggregates, and the output says by which law.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{ROOT, number, refusal, simulated, success, text};

/// Every type of Prio3, as `plan` takes it, and the law that suits it.
const TYPES: [(&str, &str); 10] = [
    ("--type count", "uniform over no and yes"),
    ("--type sum:80", "normal over the integers from 0 to 80"),
    ("--type average:64", "normal over the integers from 0 to 64"),
    (
        "--type average --grid 40..140/0.1",
        "normal over a grid from 40 to 140 in steps of 0.1",
    ),
    (
        "--type sumvec:3:255",
        "uniform over the integers from 0 to 255, for each of 3 entries",
    ),
    (
        "--type sumvec:2 --grid=-1..1/0.01",
        "uniform over a grid from -1 to 1 in steps of 0.01, for each of 2 entries",
    ),
    ("--type histogram:40", "zipf over 40 buckets"),
    (
        "--type multihot:14:3",
        "zipf over the places of up to 3 ones of 14 bits",
    ),
    (
        "--type multihot:8:1",
        "zipf over the place of the one of 8 bits",
    ),
    (
        "--type l1boundsum:4:100",
        "uniform over sums from 0 to 100 of 4 entries",
    ),
];

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn a_planned_task_runs_as_it_is_and_by_the_command_in_its_first_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let task = folder.path().join("task.toml");
    let task = task.to_str().expect("UTF-8");
    for (job, law) in TYPES {
        let line = format!("plan {job} --clients 3000 --epsilon 1 --delta 1e-9 --task {task}");
        let said = success(&words(&line));
        let document = simulated(&["--task", task]);
        assert_eq!(text(&document["synthetic"]), law);
        assert_eq!(document["summary"]["rejected"], "0");
        let policy = text(&document["policy"]);
        assert!(
            said.contains(&format!("The task of {policy} is in ")),
            "{said}"
        );

        let written = fs::read_to_string(task).expect("text");
        let command = written.lines().next().expect("a line");
        let (_, command) = command.split_once(" simulate ").expect("a command");
        let document = simulated(&words(command));
        assert_eq!(document["summary"]["clients"], "3000", "{command}");
    }
    // Of too many clients to report one by one.
    let line = format!("plan --type histogram:40 --clients 1e9 --epsilon 1 --task {task} --force");
    success(&words(&line));
    let written = fs::read_to_string(task).expect("text");
    let (_, command) = written.split_once(" simulate ").expect("a command");
    let document = simulated(&words(command.lines().next().expect("a line")));
    assert_eq!(document["functionality"], "ideal");
    assert_eq!(document["summary"]["clients"], "1000000000");
}

#[test]
fn each_example_task_runs_without_a_further_option() {
    for entry in fs::read_dir(Path::new(ROOT).join("examples/tasks")).expect("a folder") {
        let path = entry.expect("a file").path();
        let document = simulated(&["--task", path.to_str().expect("UTF-8")]);
        // The clients that the batch needs.
        assert_eq!(document["summary"]["clients"], "1000", "{path:?}");
        assert!(document["synthetic"].is_string(), "{path:?}");
    }
}

#[test]
fn every_policy_runs_on_data_of_every_law() {
    let document: Value = serde_json::from_str(&success(&["policies", "--json"])).expect("JSON");
    for (number, policy) in document["policies"]
        .as_array()
        .expect("an array")
        .iter()
        .enumerate()
    {
        let name = text(&policy["policy"]);
        let job = match text(&policy["vdaf"]) {
            "Prio3Count" => "count",
            "Prio3Sum" => "sum:80",
            "Prio3Average" => "average:80",
            "Prio3SumVec" => "sumvec:3:10",
            "Prio3Histogram" => "histogram:6",
            // Of one-hot policies a bucket.
            "Prio3MultihotCountVec" => "multihot:6:1",
            "Prio3L1BoundSum" => "l1boundsum:3:10",
            other => panic!("{other}"),
        };
        for law in ["uniform", "zipf", "normal"] {
            let line = format!(
                "--policy {name} --type {job} --synthetic {law} --clients 40 --accept-weak-promise"
            );
            let ideal = if number % 2 == 0 { " --ideal" } else { "" };
            let document = simulated(&words(&format!("{line}{ideal}")));
            let said = text(&document["synthetic"]);
            assert!(said.starts_with(&format!("{law} over ")), "{name}: {said}");
            assert_eq!(document["summary"]["clients"], "40");
        }
    }
}

#[test]
fn every_output_names_the_law_and_the_clients() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (html, markdown, json) = (path("a.html"), path("a.md"), path("a.json"));
    let line = format!(
        "simulate --type histogram:40 --clients 250000 --ideal --seed 3 --html {html} \
         --markdown {markdown} --json {json}"
    );
    let printed = success(&words(&line));
    let files = [html, markdown, json].map(|path| fs::read_to_string(path).expect("a file"));
    for output in files.iter().chain([&printed]) {
        assert!(output.contains("zipf over 40 buckets"), "{output}");
        let plain = output.replace([' ', '\u{a0}'], "");
        assert!(plain.contains("250000"), "{output}");
    }
    assert!(printed.contains("Synthetic data: zipf over 40 buckets."));
    // The seed makes the data, too.
    let again = success(&words(&line.replace(" --json", " --force --json")));
    let digest = |text: &str| {
        let line = text.lines().find(|line| line.contains("digest of results"));
        line.expect("a digest").to_owned()
    };
    assert_eq!(digest(&printed), digest(&again));
}

#[test]
fn a_policy_does_the_job_of_a_task_and_is_named() {
    let heights = "examples/tasks/histogram.toml";
    let document = simulated(&["--task", heights, "--policy", "histogram-laplace"]);
    assert_eq!(document["policy"], "histogram-laplace");
    // The ε of the task's budget.
    assert_eq!(document["parameters"]["epsilon"], "0.906");
    let question = text(&document["question"]);
    assert!(
        question.ends_with(
            "The job is that of heights, done by histogram-laplace in place of histogram-gaussian."
        ),
        "{question}"
    );
    let other = [
        "--task",
        heights,
        "--policy",
        "multihot-one-hot-rappor",
        "--epsilon0",
        "4",
    ];
    let document = simulated(&other);
    assert_eq!(document["policy"], "multihot-one-hot-rappor");
    assert_eq!(document["parameters"]["epsilon0"], "4");
    // On a grid, with data of a file.
    let weights = [
        "--task",
        "examples/tasks/weight.toml",
        "--policy",
        "average-gaussian",
        "--column",
        "weight_kg",
        "--clamp",
    ];
    let document = simulated(&weights);
    assert_eq!(document["policy"], "average-gaussian");
    assert_eq!(document["parameters"]["grid_high"], "140");
    assert!(document["synthetic"].is_null());
    // Its own policy is the task itself.
    let own = simulated(&["--task", heights, "--policy", "histogram-gaussian"]);
    assert!(own["parameters"]["task_digest"].is_string());
}

#[test]
fn the_table_of_policies_reads_its_job_from_a_task() {
    let heights = "examples/tasks/histogram.toml";
    let table = success(&["policies", "--task", heights]);
    assert!(
        table.starts_with("Policies for histogram:12, of the task heights."),
        "{table}"
    );
    let read = |arguments: &[&str]| -> Value {
        let all = [&["policies", "--json"], arguments].concat();
        serde_json::from_str(&success(&all)).expect("JSON")
    };
    let of_task = read(&["--task", heights]);
    let typed = read(&["--type", "histogram:12", "--epsilon", "0.906"]);
    assert_eq!(of_task["policies"], typed["policies"]);
    let one = read(&["--task", heights, "--policy", "histogram-laplace"]);
    let policies = one["policies"].as_array().expect("an array");
    assert_eq!(policies.len(), 1);
    assert_eq!(policies[0]["policy"], "histogram-laplace");
    assert!(number(&policies[0]["margin_95"]).fract() == 0.0);
    let refused = refusal(&["policies", "--task", heights, "--policy", "sum-laplace"]);
    assert!(
        refused.contains("policy is sum-laplace: expected"),
        "{refused}"
    );
}

#[test]
fn calibrate_reads_its_query_from_a_task() {
    let of_task = |line: &str| success(&words(line));
    let gaussian = of_task("calibrate gaussian --task examples/tasks/histogram.toml");
    let typed = of_task("calibrate gaussian --query histogram:12 --epsilon 0.906 --delta 1e-9");
    assert_eq!(gaussian, typed);
    let laplace = of_task("calibrate laplace --task examples/tasks/l1boundsum.toml");
    let typed = of_task("calibrate laplace --query l1boundsum:2:120 --epsilon 1");
    assert_eq!(laplace, typed);
    let utility = of_task("calibrate utility --task examples/tasks/count.toml");
    let typed = of_task("calibrate utility --mechanism laplace:2 --aggregators 2");
    assert_eq!(utility, typed);
}

#[test]
fn what_says_nothing_of_synthetic_data_is_refused_by_name() {
    for (line, said) in [
        (
            "simulate --synthetic zipf",
            "type is missing: expected how large synthetic data are",
        ),
        (
            "simulate --type histogram:4 --column height_cm",
            "column height_cm has no meaning with synthetic data",
        ),
        (
            "simulate --type histogram:4 --synthetic pareto",
            "synthetic is pareto: expected uniform, zipf or normal",
        ),
        (
            "simulate --task examples/tasks/sum.toml --type sum:80",
            "type sum:80 has no meaning with --task",
        ),
        (
            "simulate --policy count-laplace --type histogram:4",
            "type is histogram:4: expected what count-laplace aggregates",
        ),
        (
            "simulate --policy sum-laplace --synthetic normal",
            "type is missing",
        ),
        (
            "simulate --type median:4",
            "type is median:4: expected count",
        ),
    ] {
        let refused = refusal(&words(line));
        assert!(refused.contains(said), "{line}: {refused}");
    }
}
