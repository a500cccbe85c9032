//! `ledger`.

use std::fs;

use serde_json::{Map, Value, json};

use crate::support::{Folder, json, number, refusal, run, success, text};

/// The histogram at (0.906, 1e-9): by sums a year is 330.7.
const DAY: &str = "gaussian:72.85043055954:pair";

/// The figures of an answer.
fn figures(line: &str) -> Map<String, Value> {
    json(line)["answer"].as_object().expect("figures").clone()
}

/// Creates a ledger with these options.
fn ledger(folder: &Folder, name: &str, options: &str) -> (String, Map<String, Value>) {
    let file = folder.at(name);
    let created = figures(&format!("ledger create {file} {options}"));
    (file, created)
}

/// The refusal of a question about a ledger, which names its file.
fn refused(line: &str, file: &str) -> String {
    let said = refusal(&format!("ledger {line}"));
    assert!(said.contains(file), "{line}: {said}");
    said
}

#[test]
fn a_ledger_is_kept_in_its_file_and_refuses_an_overspend() {
    let folder = Folder::new();
    let (file, created) = ledger(&folder, "visits", "--epsilon 1 --delta 1e-6");
    for (name, value) in [
        ("entries", json!("0")),
        ("spent", json!(null)),
        ("adjacency", json!("replacement")),
        ("trust_model", json!("OAOC")),
    ] {
        assert_eq!(created[name], value);
    }
    let spend = |name: &str| format!("record {file} --epsilon 0.4 --delta 1e-9 --name {name}");
    let record = |name: &str| figures(&format!("ledger {}", spend(name)));
    assert_eq!(record("monday")["recorded"], "now");
    let again = format!("ledger {}", spend("monday"));
    assert!(success(&again).contains("monday was recorded before: nothing spent"));
    assert_eq!(figures(&again)["recorded"], "before");
    let mut tuesday = record("tuesday");
    assert_eq!(tuesday["entries"], "2");
    tuesday.remove("recorded");
    assert!(refused(&spend("wednesday"), &file).contains("wednesday does not fit"));
    let (dated, _) = ledger(&folder, "dated", "--epsilon 1 --delta 1e-6");
    let recorded = format!("ledger record {dated} --name 20261128 --epsilon 0.1");
    assert!(success(&recorded).contains("20261128"), "a name is no number");
    let other = format!("record {file} --name monday --epsilon 0.1");
    assert!(refused(&other, &file).contains("monday was recorded before"));
    assert!(refused(&format!("create {file} --epsilon 1"), &file).contains("exists already"));
    let show = || figures(&format!("ledger show {file}"));
    assert_eq!(show(), tuesday);
    // A lock is another status than a refusal.
    let open = dp_ledger::Journal::open(&file).expect("a ledger");
    assert_eq!(run(&format!("ledger {}", spend("monday"))).status.code(), Some(75));
    drop(open);

    // An older copy is refused by its head.
    let bytes = fs::read(&file).expect("the journal");
    let head = format!(
        "--head {}",
        text(&figures(&format!("ledger record {file} --name thursday --epsilon 0.1"))["head"])
    );
    folder.with("visits", &bytes);
    for line in [format!("show {file} {head}"), spend(&format!("friday {head}"))] {
        assert!(refused(&line, &file).contains("an older copy"));
    }
}

#[test]
fn other_neighbours_and_less_trust_are_refused() {
    let folder = Folder::new();
    let (file, _) = ledger(&folder, "visits", "--epsilon 2 --trust-model 2aoc");
    let record = |rest: &str| format!("record {file} --epsilon 0.1 {rest}");
    success(&format!("ledger {}", record("--name a --trust-model all-aggregators")));
    let deletion = refused(&record("--name b --adjacency deletion"), &file);
    assert!(deletion.contains("under deletion: the ledger is for replacement"), "{deletion}");
    let weaker = refused(&record("--name b --trust-model OAMC"), &file);
    assert!(weaker.contains("OAMC") && weaker.contains("2AOC"), "{weaker}");
    assert!(
        refused(&format!("record {file} --name c --rho 0.1"), &file)
            .contains("expected a pure or approximate")
    );
    for (rest, expected) in [
        ("--name a\u{202e}b", "name is"),
        ("--name b --mechanism \u{2028}", "mechanism is"),
        ("--name b --mechanism laplace:1/10:pair", "epsilon 0.1 has no meaning with a --mechanism"),
        ("--name b --mechanism gaussian:9000:pair --delta 0", "epsilon 0.1 has no meaning"),
    ] {
        let said = refusal(&format!("ledger {}", record(rest)));
        assert!(said.starts_with(expected), "{said}");
    }
}

