//! The guarantee of a local randomizer by itself, to a client who trusts nobody: the logarithm of
//! the largest ratio of two probabilities of one outcome. Section 7 of `docs/calibration.md` lists
//! the ratios of symmetric and of basic RAPPOR (Erlingsson, Pihur, Korolova 2014), of k-ary
//! randomized response, and of a survey by coin flips (Warner 1965).

use dp_exact::{Epsilon, Interval, Rational, Rounding, refine};

use crate::privacy_loss::DominatingPair;
use crate::{Adjacency, Error, Result};

/// Significant digits of an ε.
const DIGITS: usize = 25;

/// ln `ratio`, the ε of the largest ratio of two probabilities of one outcome, rounded up to 25
/// digits.
///
/// # Errors
/// If the ratio is not above 1, or its logarithm is no valid ε.
pub fn epsilon_of_ratio(ratio: &Rational) -> Result<Epsilon> {
    let log = refine(|precision| Interval::rational(ratio, precision.max(128)).ln());
    let log = log.ok().and_then(|log| log.upper().to_rational());
    let refused = || Error::parameter("ratio", ratio, "a number above 1");
    Ok(Epsilon::new(log.ok_or_else(refused)?.round_to_digits(DIGITS, Rounding::Up))?)
}

/// The ε of the coin-flip survey, ln 3, rounded up to 25 digits.
///
/// # Panics
/// Never: 3 has a positive logarithm.
#[must_use]
pub fn coin_flip() -> Epsilon {
    epsilon_of_ratio(&Rational::integer(3)).expect("the logarithm of 3 is positive")
}

/// One client's report of a vector of bits, each a one with probability `p` if it is set and with
/// `q` if it is not. Under replacement two vectors of exactly `ones` set bits are neighbours, under
/// deletion such a vector and the zero vector, under one-coordinate any two that differ in one bit.
/// Section 7 of `docs/calibration.md` proves that the pair dominates both directions.
///
/// # Errors
/// Unless 0 < q < p < 1.
///
/// # Panics
/// Never: it divides by probabilities above 0 and below 1.
pub fn reported_bits(
    p: &Rational,
    q: &Rational,
    ones: u32,
    adjacency: Adjacency,
) -> Result<DominatingPair> {
    let not = |probability: &Rational| Rational::one() - probability;
    let (is_ordered, accepted) = (q.is_positive() && q < p && *p < 1, "above q, which is above 0");
    Error::check(is_ordered, "p", p, accepted)?;
    let divided = |of: &Rational, by: &Rational| of.checked_div(by).expect("0 < q < p < 1");
    // `more` and `less` are the probabilities of the outcome with the largest loss under the first
    // and the second neighbour. `rest` has the likelihood ratio and the probability of all other
    // outcomes of a bit together; for a pair of bits it is not needed.
    let ([more, less], parts, rest) = match adjacency {
        // A one where the first neighbour has a one, and a zero where the second has it.
        Adjacency::Replacement => ([p * &not(q), q * &not(p)], ones, None),
        // A one, or a zero if p + q > 1.
        Adjacency::Deletion | Adjacency::OneCoordinate => {
            let [more, less] = if p + q > 1 { [not(q), not(p)] } else { [p.clone(), q.clone()] };
            let parts = if adjacency == Adjacency::Deletion { ones } else { 1 };
            let rest = (divided(&not(&more), &not(&less)), not(&more));
            ([more, less], parts, Some(rest))
        }
    };
    let ratio = divided(&more, &less);
    let largest = epsilon_of_ratio(&ratio)?.value().clone();
    let mut dominating = vec![(divided(&less, &more), less.clone()), (ratio.clone(), more.clone())];
    dominating
        .extend(Some((Rational::one(), not(&(&more + &less)))).filter(|(_, rest)| !rest.is_zero()));
    let attained = match rest {
        Some(rest) => vec![rest, (ratio, more)],
        None => dominating.clone(),
    };
    Ok(DominatingPair::new(parts, largest, || Ok([dominating, attained])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest divergence P(y) − e·P'(y) over sets of outcomes, for lists of both
    /// probabilities.
    fn divergence(outcomes: &[[Rational; 2]], ratio: &Rational) -> Rational {
        let gains = outcomes.iter().map(|[one, other]| one - &(ratio * other));
        gains.filter(Rational::is_positive).fold(Rational::zero(), |sum, gain| sum + gain)
    }

    /// At every ratio, by enumeration of the outcomes of the bits that differ.
    #[test]
    fn reported_bits_are_dominated_in_both_directions_and_by_no_more_than_the_larger_one() {
        let one = Rational::one;
        for (p, q) in [("3/4", "1/20"), ("1/2", "1/9"), ("0.99", "0.3"), ("3/4", "1/4")] {
            let [p, q] = [p, q].map(crate::number);
            let (set, unset) = ([p.clone(), one() - &p], [q.clone(), one() - &q]);
            let single = [0, 1].map(|y| [set[y].clone(), unset[y].clone()]);
            let pairs = [[0, 0], [0, 1], [1, 0], [1, 1]];
            let pair = pairs.map(|[y, z]| [&set[y] * &unset[z], &unset[y] * &set[z]]);
            for (adjacency, outcomes) in [
                (Adjacency::Replacement, &pair[..]),
                (Adjacency::Deletion, &single[..]),
                (Adjacency::OneCoordinate, &single[..]),
            ] {
                let dominating = reported_bits(&p, &q, 1, adjacency).expect("0 < q < p < 1");
                let above = &dominating.losses().expect("three outcomes").above;
                for step in 1..200 {
                    let ratio = Rational::new(step * step, 400).expect("a fraction");
                    let reversed: Vec<_> =
                        outcomes.iter().map(|[one, other]| [other.clone(), one.clone()]).collect();
                    let exact = divergence(outcomes, &ratio).max(divergence(&reversed, &ratio));
                    // Σ mass·(1 − ratio·e^(−loss)) over losses above ln ratio.
                    let sum: f64 = above
                        .iter()
                        .map(|(loss, mass)| {
                            (mass.to_f64() * (1.0 - ratio.to_f64() * (-loss.to_f64()).exp()))
                                .max(0.0)
                        })
                        .sum();
                    assert!((sum - exact.to_f64()).abs() < 1e-12, "{p} {q} {adjacency} {ratio}");
                }
            }
        }
    }
}
