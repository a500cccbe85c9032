//! The written form of strategies in JSON and YAML: strategies that are read back, and texts that
//! are refused.

use dp_libprio::{Epsilon, Error, Query, Strategy};
use prio::dp::distributions::PureDpDiscreteLaplace;
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, json};

use crate::{approximate, concentrated, pure, weak};

/// The strategy, or the error message.
fn read(text: &str) -> Result<Strategy, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The strategies that a VDAF may have, as a server such as Janus writes them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
enum TaskStrategy {
    NoDifferentialPrivacy,
    PureDpDiscreteLaplace(PureDpDiscreteLaplace),
    DpLibprio(Strategy),
}

/// A task of a server, with the strategy inside of another enum.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Vdaf {
    Prio3Histogram { length: usize, dp_strategy: TaskStrategy },
}

/// Every kind of strategy, with numbers that YAML might change.
fn strategies() -> Vec<Strategy> {
    let budget = approximate("0.906", "1e-9");
    let gaussian = Strategy::discrete_gaussian(budget.clone()).expect("in range");
    vec![
        pure("0.5"),
        pure("1e-5"),
        pure("1/3"),
        pure("1"),
        weak("50"),
        pure("2").for_ranges(),
        Strategy::discrete_laplace(budget).expect("in range"),
        gaussian.clone().for_percentiles().expect("a matrix"),
        gaussian.clone().for_ranges(),
        gaussian,
        concentrated("0.02"),
        concentrated("1e-9"),
    ]
}

/// Lists of fields would be read by their order alone.
#[test]
fn a_list_of_fields_is_no_strategy() {
    let object = serde_json::to_value(pure("0.5")).unwrap();
    assert!(from_value::<Strategy>(object.clone()).is_ok());
    let pure = &object["budget"]["pure"];
    let lists = [
        json!([object["version"], object["law"], null, object["budget"], false]),
        json!({ "version": object["version"], "law": object["law"], "budget": [pure, null, null] }),
        json!({ "version": object["version"], "law": object["law"], "budget": { "pure": ["0.5"] } }),
    ];
    for list in lists {
        let error = from_value::<Strategy>(list.clone()).unwrap_err().to_string();
        assert!(error.contains("expected a map of fields"), "{list}: {error}");
    }
}

