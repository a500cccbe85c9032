//! Pairs (ε, δ) of one guarantee, and what they bound: the certainty of a guess about one person,
//! and the misses of a test. [docs/risk.md](crate::proofs::risk) has the statements and proofs.

use dp_calibration::{
    Error, NoiseDistribution, WorstCaseDifference, conversion, discrete_gaussian, discrete_laplace,
    zcdp,
};
use dp_exact::{Epsilon, Interval, Rational, Rho};

/// Bits of precision of the interval around e^ε.
const PRECISION: u32 = 128;

/// Fractions of a guaranteed ε, in hundredths, at which further pairs (ε, δ) are computed.
const FRACTIONS: [u32; 25] = [
    1, 3, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 65, 70, 76, 82, 88, 94, 100,
];

/// The most coordinates of a difference for which δ is computed at each fraction of ε; more take
/// too long for a report.
const MOST_COORDINATES: u64 = 1000;

/// The largest ε for which e^ε is computed; a larger ε bounds nothing.
const MOST: u64 = 1000;

/// A pair (ε, δ) for which a release is differentially private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrivacyPair {
    /// Upper bound on ε.
    epsilon: Rational,
    /// Upper bound on δ.
    delta: Rational,
    /// Upper bound on e^ε.
    growth: Rational,
}

impl PrivacyPair {
    /// The pair of these upper bounds; `None` if ε is above [`MOST`].
    pub(crate) fn new(epsilon: &Rational, delta: &Rational) -> Option<Self> {
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
}

/// Pairs (ε, δ) that all hold for one release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PrivacyPairs(Vec<PrivacyPair>);

impl PrivacyPairs {
    /// The guarantee (ε, δ) and the pairs that follow from it: for δ = 0 pairs with smaller ε and
    /// larger δ; with `rho` pairs by ρ-zero-concentrated privacy; with `noise` pairs proved from
    /// one aggregator's noise alone, unless its worst-case difference has more than
    /// [`MOST_COORDINATES`] coordinates.
    pub(crate) fn new(
        (epsilon, delta): (&Rational, &Rational),
        rho: Option<&Rational>,
        noise: Option<&(NoiseDistribution, WorstCaseDifference)>,
    ) -> Self {
        let mut pairs = Self(PrivacyPair::new(epsilon, delta).into_iter().collect());
        if let (true, Ok(pure)) = (delta.is_zero(), Epsilon::new(epsilon.clone())) {
            pairs.add(epsilon, |at| conversion::pure_to_delta(&pure, at));
        }
        if let Some(rho) = rho.and_then(|rho| Rho::new(rho.clone()).ok()) {
            pairs.add(epsilon, |at| zcdp::delta(&rho, at));
        }
        let is_small =
            |difference: &WorstCaseDifference| difference.coordinates() <= MOST_COORDINATES;
        if let Some((noise, difference)) = noise.filter(|(_, difference)| is_small(difference)) {
            pairs.add(epsilon, |at| match noise {
                NoiseDistribution::DiscreteLaplace { scale } => {
                    discrete_laplace::delta(scale, at, difference)
                }
                NoiseDistribution::DiscreteGaussian { variance } => {
                    discrete_gaussian::delta(variance, at, difference)
                }
            });
        }
        pairs
    }

    /// Adds a pair at each of [`FRACTIONS`] of `epsilon`, with the upper bound on δ that `delta`
    /// computes for that ε. Skips a fraction whose δ is at least 1 or cannot be computed.
    fn add(&mut self, epsilon: &Rational, delta: impl Fn(&Epsilon) -> Result<Interval, Error>) {
        for fraction in FRACTIONS {
            let part = epsilon * &Rational::from(u64::from(fraction));
            let part = part.checked_div(&Rational::from(100u64));
            let found = part.and_then(|part| {
                let at = Epsilon::new(part).ok()?;
                let delta = delta(&at).ok()?;
                let delta = delta.upper().to_rational()?.max(Rational::zero());
                let is_bound = delta < Rational::one();
                is_bound.then(|| PrivacyPair::new(at.value(), &delta)).flatten()
            });
            self.0.extend(found);
        }
    }

    /// Lower bound on the probability that a test with false-alarm probability `alpha` misses: the
    /// largest of 1 − δ − e^ε·α and e^(−ε)·(1 − δ − α) over all pairs, and 0. e^ε is rounded up.
    pub(crate) fn misses(&self, alpha: &Rational) -> Rational {
        let mut least = Rational::zero();
        for pair in &self.0 {
            let rest = &Rational::one() - &pair.delta;
            let steep = &rest - &(&pair.growth * alpha);
            let flat = (&rest - alpha).checked_div(&pair.growth);
            least = least.max(steep).max(flat.unwrap_or_else(Rational::zero));
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// The pairs (ε, δ) written as decimals.
    fn pairs(pairs: &[(&str, &str)]) -> PrivacyPairs {
        let pairs = pairs.iter();
        PrivacyPairs(
            pairs
                .filter_map(|(epsilon, delta)| PrivacyPair::new(&number(epsilon), &number(delta)))
                .collect(),
        )
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

    #[test]
    fn a_test_misses_what_randomized_response_hides_and_further_pairs_raise_the_curve() {
        for alpha in ["0", "0.3", "1"] {
            let guess = &Rational::one() - &number(alpha);
            assert_eq!(pairs(&[("0", "0")]).misses(&number(alpha)), guess);
            assert!(pairs(&[]).misses(&number(alpha)).is_zero());
        }
        let alpha = 1.0 / (1.0 + 2.0_f64.exp());
        let least = pairs(&[("2", "0")]).misses(&Rational::from_f64(alpha).expect("a number"));
        assert!((least.to_f64() - alpha).abs() < 1e-12);
        let (one, two) = (pairs(&[("1", "0.01")]), pairs(&[("1", "0.01"), ("0.5", "0.1")]));
        let alphas = (0..=50).filter_map(|part| Rational::new(part, 50).ok());
        let heights: Vec<_> =
            alphas.map(|alpha| (one.misses(&alpha), two.misses(&alpha))).collect();
        assert!(heights.iter().all(|(lower, higher)| lower <= higher));
        assert!(heights.iter().any(|(lower, higher)| lower < higher));
    }
}
