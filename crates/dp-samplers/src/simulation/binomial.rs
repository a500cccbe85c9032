//! The binomial distribution in simulation mode.

use alloc::sync::Arc;
use core::fmt::{self, Debug, Formatter};

use dp_exact::{Rational, Real};
use rand_core::Rng;

use super::lanes::{Sixteen, ThirtyTwo};
use crate::engine::{BySize, Engine, draws};
use crate::{Error, laws};

/// The binomial distribution, exactly, for simulations only.
///
/// [`crate::Binomial`] is the one that may protect somebody; it also serves here for standard
/// deviations above about 3000, where short words gain nothing.
pub struct Binomial<P = Rational> {
    trials: u64,
    probability: Arc<P>,
    engine: BySize<Tables<P>, crate::Binomial<P>>,
}

/// Words of 16 or of 32 bits.
type Tables<P> = BySize<Sixteen<laws::Binomial<P>>, ThirtyTwo<laws::Binomial<P>>>;

impl<P: Real + Debug> Binomial<P> {
    /// The number of successes in `trials` independent trials of this probability.
    ///
    /// # Errors
    /// As [`crate::Binomial::new`].
    pub fn new(trials: u64, probability: P) -> Result<Self, Error> {
        let full = crate::Binomial::new(trials, probability)?;
        let law = || full.law().cloned();
        let sixteen = law().and_then(Sixteen::new);
        let tables = BySize::new(sixteen, || law().and_then(ThirtyTwo::new).ok_or(()));
        Ok(Self {
            trials,
            probability: full.shared_probability(),
            engine: BySize::new(tables.ok(), || Ok::<_, Error>(full))?,
        })
    }

    /// Draws a number of successes.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        // Between 0 and the number of trials.
        self.engine.single(rng).unwrap_or(0)
    }
}

draws!(Binomial<P>, Rng, ", several from a word");

impl<P: Debug> Debug for Binomial<P> {
    /// The parameters, not the tables.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Binomial")
            .field("trials", &self.trials)
            .field("probability", &self.probability)
            .finish_non_exhaustive()
    }
}
