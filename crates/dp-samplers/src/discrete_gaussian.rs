//! The discrete Gaussian distribution of variance parameter σ² > 0, on the integers:
//!
//! P(x) = e^(−x²/2σ²) / Σ_{y∈ℤ} e^(−y²/2σ²)
//!
//! (Canonne, Kamath, Steinke 2020, Definition 1, arXiv 2004.00010). Its true variance is at most
//! σ², and very close to it once σ exceeds 1.

use std::sync::Arc;

use dp_exact::{Interval, Rational, Shift, gaussian_sum};
use num_bigint::BigInt;
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::alias::Alias;
use crate::enclosure::{bounded, exp_minus, unit};
use crate::error::positive;
use crate::gaussian_buckets::{Buckets, SCALED_LIMIT};
use crate::laws;
use crate::words::{Direct, Words};
use crate::{Error, FromDraw, bulk, reference};

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
/// Up to σ = 1024 every draw takes one random word, one table access and one comparison; up to
/// σ = 2^106 it takes rounds of equal work whose number does not depend on the outcome. At most
/// [`Self::undecided`] of 2^64 draws deviate from that. Beyond, the running time depends on the
/// outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    variance: Rational,
    engine: Arc<Engine>,
}

/// What serves which variance.
#[derive(Debug)]
enum Engine {
    /// Up to [`MAX_TABLE_VARIANCE`].
    Table(Alias<laws::Gaussian>),
    /// Up to σ of about 2^106.
    Buckets(Buckets),
    /// Beyond.
    Reference(reference::DiscreteGaussian),
}

/// σ = 1024: a table of 512 KiB.
const MAX_TABLE_VARIANCE: u32 = 1 << 20;

impl DiscreteGaussian {
    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits. A
    /// variance of 0 is an error, not a distribution without noise.
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        positive("variance", variance)?;
        let table = || {
            let small = *variance <= Rational::integer(MAX_TABLE_VARIANCE);
            Alias::new(laws::Gaussian::new(variance).filter(|_| small)?)
        };
        let engine = if let Some(table) = table() {
            Engine::Table(table)
        } else if let Some(buckets) = Buckets::new(variance, SCALED_LIMIT) {
            Engine::Buckets(buckets)
        } else {
            Engine::Reference(reference::DiscreteGaussian::new(variance)?)
        };
        Ok(Self {
            variance: variance.clone(),
            engine: Arc::new(engine),
        })
    }

    /// The variance parameter σ², in squared units of the outcome.
    #[must_use]
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// Draws an integer of any size; [`Self::sample_as`] is faster.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> BigInt {
        self.draw_big(rng)
    }

    /// Draws an integer of type `T`; `None` if the draw does not fit.
    #[inline]
    pub fn sample_as<T, R>(&self, rng: &mut R) -> Option<T>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        self.draw(rng)
    }

    /// Fills a slice with independent draws: the values that repeated [`Self::sample`] would give,
    /// from a generator whose bytes are those of its words.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`. The slice is then partly filled and must
    /// not be used.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        match &*self.engine {
            Engine::Table(table) => {
                let unfit = table.fill_from(&mut Words::new(rng, out.len()), out);
                bulk::complete(unfit, out)
            }
            Engine::Buckets(buckets) => {
                bulk::fill(rng, buckets.words(), out, |words| buckets.draw(words))
            }
            Engine::Reference(law) => bulk::fill_one_by_one(out, || T::from_big(law.draw(rng))),
        }
    }

    #[inline]
    fn draw<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        match &*self.engine {
            Engine::Table(table) => T::from_i64(table.draw(&mut Direct(rng))),
            Engine::Buckets(buckets) => buckets.draw(&mut Direct(rng)),
            Engine::Reference(law) => T::from_big(law.draw(rng)),
        }
    }

    fn draw_big<R: Rng + ?Sized>(&self, rng: &mut R) -> BigInt {
        // Every draw fits.
        self.draw(rng).unwrap_or_default()
    }

    /// The size of the tables behind this distribution, in bytes: at most 8 KiB up to σ = 25, 512 KiB up
    /// to σ = 1024, and 128 KiB above.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &*self.engine {
            Engine::Table(table) => table.bytes(),
            Engine::Buckets(buckets) => buckets.bytes(),
            Engine::Reference(_) => 0,
        }
    }

    /// How many of 2^64 draws take longer than the others, at most: divided by 2^64, the δ that
    /// running time can add to a draw. `None` where the reference serves, whose time depends on
    /// every outcome.
    #[must_use]
    pub fn undecided(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Table(table) => Some(table.undecided()),
            Engine::Buckets(buckets) => Some(buckets.undecided()),
            Engine::Reference(_) => None,
        }
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
        self.draw_big(rng)
    }
}

impl PartialEq for DiscreteGaussian {
    fn eq(&self, other: &Self) -> bool {
        self.variance == other.variance
    }
}

impl Eq for DiscreteGaussian {}
