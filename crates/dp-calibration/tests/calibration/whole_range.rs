//! Over the whole range, ε from 1e-6 to 1000 and δ from 0.5 to 1e-300: every question has an
//! answer on the safe side, or a typed error.

use crate::common::upper;
use dp_calibration::{
    Adjacency, Corner, Error, Query, analytic_gaussian, conversion, discrete_gaussian,
    discrete_laplace, honest, zcdp,
};
use dp_exact::{Delta, Epsilon, Interval, Rational};
use num_bigint::BigUint;
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

fn queries() -> impl Strategy<Value = Query> {
    (0..7, 1usize..2000, 1usize..2000, 1u128..100_000).prop_map(|(kind, length, weight, max)| {
        let max_measurement = max;
        match kind {
            0 => Query::Count,
            1 => Query::Sum { max_measurement },
            2 => Query::Average { max_measurement },
            3 => Query::Histogram { length },
            4 => Query::MultihotCountVec {
                length,
                max_weight: weight.min(length),
            },
            5 => Query::SumVec {
                length,
                max_measurement,
            },
            _ => Query::L1BoundSum {
                length,
                max_measurement,
            },
        }
    })
}

/// The answer, if there is one; if not, the error says why.
fn answer<T>(answer: Result<T, Error>) -> Option<T> {
    answer
        .inspect_err(|error| assert!(!error.to_string().is_empty()))
        .ok()
}

fn meets(found: &Interval, target: &Delta) -> bool {
    found.lower() <= found.upper() && upper(found) <= *target.value()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn calibrated_noise_meets_its_target(
        query in queries(),
        epsilon in epsilons(),
        delta in deltas(),
        more in 100i64..900,
        replaced in any::<bool>(),
    ) {
        let adjacency = if replaced { Adjacency::Replacement } else { Adjacency::Deletion };
        let least = discrete_gaussian::calibrate_query(&query, adjacency, &epsilon, &delta);
        if let Some(noise) = answer(least) {
            prop_assert!(meets(&noise.delta, &delta));
            prop_assert!(noise.variance <= *noise.concentrated_variance());
            // Any larger variance is enough, too.
            let corner = query.corner(adjacency).unwrap().unwrap();
            let larger = &noise.variance * &Rational::new(more, 100).unwrap();
            if let Some(found) = answer(discrete_gaussian::delta(&larger, &epsilon, &corner)) {
                prop_assert!(upper(&found) <= *delta.value());
                let rho = zcdp::rho(&larger, &corner.l2_squared()).unwrap();
                let bound = zcdp::delta(&rho, &epsilon).unwrap();
                prop_assert!(found.lower() <= bound.upper());
            }
        }
        let least = discrete_laplace::calibrate_query(&query, adjacency, &epsilon, &delta);
        if let Some(noise) = answer(least) {
            prop_assert!(meets(&noise.delta, &delta));
        }
    }

}

proptest! {
    // Each case asks for a law of many draws, or for some hundred orders.
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn several_honest_aggregators_promise_no_less_than_one(
        honest in 1u32..255,
        coordinates in 1u64..4,
        sigma in between(-1, 6),
        epsilon in epsilons(),
        delta in deltas(),
    ) {
        let corner = Corner::new(coordinates, 1u32).unwrap();
        let variance = sigma.parse::<Rational>().unwrap().pow(2);
        let several = answer(honest::gaussian_delta(&variance, &epsilon, &corner, honest));
        prop_assert!(several.is_none() || honest <= 64);
        if let Some(several) = several {
            let one = discrete_gaussian::delta(&variance, &epsilon, &corner).unwrap();
            prop_assert!(several.lower() <= one.upper() && several.upper() <= one.upper());
        }
        let several = answer(honest::gaussian_epsilon(&variance, &delta, &corner, honest));
        if let Some(several) = several {
            let one = discrete_gaussian::epsilon(&variance, &delta, &corner).unwrap();
            prop_assert!(several.epsilon <= one);
        }
        let least = honest::calibrate_gaussian_corner(&corner, honest, &epsilon, &delta);
        if let Some(noise) = answer(least) {
            prop_assert!(meets(&noise.delta, &delta));
        }
    }

    #[test]
    fn the_tight_conversion_is_below_the_classical_one(
        rho in between(-9, 3),
        alpha in between(0, 4),
        epsilon in epsilons(),
        delta in deltas(),
    ) {
        let slack = Rational::new(100_000_001, 100_000_000).unwrap();
        let rho = rho.parse().unwrap();
        let tight = answer(conversion::rho_to_epsilon(&rho, &delta));
        if let (Some(tight), Some(bound)) = (tight, answer(zcdp::epsilon(&rho, &delta))) {
            prop_assert!(tight <= &bound * &slack);
        }
        let alpha = &alpha.parse::<Rational>().unwrap() + &Rational::one();
        let tight = answer(conversion::renyi_to_epsilon(&alpha, rho.value(), &delta));
        let bound = answer(conversion::renyi_to_epsilon_classical(&alpha, rho.value(), &delta));
        if let (Some(tight), Some(bound)) = (tight, bound) {
            prop_assert!(tight <= &bound * &slack);
        }
        if let Some(sigma) = answer(analytic_gaussian::sigma(&epsilon, &delta, &BigUint::from(1u32))) {
            let found = analytic_gaussian::delta(&epsilon, &sigma, &BigUint::from(1u32)).unwrap();
            prop_assert!(upper(&found) <= *delta.value());
        }
    }
}
