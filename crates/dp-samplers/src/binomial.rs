//! The binomial distribution of n trials with success probability p:
//!
//! P(k) = C(n, k)·p^k·(1 − p)^(n−k).
//!
//! One table serves while the standard deviation √(npq) is below about 3500, the buckets of
//! `binomial_buckets.rs` above.

use alloc::format;
use alloc::sync::Arc;
use core::fmt::{self, Debug, Formatter};

use dp_exact::{Interval, ParameterError, Rational, Real, refine};
use rand_core::Rng;

use crate::alias::{Alias, Law};
use crate::binomial_buckets::Buckets;
use crate::enclosure::bounded;
use crate::engine::{BySize, Engine, draws, whole_draws};
use crate::laws;
use crate::{Error, FromDraw, Variant, bulk};

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
/// Up to a standard deviation of about 3500 every draw takes one random word, one table access and
/// one comparison; above, rounds of two words and equal work, whose number does not depend on the
/// outcome. At most [`Self::undecided`] of 2^64 draws, or rounds, deviate from that.
pub struct Binomial<P = Rational> {
    trials: u64,
    probability: Arc<P>,
    engine: Arc<BySize<Certain, Uncertain<P>>>,
}

/// p = 0 or p = 1: always the same.
#[derive(Debug)]
struct Certain(u64);

impl Engine for Certain {
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, _rng: &mut R) -> Option<T> {
        T::from_i128(self.0.into())
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        bulk::fill_one_by_one(out, || self.single(rng))
    }

    fn undecided(&self) -> Option<u64> {
        Some(0)
    }

    fn variant(&self) -> Variant {
        Variant::Scan
    }
}

/// A table, and buckets where the standard deviation is above about 3500.
type Uncertain<P> = BySize<Alias<laws::Binomial<P>>, Buckets<P>>;

impl Binomial {
    /// The largest number of trials.
    pub const MAX_TRIALS: u64 = 1_000_000_000_000;
}

/// Deviations up to which a table is tried: squared, npq.
const MAX_TABLE_VARIANCE: u64 = 3500 * 3500;

impl<P: Real + Debug> Binomial<P> {
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
        let engine = match kind(&*probability)? {
            Kind::Zero => BySize::Small(Certain(0)),
            Kind::One => BySize::Small(Certain(trials)),
            Kind::Inside {
                above_half,
                lost_bits,
            } => {
                let law = laws::Binomial {
                    trials,
                    probability: Arc::clone(&probability),
                    likely: above_half,
                    lost_bits,
                };
                BySize::Large(uncertain(&law)?)
            }
        };
        Ok(Self {
            trials,
            probability,
            engine: Arc::new(engine),
        })
    }

    /// The number n of trials.
    #[must_use]
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The probability p of a success.
    #[must_use]
    pub fn success_probability(&self) -> &P {
        &self.probability
    }

    fn lost_bits(&self) -> u32 {
        match &*self.engine {
            BySize::Large(engine) => law_of(engine).lost_bits,
            BySize::Small(_) => 0,
        }
    }

    /// P(`outcome`), enclosed with a width of about 2^−`precision`.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: u64, precision: u32) -> Interval {
        let precision = bounded(precision);
        if let BySize::Small(Certain(count)) = &*self.engine {
            return Interval::integer(u8::from(*count == outcome), precision);
        }
        let law = laws::Binomial {
            trials: self.trials,
            probability: Arc::clone(&self.probability),
            likely: false,
            lost_bits: self.lost_bits(),
        };
        i64::try_from(outcome).map_or_else(
            |_| Interval::integer(0, precision),
            |outcome| law.at(precision)(outcome),
        )
    }

    /// How many of 2^64 draws take longer than the others, at most: divided by 2^64, the δ that
    /// running time can add to a draw.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.engine.undecided().unwrap_or(u64::MAX)
    }
}

/// What serves a probability between 0 and 1.
fn uncertain<P: Real + Debug>(law: &laws::Binomial<P>) -> Result<Uncertain<P>, Error> {
    let variance = law.variance_bound();
    let small = variance <= MAX_TABLE_VARIANCE;
    let table = small.then(|| Alias::new(law.clone())).flatten();
    BySize::new(table, || {
        Buckets::new(law, variance).ok_or_else(|| too_wide(&*law.probability))
    })
}

fn law_of<P: Real + Debug>(engine: &Uncertain<P>) -> &laws::Binomial<P> {
    match engine {
        BySize::Small(table) => table.law(),
        BySize::Large(buckets) => buckets.law(),
    }
}

/// Where a probability lies.
enum Kind {
    Zero,
    One,
    Inside { above_half: bool, lost_bits: u32 },
}

fn kind<P: Real>(probability: &P) -> Result<Kind, Error> {
    let (zero, one) = (Rational::zero(), Rational::one());
    let decided = refine(|precision| {
        let enclosure = probability.enclose(precision);
        let at = |value: &Rational| enclosure.compare_rational(value);
        match (at(&zero)?, at(&one)?) {
            (below, _) if below.is_lt() => Some(Err(enclosure)),
            (_, above) if above.is_gt() => Some(Err(enclosure)),
            (at_zero, _) if at_zero.is_eq() => Some(Ok(Kind::Zero)),
            (_, at_one) if at_one.is_eq() => Some(Ok(Kind::One)),
            _ => {
                let above_half = enclosure.lower().to_f64() > 0.5;
                // 1 − p is above 0 at this precision, so that it loses no more bits than these.
                let lost_bits = precision;
                Some(Ok(Kind::Inside {
                    above_half,
                    lost_bits,
                }))
            }
        }
    })?;
    decided.map_err(|outside| {
        let value = outside.lower();
        ParameterError::new("probability", value, "a number from 0 to 1").into()
    })
}

/// The error for a probability that no table can be built for.
fn too_wide<P: Real>(probability: &P) -> Error {
    let enclosure = probability.enclose(64);
    let accepted = "a number from 0 to 1 with enclosures that narrow as they should";
    ParameterError::new("probability", enclosure, accepted).into()
}

impl<P> Clone for Binomial<P> {
    fn clone(&self) -> Self {
        Self {
            trials: self.trials,
            probability: Arc::clone(&self.probability),
            engine: Arc::clone(&self.engine),
        }
    }
}

draws!(
    Binomial<P>,
    CryptoRng,
    ": the values that repeated `sample` would give, from a generator whose bytes are those of its \
     words"
);
whole_draws!(Binomial<P>, u64);

impl<P: Debug> Debug for Binomial<P> {
    /// The parameters, not the tables.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Binomial")
            .field("trials", &self.trials)
            .field("probability", &self.probability)
            .finish_non_exhaustive()
    }
}
