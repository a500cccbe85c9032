//! What a pair (ε, δ) bounds: the certainty of a guess about one person.
//! [docs/risk.md](crate::proofs::risk) has the statements and proofs.

use dp_exact::{Interval, Rational};
use dp_planner::PairGuarantee;

/// Bits of precision of the interval around e^ε.
const PRECISION: u32 = 128;

/// The largest ε for which e^ε is computed; a larger ε bounds nothing.
const MOST: u64 = 1000;

/// A pair (ε, δ) for which a release is differentially private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrivacyPair {
    epsilon: Rational,
    delta: Rational,
    /// Upper bound on e^ε.
    growth: Rational,
}

impl PrivacyPair {
    /// The pair of a guarantee; `None` without one, or if its ε is above [`MOST`].
    pub(crate) fn of(bound: &PairGuarantee) -> Option<Self> {
        Self::new(bound.epsilon()?, bound.delta()?)
    }

    /// The pair of these upper bounds; `None` if ε is above [`MOST`].
    fn new(epsilon: &Rational, delta: &Rational) -> Option<Self> {
        if *epsilon > Rational::from(MOST) {
            return None;
        }
        let growth = Interval::rational(epsilon, PRECISION).exp()?;
        let growth = growth.upper().to_rational()?;
        let (epsilon, delta) = (epsilon.clone(), delta.clone());
        Some(Self { epsilon, delta, growth })
    }

    /// The pair (2ε, (1 + e^ε)·δ), with e^ε rounded up: it holds for two reports that each have
    /// this pair with a third report. `None` if 2ε is above [`MOST`].
    pub(crate) fn twice(&self) -> Option<Self> {
        let delta = &(&Rational::one() + &self.growth) * &self.delta;
        Self::new(&(&self.epsilon + &self.epsilon), &delta)
    }

    /// Upper bound on the probability of a guess after a release, if it was p = `prior` before:
    /// p·e^ε/(1 + (e^ε − 1)·p), with e^ε rounded up. With δ > 0 it may be exceeded: see
    /// [`Self::excess`].
    pub(crate) fn posterior(&self, prior: &Rational) -> Rational {
        let grown = prior * &self.growth;
        let all = &(&Rational::one() - prior) + &grown;
        grown.checked_div(&all).unwrap_or_else(Rational::one)
    }

    /// Upper bound on how far a guess exceeds [`Self::posterior`], averaged over the possible
    /// results: p·(1 − p)·δ for p = `prior`, a probability.
    pub(crate) fn excess(&self, prior: &Rational) -> Rational {
        &(prior * &(&Rational::one() - prior)) * &self.delta
    }

    /// Upper bound on the probability of a guess after a release, averaged over the possible
    /// results, if it was `prior` before.
    pub(crate) fn mean_posterior(&self, prior: &Rational) -> Rational {
        (&self.posterior(prior) + &self.excess(prior)).min(Rational::one())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// Randomized response has two outcomes; its exact posterior equals the bound, so no bound is
    /// smaller.
    #[test]
    fn no_set_of_outcomes_of_randomized_response_beats_the_bound() {
        let epsilon = 1.25_f64;
        let pair = PrivacyPair::new(&number("1.25"), &number("0")).expect("a pair");
        let right = epsilon.exp() / (1.0 + epsilon.exp());
        for prior in ["0.01", "0.1", "0.5"] {
            let p = number(prior).to_f64();
            let after = p * right / (p * right + (1.0 - p) * (1.0 - right));
            let sure = pair.posterior(&number(prior)).to_f64();
            assert!((sure - after).abs() < 1e-12, "attained");
        }
        let useless = PrivacyPair::new(&number("0"), &number("0.01")).expect("a pair");
        assert_eq!(useless.posterior(&number("0.5")), number("0.5"));
        assert_eq!(useless.excess(&number("0.5")), number("0.0025"));
    }
}
