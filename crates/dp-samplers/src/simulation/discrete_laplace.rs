//! The discrete Laplace distribution in simulation mode.

use dp_exact::Rational;
use rand_core::Rng;

use super::expansion::Expansion;
use crate::error::positive;
use crate::laws::TwoSided;
use crate::{Error, FromDraw, bulk, reference};

/// The discrete Laplace distribution P(x) ∝ e^(−|x|/t) on the integers, exactly, for simulations only.
///
/// [`crate::DiscreteLaplace`] is the one that may protect somebody.
#[derive(Clone, Debug)]
pub struct DiscreteLaplace {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Tables(Box<Expansion<TwoSided>>),
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
            Some(tables) => Engine::Tables(Box::new(tables)),
            None => Engine::Reference(reference::DiscreteLaplace::new(scale)?),
        };
        Ok(Self { engine })
    }

    /// Draws an integer of type `T`; `None` if the draw does not fit.
    pub fn sample_as<T, R>(&self, rng: &mut R) -> Option<T>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        match &self.engine {
            Engine::Tables(tables) => tables.sample(rng),
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
            Engine::Tables(tables) => tables.fill(rng, out),
            Engine::Reference(law) => bulk::fill_one_by_one(out, || T::from_big(law.draw(rng))),
        }
    }

    /// The size of the tables in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &self.engine {
            Engine::Tables(tables) => tables.bytes(),
            Engine::Reference(_) => 0,
        }
    }
}
