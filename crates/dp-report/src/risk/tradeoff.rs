//! False alarms against misses: what a test can do that tells two values of a person apart.

use dp_exact::Rational;

use super::Known;

/// At least how often a test misses that gives a false alarm with probability `alpha`, rounded down: the
/// largest of 1 − δ − e^ε·α, e^(−ε)·(1 − δ − α) over all pairs that hold, and 0.
pub(crate) fn false_negatives(known: &Known, alpha: &Rational) -> Rational {
    let one = Rational::one();
    let mut least = Rational::zero();
    for pair in &known.pairs {
        let rest = &one - &pair.delta;
        let steep = &rest - &(&pair.growth * alpha);
        let flat = (&rest - alpha).checked_div(&pair.growth);
        least = least.max(steep).max(flat.unwrap_or_else(Rational::zero));
    }
    least
}

/// The points of a curve from 0 to 1, close together where it bends.
pub(crate) fn step(number: u32, of: u32) -> f64 {
    let part = f64::from(number) / f64::from(of);
    part * part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::Pair;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn of(pairs: &[(&str, &str)]) -> Known {
        let pairs = pairs.iter();
        let pairs = pairs.filter_map(|(epsilon, delta)| Pair::new(number(epsilon), number(delta)));
        Known {
            pairs: pairs.collect(),
        }
    }

    #[test]
    fn a_perfect_promise_leaves_guessing_and_none_leaves_nothing() {
        for alpha in ["0", "0.3", "1"] {
            let guess = &Rational::one() - &number(alpha);
            assert_eq!(false_negatives(&of(&[("0", "0")]), &number(alpha)), guess);
            assert!(false_negatives(&of(&[]), &number(alpha)).is_zero());
        }
    }

    #[test]
    fn randomized_response_attains_the_bound_at_its_corner() {
        let epsilon = 2.0_f64;
        let alpha = 1.0 / (1.0 + epsilon.exp());
        let least = false_negatives(
            &of(&[("2", "0")]),
            &Rational::from_f64(alpha).expect("a number"),
        );
        assert!((least.to_f64() - alpha).abs() < 1e-12);
    }

    #[test]
    fn a_further_pair_never_lowers_the_curve() {
        let (one, two) = (of(&[("1", "0.01")]), of(&[("1", "0.01"), ("0.5", "0.1")]));
        let mut is_higher_somewhere = false;
        for place in 0..=50 {
            let alpha = Rational::from_f64(step(place, 50)).expect("a number");
            let (lower, higher) = (false_negatives(&one, &alpha), false_negatives(&two, &alpha));
            assert!(lower <= higher);
            is_higher_somewhere |= lower < higher;
        }
        assert!(is_higher_somewhere);
    }
}
