//! Budgets: exact strings in and out, and words for people.

use crate::common::{delta_of, epsilon, number};
use dp_calibration::{Budget, Error};

#[test]
fn a_budget_serializes_as_what_was_typed() {
    for (budget, json, words) in [
        (
            Budget::Pure { epsilon: epsilon("1/3") },
            r#"{"pure":{"epsilon":"1/3"}}"#,
            "pure differential privacy with epsilon 1/3",
        ),
        (
            Budget::approximate(epsilon("0.9060"), delta_of("1e-9")),
            r#"{"approximate":{"epsilon":"0.9060","delta":"1e-9"}}"#,
            "approximate differential privacy with epsilon 0.9060 and delta 1e-9",
        ),
        (
            Budget::ZeroConcentrated { rho: "0.025".parse().expect("a rho") },
            r#"{"zero_concentrated":{"rho":"0.025"}}"#,
            "zero-concentrated differential privacy with rho 0.025",
        ),
    ] {
        assert_eq!(budget.to_string(), words);
        assert_eq!(serde_json::to_string(&budget).unwrap(), json);
        assert_eq!(serde_json::from_str::<Budget>(json).unwrap(), budget);
    }
}

#[test]
fn a_budget_out_of_range_is_not_read() {
    for json in [
        r#"{"pure":{"epsilon":"0"}}"#,
        r#"{"approximate":{"epsilon":"1","delta":"1"}}"#,
        r#"{"approximate":{"epsilon":"1"}}"#,
        r#"{"zero_concentrated":{"rho":"-1"}}"#,
        r#"{"renyi":{"alpha":"2","tau":"0.1"}}"#,
        r#"{"pure":{"epsilon":"1","delta":"0"}}"#,
    ] {
        assert!(serde_json::from_str::<Budget>(json).is_err(), "{json}");
    }
}

#[test]
fn the_first_parameter_out_of_range_is_named() {
    for (budget, name) in [
        (Budget::approximate(epsilon("0.1e-9"), delta_of("0.9")), "epsilon"),
        (Budget::approximate(epsilon("1"), delta_of("0.91")), "delta"),
        (Budget::ZeroConcentrated { rho: "1e-31".parse().unwrap() }, "rho"),
        (Budget::renyi(number("1e10"), number("0")).unwrap(), "alpha"),
        (Budget::renyi(number("2"), number("1e7")).unwrap(), "tau"),
    ] {
        let Err(Error::Parameter(error)) = budget.check_range() else { panic!("{budget}") };
        assert_eq!(error.name(), name);
    }
}
