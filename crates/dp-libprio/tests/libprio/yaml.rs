//! Strategies in YAML, as Janus keeps its tasks: in an enum with the tag inside, as part of a
//! document.

use dp_libprio::Strategy;
use serde::{Deserialize, Serialize};

use crate::{approximate, concentrated, pure, weak};

/// A part of a task file of Janus.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Task {
    vdaf: Vdaf,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Vdaf {
    Prio3Histogram { length: usize, dp_strategy: Mechanism },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
enum Mechanism {
    NoDifferentialPrivacy,
    DpLibprio(Strategy),
}

/// Every kind of strategy, with numbers that YAML might change.
fn strategies() -> Vec<Strategy> {
    let budget = approximate("0.906", "1e-9");
    vec![
        pure("0.5"),
        pure("1e-5"),
        pure("1/3"),
        pure("1"),
        weak("50"),
        Strategy::discrete_laplace(budget.clone()).expect("in range"),
        Strategy::discrete_gaussian(budget).expect("in range"),
        concentrated("0.02"),
        concentrated("1e-9"),
    ]
}

#[test]
fn a_strategy_survives_yaml() {
    for strategy in strategies() {
        let text = yaml_serde::to_string(&strategy).expect("YAML");
        assert!(!text.contains('!'), "{text}");
        let read: Strategy = yaml_serde::from_str(&text).expect(&text);
        assert_eq!(read, strategy);
        assert_eq!(yaml_serde::to_string(&read).expect("YAML"), text);

        let dp_strategy = Mechanism::DpLibprio(strategy);
        let vdaf = Vdaf::Prio3Histogram { length: 5, dp_strategy };
        let text = yaml_serde::to_string(&vec![Task { vdaf }]).expect("YAML");
        let tasks: Vec<Task> = yaml_serde::from_str(&text).expect(&text);
        assert_eq!(yaml_serde::to_string(&tasks).expect("YAML"), text);
    }
}

#[test]
fn a_budget_is_a_map_with_one_key() {
    let text = yaml_serde::to_string(&Mechanism::DpLibprio(concentrated("0.02"))).expect("YAML");
    let expected = "\
dp_strategy: DpLibprio
version: 1
law: discrete_gaussian
budget:
  zero_concentrated:
    rho: '0.02'
";
    assert_eq!(text, expected);
}

#[test]
fn what_yaml_reads_as_a_number_wants_quotes() {
    let read = |budget: &str| {
        let text = format!(
            "dp_strategy: DpLibprio\nversion: 1\nlaw: discrete_laplace\nbudget: {budget}\n"
        );
        yaml_serde::from_str::<Mechanism>(&text).map_err(|error| error.to_string())
    };
    assert!(read("{pure: {epsilon: '0.5'}}").is_ok());
    // A fraction is no number of YAML.
    assert!(read("{pure: {epsilon: 1/2}}").is_ok());
    for (number, shown) in [("0.5", "0.5"), ("1", "1"), ("1e-9", "1e-9"), (".inf", "inf")] {
        let error = read(&format!("{{pure: {{epsilon: {number}}}}}")).unwrap_err();
        let says = format!("epsilon is {shown}: expected a number from");
        assert!(error.contains(&says), "{error}");
        assert!(error.contains("in quotes, such as \"0.5\""), "{error}");
    }
    for budget in [
        "!pure {epsilon: '1'}",
        "{pure: {0: '1'}}",
        "{0: {epsilon: '1'}}",
        "[pure, '1']",
        "{? [pure] : {epsilon: '1'}}",
        "~",
    ] {
        assert!(read(budget).is_err(), "{budget}");
    }
}
