//! The geometric distribution of scale t > 0, on k = 0, 1, 2, …:
//!
//! P(k) = (1 − e^(−1/t))·e^(−k/t),  P(K ≥ k) = e^(−k/t).

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus};
use crate::{Error, bulk, reference};

/// The geometric distribution P(k) = (1 − e^(−1/t))·e^(−k/t) on the integers k ≥ 0, exactly.
///
/// ```
/// use dp_samplers::{Geometric, Seed};
///
/// let geometric = Geometric::new(&"2/5".parse()?)?;
/// let mut counts = [0u64; 100];
/// geometric.fill(&mut Seed::from_u64(1).rng(), &mut counts)?;
/// assert!(counts.contains(&0)); // missing with probability below 1e-100
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// The running time depends on the outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometric {
    scale: Rational,
    engine: reference::Geometric,
}

impl Geometric {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        Ok(Self {
            engine: reference::Geometric::new(scale)?,
            scale: scale.clone(),
        })
    }

    /// The scale t, in units of the outcome.
    #[must_use]
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// Draws an integer ≥ 0.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigUint {
        self.engine.draw(rng)
    }

    /// Fills a slice with independent draws: the values that repeated [`Self::sample`] would give.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`. The slice is then partly filled and must
    /// not be used.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: TryFrom<BigUint>,
        R: CryptoRng + ?Sized,
    {
        bulk::fill(out, || self.engine.draw(rng))
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; a probability below
    /// 2^(−2^40) is enclosed between 0 and that number.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: &BigUint, precision: u32) -> Interval {
        let precision = bounded(precision);
        let Some(rate) = self.scale.reciprocal() else {
            unreachable!("the constructor refuses a scale of 0")
        };
        let outcome = Rational::integer(BigInt::from(outcome.clone()));
        one_minus_exp_minus(&rate, precision) * exp_minus(&(outcome * rate), precision)
    }
}

/// For interoperability: [`Distribution`] cannot demand a cryptographic generator.
/// [`Geometric::sample`] does.
impl Distribution<BigUint> for Geometric {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> BigUint {
        self.engine.draw(rng)
    }
}
