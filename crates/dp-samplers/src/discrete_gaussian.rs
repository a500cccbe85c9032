//! The discrete Gaussian distribution of variance parameter σ² > 0, on the integers:
//!
//! P(x) = e^(−x²/2σ²) / Σ_{y∈ℤ} e^(−y²/2σ²)
//!
//! (Canonne, Kamath, Steinke 2020, Definition 1, arXiv 2004.00010). Its true variance is at most
//! σ², and very close to it once σ exceeds 1.

use dp_exact::{Interval, Rational, Shift, gaussian_sum};
use num_bigint::BigInt;
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::enclosure::{bounded, exp_minus, unit};
use crate::{Error, bulk, reference};

/// The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²) on the integers, exactly.
///
/// The parameter is the **variance** σ², a rational number; σ itself may be irrational.
///
/// ```
/// use dp_samplers::{DiscreteGaussian, Seed};
/// use num_bigint::BigInt;
///
/// let gaussian = DiscreteGaussian::new(&"1/4".parse()?)?; // σ = 1/2
/// let mut noise = [0i64; 100];
/// gaussian.fill(&mut Seed::from_u64(1).rng(), &mut noise)?;
///
/// // 1/(1 + 2e^(−2) + 2e^(−8) + …)
/// let at_zero = gaussian.probability(&BigInt::from(0), 64);
/// assert!((at_zero.midpoint() - 0.786570707).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// The running time depends on the outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscreteGaussian {
    variance: Rational,
    engine: reference::DiscreteGaussian,
}

impl DiscreteGaussian {
    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits. A
    /// variance of 0 is an error, not a distribution without noise.
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        Ok(Self {
            engine: reference::DiscreteGaussian::new(variance)?,
            variance: variance.clone(),
        })
    }

    /// The variance parameter σ², in squared units of the outcome.
    #[must_use]
    pub fn variance(&self) -> &Rational {
        &self.variance
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
    /// bits. Each call sums the normalizer anew, a handful of exponentials.
    #[must_use]
    pub fn probability(&self, outcome: &BigInt, precision: u32) -> Interval {
        let precision = bounded(precision);
        let Some(rate) = (&self.variance + &self.variance).reciprocal() else {
            unreachable!("the constructor refuses a variance of 0")
        };
        let square = Rational::integer(outcome * outcome);
        let weight = exp_minus(&(square * rate), precision);
        gaussian_sum(&self.variance, Shift::Zero, precision.saturating_add(8))
            .and_then(|total| weight.checked_div(&total))
            .unwrap_or_else(|| unit(precision))
    }
}

/// For interoperability: [`Distribution`] cannot demand a cryptographic generator.
/// [`DiscreteGaussian::sample`] does.
impl Distribution<BigInt> for DiscreteGaussian {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> BigInt {
        self.engine.draw(rng)
    }
}
