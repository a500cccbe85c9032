//! Many coordinates that move by one, k of them: δ from the terms that matter.
//!
//! Every coordinate votes, J of k against, and with b the law of Bin(k, q/(1+q))
//!
//!   δ(ε) = Σ_{J < n} b_J·(1 − g_J),  g_J = e^(ε − (k−2J)/t),  n = ⌈(k − εt)/2⌉.
//!
//! The b_J rise to J ≈ kq/(1+q) and fall from there, each ratio below the last: the sum is taken
//! from its largest term outward to both sides, until a geometric series of the ratio reached is
//! negligible. The largest b comes from a product of ratios, or from Stirling's series,
//!
//!   ln n! = (n + ½)·ln n − n + ½·ln 2π + Σ_{j ≥ 1} B₂ⱼ/(2j(2j−1)·n^(2j−1)),
//!
//! whose remainder is between 0 and the first term that is left out (NIST Digital Library of
//! Mathematical Functions, 5.11(ii)).

use dp_exact::{Interval, Rational, elementary, pi};

use dp_exact::bernoulli_numbers;

/// Up to how many factors a binomial coefficient is a product.
const SHORT: u64 = 512;

/// The precision up to which Stirling's series from [`SHORT`] on is narrow.
const STIRLING_BITS: u32 = 640;

/// δ for k = `coordinates`, with at least one term of the sum, `terms` ≤ k.
pub(super) fn delta(
    coordinates: u64,
    rate: &Rational,
    epsilon: &Rational,
    terms: u64,
    precision: u32,
) -> Option<Interval> {
    let exp = |value: &Rational| Interval::rational(value, precision).exp();
    let integer = |value: u64| Interval::integer(value, precision);
    let (one, q) = (integer(1), exp(&-rate)?);
    let votes = Rational::from(coordinates);
    let probability = 1.0 / (elementary::exp(rate.to_f64()) + 1.0);
    let mode = (&votes * &Rational::from_f64(probability).ok()?).floor();
    let middle = u64::try_from(mode).ok()?.min(terms - 1);

    // b and g there.
    let place = Rational::from(middle);
    let binomial = binomial(coordinates, middle, precision + 48)?;
    let all = (&one + &q).powi(u32::try_from(coordinates).ok()?);
    let weight = (binomial * exp(&-(&place * rate))?).checked_div(&all)?;
    let loss = (votes - &place - &place) * rate;
    let growth = exp(&(epsilon - &loss))?;
    let square = q.square();

    let mut sum = &weight * (&one - &growth);
    for down in [true, false] {
        let (mut b, mut g, mut at) = (weight.clone(), growth.clone(), middle);
        let factor = if down { square.clone() } else { one.checked_div(&square)? };
        while if down { at > 0 } else { at + 1 < terms } {
            // b_(J−1)/b_J = J/((k−J+1)q), and the other way round.
            let ratio = if down {
                integer(at).checked_div(&(integer(coordinates - at + 1) * &q))?
            } else {
                (integer(coordinates - at) * &q).checked_div(&integer(at + 1))?
            };
            if at % 8 == 0 && ratio.upper() < one.lower() {
                let rest = (&b * &ratio).checked_div(&(&one - &ratio))?;
                if *rest.upper() <= *sum.shifted(-i64::from(precision)).lower() {
                    sum = sum + rest.hull(&integer(0));
                    break;
                }
            }
            b = b * ratio;
            g = g * &factor;
            at = if down { at - 1 } else { at + 1 };
            sum = sum + &b * (&one - &g);
        }
    }
    Some(sum)
}

/// n!/(m!·(n−m)!)
fn binomial(n: u64, m: u64, precision: u32) -> Option<Interval> {
    let fewer = m.min(n - m);
    if fewer > SHORT && precision <= STIRLING_BITS {
        let parts = [n, m, n - m].map(|n| stirling(n, precision));
        let [all, one, other] = parts;
        return ((all? - one?) - other? - half_log_two_pi(precision)?).exp();
    }
    let mut product = Interval::integer(1, precision);
    for factor in 1..=fewer {
        product = (product * Interval::integer(n - fewer + factor, precision))
            .checked_div(&Interval::integer(factor, precision))?;
    }
    Some(product)
}

fn half_log_two_pi(precision: u32) -> Option<Interval> {
    Some(pi(precision).shifted(1).ln()?.shifted(-1))
}

