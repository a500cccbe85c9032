//! What every command writes as JSON is what `schema/dp-cli.json` says.

mod validator;

use std::fs;

use clap::Subcommand as _;
use serde_json::{Value, json};

use self::validator::faults;
use crate::support::{ROOT, success};

fn schema() -> Value {
    let path = format!("{ROOT}/crates/dp-cli/schema/dp-cli.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn printed(line: &str) -> Value {
    let arguments: Vec<&str> = line.split(' ').collect();
    serde_json::from_str(&success(&arguments)).expect("JSON")
}

/// One line for each command, and for each kind of figure that a command has.
const LINES: &str = "\
simulate --clients 30 --seed 1 --json
simulate --clients 40 --trials 2 --policy multihot-rappor-laplace --json -
simulate --clients 40 --policy compensated-rappor --accept-weak-promise --json
simulate --task examples/tasks/average.toml --column years_smoking --json
simulate --clients 40 --seed 1 --consistent --json
simulate --task examples/tasks/sum.toml --ideal --json
simulate --clients 1e6 --trials 2 --policy multihot-one-hot-rappor --ideal --json
simulate --policy count-laplace --seed 1 --data crates/dp-cli/tests/missing.csv --column x --missing skip --json
sweep examples/sweeps/heights.toml --cell 3..5,14 --json
policies --json
policies --type count --rho 1/8 --json
policies --type multihot:14:3 --epsilon 1/2 --clients 1e5 --aggregators 3 --json
plan --type histogram:6 --clients 2000 --epsilon 1 --delta 1e-8 --releases 3 --aggregators 3 --json
plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9 --json
plan --type count --clients 1e3 --rho 1/8 --total --against collector --honest-fraction 0.9 --json
plan --type average --grid 40..140/0.1 --clients 1e5 --margin 0.05 --adjacency deletion --json -
plan --type sum:9 --clients 10 --epsilon 1 --against all-aggregators --json
statement --task examples/tasks/multihot.toml --deployment examples/deployments/heights.toml --releases 3 --json
statement --task examples/tasks/sum.toml --deployment examples/deployments/heights.toml --releases 1 --json -
audit --policy count-response --runs 1e3 --json
audit --task examples/tasks/count.toml --collections crates/dp-cli/tests/collected.csv --json
tables --json
calibrate gaussian --epsilon 1 --delta 1e-9 --json
calibrate gaussian --delta-at --variance 547 --epsilon 0.317 --json
calibrate laplace --epsilon 1 --delta 1e-3 --json
calibrate --json rappor --epsilon0 3 --clients 1e3 --delta 1e-6
calibrate rappor --epsilon 0.5 --epsilon0 4 --delta 1e-6 --json
calibrate response --epsilon 2 --answers 2 --clients 500 --delta 1e-6 --json
calibrate multihot --epsilon0 3 --length 20 --false-positive-rate 1e-9 --json
calibrate local --mechanism k-ary:5 --epsilon 1 --json
calibrate compose --mechanism gaussian:900:pair --mechanism laplace:20:pair --delta 1e-6 --json
calibrate schedule --release 3xhistogram:24 --release 1xsum:80 --epsilon 2 --delta 1e-8 --json
calibrate schedule --mechanism laplace --release 3xpair --shares 1 --epsilon 2 --json
calibrate convert --rho 1/8 --delta 1e-9 --json
calibrate utility --mechanism laplace:2 --coordinates 100 --json";

#[test]
fn every_document_is_what_the_schema_says() {
    let schema = schema();
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = folder.path().join("purse.ledger");
    let ledger = ledger.to_str().expect("UTF-8");
    let of_ledger = [
        format!("calibrate ledger create {ledger} --epsilon 1 --delta 1e-6 --json"),
        format!("calibrate ledger show {ledger} --json"),
        format!("calibrate ledger record {ledger} --name monday --epsilon 1/8 --json"),
        format!("calibrate ledger record {ledger} --name may --mechanism gaussian:1e5:pair --json"),
        format!("calibrate ledger show {ledger} --entries --json"),
        format!("calibrate ledger left {ledger} --mechanism gaussian:1e5:pair --json"),
    ];
    for line in LINES.lines().chain(of_ledger.iter().map(String::as_str)) {
        let document = printed(line);
        let found = faults(&schema, &document);
        assert!(found.is_empty(), "{line}: {found:?}");
        let format = document["format"].as_str().expect("a string");
        let command = format.strip_prefix("dp-cli ").unwrap_or("simulate");
        let command = command.split(' ').next().unwrap_or_default();
        assert!(line.starts_with(command), "{line}: {format}");
    }
}

#[test]
fn inputs_are_echoed_as_typed() {
    let line = "calibrate compose --mechanism gaussian:900:pair --times 1e2 --mechanism \
                laplace:20:pair --times 2 --delta 1e-6 --json";
    let inputs = json!({
        "mechanism": ["gaussian:900:pair", "laplace:20:pair"],
        "times": ["1e2", "2"],
        "delta": "1e-6",
        "adjacency": "replacement",
    });
    assert_eq!(printed(line)["inputs"], inputs);
}

/// What a program looks up under `inputs` is what a person has typed.
#[test]
fn an_option_is_echoed_by_the_name_it_is_typed_by() {
    fn check(command: &clap::Command) {
        for argument in command.get_arguments() {
            if let Some(name) = argument.get_long() {
                let place = command.get_name();
                assert_eq!(
                    argument.get_id().as_str(),
                    name.replace('-', "_"),
                    "{place}"
                );
            }
        }
        command.get_subcommands().for_each(check);
    }
    check(&dp_cli::Command::augment_subcommands(clap::Command::new(
        "dp-cli",
    )));
}

#[test]
fn a_document_that_breaks_the_schema_is_found_out() {
    let schema = schema();
    let whole = printed("calibrate laplace --epsilon 1 --json");
    let broken = |path: &str, value: Value| {
        let mut document = whole.clone();
        *document.pointer_mut(path).expect("a field") = value;
        !faults(&schema, &document).is_empty()
    };
    assert!(!broken("/question", json!("why?")));
    for (path, value) in [
        ("/format", json!("dp-cli dance")),
        ("/schema_version", json!("1")),
        ("/answer/scale", json!(2)),
        ("/answer/scale", json!({"epsilon": "1"})),
        ("/answer/scale", json!({"pure": {"epsilon": "one"}})),
        (
            "/answer/scale",
            json!({"pure": {"epsilon": "1"}, "more": "1"}),
        ),
        ("/inputs/epsilon", json!(1)),
        ("/protects_nobody", json!("no")),
        ("/certificate", json!(null)),
    ] {
        assert!(broken(path, value.clone()), "{path} {value}");
    }
    let mut document = whole.clone();
    document
        .as_object_mut()
        .expect("an object")
        .remove("inputs");
    assert!(!faults(&schema, &document).is_empty());
}
