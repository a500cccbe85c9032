//! The error of the curve, and that buckets and tails lie above the distribution.

use alloc::sync::Arc;
use core::cmp::Ordering;

use super::*;

fn binomial(trials: u64, probability: &str) -> Binomial {
    let probability: Rational = probability.parse().expect("a fraction");
    Binomial { trials, probability: Arc::new(probability), lost_bits: 64 }
}

/// Envelopes of wide and hardly wide distributions, symmetric and skewed to both sides.
fn wide() -> Vec<Envelope> {
    [
        (1_000_000_000_000, "0.2689414213699951"),
        (1_000_000_000_000, "0.0000123"),
        (999_999_999_937, "0.9999"),
        (49_000_001, "1/2"),
        (5000, "1/2"),
        (1_250_000, "1/1000"),
        (1_250_000, "999/1000"),
    ]
    .map(|(trials, probability)| {
        let distribution = binomial(trials, probability);
        Envelope::new(&distribution, distribution.variance_bound()).expect("wide")
    })
    .into()
}

/// Enclosures of D(x) as a function of x, in units of 2^−55.
fn exact(distribution: &Envelope) -> impl Fn(i64) -> Interval {
    let logarithm = distribution.distribution.ln_at(PRECISION);
    let at_centre = logarithm(distribution.centre).expect("narrow");
    move |x| {
        let k = distribution.centre.checked_add_signed(x).expect("not negative");
        let value = logarithm(k).expect("narrow") - &at_centre;
        value.shifted(i64::from(FRACTION))
    }
}

/// Whether the curve is within its error bound at the ends of buckets and in their middle.
fn curve_holds(distribution: &Envelope) -> bool {
    let (exact, error) = (exact(distribution), distribution.curve.error);
    distribution.support().step_by(9).all(|outcome| {
        [0, 1, distribution.width() / 2, distribution.width() - 1].into_iter().all(|offset| {
            let x = distribution.offset(outcome, offset);
            let (computed, value) = (distribution.curve.at(x), exact(x));
            let bound = |error: i64| Rational::integer(computed + error);
            value.compare_rational(&bound(-error)) == Some(Ordering::Greater)
                && value.compare_rational(&bound(error)) == Some(Ordering::Less)
        })
    })
}

#[test]
fn the_curve_is_within_its_error_of_the_logarithm_and_a_changed_one_is_caught() {
    for mut distribution in wide() {
        assert!(curve_holds(&distribution), "{:?}", distribution.distribution);
        distribution.curve.coefficients[1] += 1 << 12;
        assert!(!curve_holds(&distribution), "{:?}", distribution.distribution);
    }
}

#[test]
fn buckets_lie_above_the_distribution_and_tails_fall_at_least_as_their_slope_says() {
    for distribution in wide() {
        let exact = exact(&distribution);
        for outcome in distribution.support().step_by(5) {
            let level = Rational::integer(distribution.level(outcome) - distribution.curve.error);
            let order = exact(distribution.offset(outcome, 0)).compare_rational(&level);
            assert_eq!(order, Some(Ordering::Less), "{outcome}");
        }
        for outcome in [*distribution.support().start(), *distribution.support().end()] {
            let slope = distribution.slope(outcome).expect("a tail");
            assert!(slope > 0 && distribution.curve.at(distribution.offset(outcome, 0)) < -DEPTH);
            assert_eq!(distribution.slope(outcome - outcome.signum()), None);
            for distance in [0, 1, 2, 17, distribution.curve.reach() / 16] {
                let value = exact(distribution.offset(outcome, distance));
                let bound = Rational::integer(distribution.level(outcome) - slope * distance);
                let order = value.compare_rational(&bound);
                assert_eq!(order, Some(Ordering::Less), "{distance}");
            }
        }
    }
}

#[test]
fn lower_bounds_lie_closely_below_the_probabilities() {
    for distribution in wide() {
        let bounds = distribution.lower_bounds();
        let at = distribution.probability(200);
        for (outcome, bound) in (bounds.first..).zip(bounds.bounds).step_by(31) {
            let gap = at(outcome).lower().floor_shifted(128) - BigInt::from(bound);
            assert!((BigInt::ZERO..BigInt::from(1 << 21)).contains(&gap), "{gap}");
        }
    }
}

#[test]
fn narrow_distributions_are_refused_and_not_bounded_wrongly() {
    for (trials, probability) in [(0, "1/2"), (1, "1/2"), (1000, "1/2"), (1_000_000, "1e-5")] {
        let distribution = binomial(trials, probability);
        assert!(Envelope::new(&distribution, distribution.variance_bound()).is_none());
    }
}

/// A probability known only to lie between a quarter and three quarters, at any precision.
#[derive(Debug)]
struct Vague;

impl Real for Vague {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::hull_of(Dyadic::new(1, -2), Dyadic::new(3, -2), precision)
    }
}

#[test]
fn a_centre_that_enclosures_do_not_tell_is_none() {
    let distribution =
        Binomial { probability: Arc::new(Vague), ..binomial(1_000_000_000_000, "1/2") };
    assert!(centre(&distribution).is_none());
}