/// ln n! − ½·ln 2π
fn stirling(n: u64, precision: u32) -> Option<Interval> {
    let number = Interval::integer(n, precision);
    let half = Interval::integer(1, precision).shifted(-1);
    let mut sum = (&number + half) * number.ln()? - &number;
    let square = number.square();
    // (2j−2)!/n^(2j−1)
    let mut power = Interval::integer(1, precision).checked_div(&number)?;
    let mut even = 0u64;
    let numbers = bernoulli_numbers::over_factorial();
    for (index, over_factorial) in numbers.iter().enumerate() {
        if even > 0 {
            power =
                (power * Interval::integer((even - 1) * even, precision)).checked_div(&square)?;
        }
        even += 2;
        let term = &power * Interval::rational(over_factorial, precision);
        let term = if index % 2 == 0 { term } else { -term };
        let zero = Interval::integer(0, precision);
        let size = if index % 2 == 0 { term.clone() } else { -&term };
        let last = *size.upper() <= dp_exact::Dyadic::new(1, -i64::from(precision));
        if last || index + 1 == numbers.len() {
            return Some(sum + term.hull(&zero));
        }
        sum = sum + term;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stirlings_series_is_the_product() {
        for (n, m) in [(1030u64, 515u64), (5000, 600), (100_000, 49_000)] {
            let fast = binomial(n, m, 200).unwrap();
            let slow = binomial(n, m, 800).unwrap();
            assert!(fast.lower() <= slow.upper() && slow.lower() <= fast.upper());
            let width = (&fast - &slow).upper().clone();
            assert!(width <= *slow.shifted(-150).lower(), "{n} {m}");
        }
    }

    #[test]
    fn a_series_without_its_last_sign_is_caught() {
        // Planted fault: the first correction, 1/(12n), subtracted.
        let n = 600;
        let planted = stirling(n, 200).unwrap()
            - Interval::rational(&Rational::new(1, 6 * 600).unwrap(), 200);
        let factors = (1..=n).map(|factor| Interval::integer(factor, 200));
        let product = factors.reduce(|product, factor| product * factor).unwrap();
        let slow = product.ln().unwrap() - half_log_two_pi(200).unwrap();
        assert!(planted.upper() < slow.lower());
        let right = stirling(n, 200).unwrap();
        assert!(right.lower() <= slow.upper() && slow.lower() <= right.upper());
    }

    /// Σ_{J < n} b_J·(1 − g_J), every term by its definition.
    fn every_term(coordinates: u64, rate: &Rational, epsilon: &Rational, terms: u64) -> Interval {
        let exp = |value: &Rational| Interval::rational(value, 400).exp().unwrap();
        let q = exp(&-rate);
        let all = (Interval::integer(1, 400) + &q).powi(u32::try_from(coordinates).unwrap());
        let term = |votes: u64| {
            let loss = (Rational::from(coordinates) - Rational::from(2 * votes)) * rate;
            let power = q.powi(u32::try_from(votes).unwrap());
            let share = binomial(coordinates, votes, 400).unwrap() * power;
            share * (Interval::integer(1, 400) - exp(&(epsilon - &loss)))
        };
        let sum = (0..terms).map(term).reduce(|sum, term| sum + term).unwrap();
        sum.checked_div(&all).unwrap()
    }

    #[test]
    fn the_terms_that_are_left_out_are_enclosed_and_negligible() {
        // The largest term at the end, in the middle, and at the beginning.
        for (coordinates, rate, epsilon) in [
            (130u64, "0.1", "2"),
            (130, "1", "3"),
            (90, "3", "0.5"),
            (200, "0.02", "3.5"),
            (7, "0.4", "1"),
        ] {
            let (rate, epsilon): (Rational, Rational) =
                (rate.parse().unwrap(), epsilon.parse().unwrap());
            let reach = epsilon.checked_div(&rate).unwrap();
            let terms = (Rational::from(coordinates) - reach) * Rational::new(1, 2).unwrap();
            let terms = u64::try_from(terms.ceil()).unwrap();
            let found = delta(coordinates, &rate, &epsilon, terms, 128).unwrap();
            let exact = every_term(coordinates, &rate, &epsilon, terms);
            assert!(found.lower() <= exact.lower() && exact.upper() <= found.upper());
            let width = (&found - &exact).upper().clone();
            assert!(width <= *exact.shifted(-100).lower(), "{coordinates} {rate}");
        }
    }
}
