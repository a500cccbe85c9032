//! What holds for aggregated RAPPOR at any parameters.

use dp_amplification::EpsilonBounds;
use dp_amplification::aggregated_rappor::{
    AggregatedRappor, MultiHot, Verdicts, WeightLimit, largest_epsilon0, least_clients,
};
use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon, Rational, Rounding};
use proptest::prelude::*;

fn rational(value: f64) -> Rational {
    let exact = Rational::from_f64(value).expect("finite");
    exact.round_to_digits(6, Rounding::Up)
}

fn bounds(epsilon0: f64, clients: u64, delta: f64, adjacency: Adjacency) -> EpsilonBounds {
    let delta = Delta::new(rational(delta)).expect("in range");
    let sum = sum(epsilon0, clients);
    sum.epsilon(&delta, adjacency).expect("in range")
}

fn sum(epsilon0: f64, clients: u64) -> AggregatedRappor {
    let epsilon0 = Epsilon::new(rational(epsilon0)).expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("in range")
}

fn adjacencies() -> impl Strategy<Value = Adjacency> {
    prop_oneof![Just(Adjacency::Replacement), Just(Adjacency::Deletion)]
}

/// A number whose logarithm is even.
fn logarithmic(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(f64::exp)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn bounds_are_ordered_and_never_worse_than_the_client_alone(
        epsilon0 in logarithmic(0.01, 9.0),
        clients in 1u64..3000,
        delta in logarithmic(1e-200, 0.5),
        adjacency in adjacencies(),
    ) {
        let bounds = bounds(epsilon0, clients, delta, adjacency);
        prop_assert!(bounds.lower <= bounds.upper);
        prop_assert!(bounds.upper <= sum(epsilon0, clients).local_epsilon(adjacency));
        let hold = bounds.attained_by;
        prop_assert_eq!(hold.removed + hold.added + hold.neither, clients - 1);
    }

    #[test]
    fn more_clients_more_noise_and_more_slack_are_never_worse(
        epsilon0 in logarithmic(0.05, 7.0),
        clients in 1u64..1500,
        delta in logarithmic(1e-50, 0.05),
        growth in 1.0f64..4.0,
        adjacency in adjacencies(),
    ) {
        let here = bounds(epsilon0, clients, delta, adjacency);
        let mut more = clients;
        while Rational::from(more) < rational(growth) * Rational::from(clients) {
            more += 1;
        }
        prop_assert!(bounds(epsilon0, more, delta, adjacency).lower <= here.upper);
        prop_assert!(bounds(epsilon0 / growth, clients, delta, adjacency).lower <= here.upper);
        prop_assert!(bounds(epsilon0, clients, delta * growth, adjacency).lower <= here.upper);
    }

    #[test]
    fn a_replacement_is_at_least_a_deletion_and_at_most_two(
        epsilon0 in logarithmic(0.05, 5.0),
        clients in 1u64..1500,
        delta in logarithmic(1e-50, 1e-3),
    ) {
        let one = bounds(epsilon0, clients, delta, Adjacency::Deletion);
        let two = bounds(epsilon0, clients, delta, Adjacency::Replacement);
        prop_assert!(one.lower <= two.upper);
        // Group privacy: (2 epsilon, (1 + e^epsilon) delta).
        let epsilon = one.upper.to_f64();
        let grown = delta * (1.0 + epsilon.exp()) * 1.00001;
        if grown < 0.5 {
            let group = bounds(epsilon0, clients, grown, Adjacency::Replacement);
            prop_assert!(group.lower <= &one.upper + &one.upper);
        }
    }

    #[test]
    fn delta_at_the_certified_epsilon_is_consistent(
        epsilon0 in logarithmic(0.1, 6.0),
        clients in 2u64..1500,
        delta in logarithmic(1e-50, 0.05),
        adjacency in adjacencies(),
    ) {
        let epsilon = bounds(epsilon0, clients, delta, adjacency).upper;
        prop_assume!(epsilon > rational(1e-6));
        let back = sum(epsilon0, clients)
            .delta(&Epsilon::new(epsilon).expect("positive"), adjacency)
            .expect("in range");
        prop_assert!(back.lower <= back.upper);
        prop_assert!(back.lower <= rational(delta));
    }

    #[test]
    fn what_is_attained_with_drops_and_several_ones_is_below_the_bounds(
        epsilon0 in logarithmic(0.1, 6.0),
        clients in 65u64..300,
        delta in logarithmic(1e-30, 0.05),
        length in 3u64..200,
        share in 0.0f64..1.0,
        adjacency in adjacencies(),
    ) {
        let delta = Delta::new(rational(delta)).expect("in range");
        let sum = sum(epsilon0, clients);
        let mut max_weight = 1;
        while Rational::from(max_weight) < rational(share) * Rational::from(length) {
            max_weight += 1;
        }
        // Who drops nearly all reports may give away less than who drops none.
        let limit = WeightLimit { length, max_weight };
        let dropping = sum.epsilon_with_drops(&delta, adjacency, limit).expect("in range");
        prop_assert!(dropping.upper <= sum.local_epsilon(adjacency));
        for verdicts in [Verdicts::Each, Verdicts::Counted] {
            let attained = sum.attained_epsilon_with_verdicts(&delta, adjacency, limit, verdicts);
            prop_assert!(attained.expect("in range").0 <= dropping.upper);
        }
        let kept = sum.attained_epsilon(&delta, adjacency).expect("in range").0;
        let all = WeightLimit { length, max_weight: length };
        let none = sum.epsilon_with_drops(&delta, adjacency, all).expect("in range");
        prop_assert!(kept <= none.upper);
        let input = MultiHot { length, ones: 2 };
        let several = sum.epsilon_multi_hot(&delta, adjacency, input).expect("in range");
        prop_assert!(kept <= several);
        let both = sum
            .epsilon_multi_hot_with_drops(&delta, adjacency, input, max_weight)
            .expect("in range");
        prop_assert!(both.upper <= sum.local_epsilon_multi_hot(adjacency, input));
        let both = sum
            .epsilon_multi_hot_with_drops(&delta, adjacency, input, length)
            .expect("in range");
        prop_assert!(kept <= both.upper);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn inverses_meet_what_they_were_asked_for(
        epsilon in logarithmic(0.2, 2.0),
        delta in logarithmic(1e-20, 1e-4),
        epsilon0 in logarithmic(1.0, 4.0),
        clients in 200u64..1000,
        adjacency in adjacencies(),
    ) {
        let target = Epsilon::new(rational(epsilon)).expect("positive");
        let delta = Delta::new(rational(delta)).expect("in range");
        let noise = largest_epsilon0(clients, &target, &delta, adjacency).expect("possible");
        let meets = AggregatedRappor::new(noise.meets, clients).expect("in range");
        prop_assert!(meets.epsilon(&delta, adjacency).expect("in range").upper <= *target.value());
        if let Some(misses) = noise.misses {
            let misses = AggregatedRappor::new(misses, clients).expect("in range");
            let attained = misses.attained_epsilon(&delta, adjacency).expect("in range");
            prop_assert!(attained.0 > *target.value());
        }
        let epsilon0 = Epsilon::new(rational(epsilon0)).expect("positive");
        let number = least_clients(&epsilon0, &target, &delta, adjacency).expect("possible");
        let meets = AggregatedRappor::new(epsilon0.clone(), number.meets).expect("in range");
        prop_assert!(meets.epsilon(&delta, adjacency).expect("in range").upper <= *target.value());
        if let Some(misses) = number.misses {
            prop_assert!(misses < number.meets);
            let misses = AggregatedRappor::new(epsilon0, misses).expect("in range");
            let attained = misses.attained_epsilon(&delta, adjacency).expect("in range");
            prop_assert!(attained.0 > *target.value());
        }
    }
}
