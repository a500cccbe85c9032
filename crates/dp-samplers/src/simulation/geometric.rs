//! The geometric distribution in simulation mode.

use dp_exact::Rational;

use super::expansion::Expansion;
use crate::engine::{BySize, Engine, debug, draws};
use crate::error::positive;
use crate::laws::OneSided;
use crate::{Error, reference};

/// The geometric distribution P(k) ∝ e^(−k/t) on k ≥ 0, exactly, for simulations only.
///
/// [`crate::Geometric`] is the one that may protect somebody.
#[derive(Clone)]
pub struct Geometric {
    scale: Rational,
    engine: BySize<Expansion<OneSided>, reference::Geometric>,
}

impl Geometric {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        let engine = BySize::new(Expansion::geometric(scale), || {
            reference::Geometric::new(scale)
        })?;
        Ok(Self {
            scale: scale.clone(),
            engine,
        })
    }
}

draws!(Geometric, Rng, ", several from a word");
debug!(Geometric, scale);
