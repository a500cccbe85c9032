//! The discrete Gaussian distribution of variance parameter σ² > 0, on the integers:
//!
//! P(x) = e^(−x²/2σ²) / Σ_{y∈ℤ} e^(−y²/2σ²)
//!
//! (Canonne, Kamath, Steinke 2020, Definition 1, arXiv 2004.00010). Its true variance is at most
//! σ², and very close to it once σ exceeds 1. Up to σ² = 1100 it is drawn by a
//! [`TableScan`](crate::table_scan), as at most 256 magnitudes have a word of 16 bits, and up to σ
//! = 2^107 in [`rounds`](crate::rounds).

// DIFFERENCE from draft-wang §4.2: the parameter is the variance σ², a rational, and no float σ.

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use crate::Error;
use crate::distributions::Magnitude;
use crate::enclosure::bounded;
use crate::engine::{Engine, sampler, shown};
use crate::error::{out_of_range, within};
use crate::rounds::Rounds;
use crate::table_scan::TableScan;

/// The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²) on the integers, exactly.
///
/// The parameter is the **variance** σ², a rational number; σ itself may be irrational.
///
/// ```
/// use dp_samplers::{DiscreteGaussian, os_rng};
///
/// let gaussian = DiscreteGaussian::new(&"1/4".parse()?)?; // σ = 1/2
/// let mut noise = [0i64; 100];
/// gaussian.fill(&mut os_rng()?, &mut noise)?;
///
/// // 1/(1 + 2e^(−2) + 2e^(−8) + …)
/// let at_zero = gaussian.probability(0, 64);
/// assert!((at_zero.midpoint() - 0.786570707).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// No address and no branch depends on a draw, beside an exceptional path as rare as
/// [`Self::undecided`] says.
#[derive(Clone)]
pub struct DiscreteGaussian {
    variance: Rational,
    engine: Arc<Engine>,
}

/// The largest variance parameter σ² for which a scan is tried: beyond, rounds are faster.
const MAX_SCAN_VARIANCE: u32 = 1100;

/// The largest variance parameter σ² is 2 to this power.
const VARIANCE_BITS: u32 = 215;

impl DiscreteGaussian {
    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    pub const ALGORITHM: &str = "discrete_gaussian/6";

    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        Self::check(variance)?;
        let small = *variance <= Rational::integer(MAX_SCAN_VARIANCE);
        let distribution = Magnitude::gaussian(variance, true).filter(|_| small);
        let scan = distribution.and_then(|distribution| TableScan::new(Arc::new(distribution)));
        let engine = Engine::first(scan, || Rounds::gaussian(variance));
        let engine = engine.ok_or_else(|| out_of_range("variance", variance, VARIANCE_BITS))?;
        Ok(Self { variance: variance.clone(), engine })
    }

    /// Whether there is a distribution with this variance parameter σ², without making its tables.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < variance ≤ 2^215 with at most [`Rational::MAX_BITS`] bits. A
    /// variance of 0 is an error, not a distribution without noise.
    pub fn check(variance: &Rational) -> Result<(), Error> {
        within("variance", variance, VARIANCE_BITS)
    }

    /// The variance parameter σ², in squared units of the outcome.
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; a probability below
    /// 2^(−2^40) is enclosed between 0 and that number.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits. Each call sums the normalizer anew, a handful of exponentials.
    #[must_use]
    pub fn probability(&self, outcome: impl Into<BigInt>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
        let Some(magnitude) = Magnitude::gaussian(&self.variance, true) else {
            unreachable!("the constructor refuses a variance of 0")
        };
        let first = magnitude.first(precision.saturating_add(8));
        first * magnitude.weight(Rational::integer(outcome), precision)
    }
}

sampler!(DiscreteGaussian, BigInt, BigInt, core::convert::identity);
shown!(DiscreteGaussian, variance);
