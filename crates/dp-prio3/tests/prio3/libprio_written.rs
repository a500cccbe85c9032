//! The written form of budgets and strategies: what is read back, and what is refused.

use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_prio3::libprio::{
    ApproximateBudget, ApproximateDiscreteGaussian, ApproximateDiscreteLaplace, ConcentratedBudget,
    ConcentratedDiscreteGaussian, DpStrategy, PureBudget, PureDiscreteLaplace,
};
use prio::dp::distributions::PureDpDiscreteLaplace;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json};

fn read(value: Value) -> Result<DpStrategy, String> {
    from_value(value).map_err(|error| error.to_string())
}

#[track_caller]
fn survives(value: &Value) {
    let strategy = read(value.clone()).expect("a strategy");
    assert_eq!(serde_json::to_value(&strategy).expect("text"), *value);
    let text = serde_json::to_string(&strategy).expect("text");
    assert_eq!(
        serde_json::from_str::<DpStrategy>(&text).expect("text"),
        strategy
    );
}

#[test]
fn a_strategy_is_written_as_it_was_typed() {
    let pure = json!({"epsilon": "1/3"});
    let approximate = json!({"epsilon": "0.906", "delta": "1e-9"});
    for (name, budget) in [
        ("PureDiscreteLaplace", &pure),
        ("ApproximateDiscreteLaplace", &approximate),
        ("ApproximateDiscreteGaussian", &approximate),
        ("ConcentratedDiscreteGaussian", &json!({"rho": "0.02"})),
    ] {
        survives(&json!({"dp_strategy": name, "version": 1, "budget": budget}));
    }
}

#[test]
fn a_strategy_of_known_kind_is_written_without_its_name() {
    let written = r#"{"version":1,"budget":{"epsilon":"0.906","delta":"1e-9"}}"#;
    let gaussian: ApproximateDiscreteGaussian = serde_json::from_str(written).unwrap();
    assert_eq!(serde_json::to_string(&gaussian).unwrap(), written);
    let laplace: ApproximateDiscreteLaplace = serde_json::from_str(written).unwrap();
    assert_eq!(laplace.budget(), gaussian.budget());

    let written = r#"{"version":1,"budget":{"epsilon":"1"}}"#;
    let pure: PureDiscreteLaplace = serde_json::from_str(written).unwrap();
    assert_eq!(serde_json::to_string(&pure).unwrap(), written);
    let written = r#"{"version":1,"budget":{"rho":"1e-3"}}"#;
    let concentrated: ConcentratedDiscreteGaussian = serde_json::from_str(written).unwrap();
    assert_eq!(serde_json::to_string(&concentrated).unwrap(), written);
}

/// How a server such as Janus writes the strategies that a VDAF may have.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
enum TaskStrategy {
    NoDifferentialPrivacy,
    PureDpDiscreteLaplace(PureDpDiscreteLaplace),
    ApproximateDiscreteGaussian(ApproximateDiscreteGaussian),
}

