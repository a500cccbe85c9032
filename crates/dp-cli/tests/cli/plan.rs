//! `plan` as a user types it: its table, its files, its refusals.

use std::fs;

use serde_json::Value;

use crate::support::{refusal, success, text, xtask};

const JOB: &str = "plan --type histogram:6 --clients 2000 --epsilon 1 --delta 1e-8";

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[test]
fn one_table_answers_best_first_and_says_why_not() {
    let line = format!("{JOB} --releases 30 --all");
    let answer = success(&words(&line));
    let mut rest = answer.as_str();
    for part in [
        "Take histogram-laplace (scale 2): ",
        "One release guarantees epsilon 1 ",
        "All 30 releases together guarantee epsilon 25.72 at delta 1e-8: that protects nobody.",
        "over all 30: --total, with",
        "histogram-gaussian, off by at most 110",
        "The next best, ",
        "Job: histogram:6, 2 000 clients, 2 aggregators, 30 releases",
        "survey",
        "policy",
        "histogram-laplace",
        "scale 2",
        "one honest aggregator",
        "histogram-gaussian",
        "nobody else",
        "total OAOC",
        "Not for this job:",
        "count-laplace",
    ] {
        let place = rest
            .find(part)
            .unwrap_or_else(|| panic!("{part:?} is missing in {rest}"));
        rest = &rest[place + part.len()..];
    }
    assert!(
        answer.lines().all(|line| line.chars().count() < 200),
        "{answer}"
    );
}

#[test]
fn the_task_that_is_written_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for (policy, name) in [
        ("histogram-laplace", "task.toml"),
        ("histogram-gaussian", "task.json"),
    ] {
        let (task, strategy, json) = (path(name), path("strategy.json"), path("plan.json"));
        let line = format!(
            "{JOB} --policy {policy} --task {task} --strategy {strategy} --json {json} --force"
        );
        success(&words(&line));
        let run = format!("simulate --task {task} --column height_cm --bins 140..200/10 --seed 1");
        assert!(success(&words(&run)).contains(&format!("Policy: {policy}")));
        let strategy = fs::read_to_string(strategy).expect("a file");
        assert!(
            strategy.starts_with("{\"version\":1,\"law\":\"discrete_"),
            "{strategy}"
        );
        let document = fs::read_to_string(json).expect("a file");
        let document: Value = serde_json::from_str(&document).expect("JSON");
        assert_eq!(text(&document["chosen"]), "histogram-laplace");
    }
    // What somebody else wrote stays; what this program wrote is written anew.
    let (task, foreign) = (path("task.toml"), path("foreign.toml"));
    fs::write(&foreign, "name = \"mine\"\n").expect("a file");
    success(&words(&format!("{JOB} --task {task}")));
    let refused = refusal(&words(&format!("{JOB} --task {foreign}")));
    assert!(refused.contains("--force"), "{refused}");
}

/// What has no noise of aggregators has no strategy, which is said before anything is done.
#[test]
fn a_strategy_that_there_is_not_is_refused_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (task, strategy, json) = (path("a.toml"), path("b.json"), path("c.json"));
    let line = format!(
        "plan --type count --clients 2000 --epsilon 1 --policy count-response --task {task} \
         --strategy {strategy} --json {json}"
    );
    let refused = refusal(&words(&line));
    assert!(
        refused.contains("noise of aggregators in count-response is not available"),
        "{refused}"
    );
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0);
}

