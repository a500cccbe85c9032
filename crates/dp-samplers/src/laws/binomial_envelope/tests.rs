//! The error of the curve, and that buckets and tails lie above the law.

use alloc::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;

fn binomial(trials: u64, probability: &str) -> Binomial<Rational> {
    let probability: Rational = probability.parse().expect("a fraction");
    Binomial {
        trials,
        likely: &probability + &probability > Rational::one(),
        probability: Arc::new(probability),
        lost_bits: 64,
    }
}

fn envelope(trials: u64, probability: &str) -> Envelope<Rational> {
    let law = binomial(trials, probability);
    Envelope::new(&law, law.variance_bound()).expect("wide")
}

/// Wide and hardly wide laws, symmetric and skewed to both sides.
pub(crate) fn wide() -> Vec<Envelope<Rational>> {
    [
        (1_000_000_000_000, "1/2"),
        (1_000_000_000_000, "0.2689414213699951"),
        (1_000_000_000_000, "0.0000123"),
        (999_999_999_937, "0.9999"),
        (1_000_000_000, "1/3"),
        (49_000_001, "1/2"),
        (70_000_000, "0.7"),
    ]
    .map(|(trials, probability)| envelope(trials, probability))
    .into()
}

/// Enclosures of D(x) in units of 2^−55.
fn exact(law: &Envelope<Rational>) -> impl Fn(i64) -> Interval {
    let logarithm = law.law.ln_at(PRECISION);
    let at_centre = logarithm(law.centre).expect("narrow");
    move |x| {
        let k = law.centre.checked_add_signed(x).expect("not negative");
        let value = logarithm(k).expect("narrow") - &at_centre;
        value.shifted(i64::from(FRACTION))
    }
}

/// Whether the curve is within its error at the ends of buckets and at places within.
fn curve_holds(law: &Envelope<Rational>) -> bool {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let exact = exact(law);
    let step = usize::try_from(law.up.buckets / 12).expect("positive");
    law.support().step_by(step).all(|outcome| {
        let random = (rng.next_u64() >> (64 - law.width_bits)).cast_signed();
        [0, 1, random, law.width() - 1].into_iter().all(|place| {
            let x = law.place(outcome, place);
            let (computed, value) = (law.curve.at(x), exact(x));
            let bound = |error: i64| Rational::integer(computed + error);
            value.compare_rational(&bound(-ERROR)) == Some(core::cmp::Ordering::Greater)
                && value.compare_rational(&bound(ERROR)) == Some(core::cmp::Ordering::Less)
        })
    })
}

#[test]
fn the_curve_is_within_its_error_of_the_logarithm() {
    for law in wide() {
        assert!(curve_holds(&law), "{:?}", law.law);
    }
}

#[test]
fn a_coefficient_off_by_a_few_hundred_units_is_caught() {
    for term in 0..6 {
        let mut law = envelope(49_000_001, "1/2");
        law.curve.coefficients[term] += 1 << (8 + term);
        assert!(!curve_holds(&law), "{term}");
    }
}

#[test]
fn buckets_that_are_too_wide_or_too_high_are_caught() {
    for law in wide() {
        assert!(law.holds());
        let changed = |change: fn(&mut Envelope<Rational>)| {
            let mut law = law.clone();
            change(&mut law);
            law.holds()
        };
        // Buckets of four times the width fall by up to a tenth.
        assert!(!changed(|law| {
            law.width_bits += 2;
            (law.up.buckets, law.down.buckets) = (law.up.buckets / 4, law.down.buckets / 4);
        }));
        assert!(!changed(|law| law.top -= 1));
        // A curve that rises anywhere.
        assert!(!changed(|law| law.curve.coefficients[0] += 1 << FRACTION));
    }
}

