//! The discrete Laplace distribution in simulation mode.

use dp_exact::Rational;

use super::expansion::Expansion;
use crate::engine::{BySize, Engine, debug, draws};
use crate::error::positive;
use crate::laws::TwoSided;
use crate::{Error, reference};

/// The discrete Laplace distribution P(x) ∝ e^(−|x|/t) on the integers, exactly, for simulations only.
///
/// [`crate::DiscreteLaplace`] is the one that may protect somebody.
#[derive(Clone)]
pub struct DiscreteLaplace {
    scale: Rational,
    engine: BySize<Expansion<TwoSided>, reference::DiscreteLaplace>,
}

impl DiscreteLaplace {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        let engine = BySize::new(Expansion::laplace(scale), || {
            reference::DiscreteLaplace::new(scale)
        })?;
        Ok(Self {
            scale: scale.clone(),
            engine,
        })
    }
}

draws!(DiscreteLaplace, Rng, ", several from a word");
debug!(DiscreteLaplace, scale);
