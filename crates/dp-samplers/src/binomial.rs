//! The binomial distribution of n trials with success probability p: P(k) = C(n, k)·p^k·(1 −
//! p)^(n−k).
//!
//! Where at most 256 outcomes have a word of 16 bits, up to a standard deviation of about 34, a
//! [`TableScan`](crate::table_scan); above, buckets and acceptance ([`rounds`](crate::rounds)),
//! with P in fixed point from Stirling's series.

use alloc::format;
use alloc::sync::Arc;
use core::cmp::Ordering;
use core::fmt::{self, Debug, Formatter};

use dp_exact::{Interval, ParameterError, Rational, Real, refine};

use crate::Error;
use crate::distributions::{self, Envelope};
use crate::enclosure::bounded;
use crate::engine::{Engine, sampler};
use crate::rounds::Rounds;
use crate::table_scan::TableScan;
use crate::word_counts::Distribution;

/// The binomial distribution, exactly, for a probability that is rational or known by enclosures.
///
/// ```
/// use dp_samplers::{Binomial, Rational, os_rng};
///
/// let clients = Binomial::new(1_000_000, "1/3".parse::<Rational>()?)?;
/// let mut counts = [0u64; 100];
/// clients.fill(&mut os_rng()?, &mut counts)?;
/// assert!(counts.iter().all(|count| (300_000..366_000).contains(count))); // 70 deviations
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// No address and no branch depends on a draw, beside an exceptional path as rare as
/// [`Self::undecided`] says.
#[derive(Clone)]
pub struct Binomial<P = Rational> {
    probability: Arc<P>,
    /// Encloses the probability of each outcome.
    distribution: distributions::Binomial,
    /// The sampler, shared by all clones.
    engine: Arc<Engine>,
}

impl Binomial {
    /// The largest number of trials.
    pub const MAX_TRIALS: u64 = 1_000_000_000_000;

    /// Name and version of the algorithm: it changes whenever a seed gives other values.
    pub const ALGORITHM: &str = "binomial/8";
}

/// The largest variance np(1 − p) for which a scan is tried; above it, rounds draw.
const MAX_SCAN_VARIANCE: u64 = 1400;

impl<P: Real + Debug + Send + Sync + 'static> Binomial<P> {
    /// The number of successes in `trials` independent trials of this probability.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are more than [`Binomial::MAX_TRIALS`] trials, or the
    /// probability certainly lies outside [0, 1]; [`Error::Precision`] if its enclosures do not
    /// tell on which side of 0 or 1 it lies.
    pub fn new(trials: u64, probability: P) -> Result<Self, Error> {
        let limit = Binomial::MAX_TRIALS;
        if trials > limit {
            let accepted = format!("a number of at most {limit}");
            return Err(ParameterError::new("trials", trials, accepted).into());
        }
        let probability = Arc::new(probability);
        let (enclosure, lost_bits) = decided_enclosure(&*probability)?;
        let distribution = distributions::Binomial {
            trials,
            probability: Arc::clone(&probability) as Arc<dyn distributions::Probability>,
            // 1 − p is above 0 at this precision, so that it loses no more bits than these.
            lost_bits,
        };
        let is = |value: &Rational| enclosure.compare_rational(value).is_some_and(Ordering::is_eq);
        let engine = match (is(&Rational::zero()), is(&Rational::one())) {
            (true, _) => Arc::new(Engine::Certain(0)),
            (_, true) => Arc::new(Engine::Certain(trials)),
            _ => uncertain(&distribution).ok_or_else(|| {
                let accepted = "a number from 0 to 1 with enclosures that narrow as they should";
                ParameterError::new("probability", probability.enclose(64), accepted)
            })?,
        };
        Ok(Self { probability, distribution, engine })
    }
}

impl<P> Binomial<P> {
    /// The number n of trials.
    pub fn trials(&self) -> u64 {
        self.distribution.trials
    }

    /// P(`outcome`), enclosed with a width of about 2^−`precision`.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: u64, precision: u32) -> Interval {
        let precision = bounded(precision);
        if let Engine::Certain(count) = &*self.engine {
            return Interval::integer(u8::from(*count == outcome), precision);
        }
        // More than 10^12 trials have no probability.
        i64::try_from(outcome).map_or_else(
            |_| Interval::integer(0, precision),
            |outcome| self.distribution.probability(precision)(outcome),
        )
    }
}

/// The engine for 0 < p < 1: a scan if the variance is small, else rounds. `None` if the enclosures
/// of the success probability p are too wide for either.
fn uncertain(distribution: &distributions::Binomial) -> Option<Arc<Engine>> {
    let variance = distribution.variance_bound();
    let small = (variance <= MAX_SCAN_VARIANCE).then(|| Arc::new(distribution.clone()));
    let scan = small.and_then(|distribution| TableScan::new(distribution));
    Engine::first(scan, || Rounds::binomial(Envelope::new(distribution, variance)?))
}

/// An enclosure of the probability that is exactly 0, exactly 1, or between them, and its
/// precision. `Err` if it certainly lies outside [0, 1], or if the enclosures never tell on which
/// side of 0 or 1.
fn decided_enclosure<P: Real>(probability: &P) -> Result<(Interval, u32), Error> {
    let (zero, one) = (Rational::zero(), Rational::one());
    let (enclosure, precision) = refine(|precision| {
        let enclosure = probability.enclose(precision);
        let is_decided = [&zero, &one].map(|end| enclosure.compare_rational(end).is_some());
        (is_decided == [true; 2]).then_some((enclosure, precision))
    })?;
    let at = |value: &Rational| enclosure.compare_rational(value);
    if at(&zero).is_some_and(Ordering::is_lt) || at(&one).is_some_and(Ordering::is_gt) {
        let value = enclosure.lower();
        return Err(ParameterError::new("probability", value, "a number from 0 to 1").into());
    }
    Ok((enclosure, precision))
}

// A count of at most 10^12.
sampler!(Binomial<P>, u64, i64, i64::cast_unsigned);

impl<P: Debug> Debug for Binomial<P> {
    /// The parameters, not the thresholds.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Binomial")
            .field("trials", &self.trials())
            .field("probability", &self.probability)
            .finish_non_exhaustive()
    }
}