#[test]
fn a_server_can_hold_our_strategies_beside_those_it_has() {
    let read = |value: &Value| from_value::<TaskStrategy>(value.clone());
    for value in [
        json!({"dp_strategy": "NoDifferentialPrivacy"}),
        json!({"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[1], [1]]}}),
        json!({
            "dp_strategy": "ApproximateDiscreteGaussian",
            "version": 1,
            "budget": {"epsilon": "0.906", "delta": "1e-9"}
        }),
    ] {
        let strategy = read(&value).unwrap();
        assert_eq!(serde_json::to_value(&strategy).unwrap(), value);
    }
    let value = json!({"dp_strategy": "ApproximateDiscreteGaussian", "budget": {}});
    read(&value).unwrap_err();
}

#[test]
fn equal_numbers_make_equal_strategies() {
    let third =
        json!({"dp_strategy": "PureDiscreteLaplace", "version": 1, "budget": {"epsilon": "1/2"}});
    let other =
        json!({"dp_strategy": "PureDiscreteLaplace", "version": 1, "budget": {"epsilon": "0.50"}});
    assert_eq!(read(third).unwrap(), read(other).unwrap());
}

#[test]
fn what_is_not_a_strategy_is_refused() {
    let strategy = |name: &str, version: Value, budget: Value| json!({"dp_strategy": name, "version": version, "budget": budget});
    let pure = |version, budget| strategy("PureDiscreteLaplace", version, budget);
    let one = || json!({"epsilon": "1"});
    for (value, says) in [
        (pure(json!(2), one()), "version is 2: expected 1"),
        (pure(json!(0), one()), "version is 0: expected 1"),
        (pure(json!("1"), one()), "invalid type"),
        (
            json!({"dp_strategy": "PureDiscreteLaplace", "budget": one()}),
            "missing field `version`",
        ),
        (
            json!({"dp_strategy": "PureDiscreteLaplace", "version": 1}),
            "missing field `budget`",
        ),
        (
            json!({"version": 1, "budget": one()}),
            "missing field `dp_strategy`",
        ),
        // Neither libprio's names nor its form of numbers are taken for ours.
        (
            strategy("PureDpDiscreteLaplace", json!(1), one()),
            "unknown variant",
        ),
        (
            json!({"dp_strategy": "NoDifferentialPrivacy"}),
            "unknown variant",
        ),
        (
            pure(json!(1), json!({"epsilon": [[1], [1]]})),
            "invalid type: sequence",
        ),
        // A float has been rounded before it arrives.
        (
            pure(json!(1), json!({"epsilon": 0.1})),
            "invalid type: floating point",
        ),
        (
            pure(json!(1), json!({"epsilon": 1})),
            "invalid type: integer",
        ),
        // A budget of another kind, or with a field that nobody would read.
        (pure(json!(1), json!({"rho": "1"})), "unknown field `rho`"),
        (
            pure(json!(1), json!({"epsilon": "1", "delta": "1e-9"})),
            "unknown field `delta`",
        ),
        (
            strategy("ApproximateDiscreteGaussian", json!(1), one()),
            "missing field `delta`",
        ),
        (
            json!({"dp_strategy": "PureDiscreteLaplace", "version": 1, "budget": one(), "sensitivity": 1}),
            "unknown field `sensitivity`",
        ),
    ] {
        let error = read(value.clone()).unwrap_err();
        assert!(error.contains(says), "{value}: {error}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let nines = "9".repeat(2000);
    let long = format!("1/1{}", "0".repeat(1000));
    // Near 1, with 2500 bits in numerator and denominator.
    let fine = format!("{nines}1/{nines}3", nines = "9".repeat(750));
    for (name, field, value) in [
        ("PureDiscreteLaplace", "epsilon", "0"),
        ("PureDiscreteLaplace", "epsilon", "-1"),
        ("PureDiscreteLaplace", "epsilon", "1e-10"),
        ("PureDiscreteLaplace", "epsilon", "10000.1"),
        ("PureDiscreteLaplace", "epsilon", "1/0"),
        ("PureDiscreteLaplace", "epsilon", "inf"),
        ("PureDiscreteLaplace", "epsilon", "NaN"),
        ("PureDiscreteLaplace", "epsilon", ""),
        ("PureDiscreteLaplace", "epsilon", "1e999999999"),
        ("PureDiscreteLaplace", "epsilon", "1e-2400"),
        ("PureDiscreteLaplace", "epsilon", &nines),
        ("PureDiscreteLaplace", "epsilon", &long),
        ("PureDiscreteLaplace", "epsilon", &fine),
        ("ConcentratedDiscreteGaussian", "rho", "0"),
        ("ConcentratedDiscreteGaussian", "rho", "1e-31"),
        ("ConcentratedDiscreteGaussian", "rho", "1000001"),
        ("ConcentratedDiscreteGaussian", "rho", &fine),
    ] {
        let value = json!({"dp_strategy": name, "version": 1, "budget": {field: value}});
        let error = read(value).unwrap_err();
        assert!(error.starts_with(&format!("{field} is ")), "{error}");
        assert!(error.contains("expected a number"), "{error}");
        assert!(error.len() < 200, "a long number is not repeated in full");
    }
    for delta in ["0", "-1e-9", "1", "0.91", "1e-501", &long] {
        for name in ["ApproximateDiscreteLaplace", "ApproximateDiscreteGaussian"] {
            let budget = json!({"epsilon": "1", "delta": delta});
            let value = json!({"dp_strategy": name, "version": 1, "budget": budget});
            let error = read(value).unwrap_err();
            assert!(error.starts_with("delta is "), "{error}");
        }
    }
}

#[test]
fn a_budget_made_in_code_is_checked_as_one_that_is_read() {
    let epsilon = |text: &str| text.parse::<Epsilon>().unwrap();
    let delta = |text: &str| text.parse::<Delta>().unwrap();
    let rho = |text: &str| text.parse::<Rho>().unwrap();
    assert_eq!(
        PureBudget::new(epsilon("1e-10")).unwrap_err().name(),
        "epsilon"
    );
    let error = ApproximateBudget::new(epsilon("1"), delta("0")).unwrap_err();
    assert_eq!(error.name(), "delta");
    assert_eq!(
        ConcentratedBudget::new(rho("1e7")).unwrap_err().name(),
        "rho"
    );

    for end in ["1e-9", "10000"] {
        assert_eq!(
            PureBudget::new(epsilon(end)).unwrap().epsilon(),
            &epsilon(end)
        );
    }
    for end in ["1e-500", "0.9"] {
        assert_eq!(
            ApproximateBudget::new(epsilon("1"), delta(end))
                .unwrap()
                .delta(),
            &delta(end)
        );
    }
    for end in ["1e-30", "1e6"] {
        assert_eq!(ConcentratedBudget::new(rho(end)).unwrap().rho(), &rho(end));
    }
    let bits = Rational::integer(2).pow(2048).reciprocal().unwrap() + Rational::one();
    let error = PureBudget::new(Epsilon::new(bits).unwrap()).unwrap_err();
    assert!(error.accepted().contains("2048 bits"));
}
