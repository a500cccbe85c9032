//! The geometric distribution in simulation mode.

use dp_exact::Rational;
use rand_core::Rng;

use super::expansion::Expansion;
use crate::error::positive;
use crate::laws::OneSided;
use crate::{Error, FromDraw, bulk, reference};

/// The geometric distribution P(k) ∝ e^(−k/t) on k ≥ 0, exactly, for simulations only.
///
/// [`crate::Geometric`] is the one that may protect somebody.
#[derive(Clone, Debug)]
pub struct Geometric {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Tables(Box<Expansion<OneSided>>),
    Reference(reference::Geometric),
}

impl Geometric {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        let engine = match Expansion::geometric(scale) {
            Some(tables) => Engine::Tables(Box::new(tables)),
            None => Engine::Reference(reference::Geometric::new(scale)?),
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
            Engine::Reference(law) => T::from_big(law.draw(rng).into()),
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
            Engine::Reference(law) => {
                bulk::fill_one_by_one(out, || T::from_big(law.draw(rng).into()))
            }
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
