//! The discrete Laplace distribution of scale t > 0, on the integers:
//!
//! P(x) = (1 − q)/(1 + q)·q^|x| with q = e^(−1/t).
//!
//! (Ghosh, Roughgarden, Sundararajan 2009, where it is called the two-sided geometric
//! distribution.)

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus, unit};
use crate::engine::{BySize, Engine, sampler};
use crate::error::positive;
use crate::expansion::Expansion;
use crate::laws::TwoSided;
use crate::{Error, reference};

/// The discrete Laplace distribution P(x) ∝ e^(−|x|/t) on the integers, exactly.
///
/// ```
/// use dp_samplers::{DiscreteLaplace, os_rng};
///
/// let laplace = DiscreteLaplace::new(&"20".parse()?)?;
/// let mut noise = [0i64; 100];
/// laplace.fill(&mut os_rng()?, &mut noise)?;
///
/// // (1 − q)/(1 + q) with q = e^(−1/20)
/// let at_zero = laplace.probability(0, 64);
/// assert!((at_zero.midpoint() - 0.024994793).abs() < 1e-9);
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
pub struct DiscreteLaplace {
    scale: Rational,
    /// Tables up to about 2^103, and the reference.
    engine: Arc<BySize<Expansion<TwoSided>, reference::DiscreteLaplace>>,
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
    pub fn probability(&self, outcome: impl Into<BigInt>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
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

sampler!(DiscreteLaplace of scale, BigInt);
