//! Strategies whose guarantees protect nobody: accepted only by name.

use dp_libprio::{Epsilon, Query, Strategy};
use serde_json::{Value, from_value};

use crate::approximate;
use crate::json::{self, concentrated, pure};

pub(crate) const LAPLACE: &str = "discrete_laplace";
const GAUSSIAN: &str = "discrete_gaussian";

/// The strategy in this JSON, or the error message. `accept` is the field `accept_weak_guarantee`.
pub(crate) fn read(law: &str, budget: &Value, accept: Option<bool>) -> Result<Strategy, String> {
    let mut strategy = serde_json::json!({"version": 1, "law": law, "budget": budget});
    if let Some(accept) = accept {
        strategy["accept_weak_guarantee"] = accept.into();
    }
    from_value(strategy).map_err(|error| error.to_string())
}

#[test]
fn a_guarantee_that_protects_nobody_is_accepted_by_name_alone() {
    for (law, budget, is_weak) in [
        (LAPLACE, pure("20.000001"), true),
        (LAPLACE, json::approximate("0.1", "1/999"), true),
        (LAPLACE, json::approximate("21", "1e-9"), true),
        (GAUSSIAN, json::approximate("1", "0.5"), true),
        (GAUSSIAN, json::approximate("100", "1e-9"), true),
        (GAUSSIAN, concentrated("5"), true),
        (LAPLACE, pure("20"), false),
        (LAPLACE, json::approximate("20", "1e-3"), false),
        (GAUSSIAN, json::approximate("0.1", "1e-9"), false),
        (GAUSSIAN, concentrated("1"), false),
    ] {
        let [plain, accepted] = [None, Some(true)].map(|accept| read(law, &budget, accept));
        assert!(!is_weak || read(law, &budget, Some(false)).is_err(), "{budget}");
        let (strategy, error) = if is_weak { (accepted, plain) } else { (plain, accepted) };
        let (strategy, error) = (strategy.expect("a strategy"), error.expect_err("refused"));
        assert!(
            match is_weak {
                true =>
                    error.starts_with("accept_weak_guarantee is missing: expected true, as the")
                        && error.contains("This protects nobody"),
                false => error.contains("which is no weak guarantee"),
            },
            "{budget}: {error}"
        );
        assert_eq!(strategy.accepts_weak_guarantee(), is_weak);
        let text = serde_json::to_value(&strategy).expect("text");
        assert_eq!(text.get("accept_weak_guarantee"), is_weak.then_some(&true.into()));
        assert_eq!(from_value::<Strategy>(text).expect("text"), strategy);
        strategy.noise(&Query::Count).expect("noise");
    }
}

#[test]
fn code_is_refused_a_weak_guarantee() {
    let laplace = Strategy::discrete_laplace("50".parse::<Epsilon>().expect("a number"));
    let gaussian = Strategy::discrete_gaussian(approximate("1", "0.5"));
    for refused in [laplace, gaussian] {
        let error = refused.expect_err("it protects nobody").to_string();
        assert!(error.contains("protects nobody"), "{error}");
    }
}