/// By zero-concentrated privacy 26 of them fit into the total that the plan promises over 30.
#[test]
fn a_ledger_of_a_task_takes_the_releases_of_its_plan_and_nothing_else() {
    let folder = Folder::new();
    let (task, delta) = (folder.at("task.toml"), "--delta 1e-8");
    let plan = "plan --type histogram:40 --clients 250000 --epsilon 1 --releases 30 --total";
    let printed = success(&format!("{plan} {delta} --task {task}")).replace('\n', " ");
    let room = "takes 1 by the rule basic and 26 by the rule concentrated";
    assert!(printed.contains(room), "{printed}");
    let (basic, _) = ledger(&folder, "basic", &format!("--epsilon 1 {delta}"));
    let (file, created) = ledger(&folder, "year", &format!("--task {task} {delta}"));
    let limit = &created["limit"]["approximate"];
    assert!(number(&limit["epsilon"]) <= 1.0 && limit["delta"] == "1e-8", "{limit}");
    assert_eq!((&created["rule"], &created["releases"]), (&json!("scheduled"), &json!("30")));
    assert_eq!(figures(&format!("ledger left {file}"))["more_releases"], "30");
    let (filter, _) =
        ledger(&folder, "filter", &format!("--epsilon 1 {delta} --rule concentrated"));
    for (line, expected) in [
        (format!("create {filter} --task {task} --releases 31"), "at most 30, the task's"),
        (
            format!("create {filter} --task {task} --task other.toml"),
            "task other.toml has no meaning beside another task in one schedule: create a ledger for each",
        ),
        (format!("left {filter}"), "task is missing: expected the file of a task; or --mechanism"),
        (
            format!("record {file} --name a --task {task} --adjacency deletion"),
            "for replacement and",
        ),
        (format!("record {file} --name a --task {task} --trust-model OC"), "and OAOC"),
        (format!("record {file} --name a"), "task is missing"),
    ] {
        let said = refusal(&format!("ledger {line}"));
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(figures(&format!("ledger show {file}"))["left"], "30");
    for (file, more) in [(&basic, "1"), (&filter, "26"), (&file, "30")] {
        assert_eq!(figures(&format!("ledger left {file} --task {task}"))["more_releases"], more);
    }
    let deployed = "--deployment examples/deployments/heights.toml --releases";
    let statement = format!("statement --task {task} {deployed}");
    assert!(refusal(&format!("{statement} 31")).contains("at most 30, the task's"));
    let fewer = success(&format!("{statement} 29"));
    assert!(fewer.contains("**Warning: 30 results are planned: "), "{fewer}");
    let other = "--name other --task examples/tasks/histogram.toml";
    for other in
        [other, "--name other --mechanism gaussian:9000:pair", "--name other --epsilon 0.1"]
    {
        let said = refused(&format!("record {file} {other}"), &file);
        let expected = format!("created for the task {}, with its noise", text(&created["task"]));
        assert!(said.contains("other is a release of ") && said.contains(&expected), "{said}");
    }
    for day in 1..=30 {
        success(&format!("ledger record {file} --name {day} --task {task}"));
    }
    let said = refused(&format!("record {file} --name 31 --task {task}"), &file);
    assert!(
        said.contains("31 does not fit: 1 scheduled release; left is nothing of 30 scheduled"),
        "{said}"
    );
}

/// A deletion changes half as many totals as a replacement, and costs half the ρ.
#[test]
fn under_deletion_plan_statement_and_ledger_name_one_rho() {
    let folder = Folder::new();
    let (task, rho) = (folder.at("task.toml"), "--rho 0.01");
    for query in ["histogram:40", "multihot:14:3"] {
        let plan = format!("plan --type {query} --clients 10000 {rho} --releases 3 --total");
        success(&format!("{plan} --adjacency deletion --task {task} --force"));
        let deployment = "--deployment examples/deployments/heights.toml";
        let made = json(&format!("statement --task {task} {deployment}"));
        let loss = &made["record"]["deployment"]["privacy_loss"];
        assert_eq!(loss["privacy_parameters"]["rho"].to_string().trim_matches('"'), "0.01");
        let details = text(&loss["privacy_parameters_details"]);
        assert!(details.contains("rho 0.00333333333334;"), "{query}: {details}");
        for (ledgers, released, more) in
            [("deletion", "deletion", "3"), ("replacement", "replacement", "1")]
        {
            let name = format!("{query}-{ledgers}-{released}");
            let (file, _) = ledger(&folder, &name, &format!("{rho} --adjacency {ledgers}"));
            let left = format!("ledger left {file} --task {task} --adjacency {released}");
            assert_eq!(figures(&left)["more_releases"], more, "{name}");
        }
        let (file, _) = ledger(&folder, query, &format!("{rho} --adjacency deletion"));
        for day in 1..=3 {
            success(&format!("ledger record {file} --name {day} --task {task}"));
        }
        let said = refused(&format!("record {file} --name 4 --task {task}"), &file);
        assert!(said.contains("4 does not fit"), "{said}");
    }
}

#[test]
fn the_rule_is_the_users_and_sums_are_exact() {
    let folder = Folder::new();
    let day = format!("--mechanism {DAY}");
    for (name, (limit, release, fit)) in [
        ("--epsilon 24.5 --delta 1e-9 --rule concentrated", day.as_str(), "365"),
        ("--epsilon 1", "--epsilon 1e-300", "18446744073709551615 or more"),
        ("--epsilon 1 --delta 1e-6", "--epsilon 1 --delta 1e-6", "1"),
        ("--epsilon 1 --delta 1e-6", "--epsilon 1/4 --delta 2.5e-7", "4"),
        ("--epsilon 1 --delta 1e-6 --rule concentrated", "--epsilon 1/4 --delta 2.5e-7", "0"),
        ("--rho 1", "--mechanism cube:800:80", "206"),
        ("--epsilon 1 --delta 1e-6", &format!("{day} --delta 2.5e-7"), "1"),
        ("--rho 1 --rule basic", "--rho 1/11", "11"),
        ("--epsilon 1", "--mechanism laplace:3:count", "3"),
    ]
    .into_iter()
    .enumerate()
    {
        let (file, created) = ledger(&folder, &name.to_string(), limit);
        // A tenth of delta, where the rule is concentrated.
        assert!(name > 0 || created["delta_for_releases"] == "1e-10");
        let left = figures(&format!("ledger left {file} {release}"));
        assert_eq!(left["more_releases"], fit, "{limit}: {release}");
    }
}

#[test]
fn an_epsilon_of_0_is_taken_and_a_refusal_names_the_ledgers_that_take_the_release() {
    let folder = Folder::new();
    let (basic, _) = ledger(&folder, "basic", "--epsilon 2 --delta 1e-6");
    for (name, release) in [("a", "--epsilon 0 --delta 1e-8"), ("b", "--mechanism response:0:1e-8")]
    {
        let taken = figures(&format!("ledger record {basic} --name {name} {release}"));
        let charge = json!({"approximate": {"epsilon": "1e-9", "delta": "1e-8"}});
        assert_eq!(taken["last_spent"], charge);
    }
    // Gaussian noise for a budget of rho has an epsilon at the task's delta.
    let task = fs::read_to_string("../../examples/tasks/histogram.toml").expect("a task");
    let budget = "approximate = { epsilon = \"0.906\", delta = \"1e-9\" }";
    let task = task.replace(budget, "zero_concentrated = { rho = \"0.0137\" }");
    let task = folder.with("task.toml", task);
    let taken = figures(&format!("ledger record {basic} --name c --task {task}"));
    let charge = &taken["last_spent"]["approximate"];
    assert!((number(&charge["epsilon"]) - 0.905).abs() < 0.002, "{charge}");
    assert_eq!(charge["delta"], "1e-9");
    // A ledger without a delta names those that take the noise of a task.
    let (pure, _) = ledger(&folder, "pure", "--epsilon 1");
    let said = refused(&format!("record {pure} --name a --task {task}"), &pure);
    let others = ": a ledger of --epsilon with --delta, or of --rho, is for noise with a delta: \
                  a ledger of --rule scheduled with this --task takes it";
    assert!(said.ends_with(others), "{said}");
    assert!(refusal(&format!("ledger record {pure} --name a --rho 0.1")).contains(
        "budget is \"zero-concentrated differential privacy with rho 0.1\": expected a pure or"
    ));
}

#[test]
fn entries_are_listed_in_their_order_with_what_they_cost() {
    let folder = Folder::new();
    let (file, _) = ledger(&folder, "visits", "--rho 1");
    let show = format!("ledger show {file}");
    assert_eq!(json(&format!("{show} --entries"))["entries"], json!([]));
    for record in [
        "--name 2026-07-01/visits --mechanism gaussian:9000:histogram:12",
        "--name 2026-07-02/visits --mechanism laplace:1e5:sum:80",
        "--name poll --epsilon 0.1 --mechanism by_hand",
    ] {
        success(&format!("ledger record {file} {record}"));
    }
    let page = success(&format!("{show} --entries"));
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = page.as_str();
    for words in [
        "1. 2026-07-01/visits noise of the aggregators: zero-concentrated differential privacy with rho",
        "2. 2026-07-02/visits noise of the aggregators: pure differential privacy with epsilon 0.0008 (OAOC, replacement). Charge: ",
        "3. poll by_hand: pure differential privacy with epsilon 0.1",
    ] {
        let (_, after) = rest.split_once(words).unwrap_or_else(|| panic!("{words}: {page}"));
        rest = after;
    }
    let listed = json(&format!("{show} --entries"));
    let second = &listed["entries"][1];
    assert_eq!(second["number"], json!("2"));
    assert!(second["charge"].is_object(), "{second}");
    assert_eq!(listed["entries"][2]["release"]["mechanism"], json!({"other": "by_hand"}));
    assert!(json(&show).get("entries").is_none() && !success(&show).contains("Entries"));
}

/// Recorded, and read again by other commands.
#[test]
fn answers_of_clients_and_cubes_are_recorded_at_the_cost_that_compose_names() {
    let folder = Folder::new();
    let (file, _) = ledger(&folder, "visits", "--epsilon 99");
    let mechanisms = [
        "bits:0.75:0.05",
        "keep:1/3:5",
        "replace:2/3:5",
        "rappor-two-step:0.5:0.5:0.75:2",
        "cube:800:80",
    ];
    let mut total = 0.0;
    for mechanism in mechanisms {
        let record = format!("ledger record {file} --name {mechanism} --mechanism {mechanism}");
        let charged = number(&figures(&record)["last_spent"]["pure"]["epsilon"]);
        let composed = figures(&format!("calibrate compose --mechanism {mechanism} --delta 0"));
        let ratio = charged / number(&composed["epsilon_upper"]);
        assert!((ratio - 1.0).abs() < 1e-9, "{mechanism}: {ratio}");
        total += charged;
    }
    let shown = json(&format!("ledger show {file} --entries"));
    let names = shown["entries"].as_array().expect("entries").iter().map(|entry| &entry["name"]);
    assert!(names.eq(&mechanisms.map(Value::from)), "{shown}");
    let spent = number(&shown["answer"]["spent"]["pure"]["epsilon"]);
    assert!((spent / total - 1.0).abs() < 1e-9, "{spent}, {total}");
}
