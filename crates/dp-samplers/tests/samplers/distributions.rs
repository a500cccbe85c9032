//! The exact probabilities of cells of outcomes, from certified enclosures.
//!
//! Small parameters: one cell an outcome, through `probability`. Large ones: cells a quarter of the
//! scale wide, through the tail of the distribution.

use dp_exact::{Interval, Rational, Shift, gaussian_sum};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use num_bigint::BigInt;

use crate::chi_square::Cells;

/// Bits of the enclosures.
const PRECISION: u32 = 192;

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// `2^exponent`, also for negative exponents.
pub(crate) fn power_of_two(exponent: i64) -> Rational {
    let power = BigInt::from(1) << exponent.unsigned_abs();
    match exponent {
        0.. => Rational::integer(power),
        _ => Rational::new(1, power).expect("not zero"),
    }
}

/// One cell for each outcome from −`reach` to `reach`, and two tails of equal probability.
fn outcome_by_outcome(reach: i64, probability: impl Fn(&BigInt) -> Interval) -> Cells {
    let edges: Vec<BigInt> = (-reach..=reach + 1).map(BigInt::from).collect();
    let centre: Vec<f64> =
        edges[..edges.len() - 1].iter().map(|outcome| probability(outcome).midpoint()).collect();
    let tail = ((1.0 - centre.iter().sum::<f64>()) / 2.0).max(0.0);
    let probabilities = [vec![tail], centre, vec![tail]].concat();
    Cells { edges, probabilities }
}

/// Cells between the multiples of `width`/4 from number `first` to number `last`; `tail` is P(X ≥
/// edge).
fn quarter_by_quarter(
    width: &Rational,
    first: i64,
    last: i64,
    tail: impl Fn(&BigInt) -> Interval,
) -> Cells {
    let edges: Vec<BigInt> = (first..=last)
        .map(|step| (width * &Rational::new(step, 4).expect("not zero")).floor())
        .collect();
    let one = Interval::integer(1, PRECISION);
    let zero = Interval::integer(0, PRECISION);
    let tails: Vec<Interval> = edges.iter().map(tail).collect();
    let above = std::iter::once(&one).chain(&tails);
    let below = tails.iter().chain([&zero]);
    let probabilities = above.zip(below).map(|(a, b)| (a - b).midpoint()).collect();
    Cells { edges, probabilities }
}

/// e^(−x/`scale`)
fn decay(x: &BigInt, scale: &Rational) -> Interval {
    let exponent = Rational::integer(-x).checked_div(scale).expect("not zero");
    Interval::rational(&exponent, PRECISION).exp().expect("at most 1")
}

/// P(X ≥ x) for the discrete Laplace distribution: q^x/(1 + q) for x ≥ 1, and by symmetry for x ≤
/// 0.
fn laplace_tail(x: &BigInt, scale: &Rational) -> Interval {
    let one = Interval::integer(1, PRECISION);
    if *x < BigInt::from(1) {
        return one - laplace_tail(&(1 - x), scale);
    }
    let one_plus_q = one + decay(&BigInt::from(1), scale);
    decay(x, scale).checked_div(&one_plus_q).expect("above 1")
}

/// An enclosure of P(X ≥ x) for the discrete Gaussian with σ ≥ 100, where no sum is feasible.
///
/// With f(x) = e^(−x²/2σ²), each f(y) differs from its integral over [y − 1/2, y + 1/2] by at most
/// max|f″|/24 ≤ 1/(24σ²) there, since |f″| ≤ 1/σ². Within 8σ of 0 that adds up to less than
/// 17/(24σ), and beyond 8σ sum and integral together are below 1e-13·σ. The total is divided by the
/// normalizer, which `gaussian_sum` encloses.
fn gaussian_tail(x: &BigInt, variance: &Rational) -> Interval {
    assert!(*variance >= Rational::integer(10_000));
    let sigma = Interval::rational(variance, PRECISION).sqrt().expect("positive");
    let place = Rational::integer(x.clone()) - Rational::new(1, 2).expect("not zero");
    let standard = Interval::rational(&place, PRECISION).checked_div(&sigma).expect("positive");
    let two_pi = dp_exact::pi(PRECISION).shifted(1);
    let integral =
        standard.normal_tail().expect("modest") * two_pi.sqrt().expect("positive") * &sigma;

    let step = Interval::rational(&rational("17/24"), PRECISION);
    let near = step.checked_div(&sigma).expect("positive");
    let far = Interval::rational(&rational("1e-13"), PRECISION) * &sigma;
    let error = near + far;
    let bounds = (&integral - &error).hull(&(&integral + &error));
    let total = gaussian_sum(variance, Shift::Zero, PRECISION).expect("positive");
    bounds.checked_div(&total).expect("positive")
}

pub(crate) fn laplace_cells(scale: &Rational) -> Cells {
    if scale.to_f64() <= 30.0 {
        let distribution = DiscreteLaplace::new(scale).expect("positive");
        return outcome_by_outcome(100, |x| distribution.probability(x.clone(), 96));
    }
    quarter_by_quarter(scale, -20, 20, |x| laplace_tail(x, scale))
}

pub(crate) fn gaussian_cells(variance: &Rational) -> Cells {
    if variance.to_f64() <= 900.0 {
        let distribution = DiscreteGaussian::new(variance).expect("positive");
        return outcome_by_outcome(100, |x| distribution.probability(x.clone(), 96));
    }
    // Any number near σ serves as width.
    let width = Rational::integer(variance.floor().sqrt());
    quarter_by_quarter(&width, -12, 12, |x| gaussian_tail(x, variance))
}

/// Cells for the value modulo 8, uniform up to 1/σ for a large scale or deviation σ.
pub(crate) fn residue_cells() -> Cells {
    Cells { edges: (1..8).map(BigInt::from).collect(), probabilities: vec![0.125; 8] }
}
