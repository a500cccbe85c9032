//! The inequalities of differential privacy, outcome by outcome, from exact probabilities.
//!
//! Two measurements a and b, and independent noise N of the same symmetric law at every
//! coordinate. The outcome y = a + x has the probability P(y) = Π p(xᵢ) if a was measured and
//! Q(y) = Π p(xᵢ + dᵢ) with d = a − b if b was. Coordinates with dᵢ = 0 have the same law on both
//! sides and drop out of every comparison; permutations of the rest and changes of sign change
//! nothing, as the law is symmetric. So every pair of measurements is compared by the sorted
//! absolute values of its difference.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

pub(crate) const PRECISION: u32 = 128;

/// A law of noise with its exact probabilities and the draws that it makes.
pub(crate) trait Law {
    fn probability_of(&self, outcome: &BigInt) -> Interval;
    fn draw(&self, rng: &mut rand_chacha::ChaCha20Rng, draws: &mut [i128]);
}

impl Law for dp_samplers::DiscreteLaplace {
    fn probability_of(&self, outcome: &BigInt) -> Interval {
        self.probability(outcome.clone(), PRECISION)
    }

    fn draw(&self, rng: &mut rand_chacha::ChaCha20Rng, draws: &mut [i128]) {
        self.fill(rng, draws).expect("the draws fit");
    }
}

impl Law for dp_samplers::DiscreteGaussian {
    fn probability_of(&self, outcome: &BigInt) -> Interval {
        self.probability(outcome.clone(), PRECISION)
    }

    fn draw(&self, rng: &mut rand_chacha::ChaCha20Rng, draws: &mut [i128]) {
        self.fill(rng, draws).expect("the draws fit");
    }
}

/// The sorted absolute values of the non-zero entries of a difference of two measurements.
pub(crate) type Difference = Vec<i64>;

/// Those of all pairs of measurements, by what each adds to the totals.
pub(crate) fn differences(contributions: &[Vec<i64>]) -> BTreeSet<Difference> {
    let mut differences = BTreeSet::new();
    for one in contributions {
        for other in contributions {
            let pairs = one.iter().zip(other);
            let mut difference: Difference =
                pairs.map(|(one, other)| (one - other).abs()).filter(|entry| *entry > 0).collect();
            difference.sort_unstable();
            differences.insert(difference);
        }
    }
    differences.remove(&Vec::new());
    differences
}

/// Probabilities of one coordinate's noise, for −reach ≤ x ≤ reach.
pub(crate) struct Noise {
    reach: i64,
    /// Of 0, 1, … reach.
    table: Vec<Interval>,
}

impl Noise {
    pub(crate) fn new(law: &impl Law, reach: i64) -> Self {
        let table: Vec<_> = (0..=reach).map(|x| law.probability_of(&BigInt::from(x))).collect();
        let negative = |x: i64| law.probability_of(&BigInt::from(-x)).compare(at(&table, x));
        assert!((1..=reach).all(|x| matches!(negative(x), None | Some(Ordering::Equal))));
        Self { reach, table }
    }

    pub(crate) fn at(&self, x: i64) -> &Interval {
        at(&self.table, x)
    }

    fn product(&self, outcome: &[i64]) -> Interval {
        let one = Interval::integer(1, PRECISION);
        let factors = outcome.iter();
        factors.fold(one, |product, x| product * self.at(*x))
    }
}

fn at(table: &[Interval], x: i64) -> &Interval {
    &table[usize::try_from(x.unsigned_abs()).expect("within reach")]
}

fn zero() -> Interval {
    Interval::integer(0, PRECISION)
}

pub(crate) fn exp(exponent: &Rational) -> Interval {
    Interval::rational(exponent, PRECISION).exp().expect("a small exponent")
}

/// All vectors of `length` integers in [−reach, reach].
fn window(length: usize, reach: i64) -> Vec<Vec<i64>> {
    let mut vectors = vec![Vec::new()];
    for _ in 0..length {
        vectors = vectors
            .iter()
            .flat_map(|vector| (-reach..=reach).map(|entry| [vector.as_slice(), &[entry]].concat()))
            .collect();
    }
    vectors
}

fn shifted(noise: &[i64], difference: &[i64]) -> Vec<i64> {
    let pairs = noise.iter().zip(difference);
    pairs.map(|(noise, shift)| noise + shift).collect()
}

/// A little less than the value: by one part in 2^40.
pub(crate) fn smaller(value: &Rational) -> Rational {
    let parts = Rational::integer(1_u64 << 40);
    value - &(value * &parts.reciprocal().expect("not zero"))
}

