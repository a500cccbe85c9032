//! The JSON form of strategies: strategies that are read back, and JSON that is refused.

use dp_exact::Epsilon;
use dp_libprio::{Error, Strategy};
use prio::dp::distributions::PureDpDiscreteLaplace;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json};

use crate::json::{approximate, concentrated, pure};

/// The strategy, or the error message.
fn read(value: Value) -> Result<Strategy, String> {
    from_value(value).map_err(|error| error.to_string())
}

/// The JSON of a strategy: `law` names the distribution.
fn written(law: &str, budget: &Value) -> Value {
    json!({"version": 1, "law": law, "budget": budget})
}

#[test]
fn a_strategy_is_written_as_it_was_typed() {
    for (law, budget) in [
        ("discrete_laplace", pure("1/3")),
        ("discrete_laplace", approximate("0.906", "1e-9")),
        ("discrete_gaussian", approximate("0.906", "1e-9")),
        ("discrete_gaussian", concentrated("0.02")),
    ] {
        let value = written(law, &budget);
        let strategy = read(value.clone()).expect("a strategy");
        assert_eq!(serde_json::to_value(&strategy).expect("text"), value);
        let text = serde_json::to_string(&strategy).expect("text");
        let read: Strategy = serde_json::from_str(&text).expect("text");
        assert_eq!(read, strategy);
        assert_eq!(serde_json::to_value(read.budget()).expect("text"), budget);
    }
    for (law, matrix, budget) in [
        ("discrete_laplace", "ranges", pure("1/3")),
        ("discrete_gaussian", "percentiles", approximate("0.906", "1e-9")),
        ("discrete_gaussian", "ranges", concentrated("0.02")),
    ] {
        let value = json!({"version": 1, "law": law, "matrix": matrix, "budget": budget});
        let strategy = read(value.clone()).expect("a strategy");
        assert_eq!(serde_json::to_value(&strategy).expect("text"), value);
        assert_ne!(read(written(law, &budget)).expect("a strategy"), strategy);
    }
}

/// The strategies that a VDAF may have, as a server such as Janus writes them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
enum TaskStrategy {
    NoDifferentialPrivacy,
    PureDpDiscreteLaplace(PureDpDiscreteLaplace),
    DpLibprio(Strategy),
}

