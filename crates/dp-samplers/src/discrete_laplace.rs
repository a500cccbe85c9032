//! The discrete Laplace distribution of scale t > 0, on the integers:
//!
//! P(x) = (1 − q)/(1 + q)·q^|x| with q = e^(−1/t).
//!
//! (Ghosh, Roughgarden, Sundararajan 2009, where it is called the two-sided geometric
//! distribution.)

use std::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_traits::Signed;
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus, unit};
use crate::error::positive;
use crate::expansion::Expansion;
use crate::laws::TwoSided;
use crate::words::Direct;
use crate::{Error, FromDraw, bulk, reference};

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
/// Up to a scale of 2^103 every draw takes the same random words, table accesses and comparisons,
/// one of each up to a scale of 24; at most [`Self::undecided`] of 2^64 draws deviate from that.
/// Beyond, the running time depends on the outcome: see [`reference`](crate::reference).
#[derive(Clone, Debug)]
pub struct DiscreteLaplace {
    scale: Rational,
    engine: Arc<Engine>,
}

/// What serves which scale.
#[derive(Debug)]
enum Engine {
    /// Up to about 2^103.
    Tables(Expansion<TwoSided>),
    /// Beyond.
    Reference(reference::DiscreteLaplace),
}

impl DiscreteLaplace {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        let engine = match Expansion::laplace(scale) {
            Some(tables) => Engine::Tables(tables),
            None => Engine::Reference(reference::DiscreteLaplace::new(scale)?),
        };
        Ok(Self {
            scale: scale.clone(),
            engine: Arc::new(engine),
        })
    }

    /// The scale t, in units of the outcome.
    #[must_use]
    pub fn scale(&self) -> &Rational {
        &self.scale
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
            Engine::Tables(tables) => tables.fill(rng, out),
            Engine::Reference(law) => bulk::fill_one_by_one(out, || T::from_big(law.draw(rng))),
        }
    }

    #[inline]
    fn draw<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        match &*self.engine {
            Engine::Tables(tables) => tables.draw(&mut Direct(rng)),
            Engine::Reference(law) => T::from_big(law.draw(rng)),
        }
    }

    fn draw_big<R: Rng + ?Sized>(&self, rng: &mut R) -> BigInt {
        // Every draw fits.
        self.draw(rng).unwrap_or_default()
    }

    /// The size of the tables behind this distribution, in bytes: at most 64 KiB up to scale 24,
    /// and 400 KiB above.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &*self.engine {
            Engine::Tables(tables) => tables.bytes(),
            Engine::Reference(_) => 0,
        }
    }

    /// How many of 2^64 draws take longer than the others, at most: divided by 2^64, the δ that
    /// running time can add to a draw. `None` where the reference serves, whose time depends on
    /// every outcome.
    #[must_use]
    pub fn undecided(&self) -> Option<u64> {
        match &*self.engine {
            Engine::Tables(tables) => Some(tables.undecided()),
            Engine::Reference(_) => None,
        }
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
        self.draw_big(rng)
    }
}

impl PartialEq for DiscreteLaplace {
    fn eq(&self, other: &Self) -> bool {
        self.scale == other.scale
    }
}

impl Eq for DiscreteLaplace {}