#[test]
fn strategies_survive_json_and_yaml_beside_those_that_a_server_has() {
    for strategy in strategies() {
        let text = serde_json::to_string(&strategy).unwrap();
        assert_eq!(read(&text).unwrap(), strategy);
        let text = yaml_serde::to_string(&strategy).unwrap();
        assert!(!text.contains('!'), "{text}");
        assert_eq!(yaml_serde::from_str::<Strategy>(&text).unwrap(), strategy);

        let dp_strategy = TaskStrategy::DpLibprio(strategy);
        let tasks = vec![Vdaf::Prio3Histogram { length: 5, dp_strategy }];
        let text = yaml_serde::to_string(&tasks).unwrap();
        assert_eq!(yaml_serde::from_str::<Vec<Vdaf>>(&text).unwrap(), tasks);
        let value = serde_json::to_value(&tasks).unwrap();
        assert_eq!(from_value::<Vec<Vdaf>>(value).unwrap(), tasks);
    }
    for value in [
        json!({"dp_strategy": "NoDifferentialPrivacy"}),
        json!({"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[1], [1]]}}),
    ] {
        let strategy = from_value::<TaskStrategy>(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&strategy).unwrap(), value);
    }
}

#[test]
fn the_written_form_stays_what_it_is() {
    let text = yaml_serde::to_string(&TaskStrategy::DpLibprio(concentrated("0.02"))).unwrap();
    let expected = "\
dp_strategy: DpLibprio
version: 1
law: discrete_gaussian
budget:
  zero_concentrated:
    rho: '0.02'
";
    assert_eq!(text, expected);
    for text in [
        r#"{"version":1,"law":"discrete_laplace","budget":{"pure":{"epsilon":"1/3"}}}"#,
        r#"{"version":1,"law":"discrete_gaussian","matrix":"percentiles","budget":{"approximate":{"epsilon":"0.906","delta":"1e-9"}}}"#,
        r#"{"version":1,"law":"discrete_laplace","matrix":"ranges","budget":{"pure":{"epsilon":"50"}},"accept_weak_guarantee":true}"#,
    ] {
        assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
    }
}

#[test]
fn what_is_not_a_strategy_is_refused() {
    let endless = format!("0.5{}", "0".repeat(100_000));
    let laplace =
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "1"}}}"#;
    read(laplace).unwrap();
    for (old, new, says) in [
        (r#""version": 1"#, r#""version": 2"#, "version is 2: expected 1"),
        (r#""version": 1, "#, "", "missing field `version`"),
        (r#""law""#, r#""version": 1, "law""#, "duplicate field `version`"),
        (r#""law": "discrete_laplace", "#, "", "missing field `law`"),
        (
            "discrete_laplace",
            "discrete_normal",
            "unknown variant `discrete_normal`, expected one of `disc",
        ),
        (r#", "budget": {"pure": {"epsilon": "1"}}"#, "", "missing field `budget`"),
        // libprio's form of numbers, and a float, which has been rounded before it arrives.
        (r#""1""#, "[[1], [1]]", "invalid type: sequence, expected an exact number"),
        (r#""1""#, "0.1", "invalid type: floating point `0.1`, expected an exact number"),
        (r#""1""#, r#""0""#, r#"string "0", expected a number greater than 0"#),
        (r#""1""#, r#""0,5""#, r#"string "0,5", expected"#),
        (r#""1""#, r#""1e-10""#, "epsilon is 1e-10: expected a number from"),
        (r#""1""#, &format!("\"{endless}\""), r#"string "0.5000"#),
        // A budget with a field that nobody would read, or without one that it needs.
        (r#""1""#, r#""1", "delta": "1e-9""#, "unknown field `delta`, expected `epsilon`"),
        (r#""epsilon": "1""#, "", "missing field `epsilon`"),
        ("pure", "approximate", "missing field `delta`"),
        ("pure", "epsilon", "unknown field `epsilon`, expected one of `pure`, `approximate`"),
        ("pure", "renyi", "unknown field `renyi`"),
        (
            r#"{"pure": {"epsilon": "1"}}"#,
            "{}",
            "budget is \"none or several\": expected one of pure",
        ),
        (
            r#""pure""#,
            r#""approximate": {"epsilon": "1", "delta": "1e-9"}, "pure""#,
            "budget is \"none or several\"",
        ),
        (r#""law""#, r#""sensitivity": 1, "law""#, "unknown field `sensitivity`"),
        (
            r#""law""#,
            r#""matrix": "tree", "law""#,
            "unknown variant `tree`, expected `percentiles`",
        ),
        (
            r#""law""#,
            r#""matrix": "percentiles", "law""#,
            "matrix is percentiles: expected ranges, with discrete_laplace noise",
        ),
        (
            "discrete_laplace",
            "discrete_gaussian",
            r#"budget is "pure differential privacy with epsilon 1": expected an approximate"#,
        ),
    ] {
        assert!(laplace.contains(old), "{old}");
        let text = laplace.replacen(old, new, 1);
        let error = read(&text).unwrap_err();
        assert!(error.contains(says), "{new}: {error}");
        assert!(error.len() < 350, "a long number is not repeated in full");
        // A value of JSON keeps one of two fields.
        if !says.contains("duplicate") {
            let mut tagged: Value = serde_json::from_str(&text).unwrap();
            tagged["dp_strategy"] = "DpLibprio".into();
            from_value::<TaskStrategy>(tagged).unwrap_err();
        }
    }
}

#[test]
fn what_yaml_reads_as_a_number_wants_quotes() {
    let read = |budget: &str| {
        let text = format!(
            "dp_strategy: DpLibprio\nversion: 1\nlaw: discrete_laplace\nbudget: {budget}\n"
        );
        yaml_serde::from_str::<TaskStrategy>(&text)
    };
    read("{pure: {epsilon: '0.5'}}").unwrap();
    // A fraction is no number of YAML.
    read("{pure: {epsilon: 1/2}}").unwrap();
    // An integer is exact, a float has been rounded.
    read("{pure: {epsilon: 1}}").unwrap();
    for number in ["0.5", "1e-9", ".inf"] {
        let error = read(&format!("{{pure: {{epsilon: {number}}}}}")).unwrap_err().to_string();
        assert!(error.contains("expected an exact number"), "{error}");
    }
    read("[pure, '1']").unwrap_err();
}

/// Each by itself and with `accept_weak_guarantee`: one of both is refused.
#[test]
fn a_guarantee_that_protects_nobody_is_accepted_by_name_alone() {
    let both = |epsilon, delta| json!({"approximate": {"epsilon": epsilon, "delta": delta}});
    let (laplace, gaussian) = ("discrete_laplace", "discrete_gaussian");
    for (law, budget, is_weak) in [
        (laplace, json!({"pure": {"epsilon": "20.000001"}}), true),
        (laplace, both("0.1", "1/999"), true),
        (gaussian, both("100", "1e-9"), true),
        (gaussian, json!({"zero_concentrated": {"rho": "5"}}), true),
        (laplace, json!({"pure": {"epsilon": "20"}}), false),
        (laplace, both("20", "1e-3"), false),
        (gaussian, json!({"zero_concentrated": {"rho": "1"}}), false),
    ] {
        let read = |accept: bool| {
            let mut strategy = json!({"version": 1, "law": law, "budget": budget});
            if accept {
                strategy["accept_weak_guarantee"] = true.into();
            }
            from_value::<Strategy>(strategy).map_err(|error| error.to_string())
        };
        let error = read(!is_weak).expect_err("refused");
        let says = match is_weak {
            true => "accept_weak_guarantee is missing: expected true, as the",
            false => "which is no weak guarantee",
        };
        assert!(error.contains(says), "{budget}: {error}");
        let strategy = read(is_weak).expect("a strategy");
        assert_eq!(strategy.accepts_weak_guarantee(), is_weak);
        strategy.noise(&Query::Count).expect("noise");
    }
}

#[test]
fn a_strategy_made_in_code_is_checked_as_one_that_is_read() {
    let epsilon = |text: &str| text.parse::<Epsilon>().unwrap();
    let [one, other] = ["1/2", "0.50"].map(|text| Strategy::discrete_laplace(epsilon(text)));
    assert_eq!(one.unwrap(), other.unwrap());
    Strategy::discrete_laplace(epsilon("1e-10")).unwrap_err();
    let refused = Strategy::discrete_gaussian(epsilon("1")).unwrap_err();
    assert!(matches!(refused, Error::Parameter(_)));
    let weak = Strategy::discrete_gaussian(approximate("1", "0.5")).unwrap_err();
    assert!(weak.to_string().contains("protects nobody"), "{weak}");
}
