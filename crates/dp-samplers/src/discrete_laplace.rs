//! The discrete Laplace distribution of scale t > 0, on the integers:
//!
//! P(x) = (1 − q)/(1 + q)·q^|x| with q = e^(−1/t).
//!
//! (Ghosh, Roughgarden, Sundararajan 2009, where it is called the two-sided geometric
//! distribution.)

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_traits::Signed;
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus, unit};
use crate::{Error, bulk, reference};

/// The discrete Laplace distribution P(x) ∝ e^(−|x|/t) on the integers, exactly.
///
/// ```
/// use dp_samplers::{DiscreteLaplace, Seed};
/// use num_bigint::BigInt;
///
/// let laplace = DiscreteLaplace::new(&"20".parse()?)?;
/// let mut noise = [0i64; 100];
/// laplace.fill(&mut Seed::from_u64(1).rng(), &mut noise)?;
///
/// // (1 − q)/(1 + q) with q = e^(−1/20)
/// let at_zero = laplace.probability(&BigInt::from(0), 64);
/// assert!((at_zero.midpoint() - 0.024994793).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// The running time depends on the outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    scale: Rational,
    engine: reference::DiscreteLaplace,
}

impl DiscreteLaplace {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        Ok(Self {
            engine: reference::DiscreteLaplace::new(scale)?,
            scale: scale.clone(),
        })
    }

    /// The scale t, in units of the outcome.
    #[must_use]
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// Draws an integer.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigInt {
        self.engine.draw(rng)
    }

    /// Fills a slice with independent draws: the values that repeated [`Self::sample`] would give.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`. The slice is then partly filled and must
    /// not be used.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: TryFrom<BigInt>,
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
    pub fn probability(&self, outcome: &BigInt, precision: u32) -> Interval {
        let precision = bounded(precision);
        let Some(rate) = self.scale.reciprocal() else {
            unreachable!("the constructor refuses a scale of 0")
        };
        let magnitude = Rational::integer(outcome.abs());
        let power = exp_minus(&(magnitude * &rate), precision);
        let one_plus_q = Interval::integer(1, precision) + exp_minus(&rate, precision);
        one_minus_exp_minus(&rate, precision)
            .checked_div(&one_plus_q)
            .map_or_else(|| unit(precision), |centre| centre * power)
    }
}

/// For interoperability: [`Distribution`] cannot demand a cryptographic generator.
/// [`DiscreteLaplace::sample`] does.
impl Distribution<BigInt> for DiscreteLaplace {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> BigInt {
        self.engine.draw(rng)
    }
}
