//! What a promise means for a guess about one person.
//!
//! The statements and their proofs are in [docs/risk.md](crate::proofs::risk).

mod posterior;
mod tradeoff;

use dp_calibration::{
    Corner, Error, NoiseLaw, conversion, discrete_gaussian, discrete_laplace, zcdp,
};
use dp_exact::{Epsilon, Interval, Rational, Rho, work};

pub(crate) use posterior::posterior;
pub(crate) use tradeoff::{false_negatives, step};

/// Bits of e^ε.
const PRECISION: u32 = 128;

/// At which fractions of a promised ε, in hundredths, a δ is asked for.
const FRACTIONS: [u32; 25] = [
    1, 3, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 65, 70, 76, 82, 88, 94, 100,
];

/// What one of these δ may cost, in units of work: some hundredths of a second.
const OF_DELTA: u64 = 50_000_000;

/// From this ε on e^ε bounds nothing that could be told from certainty, and is not written out.
const MOST: u64 = 1000;

/// (ε, δ)-differential privacy, of which a release may have many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) epsilon: Rational,
    pub(crate) delta: Rational,
    /// e^ε, rounded up.
    growth: Rational,
}

impl Pair {
    /// Nothing where ε is above [`MOST`].
    pub(crate) fn new(epsilon: Rational, delta: Rational) -> Option<Self> {
        if epsilon > Rational::from(MOST) {
            return None;
        }
        let growth = Interval::rational(&epsilon, PRECISION).exp()?;
        let growth = growth.upper().to_rational()?;
        Some(Self {
            epsilon,
            delta,
            growth,
        })
    }

    /// What holds between two values of which each is so promised against a third: (2ε, (1 + e^ε)·δ).
    pub(crate) fn twice(&self) -> Option<Self> {
        let delta = &(&Rational::one() + &self.growth) * &self.delta;
        Self::new(&self.epsilon + &self.epsilon, delta)
    }
}

/// What is known of a release: pairs, each of which holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) pairs: Vec<Pair>,
}

impl Known {
    /// The promise (ε, δ), and where δ = 0 what follows from it at smaller ε.
    pub(crate) fn promised(epsilon: &Rational, delta: &Rational) -> Self {
        let mut known = Self::default();
        known.add(epsilon.clone(), delta.clone());
        if let (true, Ok(pure)) = (delta.is_zero(), Epsilon::new(epsilon.clone())) {
            known.also(epsilon, |at| conversion::pure_to_delta(&pure, at));
        }
        known
    }

    /// What noise of one aggregator gives by itself, at fractions of `epsilon`.
    pub(crate) fn and_of_noise(
        mut self,
        law: &NoiseLaw,
        corner: &Corner,
        epsilon: &Rational,
    ) -> Self {
        self.also(epsilon, |at| match law {
            NoiseLaw::DiscreteLaplace { scale } => discrete_laplace::delta(scale, at, corner),
            NoiseLaw::DiscreteGaussian { variance } => {
                discrete_gaussian::delta(variance, at, corner)
            }
        });
        self
    }

    /// What ρ-zero-concentrated privacy gives, at fractions of `epsilon`.
    pub(crate) fn and_concentrated(mut self, rho: &Rational, epsilon: &Rational) -> Self {
        if let Ok(rho) = Rho::new(rho.clone()) {
            self.also(epsilon, |at| zcdp::delta(&rho, at));
        }
        self
    }

    fn also(&mut self, epsilon: &Rational, delta: impl Fn(&Epsilon) -> Result<Interval, Error>) {
        let hundred = Rational::from(100u64);
        for fraction in FRACTIONS {
            let part = (epsilon * &Rational::from(u64::from(fraction))).checked_div(&hundred);
            let at = part.and_then(|part| Epsilon::new(part).ok());
            let found = at.and_then(|at| {
                let delta = work::limited(OF_DELTA, || delta(&at)).ok()?;
                Some((at.value().clone(), delta))
            });
            if let Some((at, delta)) = found
                && let Some(delta) = delta.upper().to_rational()
                && delta < Rational::one()
            {
                self.add(
                    at,
                    if delta.is_negative() {
                        Rational::zero()
                    } else {
                        delta
                    },
                );
            }
        }
    }

    fn add(&mut self, epsilon: Rational, delta: Rational) {
        self.pairs.extend(Pair::new(epsilon, delta));
    }
}