/// Whether one outcome of one pair of measurements has certainly P > e^ε·Q.
///
/// Of a law whose ratios p(x)/p(x + 1) are the same for all x ≥ 0, as the Laplace law's, the
/// outcomes up to one beyond the largest difference have all the ratios that there are.
pub(crate) fn refutes_pure(
    law: &impl Law,
    differences: &BTreeSet<Difference>,
    epsilon: &Rational,
) -> bool {
    let largest = differences.iter().flatten().max().copied().unwrap_or(0);
    let noise = Noise::new(law, 2 * largest + 1);
    let factor = exp(epsilon);
    differences.iter().any(|difference| {
        window(difference.len(), largest + 1).iter().any(|x| {
            let (p, q) = (noise.product(x), noise.product(&shifted(x, difference)));
            p.compare(&(&factor * &q)) == Some(Ordering::Greater)
        })
    })
}

/// The smallest δ of the worst pair of measurements: Σ (P − e^ε·Q)₊ over the window, and the mass
/// of P outside it, which bounds what is missing.
pub(crate) struct Excess {
    pub(crate) inside: Interval,
    pub(crate) outside: Interval,
}

pub(crate) fn excess(
    law: &impl Law,
    difference: &Difference,
    epsilon: &Rational,
    reach: i64,
) -> Excess {
    let largest = difference.last().copied().unwrap_or(0);
    let noise = Noise::new(law, reach + largest);
    let factor = exp(epsilon);
    let mut inside = zero();
    for x in window(difference.len(), reach) {
        let q = noise.product(&shifted(&x, difference));
        let excess = noise.product(&x) - &factor * &q;
        match excess.compare(&zero()) {
            Some(Ordering::Less | Ordering::Equal) => {}
            Some(Ordering::Greater) => inside = inside + excess,
            None => inside = inside + excess.hull(&zero()),
        }
    }
    let mass = (1..=reach).fold(noise.at(0).clone(), |sum, x| sum + noise.at(x).shifted(1));
    let dimensions = u32::try_from(difference.len()).expect("few");
    let outside = Interval::integer(1, PRECISION) - mass.powi(dimensions);
    Excess { inside, outside }
}

/// Whether every pair of measurements certainly keeps (ε, δ), the tail counted into δ.
pub(crate) fn keeps(
    law: &impl Law,
    differences: &BTreeSet<Difference>,
    epsilon: &Rational,
    delta: &Rational,
    reach: i64,
) -> bool {
    differences.iter().all(|difference| {
        let Excess { inside, outside } = excess(law, difference, epsilon, reach);
        let bound = (inside + outside).compare_rational(delta);
        matches!(bound, Some(Ordering::Less | Ordering::Equal))
    })
}

/// Whether one pair certainly breaks (ε, δ), by the outcomes of the window alone.
pub(crate) fn breaks(
    law: &impl Law,
    differences: &BTreeSet<Difference>,
    epsilon: &Rational,
    delta: &Rational,
    reach: i64,
) -> bool {
    differences.iter().any(|difference| {
        let Excess { inside, .. } = excess(law, difference, epsilon, reach);
        inside.compare_rational(delta) == Some(Ordering::Greater)
    })
}

/// Σ P^α·Q^(1−α), which is e^((α−1)·D_α), of one pair. The noise is independent, so it is the
/// product over the coordinates; of each the sum over the window, and a bound on the rest.
///
/// The terms of a log-concave law such as the Gaussian are log-concave, so beyond the window they
/// fall at least as fast as at its edge: the rest on each side is at most a·r/(1 − r), where a is
/// the last term and r its ratio to the one before.
pub(crate) fn renyi_moment(
    law: &impl Law,
    difference: &Difference,
    alpha: u32,
    reach: i64,
) -> Interval {
    let largest = difference.last().copied().unwrap_or(0);
    let noise = Noise::new(law, reach + largest);
    let one = Interval::integer(1, PRECISION);
    difference.iter().fold(one.clone(), |product, shift| {
        let term = |x: i64| {
            let (p, q) = (noise.at(x).powi(alpha), noise.at(x + shift).powi(alpha - 1));
            p.checked_div(&q).expect("a positive probability")
        };
        let sum = (-reach..=reach).fold(zero(), |sum, x| sum + term(x));
        let rest = |last: i64, before: i64| {
            let ratio = term(last).checked_div(&term(before)).expect("positive");
            let geometric = ratio.checked_div(&(&one - &ratio)).expect("below 1");
            (term(last) * geometric).hull(&zero())
        };
        product * (sum + rest(reach, reach - 1) + rest(-reach, 1 - reach))
    })
}

/// What the smallest and the largest moment that ρ admits is: e^((α−1)·α·ρ).
pub(crate) fn renyi_bound(rho: &Rational, alpha: u32) -> Interval {
    exp(&(rho * &Rational::integer(u64::from(alpha) * u64::from(alpha - 1))))
}
