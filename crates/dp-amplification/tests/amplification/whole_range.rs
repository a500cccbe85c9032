//! Over the whole range, ε from 1e-6 to 1000 and δ from 0.5 to 1e-300: every question has an
//! answer on the safe side, or a typed error.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{Adjacency, Error};
use dp_exact::{Delta, Epsilon};
use proptest::prelude::*;

/// m·10^e
fn decimal(mantissa: u32, exponent: i32) -> String {
    format!("{mantissa}e{}", exponent - 2)
}

prop_compose! {
    /// A three-digit number between powers of ten.
    fn between(least: i32, most: i32)(mantissa in 100u32..1000, exponent in least..most) -> String {
        decimal(mantissa, exponent)
    }
}

fn epsilons() -> impl Strategy<Value = Epsilon> {
    between(-6, 3).prop_map(|text| text.parse().expect("an epsilon"))
}

fn deltas() -> impl Strategy<Value = Delta> {
    prop_oneof![between(-300, -1), between(-12, -1), Just("0.5".to_owned())]
        .prop_map(|text| text.parse().expect("a delta"))
}

/// The answer, if there is one; if not, the error says why.
fn answer<T>(answer: Result<T, Error>) -> Option<T> {
    answer
        .inspect_err(|error| assert!(!error.to_string().is_empty()))
        .ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_crowd_hides_no_less_than_its_bounds_say(
        clients in 1u64..20_000,
        epsilon0 in between(-3, 2),
        epsilon in epsilons(),
        delta in deltas(),
        replaced in any::<bool>(),
    ) {
        let adjacency = if replaced { Adjacency::Replacement } else { Adjacency::Deletion };
        let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
        if let Some(bounds) = answer(sum.epsilon(&delta, adjacency)) {
            prop_assert!(bounds.lower <= bounds.upper);
            prop_assert!(bounds.upper <= sum.local_epsilon(adjacency));
        }
        if let Some(bounds) = answer(sum.delta(&epsilon, adjacency)) {
            prop_assert!(bounds.lower <= bounds.upper);
        }
    }
}
