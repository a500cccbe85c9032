//! The geometric distribution of scale t > 0, on k = 0, 1, 2, …:
//!
//! P(k) = (1 − e^(−1/t))·e^(−k/t),  P(K ≥ k) = e^(−k/t).
//!
//! [`DiscreteLaplace`](crate::DiscreteLaplace) documents the engines, and what their time and
//! addresses show. This distribution uses them for one side.

use alloc::boxed::Box;
use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus};
use crate::engine::{Engine, of_parameter, sampler};
use crate::error::positive;
use crate::rounds::{Rounds, scan_of_scale};
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
/// Up to a scale of 2^109 no address and no branch depends on a draw, beside an exceptional path as rare
/// as [`Self::undecided`] says. Beyond, the running time depends on the outcome: see
/// [`reference`](crate::reference).
#[derive(Clone)]
pub struct Geometric {
    scale: Rational,
    engine: Arc<Engine>,
}

impl Geometric {
    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    pub const ALGORITHM: &str = "geometric/5";

    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
        let engine = Engine::first(
            scan_of_scale(scale, false),
            || Rounds::by_scale(scale, false),
            || {
                let distribution = reference::Geometric::new(scale)?;
                Ok(Box::new(move |rng| distribution.sample(rng).into()))
            },
        )?;
        Ok(Self { scale: scale.clone(), engine: Arc::new(engine) })
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

sampler!(Geometric, BigUint);
of_parameter!(Geometric, scale);
