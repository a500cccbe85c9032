//! The geometric distribution of scale t > 0, on k = 0, 1, 2, …:
//!
//! P(k) = (1 − e^(−1/t))·e^(−k/t),  P(K ≥ k) = e^(−k/t).

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus};
use crate::engine::{BySize, Engine, sampler};
use crate::error::positive;
use crate::expansion::Expansion;
use crate::laws::OneSided;
use crate::{Error, reference};

/// The geometric distribution P(k) = (1 − e^(−1/t))·e^(−k/t) on the integers k ≥ 0, exactly.
///
/// ```
/// use dp_samplers::{Geometric, os_rng};
///
/// let geometric = Geometric::new(&"2/5".parse()?)?;
/// let mut counts = [0u64; 100];
/// geometric.fill(&mut os_rng()?, &mut counts)?;
/// assert!(counts.contains(&0)); // missing with probability below 1e-100
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// Up to a scale of 2^103 every draw takes the same random words, table accesses and comparisons,
/// one of each up to a scale of 24; at most [`Self::undecided`] of 2^64 draws deviate from that.
/// Beyond, the running time depends on the outcome: see [`reference`](crate::reference).
///
/// Tables take at most 64 KiB up to a scale of 24, and 400 KiB above.
#[derive(Clone)]
pub struct Geometric {
    scale: Rational,
    /// Tables up to about 2^103, and the reference.
    engine: Arc<BySize<Expansion<OneSided>, reference::Geometric>>,
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
            engine: Arc::new(engine),
        })
    }

    /// The scale t, in units of the outcome.
    #[must_use]
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; a probability below
    /// 2^(−2^40) is enclosed between 0 and that number.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: impl Into<BigUint>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
        let Some(rate) = self.scale.reciprocal() else {
            unreachable!("the constructor refuses a scale of 0")
        };
        let outcome = Rational::integer(BigInt::from(outcome));
        one_minus_exp_minus(&rate, precision) * exp_minus(&(outcome * rate), precision)
    }
}

sampler!(Geometric of scale, BigUint);
