//! The discrete Laplace distribution of scale t > 0, on the integers: P(x) = (1 − q)/(1 + q)·q^|x|
//! with q = e^(−1/t) (Ghosh, Roughgarden, Sundararajan 2009, where it is called the two-sided
//! geometric distribution).
//!
//! - t ≤ 4: a [`TableScan`](crate::table_scan) of magnitudes, with a fair sign.
//! - t ≤ 128: a scan of two independent digits. With b = 2^j and a side, the draw is G = L + b·H or
//!   −1 − G, since P(G) ∝ e^(−G/t) and P(−1 − G) = e^(−1/t)·P(G). The low digit and the side have
//!   one distribution on −b, …, b − 1; the high digit H is geometric with scale t/b ≤ 2.
//! - t ≤ 2^109: [`rounds`](crate::rounds), with a bucket of two digits.

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::Error;
use crate::distributions::Magnitude;
use crate::enclosure::bounded;
use crate::engine::{Engine, sampler, shown};
use crate::error::{out_of_range, within};
use crate::rounds::{Rounds, scan_of_scale};

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
/// No address and no branch depends on a draw, beside an exceptional path as rare as
/// [`Self::undecided`] says.
#[derive(Clone)]
pub struct DiscreteLaplace {
    scale: Rational,
    engine: Arc<Engine>,
}

/// The largest scale is 2 to this power.
const SCALE_BITS: u32 = 109;

impl DiscreteLaplace {
    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    pub const ALGORITHM: &str = "discrete_laplace/6";

    /// The distribution with this scale.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        Self::check(scale)?;
        let engine = Engine::first(scan_of_scale(scale), || Rounds::laplace(scale));
        let engine = engine.ok_or_else(|| out_of_range("scale", scale, SCALE_BITS))?;
        Ok(Self { scale: scale.clone(), engine })
    }

    /// Whether there is a distribution with this scale, without making its thresholds.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < scale ≤ 2^109 with at most [`Rational::MAX_BITS`] bits.
    pub fn check(scale: &Rational) -> Result<(), Error> {
        within("scale", scale, SCALE_BITS)
    }

    /// The scale t, in units of the outcome.
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
        let magnitude = Magnitude::laplace(rate, true);
        let weight = magnitude.weight(Rational::integer(outcome.abs()), precision);
        magnitude.first(precision) * weight
    }
}

sampler!(DiscreteLaplace, BigInt, BigInt, core::convert::identity);
shown!(DiscreteLaplace, scale);
