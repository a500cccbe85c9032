//! By how much a guess can improve at most.

use dp_exact::Rational;

use super::Pair;

/// At most how sure somebody is of a guess after a release who gave it the probability `prior` before, which is
/// p·e^ε/(1 + (e^ε − 1)·p), and by how much that may be exceeded on average over what may be released:
/// p·(1 − p)·δ. Both are upper bounds, as e^ε is rounded up.
pub(crate) fn posterior(pair: &Pair, prior: &Rational) -> (Rational, Rational) {
    let other = &Rational::one() - prior;
    let grown = prior * &pair.growth;
    let all = &other + &grown;
    let sure = grown.checked_div(&all).unwrap_or_else(Rational::one);
    let slack = &(prior * &other) * &pair.delta;
    (sure, slack)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    #[test]
    fn a_guess_improves_by_the_factor_in_its_odds() {
        let pair = Pair::new(number("1.0986122887"), number("0")).expect("a pair");
        // e^ε is about 3: odds of 1 to 9 become 3 to 9.
        let (sure, slack) = posterior(&pair, &number("0.1"));
        assert!((sure.to_f64() - 0.25).abs() < 1e-9 && slack.is_zero());
        let useless = Pair::new(number("0"), number("0.01")).expect("a pair");
        let (sure, slack) = posterior(&useless, &number("0.5"));
        assert_eq!((sure, slack), (number("0.5"), number("0.0025")));
    }

    #[test]
    fn no_set_of_outcomes_of_randomized_response_beats_the_bound() {
        // Two outcomes: both sets are tried.
        let epsilon = 1.25_f64;
        let pair = Pair::new(number("1.25"), number("0")).expect("a pair");
        let right = epsilon.exp() / (1.0 + epsilon.exp());
        for prior in ["0.01", "0.1", "0.5"] {
            let p = number(prior).to_f64();
            let after = p * right / (p * right + (1.0 - p) * (1.0 - right));
            let (sure, _) = posterior(&pair, &number(prior));
            assert!((sure.to_f64() - after).abs() < 1e-12, "attained");
        }
    }
}
