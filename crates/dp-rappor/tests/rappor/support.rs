//! Constructors, generators and statistical judgements for all tests.

use std::ops::Range;

use dp_rappor::{Interval, KaryRandomizedResponse, Rational, SymmetricRappor, UnaryEncoding};

pub(crate) fn rappor(epsilon0: &str) -> SymmetricRappor {
    let epsilon0 = epsilon0.parse().expect("a valid epsilon");
    SymmetricRappor::new(epsilon0).expect("every epsilon is accepted")
}

pub(crate) fn kary(epsilon: &str, answers: u32) -> KaryRandomizedResponse {
    let epsilon = epsilon.parse().expect("a valid epsilon");
    KaryRandomizedResponse::new(epsilon, answers).expect("a valid number of answers")
}

pub(crate) fn unary(p: &str, q: &str) -> UnaryEncoding {
    UnaryEncoding::new(rational(p), rational(q)).expect("valid probabilities")
}

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a valid number")
}

/// Whether `count` of `trials` events of probability p is farther out than chance explains: by
/// Chernoff's bound with probability below 1e-9/`judgements`.
pub(crate) fn implausible(count: usize, trials: usize, p: f64, judgements: usize) -> bool {
    let [count, trials, judgements] = [count, trials, judgements].map(float);
    let share = count / trials;
    let divergence = relative_entropy(share, p) + relative_entropy(1.0 - share, 1.0 - p);
    trials * divergence > (2e9 * judgements).ln()
}

/// share·ln(share/p), a term of the Kullback–Leibler divergence, in nats.
fn relative_entropy(share: f64, p: f64) -> f64 {
    if share == 0.0 { 0.0 } else { share * (share / p).ln() }
}

fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a moderate count"))
}

/// e^`exponent`.
pub(crate) fn exponential(exponent: &Rational, precision: u32) -> Interval {
    let power = Interval::rational(exponent, precision).exp();
    power.expect("a moderate power")
}

/// Whether two enclosures may be of one number, and know it to 100 bits.
pub(crate) fn same(one: &Interval, other: &Interval) -> bool {
    let difference = one - other;
    let allowed = one.shifted(-100);
    difference.contains(&Rational::zero())
        && difference.upper() < allowed.upper()
        && (-difference).upper() < allowed.upper()
}

/// The largest ratio P(output | `one`)/P(output | `other`) over `outputs`, where `likelihood` has
/// P(output | input).
pub(crate) fn largest_ratio(
    [one, other]: [u32; 2],
    outputs: Range<u32>,
    likelihood: impl Fn(u32, u32) -> Interval,
) -> Interval {
    let ratio = |output| likelihood(one, output).checked_div(&likelihood(other, output));
    let ratios = outputs.map(|output| ratio(output).expect("every output is possible"));
    let largest = ratios.max_by(|one, other| one.upper().cmp(other.upper()));
    largest.expect("at least one output")
}
