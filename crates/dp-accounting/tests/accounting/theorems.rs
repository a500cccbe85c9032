//! The theorems about single guarantees against their own formulas, and which of all theorems is taken.

use dp_accounting::{AccountedMechanism, Theorem, WorstCaseDifference, classical, compose};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{Adjacency, discrete_gaussian, zcdp};
use dp_exact::{Delta, Rational, Rounding};

use crate::common::{accountant, gaussian, kary, laplace, number, relative, response, small};

fn rappor() -> AccountedMechanism {
    let sum = AggregatedRappor::new("1".parse().expect("positive"), 30).expect("a sum");
    AccountedMechanism::Dominated(sum.dominating_pair(Adjacency::Replacement))
}

fn share(delta: &str, parts: u64) -> Delta {
    Delta::new(number(delta) * Rational::new(1, parts).expect("positive")).expect("a delta")
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
fn epsilons_add_up_with_an_equal_share_of_delta_for_each_gaussian() {
    let found = classical::basic(&with_guarantees(), &small("1e-6"));
    let found = found.expect("all have an epsilon");
    // Six Gaussian releases share δ.
    let of_gaussian = |variance: &str, difference: WorstCaseDifference| {
        let epsilon = discrete_gaussian::epsilon(&number(variance), &share("1e-6", 6), &difference);
        epsilon.expect("in range")
    };
    let pair =
        of_gaussian("50", WorstCaseDifference::new(2, 3u32).expect("a worst-case difference"));
    let one = of_gaussian("9.5", WorstCaseDifference::one());
    // 5·(3·2/10) + 7·0.3 + 3·0.4
    let expected = pair * Rational::from(4u64) + one * Rational::from(2u64) + number("6.3");
    assert_eq!(found, expected);
    // None that needs a share: no δ is spent.
    let pure = [(laplace("10", 3, 2), 5), (kary("0.4", 6), 3)];
    let found = classical::basic(&pure, &small("0"));
    assert_eq!(found, Some(number("4.2")));
}

#[test]
fn equal_releases_are_composed_with_half_of_delta_for_themselves() {
    let delta = small("1e-5");
    let optimal = |release: AccountedMechanism, times| {
        let found = classical::optimal(&[(release, times)], &delta);
        found.expect("equal releases")
    };
    let expected = |epsilon: &Rational, slack: &Delta, times| {
        let epsilon = dp_exact::Epsilon::new(epsilon.clone()).expect("positive");
        classical::optimal_of_pairs(&epsilon, slack, times, &delta).expect("in range")
    };
    let none = small("0");
    // Nine releases, each at δ/18.
    let slack = share("1e-5", 18);
    let each = discrete_gaussian::epsilon(&number("50"), &slack, &WorstCaseDifference::one_hot());
    let each = each.expect("in range");
    assert_eq!(optimal(gaussian("50", 2, 1), 9), expected(&each, &slack, 9));
    // A histogram is two releases of 1/t, anything else one of Δ₁/t.
    let tenth = number("0.1");
    assert_eq!(optimal(laplace("10", 2, 1), 5), expected(&tenth, &none, 10));
    assert_eq!(optimal(laplace("10", 2, 3), 5), expected(&number("0.6"), &none, 5));
    assert_eq!(optimal(response("0.3", "0"), 7), expected(&number("0.3"), &none, 7));
    assert_eq!(optimal(kary("0.4", 6), 3), expected(&number("0.4"), &none, 3));
}

#[test]
fn the_least_epsilon_of_all_theorems_is_taken_and_named() {
    let delta = small("1e-6");
    let by_losses = |releases: &[(AccountedMechanism, u32)], delta: &Delta| {
        accountant(releases.to_vec()).epsilon(delta).expect("bounds")
    };
    let names = |others: &[(Theorem, Rational)]| -> Vec<Theorem> {
        others.iter().map(|(theorem, _)| *theorem).collect()
    };
    use Theorem::{Basic, LargestLosses, LossDistribution, Optimal, ZeroConcentrated};
    for (releases, delta, by, others) in [
        (
            vec![(gaussian("50", 2, 1), 9)],
            &delta,
            LossDistribution,
            vec![ZeroConcentrated, Basic, Optimal],
        ),
        (
            vec![(gaussian("50", 2, 1), 3), (kary("0.4", 6), 2)],
            &delta,
            LossDistribution,
            vec![ZeroConcentrated, Basic],
        ),
        (
            vec![(laplace("2", 2, 1), 2), (kary("0.4", 6), 1)],
            &small("1e-40"),
            LargestLosses,
            vec![ZeroConcentrated, Basic],
        ),
        (vec![(rappor(), 2)], &delta, LossDistribution, vec![]),
    ] {
        let bounds = by_losses(&releases, delta);
        let found = compose(&releases, delta).expect("an answer");
        assert_eq!((&found.upper, found.by), (&bounds.upper, by));
        assert_eq!(found.lower, Some(bounds.lower));
        assert_eq!(names(&found.others), others);
        assert!(found.others.iter().all(|(_, epsilon)| *epsilon >= found.upper));
    }
}
