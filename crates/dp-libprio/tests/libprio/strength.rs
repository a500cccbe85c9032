//! Strategies whose guarantees protect nobody: accepted only by name.

use dp_libprio::{Budget, Query, Strategy};
use serde_json::{Value, from_value};

use crate::approximate;
use crate::json::{self, concentrated, pure};

/// The strategy in this JSON, or the error message. `accept` is the field `accept_weak_guarantee`.
fn read(law: &str, budget: &Value, accept: Option<bool>) -> Result<Strategy, String> {
    let mut strategy = serde_json::json!({"version": 1, "law": law, "budget": budget});
    if let Some(accept) = accept {
        strategy["accept_weak_guarantee"] = accept.into();
    }
    from_value(strategy).map_err(|error| error.to_string())
}

#[test]
fn a_guarantee_that_protects_nobody_is_accepted_by_name_alone() {
    let (laplace, gaussian) = ("discrete_laplace", "discrete_gaussian");
    for (law, budget) in [
        (laplace, pure("20.000001")),
        (laplace, json::approximate("0.1", "1/999")),
        (laplace, json::approximate("21", "1e-9")),
        (gaussian, json::approximate("1", "0.5")),
        (gaussian, json::approximate("100", "1e-9")),
        (gaussian, concentrated("5")),
    ] {
        let error = read(law, &budget, None).unwrap_err();
        let begin = "accept_weak_guarantee is missing: expected true, as the strategy guarantees ";
        assert!(error.starts_with(begin), "{budget}: {error}");
        assert!(error.contains("This protects nobody"), "{error}");
        assert!(read(law, &budget, Some(false)).is_err(), "{budget}");
        let weak = read(law, &budget, Some(true)).expect("accepted");
        assert!(weak.accepts_weak_guarantee());
        let text = serde_json::to_value(&weak).expect("text");
        assert_eq!(text["accept_weak_guarantee"], true);
        assert_eq!(from_value::<Strategy>(text).expect("text"), weak);
        weak.noise(&Query::Count).expect("noise");
    }
}

#[test]
fn what_protects_is_no_weak_guarantee() {
    let (laplace, gaussian) = ("discrete_laplace", "discrete_gaussian");
    for (law, budget) in [
        (laplace, pure("20")),
        (laplace, json::approximate("20", "1e-3")),
        (gaussian, json::approximate("0.1", "1e-9")),
        (gaussian, concentrated("1")),
    ] {
        let strategy = read(law, &budget, None).expect("it protects");
        assert!(!strategy.accepts_weak_guarantee());
        let text = serde_json::to_value(&strategy).expect("text");
        assert_eq!(text.get("accept_weak_guarantee"), None);
        let error = read(law, &budget, Some(true)).unwrap_err();
        assert!(error.contains("which is no weak guarantee"), "{error}");
    }
}

#[test]
fn code_accepts_a_weak_guarantee_by_the_name_of_the_function() {
    let epsilon = |text: &str| Budget::Pure { epsilon: text.parse().expect("a number") };
    let error = Strategy::discrete_laplace(epsilon("50")).unwrap_err();
    assert!(error.to_string().contains("protects nobody"), "{error}");
    let error = Strategy::discrete_gaussian(approximate("1", "0.5")).unwrap_err();
    assert!(error.to_string().contains("protects nobody"), "{error}");
    Strategy::weak_discrete_laplace(epsilon("50")).expect("accepted");
    Strategy::weak_discrete_gaussian(approximate("1", "0.5")).expect("accepted");
    Strategy::weak_discrete_laplace(epsilon("1")).expect_err("it protects");
    Strategy::weak_discrete_gaussian(approximate("1", "1e-9")).expect_err("it protects");
}