#[test]
fn a_dash_is_no_file_and_one_file_not_two() {
    for option in ["--task", "--strategy"] {
        let line = format!("{JOB} {option} -");
        let said = refusal(&words(&line));
        assert!(said.contains("is -: expected the name of a file"), "{said}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("both");
    let file = file.to_str().expect("UTF-8");
    let line = format!("{JOB} --task {file} --strategy {file}");
    let said = refusal(&words(&line));
    assert!(said.contains("it is being written"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn json_is_printed_in_place_of_the_text() {
    for json in ["--json -", "--json"] {
        let answer = success(&words(&format!("{JOB} {json}")));
        let document: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(document["schema_version"], 1);
        assert_eq!(text(&document["job"]["clients"]), "2000");
    }
}

/// Its document is one of the program's own, like its task and its strategy: a second run needs no
/// `--force` for any of them.
#[test]
fn a_second_run_replaces_what_the_first_one_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let (task, strategy, json) = (path("a.toml"), path("b.json"), path("c.json"));
    for epsilon in ["1", "2"] {
        let line = format!(
            "plan --type count --clients 2000 --epsilon {epsilon} --task {task} \
             --strategy {strategy} --json {json}"
        );
        success(&words(&line));
        let document = fs::read_to_string(&json).expect("a file");
        let document: Value = serde_json::from_str(&document).expect("JSON");
        assert_eq!(text(&document["format"]), "dp-cli plan");
        assert_eq!(text(&document["inputs"]["epsilon"]), epsilon);
        assert_eq!(text(&document["inputs"]["type"]), "count");
    }
}

/// What is asked if nothing is said is what is planned for that question.
#[test]
fn the_policy_of_simulate_is_the_one_that_is_planned() {
    let line = "plan --type histogram:12 --clients 1629 --epsilon 0.906 --delta 1e-9 --json";
    let plan: Value = serde_json::from_str(&success(&words(line))).expect("JSON");
    let chosen = text(&plan["chosen"]);
    let run = success(&["simulate", "--seed", "1"]);
    assert!(run.contains(&format!("Policy: {chosen}\n")), "{chosen}");
    assert!(run.contains("epsilon       0.906"));
}

#[test]
fn what_is_wrong_is_named_on_one_line() {
    for (line, said) in [
        ("plan", "error: type is missing: "),
        (
            "plan --type bars:3 --clients 10 --epsilon 1",
            "error: type is bars:3: expected count, ",
        ),
        (
            "plan --type count --epsilon 1",
            "error: clients is missing: ",
        ),
        (
            "plan --type count --clients 10",
            "error: what is wanted is missing: ",
        ),
        (
            "plan --type count --clients 1.5 --epsilon 1",
            "error: clients is 1.5: ",
        ),
        (
            "plan --type count --clients 10 --epsilon 0",
            "error: epsilon is 0: ",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --rho 1",
            "error: epsilon 1 has no meaning with --rho",
        ),
        (
            "plan --type count --clients 10 --std 0",
            "error: std is 0: ",
        ),
        (
            "plan --type count --clients 10 --std 1 --margin 2",
            "error: margin 2 has no meaning with --std",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --std 1",
            "error: clients 10 has no meaning ",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --against nobody",
            "error: against is nobody: ",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --adjacency none",
            "error: adjacency is none: ",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --aggregators 1",
            "error: aggregators is 1: ",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --honest-fraction 2",
            "error: honest-fraction is 2: ",
        ),
        (
            "plan --type count --grid 0..1/0.1 --clients 10 --epsilon 1",
            "error: type is count: expected sum, ",
        ),
        (
            "plan --type histogram:1 --clients 10 --epsilon 1",
            "error: noise for a histogram of one bucket",
        ),
        (
            "plan --type count --clients 10 --epsilon 1 --policy nothing",
            "error: policy is nothing: expected one of ",
        ),
    ] {
        let refused = refusal(&words(line));
        assert!(refused.starts_with(said), "{line}: {refused}");
    }
    // Where no policy does the job there is an answer, and no task.
    let alone = "plan --type sum:9 --clients 10 --epsilon 1 --against all-aggregators";
    assert!(success(&words(alone)).contains("No policy does this"));
    let refused = refusal(&words(&format!("{alone} --task nowhere.toml")));
    assert!(refused.contains("a policy that does this job"), "{refused}");
    assert!(!xtask(&["plan", "--task"]).status.success());
}
