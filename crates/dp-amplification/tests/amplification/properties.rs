//! What holds at any parameters: order, monotony, inverses, and refusals.

use dp_amplification::EpsilonBounds;
use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_calibration::{Adjacency, Error};
use dp_exact::{Delta, Epsilon};
use proptest::prelude::*;

use crate::common::{
    BOTH, compensation, delta, gaussian, laplace, number, rappor, rational, response,
};

fn sum(epsilon0: f64, clients: u64) -> AggregatedRappor {
    let epsilon0 = Epsilon::new(rational(epsilon0)).expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("in range")
}

fn bounds(epsilon0: f64, clients: u64, delta: f64, adjacency: Adjacency) -> EpsilonBounds {
    let delta = Delta::new(rational(delta)).expect("in range");
    sum(epsilon0, clients).epsilon(&delta, adjacency).expect("in range")
}

fn adjacencies() -> impl Strategy<Value = Adjacency> {
    prop_oneof![Just(Adjacency::Replacement), Just(Adjacency::Deletion)]
}

/// A number whose logarithm is even.
fn logarithmic(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(f64::exp)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5))]

    #[test]
    fn more_clients_more_noise_and_more_slack_are_never_worse(
        epsilon0 in logarithmic(0.01, 9.0),
        clients in 1u64..600,
        delta in logarithmic(1e-40, 0.1),
        growth in 1.0f64..4.0,
        adjacency in adjacencies(),
    ) {
        let here = bounds(epsilon0, clients, delta, adjacency);
        prop_assert!(here.lower <= here.upper);
        prop_assert!(here.upper <= sum(epsilon0, clients).local_epsilon(adjacency));
        prop_assert!(bounds(epsilon0, 3 * clients, delta, adjacency).lower <= here.upper);
        prop_assert!(bounds(epsilon0 / growth, clients, delta, adjacency).lower <= here.upper);
        prop_assert!(bounds(epsilon0, clients, delta * growth, adjacency).lower <= here.upper);
    }
}

#[test]
fn two_answers_are_one_randomized_bit_and_a_slack_of_0_is_the_client_alone() {
    let bit = rappor("1.5", 300).epsilon(&delta("1e-6"), Adjacency::Deletion).unwrap();
    let pair = response("1.5", 2, 300).epsilon(&delta("1e-6")).unwrap();
    assert_eq!(pair, bit);
    // Where there is a third value, others that hold it hide the two values less.
    assert!(response("1.5", 3, 300).epsilon(&delta("1e-6")).unwrap().lower > bit.upper);
    let none = delta("0");
    assert_eq!(response("4", 6, 1_000).epsilon(&none).unwrap().upper, 4);
    for (adjacency, local) in BOTH.into_iter().zip([6, 3]) {
        let bounds = rappor("3", 50).epsilon(&none, adjacency).unwrap();
        assert!(bounds.upper == local && bounds.lower == local);
        assert_eq!(compensation("3", 50, 10, 60).epsilon(&none, adjacency).unwrap(), local);
    }
    assert_eq!(rappor("3", 50).epsilon_of_counts(&none, 4).unwrap(), Some(number("12")));
}

/// The most clients, the smallest δ and the extremes of ε₀ are answered, each within seconds.
fn are_answered(settings: &[(&str, u64, u64, &str)]) {
    for &(epsilon0, answers, clients, slack) in settings {
        let bounds = response(epsilon0, answers, clients).epsilon(&delta(slack)).expect("in range");
        assert!(bounds.lower <= bounds.upper && bounds.upper <= number(epsilon0), "{bounds:?}");
        for adjacency in BOTH {
            let sum = rappor(epsilon0, clients);
            let bounds = sum.epsilon(&delta(slack), adjacency).expect("in range");
            assert!(bounds.lower <= bounds.upper && bounds.upper <= sum.local_epsilon(adjacency));
        }
    }
}

#[test]
fn extreme_parameters_are_answered() {
    are_answered(&[
        ("100", 3, 1_000, "1e-6"),
        ("100", 4_294_967_295, 3, "1e-40"),
        ("1e-6", 3, 1_000, "0.9"),
        ("1", 50, 2_000, "1e-40"),
    ]);
}

#[test]
#[ignore = "seconds: in release"]
fn extreme_numbers_of_clients_are_answered() {
    are_answered(&[
        ("1e-6", 4_294_967_295, 1_000_000, "1e-9"),
        ("10", 1_000, 10_000_000_000, "1e-40"),
    ]);
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let epsilon0 = |text: &str| -> Epsilon { text.parse().unwrap() };
    let batch = |reports, malicious| BatchCounts { reports, malicious };
    let (sum, slack) = (rappor("1", 10), delta("1e-6"));
    let several = |length, ones| {
        let input = MultiHot { length, ones };
        sum.remaining_clients(&slack, Adjacency::Deletion, input, 3).err()
    };
    let named: Vec<(&str, Option<Error>)> = vec![
        ("epsilon0", AggregatedRappor::new(epsilon0("101"), 10).err()),
        ("epsilon0", AggregatedRappor::new(epsilon0("1e-7"), 10).err()),
        ("clients", AggregatedRappor::new(epsilon0("1"), 0).err()),
        ("clients", AggregatedRappor::new(epsilon0("1"), 10_000_000_001).err()),
        ("answers", AggregatedResponse::new(epsilon0("1"), 1, 10).err()),
        ("clients", AggregatedResponse::new(epsilon0("1"), 3, 0).err()),
        ("delta", sum.epsilon(&delta("1e-70"), Adjacency::Deletion).err()),
        ("delta", sum.epsilon(&delta("0.95"), Adjacency::Deletion).err()),
        ("counts", sum.epsilon_of_counts(&slack, 0).err()),
        ("releases", response("1", 3, 10).epsilon_of_releases(&slack, 0).err()),
        ("length", several(0, 1)),
        ("ones", several(3, 0)),
        ("variance", sum.clone().with_noise(Some((&gaussian("1e-5"), 1))).err()),
        ("scale", sum.clone().with_noise(Some((&laplace("1e7"), 1))).err()),
        ("honest_aggregators", sum.clone().with_noise(Some((&laplace("1"), 65))).err()),
        ("variance", response("1", 3, 9).epsilon_with_noise(&slack, &gaussian("0")).err()),
        ("malicious", Compensation::new(epsilon0("1"), batch(5, 5), 9, 2).err()),
        ("reports", Compensation::new(epsilon0("1"), batch(10_000_000_001, 0), 9, 2).err()),
        ("aggregators", Compensation::new(epsilon0("1"), batch(5, 1), 9, 255).err()),
        ("honest", compensation("1", 5, 1, 9).with_honest(6).err()),
    ];
    for (name, error) in named {
        let error = error.expect(name).to_string();
        assert!(error.starts_with(name), "{name}: {error}");
    }
}
