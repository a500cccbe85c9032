//! What each policy promises, to whom, and what it says where it promises nothing.

use crate::support::{
    alone, epsilon, epsilon_delta, histogram_gaussian, histogram_laplace, multihot_rappor,
    rational, sum_vec_laplace,
};
use dp_calibration::{Adjacency, Budget};
use dp_prio3::{Circumstances, DpPolicy, MultihotRappor, TrustModel};

const OC: TrustModel = TrustModel::OneClient;
const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;
const OAMC: TrustModel = TrustModel::OneAggregatorMostClients;

fn pure(text: &str) -> Budget {
    Budget::Pure {
        epsilon: epsilon(text),
    }
}

#[test]
fn noise_at_the_aggregators_promises_nothing_without_an_honest_aggregator() {
    for guarantee in [
        histogram_gaussian(2, 4).guarantee(OC, &alone()),
        histogram_laplace(2, 4).guarantee(OC, &alone()),
        sum_vec_laplace(2, 4, 3).guarantee(OC, &alone()),
    ] {
        assert_eq!(guarantee.budget(), None);
        assert!(guarantee.to_string().starts_with("OC: no guarantee: "));
    }
}

#[test]
fn noise_at_the_aggregators_promises_its_budget_with_one_honest_aggregator() {
    let gaussian = epsilon_delta("0.906", "1e-9");
    let gaussian = Budget::Approximate {
        epsilon: gaussian.epsilon,
        delta: gaussian.delta,
    };
    for model in [OAOC, OAMC] {
        for aggregators in [2, 5] {
            let guarantee = histogram_gaussian(aggregators, 4).guarantee(model, &alone());
            assert_eq!(guarantee.budget(), Some(&gaussian));
            assert_eq!(guarantee.adjacency, Adjacency::Replacement);
            assert_eq!(guarantee.trust_model, model);
            let guarantee = histogram_laplace(aggregators, 4).guarantee(model, &alone());
            assert_eq!(guarantee.budget(), Some(&pure("0.5")));
            let guarantee = sum_vec_laplace(aggregators, 4, 3).guarantee(model, &alone());
            assert_eq!(guarantee.budget(), Some(&pure("1")));
        }
    }
}

#[test]
fn rappor_promises_min_d_2w_times_epsilon0_against_everybody() {
    let rate = rational("1e-9");
    for (length, weight, expected) in [
        (10, 1, "0.6"),
        (10, 2, "1.2"),
        (10, 5, "3"),
        (10, 9, "3"),
        (3, 2, "0.9"),
        (1, 1, "0.3"),
    ] {
        let policy = MultihotRappor::vectors(2, length, weight, epsilon("0.3"), &rate).unwrap();
        for model in [OC, OAOC] {
            assert_eq!(
                policy.guarantee(model, &alone()).budget(),
                Some(&pure(expected))
            );
        }
    }
}

#[test]
fn a_promise_says_where_it_was_proved() {
    let text = |guarantee: dp_prio3::Guarantee| guarantee.to_string();
    assert_eq!(
        histogram_laplace(2, 4)
            .guarantee(OAOC, &alone())
            .carried_over_from,
        None
    );
    let guarantee = histogram_laplace(2, 4).guarantee(OAMC, &alone());
    assert_eq!(guarantee.carried_over_from, Some(OAOC));
    assert!(text(guarantee).contains("Carried over from OAOC"));

    assert_eq!(
        multihot_rappor(2, 4, 1)
            .guarantee(OC, &alone())
            .carried_over_from,
        None
    );
    let guarantee = multihot_rappor(2, 4, 1).guarantee(OAOC, &alone());
    assert_eq!(guarantee.carried_over_from, Some(OC));
    assert!(text(guarantee).contains("Carried over from OC"));
}

#[test]
fn a_guarantee_says_what_remains_if_nobody_else_is_honest() {
    let crowd = Circumstances::new(2_000, "1e-6".parse().unwrap());
    let guarantee = MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("1e-12"))
        .unwrap()
        .guarantee(OAMC, &crowd);
    assert_eq!(guarantee.carried_over_from, None);
    let text = guarantee.to_string();
    assert!(
        text.contains("the reports of 2000 honest clients"),
        "{text}"
    );
    assert!(
        text.contains("the client's own randomness remains: epsilon 4"),
        "{text}"
    );
}

#[test]
fn a_guarantee_says_who_must_be_honest_and_against_whom_it_holds() {
    let text = histogram_laplace(2, 4)
        .guarantee(OAOC, &alone())
        .to_string();
    for part in [
        "epsilon 0.5",
        "one client's measurement replaced by any other",
        "Must be honest: the client itself and one aggregator.",
        "Holds against all aggregators but one, the collector and all other clients together.",
        "Provided that: the honest aggregator draws its noise",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains('\n'));
}

#[test]
fn laplace_noise_has_scale_sensitivity_over_epsilon() {
    assert_eq!(
        histogram_laplace(2, 4).mechanism().scale(),
        &rational("4") // 2 / 0.5
    );
    // From the largest measurement, not from its bits: 4 · 4, not 4 · 7.
    let policy = sum_vec_laplace(2, 4, 4);
    assert_eq!(policy.mechanism().scale(), &rational("16"));
}

#[test]
fn two_honest_gaussian_aggregators_promise_a_smaller_epsilon() {
    let both = alone().with_honest_aggregators(2);
    let policy = histogram_gaussian(2, 4);
    for model in [OAOC, OAMC] {
        let guarantee = policy.guarantee(model, &both);
        let Some(Budget::Approximate { epsilon, delta }) = guarantee.budget() else {
            panic!("{guarantee:?}");
        };
        assert_eq!(delta.to_string(), "1e-9");
        // A sum over all outcomes, in double precision, gives 0.63108381072.
        assert!(epsilon.value() >= &rational("0.631083810"));
        assert!(epsilon.value() < &rational("0.631083812"));
    }
    // Of one aggregator more than there are, nothing more is counted.
    let three = alone().with_honest_aggregators(3);
    assert_eq!(
        policy.guarantee(OAOC, &both).promise,
        policy.guarantee(OAOC, &three).promise
    );
}

#[test]
fn two_honest_laplace_aggregators_promise_what_one_does() {
    let both = alone().with_honest_aggregators(2);
    let guarantee = histogram_laplace(2, 4).guarantee(OAOC, &both);
    assert_eq!(guarantee.budget(), Some(&pure("0.5")));
}
