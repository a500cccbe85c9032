//! The theorems about single guarantees against their own formulas, and which of all theorems is taken.

use dp_accounting::{AccountedMechanism, Theorem, classical, compose};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{Adjacency, zcdp};
use dp_exact::{Rational, Rounding};

use crate::common::{accountant, gaussian, kary, laplace, relative, response, small};

fn rappor() -> AccountedMechanism {
    let sum = AggregatedRappor::new("1".parse().expect("positive"), 30).expect("a sum");
    AccountedMechanism::Dominated(sum.dominating_pair(Adjacency::Replacement))
}

/// Every kind that has an ε or a ρ of its own.
fn with_guarantees() -> Vec<(AccountedMechanism, u32)> {
    vec![
        (gaussian("50", 2, 3), 4),
        (laplace("10", 3, 2), 5),
        (response("0.3", "0"), 7),
        (gaussian("9.5", 1, 1), 2),
        (kary("0.4", 6), 3),
    ]
}

#[test]
fn concentrated_guarantees_add_up_before_they_are_converted() {
    let delta = small("1e-6");
    let found = classical::concentrated(&with_guarantees(), &delta);
    let found = found.expect("affordable").expect("all have a rho");
    // k·d²/(2σ²) of Gaussian noise, k·ε·tanh(ε/2) with ε = d/t of Laplace noise, ε·tanh(ε/2) of a response.
    let of_pure = |epsilon: f64| epsilon * (epsilon / 2.0).tanh();
    let rho = 4.0 * 2.0 * 9.0 / 100.0
        + 5.0 * 3.0 * of_pure(0.2)
        + 7.0 * of_pure(0.3)
        + 2.0 / 19.0
        + 3.0 * of_pure(0.4);
    let rho = Rational::from_f64(rho).expect("finite");
    let rho = rho.round_to_digits(15, Rounding::Nearest);
    let expected = dp_exact::Rho::new(rho).expect("positive");
    let expected = zcdp::epsilon(&expected, &delta).expect("in range");
    assert!(relative(&found, &expected) < 1e-10, "{found} {expected}");
}

#[test]
fn the_distribution_of_losses_is_taken_and_named_beside_what_adds_up() {
    use Theorem::{LargestLosses, LossDistribution};
    let delta = small("1e-6");
    for (releases, delta, by, adds_up) in [
        (vec![(gaussian("50", 2, 1), 9)], &delta, LossDistribution, true),
        (vec![(gaussian("50", 2, 1), 3), (kary("0.4", 6), 2)], &delta, LossDistribution, true),
        (vec![(laplace("2", 2, 1), 2)], &small("1e-40"), LargestLosses, true),
        (vec![(rappor(), 2)], &delta, LossDistribution, false),
    ] {
        let bounds = accountant(releases.clone()).epsilon(delta).expect("bounds");
        let found = compose(&releases, delta).expect("an answer");
        assert_eq!((&found.upper, found.by), (&bounds.upper, by));
        assert_eq!((found.lower, found.concentrated.is_some()), (Some(bounds.lower), adds_up));
        assert!(found.concentrated.is_none_or(|epsilon| epsilon >= found.upper));
    }
    // Too many releases for the accountant.
    let many = [(gaussian("1e9", 1, 1), u32::MAX)];
    let found = compose(&many, &delta).expect("an answer");
    assert_eq!((found.by, found.lower), (Theorem::ZeroConcentrated, None));
    assert_eq!(Some(found.upper), found.concentrated);
}
