//! WordCounts against enclosures of the distribution, and scripts that force the remainder.

use core::cmp::Ordering;

use dp_exact::Rational;

use super::*;
use crate::distributions::{Binomial, LowDigit, Magnitude};
use crate::scripted_rng::ScriptedRng;

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// A distribution on 0, 1, … with these fractions as probabilities: whole words have some of them
/// exactly.
#[derive(Clone, Debug)]
pub(crate) struct Fractions(pub(crate) Vec<Rational>);

impl Fractions {
    pub(crate) fn new(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| rational(text)).collect())
    }
}

impl Distribution for Fractions {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        Box::new(move |outcome| {
            let position = usize::try_from(outcome).expect("in the support");
            Interval::rational(&self.0[position], precision)
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::try_from(self.0.len()).expect("short") - 1
    }
}

/// Distributions that scans draw.
pub(crate) fn distributions() -> Vec<Arc<dyn Distribution>> {
    let mut distributions: Vec<Arc<dyn Distribution>> = Vec::new();
    for variance in ["1e-9", "26.93942798", "1100"] {
        let distribution = Magnitude::gaussian(&rational(variance), true);
        distributions.push(Arc::new(distribution.expect("positive")));
    }
    let half = Magnitude::gaussian(&rational("243"), false);
    distributions.push(Arc::new(half.expect("positive")));
    for rate in ["5/2", "1/7"].map(rational) {
        distributions.push(Arc::new(Magnitude::laplace(rate.clone(), true)));
        distributions.push(Arc::new(Magnitude::laplace(rate, false)));
    }
    for (side_rate, base) in [("1/20", 16), ("1e-9", 128)] {
        let side_rate = rational(side_rate);
        distributions.push(Arc::new(LowDigit { rate: rational("1/20"), side_rate, base }));
    }
    for (trials, probability) in [(1, "1/2"), (300, "6/7"), (999, "1e-9")] {
        let distribution =
            Binomial { trials, probability: Arc::new(rational(probability)), lost_bits: 0 };
        distributions.push(Arc::new(distribution));
    }
    for fractions in [
        Fractions::new(&["1"]),
        Fractions::new(&["1/2", "1/4", "1/8", "1/16", "1/16"]),
        Fractions::new(&["1/3", "2/3"]),
    ] {
        distributions.push(Arc::new(fractions));
    }
    distributions
}

/// Whether `counts` are exact for `distribution`: the words add up to 2^w, no outcome has more
/// words than its probability, and only outcomes that gave words back have less by more than a
/// word.
pub(crate) fn holds(distribution: &dyn Distribution, counts: &WordCounts) -> bool {
    let total: u128 = counts.masses.iter().copied().map(u128::from).sum();
    if total + u128::from(counts.undecided) != 1 << counts.word_bits {
        return false;
    }
    // Room for enclosures around whole words, and for bounds that were cut to 128 bits.
    let nothing = Rational::new(-1, BigInt::from(1) << 150).expect("not zero");
    let one = Rational::one() + Rational::new(1, 1 << 30).expect("not zero");
    let probability = distribution.probability(256);
    let mut short = 0;
    for (outcome, mass) in (counts.first..).zip(&counts.masses) {
        let words = probability(outcome).shifted(counts.word_bits.into());
        let rest = words - Interval::integer(*mass, 256);
        if rest.compare_rational(&nothing) != Some(Ordering::Greater) {
            return false;
        }
        short += u32::from(rest.compare_rational(&one) != Some(Ordering::Less));
    }
    short <= 1
}

#[test]
fn counts_are_exact_and_a_word_that_moved_is_caught() {
    for distribution in distributions() {
        let sign_bits = u32::from(distribution.is_signed());
        let bounds = distribution.lower_bounds();
        for word_bits in [16 - sign_bits, 64 - sign_bits] {
            let counts = WordCounts::new(&bounds, word_bits).unwrap();
            assert!(holds(&*distribution, &counts), "{distribution:?}");
            // Probabilities that are whole words may give back any of their words.
            let movable = if sign_bits == 1 { 3 } else { 0 };
            for place in 1..counts.masses.len().min(movable) {
                let mut moved = counts.clone();
                moved.masses[place] += 1;
                moved.masses[place - 1] = moved.masses[place - 1].wrapping_sub(1);
                assert!(!holds(&*distribution, &moved), "{distribution:?} {place}");
            }
        }
    }
}

#[test]
fn bounds_that_add_up_to_more_than_one_are_refused() {
    let bounds = vec![1 << 127, (1 << 127) + 1];
    let distribution = LowerBounds::new(0, bounds);
    assert!([16, 64].iter().all(|bits| WordCounts::new(&distribution, *bits).is_none()));
}

/// What words of 16 bits, the sign's included, leave of a distribution.
fn remainder(distribution: &Arc<dyn Distribution>) -> Remainder {
    let sign_bits = u32::from(distribution.is_signed());
    let counts = WordCounts::new(&distribution.lower_bounds(), 16 - sign_bits).unwrap();
    Remainder { distribution: Arc::clone(distribution), counts }
}

#[test]
fn the_remainder_is_what_the_counts_leave() {
    for distribution in distributions() {
        let remainder = remainder(&distribution);
        let counts = &remainder.counts;
        let (left, exact) = (remainder.probability(128), distribution.probability(192));
        let bounds = remainder.bounds(&distribution.lower_bounds());
        for (outcome, bound) in (bounds.first..).zip(&bounds.bounds).step_by(7) {
            // p = m/2^w + (C/2^w)·r
            let words = left(outcome) * Interval::integer(counts.undecided, 128)
                + Interval::integer(counts.mass(outcome), 128);
            let sum = words.shifted(-i64::from(counts.word_bits));
            let order = sum.compare(&exact(outcome));
            assert!(matches!(order, None | Some(Ordering::Equal)), "{distribution:?} {outcome}");
            let bound = Rational::new(*bound, BigInt::from(1) << 128).unwrap();
            assert_ne!(left(outcome).compare_rational(&bound), Some(Ordering::Less));
        }
    }
    let rest = Remainder {
        distribution: Arc::new(Fractions::new(&["5/65536", "65531/65536"])),
        counts: WordCounts { word_bits: 16, first: 0, masses: vec![5, 65528], undecided: 3 },
    };
    let five = 5 << (FRACTION_BITS - 16);
    assert_eq!(rest.bound(0, five), 0);
    assert_eq!(rest.bound(0, five - 1), 0);
    assert_eq!(rest.bound(0, five + 6), (6 << 16) / 3);
}

/// Ties with every cumulative threshold, one and three words deep: the word after the tie decides
/// between the outcome and the next.
#[test]
fn ties_of_the_remainder_are_resolved_at_every_depth() {
    for distribution in distributions() {
        let remainder = remainder(&distribution);
        let counts = &remainder.counts;
        for depth in [1_u32, 3] {
            let exact = remainder.probability(64 * depth + 200);
            let row: Vec<i64> = outward(counts.first, counts.masses.len(), distribution.support())
                .take(20)
                .collect();
            let mut sum = Interval::integer(0, 64 * depth + 200);
            for pair in row.windows(2) {
                let [outcome, next] = pair else { continue };
                sum = sum + exact(*outcome);
                let scaled = sum.shifted(i64::from(64 * depth));
                let [low, high] = [scaled.lower(), scaled.upper()].map(|end| end.floor_shifted(0));
                let room = |outcome: i64| {
                    let share = exact(outcome).shifted(i64::from(64 * depth));
                    share.lower().floor_shifted(0) > BigInt::from(4)
                };
                if low != high || !room(*outcome) || !room(*next) {
                    continue;
                }
                for (place, expected) in [(&low - 1, outcome), (&low + 1, next)] {
                    let words = (0..depth).rev().map(|word| {
                        let digit: BigInt = (&place >> (64 * word)) & BigInt::from(u64::MAX);
                        u64::try_from(digit).unwrap()
                    });
                    let mut script = ScriptedRng::new(words.chain([1 << 63; 3]));
                    let drawn = draw_remainder(&*distribution, counts, &mut script);
                    assert_eq!(drawn, *expected, "{distribution:?}");
                    assert!(script.left() >= 2, "decided by the word after the tie");
                }
            }
        }
    }
}