#[test]
fn a_server_can_hold_our_strategies_beside_those_it_has() {
    let read = |value: &Value| from_value::<TaskStrategy>(value.clone());
    for value in [
        json!({"dp_strategy": "NoDifferentialPrivacy"}),
        json!({"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[1], [1]]}}),
        json!({
            "dp_strategy": "DpLibprio",
            "version": 1,
            "law": "discrete_gaussian",
            "budget": approximate("0.906", "1e-9"),
        }),
    ] {
        let strategy = read(&value).unwrap();
        assert_eq!(serde_json::to_value(&strategy).unwrap(), value);
    }
    let value = json!({"dp_strategy": "DpLibprio", "budget": pure("1")});
    read(&value).unwrap_err();
}

#[test]
fn what_is_not_a_strategy_is_refused() {
    let strategy = |version: Value, law: Value, budget: Value| json!({"version": version, "law": law, "budget": budget});
    let laplace = |version, budget| strategy(version, json!("discrete_laplace"), budget);
    let one = || pure("1");
    let quotes = "in quotes, such as \"0.5\"";
    for (value, says) in [
        (laplace(json!(2), one()), "version is 2: expected 1"),
        (laplace(json!(1.0), one()), "version is 1.0: expected 1, without quotes"),
        (json!({"law": "discrete_laplace", "budget": one()}), "version is missing: expected 1"),
        (
            json!({"law": "discrete_laplace", "version": 1}),
            "budget is missing: expected {pure: {epsilon}} or {approximate: {epsilon, delta}}",
        ),
        (
            json!({"version": 1, "budget": one()}),
            "law is missing: expected discrete_laplace or discrete_gaussian",
        ),
        (
            strategy(json!(1), json!("discrete_normal"), one()),
            "law is discrete_normal: expected discrete_laplace or discrete_gaussian",
        ),
        // libprio's form of numbers is not accepted here.
        (
            laplace(json!(1), json!({"pure": {"epsilon": [[1], [1]]}})),
            "epsilon is \"a list\": expected a number from",
        ),
        // A float has been rounded before it arrives.
        (laplace(json!(1), json!({"pure": {"epsilon": 0.1}})), quotes),
        (laplace(json!(1), json!({"pure": {}})), "epsilon is missing: expected a number"),
        // A budget with a field that nobody would read, or without one that it needs.
        (
            laplace(json!(1), json!({"pure": {"epsilon": "1", "delta": "1e-9"}})),
            "delta is unknown: expected only epsilon in pure",
        ),
        (
            laplace(json!(1), json!({"approximate": {"epsilon": "1"}})),
            "delta is missing: expected a number from",
        ),
        (
            laplace(json!(1), json!({"epsilon": "1"})),
            "budget is epsilon: expected {pure: {epsilon}} or",
        ),
        (
            laplace(json!(1), json!({"pure": {"epsilon": "1"}, "approximate": {}})),
            "budget is \"{approximate, pure}\": expected {pure: {epsilon}} or",
        ),
        (laplace(json!(1), json!("pure")), "budget is pure: expected {pure"),
        (
            json!({"version": 1, "law": "discrete_laplace", "budget": one(), "sensitivity": 1}),
            "sensitivity is unknown: expected only version, law, matrix, budget, accept_weak_guarantee in strategy",
        ),
        (
            json!({"version": 1, "law": "discrete_laplace", "matrix": "percentiles", "budget": one()}),
            "matrix is percentiles: expected ranges, with discrete_laplace noise",
        ),
        (
            json!({"version": 1, "law": "discrete_laplace", "matrix": "tree", "budget": one()}),
            "matrix is tree: expected ranges, with discrete_laplace noise, or no such field",
        ),
        (
            json!({"version": 1, "law": "discrete_laplace", "matrix": null, "budget": one()}),
            "matrix is nothing: expected ranges, with discrete_laplace noise, or no such field",
        ),
        (json!("discrete_laplace"), "strategy is discrete_laplace: expected a map"),
    ] {
        let error = read(value.clone()).unwrap_err();
        assert!(error.contains(says), "{value}: {error}");
    }
}

/// Servers compare the texts of strategies, so each strategy has one text.
#[test]
fn a_strategy_has_one_spelling() {
    for text in [
        r#"{"version": 1, "law": {"discrete_laplace": null}, "budget": {"pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": ["discrete_laplace"], "budget": {"pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": 0, "budget": {"pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": "DiscreteLaplace", "budget": {"pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1"}, "pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1", "epsilon": "1"}}}"#,
        r#"{"version": 1, "version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1"}}}"#,
        r#"{"0": 1, "1": "discrete_laplace", "2": {"pure": {"epsilon": "1"}}}"#,
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1"}}, "accept_weak_guarantee": false}"#,
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1"}}, "accept_weak_guarantee": null}"#,
    ] {
        let refused = serde_json::from_str::<Strategy>(text);
        assert!(refused.is_err(), "{text}");
        // A value of JSON keeps one of two fields.
        if text.matches("version").count() == 1 && text.matches("pure").count() < 2 {
            let tagged = text.replacen('{', r#"{"dp_strategy": "DpLibprio", "#, 1);
            let refused = serde_json::from_str::<TaskStrategy>(&tagged);
            assert!(refused.is_err(), "{tagged}");
        }
    }
}

#[test]
fn a_kind_of_budget_that_the_law_is_not_calibrated_to_is_refused_when_it_is_read() {
    let renyi = json!({"renyi": {"alpha": "2", "tau": "1"}});
    for (law, kind, budget) in [
        ("discrete_laplace", "zero_concentrated", concentrated("1")),
        ("discrete_laplace", "renyi", renyi.clone()),
        ("discrete_gaussian", "pure", pure("1")),
        ("discrete_gaussian", "renyi", renyi),
    ] {
        let error = read(written(law, &budget)).unwrap_err();
        let says = format!("budget is {kind}: expected {{");
        assert!(error.starts_with(&says), "{error}");
        assert!(error.ends_with(&format!("as {law} takes them")), "{error}");
        let (_, accepted) = error.split_once("expected").expect("what is accepted");
        assert!(!accepted.contains(&format!("{kind}:")), "{error}");
        assert!(!accepted.contains("renyi"), "{error}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let endless = format!("0.5{}", "0".repeat(100_000));
    let refused = |law: &str, name: &str, budget: &Value| {
        let error = read(written(law, budget)).unwrap_err();
        assert!(error.starts_with(&format!("{name} is ")), "{error}");
        assert!(error.contains("expected a number from"), "{error}");
        assert!(error.len() < 250, "a long number is not repeated in full");
    };
    for number in ["0", "-1", "1/0", "inf", "", "0,5", "1e999999999", &endless] {
        refused("discrete_laplace", "epsilon", &pure(number));
        refused("discrete_gaussian", "epsilon", &approximate(number, "1e-9"));
        refused("discrete_gaussian", "rho", &concentrated(number));
    }
    for delta in ["0", "0.91", "-1e-9", "1", &endless] {
        refused("discrete_gaussian", "delta", &approximate("1", delta));
    }
}

#[test]
fn a_strategy_made_in_code_is_checked_as_one_that_is_read() {
    let epsilon = |text: &str| text.parse::<Epsilon>().unwrap();
    let [one, other] = ["1/2", "0.50"].map(|text| Strategy::discrete_laplace(epsilon(text)));
    assert_eq!(one.unwrap(), other.unwrap());
    Strategy::discrete_laplace(epsilon("1e-10")).unwrap_err();
    let refused = Strategy::discrete_gaussian(epsilon("1")).unwrap_err();
    assert!(matches!(refused, Error::BudgetKind { .. }));
}
