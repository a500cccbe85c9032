//! The error of an estimate is the same figure in every command: that with the noise of all aggregators. What is of one
//! aggregator says so in its name.

use serde_json::Value;

use crate::common;
use crate::support::{number, simulated, success};

fn json(line: &str) -> Value {
    let arguments: Vec<&str> = line.split(' ').collect();
    serde_json::from_str(&success(&arguments)).expect("JSON")
}

#[test]
fn a_std_and_a_margin_are_those_of_an_estimate_in_every_command() {
    // A histogram at ε = 1: two aggregators' discrete Laplace noise of scale 2.
    let (std, margin) = (3.958_635_163, 8.0);
    let close = |found: f64| (found / std - 1.0).abs() < 1e-8;

    let laplace = common::document("laplace --epsilon 1 --query histogram:12");
    assert!(!laplace.contains_key("std"), "{laplace:?}");
    assert!(close(common::number(&laplace, "std_of_one") * 2_f64.sqrt()));

    let utility = common::document("utility --mechanism laplace:2");
    assert!(close(common::number(&utility, "std")));
    assert_eq!(common::number(&utility, "bound_of_one"), margin);

    let policies =
        json("policies --type histogram:12 --epsilon 1 --policy histogram-laplace --json");
    let row = &policies["policies"][0];
    assert!(close(number(&row["std"])) && number(&row["margin_95"]) == margin);

    let plan = json("plan --type histogram:12 --clients 1000 --epsilon 1 --json");
    let choice = &plan["choices"][0];
    assert_eq!(choice["policy"], "histogram-laplace");
    assert!(close(number(&choice["std"])) && number(&choice["margin_95"]) == margin);

    let run = simulated(&["--type", "histogram:12", "--epsilon", "1"]);
    assert!(close(number(&run["summary"]["predicted_std"])));
    for row in run["coordinates"].as_array().expect("an array") {
        assert!(close(number(&row["standard_error"])) && number(&row["margin_95"]) == margin);
    }
}
