//! The discrete Gaussian distribution in simulation mode.

use dp_exact::Rational;
use rand_core::Rng;

use super::gaussian_buckets::ShortBuckets;
use super::lanes::{self, Lanes};
use crate::alias::Short;
use crate::error::positive;
use crate::words::Direct;
use crate::{Error, FromDraw, bulk, laws, reference};

/// The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²) on the integers, exactly, for
/// simulations only.
///
/// [`crate::DiscreteGaussian`] is the one that may protect somebody.
///
/// ```
/// use dp_samplers::{Seed, simulation};
///
/// let gaussian = simulation::DiscreteGaussian::new(&"27".parse()?)?;
/// let mut noise = [0i64; 1000];
/// gaussian.fill(&mut Seed::from_u64(1).rng(), &mut noise)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    /// σ up to about 40: words of 16 bits, at most 1024 cells.
    Sixteen(Short<laws::Gaussian>),
    /// σ up to 1024: words of 32 bits.
    ThirtyTwo(Short<laws::Gaussian>),
    Buckets(Box<ShortBuckets>),
    Reference(Box<reference::DiscreteGaussian>),
}

/// σ = 40
const MAX_SIXTEEN: u32 = 1600;

/// σ = 1024
const MAX_THIRTY_TWO: u32 = 1 << 20;

impl DiscreteGaussian {
    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        positive("variance", variance)?;
        let table = |limit: u32, word_bits| {
            let law = laws::Gaussian::new(variance)?;
            (*variance <= Rational::integer(limit)).then(|| Short::new(law, word_bits))?
        };
        let engine = if let Some(table) = table(MAX_SIXTEEN, 16) {
            Engine::Sixteen(table)
        } else if let Some(table) = table(MAX_THIRTY_TWO, 32) {
            Engine::ThirtyTwo(table)
        } else if let Some(buckets) = ShortBuckets::new(variance) {
            Engine::Buckets(Box::new(buckets))
        } else {
            Engine::Reference(Box::new(reference::DiscreteGaussian::new(variance)?))
        };
        Ok(Self { engine })
    }

    /// Draws an integer of type `T`; `None` if the draw does not fit.
    pub fn sample_as<T, R>(&self, rng: &mut R) -> Option<T>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        let mut source = Direct(rng);
        match &self.engine {
            Engine::Sixteen(table) => T::from_i64(Lanes::<_, 16>::new(&mut source).draw(table)),
            Engine::ThirtyTwo(table) => T::from_i64(Lanes::<_, 32>::new(&mut source).draw(table)),
            Engine::Buckets(buckets) => buckets.draw(&mut source),
            Engine::Reference(law) => T::from_big(law.draw(rng)),
        }
    }

    /// Fills a slice with independent draws, several from a word.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        match &self.engine {
            Engine::Sixteen(table) => {
                bulk::complete(lanes::fill::<16, 4, _, _, _>(table, rng, out, |x| x), out)
            }
            Engine::ThirtyTwo(table) => {
                bulk::complete(lanes::fill::<32, 2, _, _, _>(table, rng, out, |x| x), out)
            }
            Engine::Buckets(buckets) => {
                bulk::fill(rng, buckets.words(), out, |words| buckets.draw(words))
            }
            Engine::Reference(law) => bulk::fill_one_by_one(out, || T::from_big(law.draw(rng))),
        }
    }

    /// The size of the tables in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &self.engine {
            Engine::Sixteen(table) | Engine::ThirtyTwo(table) => table.bytes(),
            Engine::Buckets(buckets) => buckets.bytes(),
            Engine::Reference(_) => 0,
        }
    }
}