#[test]
fn buckets_end_where_the_weight_beyond_is_less_than_that_of_a_word() {
    for law in wide() {
        let exact = exact(&law);
        for (start, tail) in [(law.up.buckets, law.up), (!law.down.buckets, law.down)] {
            // Whatever the errors are, a bucket starts as far above the law.
            for bucket in (start.min(0)..start.max(0)).step_by(50) {
                let level = Rational::integer(law.level(bucket) - ERROR);
                let order = exact(law.place(bucket, 0)).compare_rational(&level);
                assert_eq!(order, Some(core::cmp::Ordering::Less), "{bucket}");
            }
            let inner = if start < 0 { start + 1 } else { start - 1 };
            // D = −45 lies in the last bucket; where it starts D is higher, and where the tail does lower.
            assert!(law.curve.at(law.place(inner, 0)) >= -DEPTH);
            assert!(law.curve.at(law.place(start, 0)) < -DEPTH);
            // The slope is the first fall, less the error of both its ends, whatever these are.
            let computed = |place| law.curve.at(law.place(start, place));
            assert!(computed(0) - computed(1) - tail.slope >= 2 * ERROR);
            let fall = exact(law.place(start, 0)) - exact(law.place(start, 1));
            let bound = |units: i64| Rational::integer(tail.slope + units);
            assert_eq!(
                fall.compare_rational(&bound(0)),
                Some(core::cmp::Ordering::Greater)
            );
            assert_eq!(
                fall.compare_rational(&bound(4 * ERROR)),
                Some(core::cmp::Ordering::Less)
            );
        }
    }
}

#[test]
fn probabilities_fall_from_the_centre_on_both_sides() {
    for law in wide() {
        let exact = exact(&law);
        for [near, far] in [[0, 1], [-1, -2]] {
            assert_ne!(
                exact(far).compare(&exact(near)),
                Some(core::cmp::Ordering::Greater)
            );
        }
    }
}

#[test]
fn tails_fall_at_least_as_their_slope_says() {
    for law in wide() {
        let exact = exact(&law);
        for outcome in [*law.support().start(), *law.support().end()] {
            let slope = law.slope(outcome).expect("a tail");
            assert_eq!(law.slope(outcome - outcome.signum()), None);
            for distance in [0, 1, 2, 17, 1000, law.curve.reach() / 8] {
                let value = exact(law.place(outcome, distance));
                let bound = Rational::integer(law.level(outcome) - slope * distance);
                let order = value.compare_rational(&bound);
                assert_eq!(order, Some(core::cmp::Ordering::Less), "{distance}");
            }
        }
    }
}

#[test]
fn lower_bounds_lie_closely_below_the_probabilities() {
    for law in [envelope(49_000_001, "1/2"), envelope(1_000_000_000, "1/3")] {
        let bounds = law.lower_bounds(64).expect("few");
        assert_eq!(bounds.first, *law.support().start());
        let at = law.at(160);
        let count = bounds.bounds.len();
        for position in (0..count).step_by(101).chain([count - 1]) {
            let outcome = bounds.first + i64::try_from(position).expect("few");
            let exact = at(outcome).lower().floor_shifted(128);
            let gap = exact - BigInt::from(bounds.bounds[position]);
            // The whole slack is 2^14 weights of 2^7 units, spread by the law.
            assert!(
                (BigInt::ZERO..BigInt::from(1 << 21)).contains(&gap),
                "{gap}"
            );
        }
    }
}

#[test]
fn narrow_laws_are_refused_and_not_bounded_wrongly() {
    for (trials, probability) in [(0, "1/2"), (1, "1/2"), (1000, "1/2"), (1_000_000, "1e-3")] {
        let law = binomial(trials, probability);
        assert!(Envelope::new(&law, law.variance_bound()).is_none());
    }
}

/// Between a quarter and three quarters, at any precision.
#[derive(Debug)]
struct Vague;

impl Real for Vague {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::hull_of(Dyadic::new(1, -2), Dyadic::new(3, -2), precision)
    }
}

#[test]
fn a_centre_that_enclosures_do_not_tell_is_none() {
    let law = Binomial {
        trials: 1_000_000_000_000,
        likely: false,
        probability: Arc::new(Vague),
        lost_bits: 64,
    };
    assert!(centre(&law).is_none());
}
