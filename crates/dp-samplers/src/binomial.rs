//! The binomial distribution of n trials with success probability p:
//!
//! P(k) = C(n, k)·p^k·(1 − p)^(n−k).
//!
//! One table serves while the standard deviation √(npq) is below about 3500. Above, the trials
//! are split: the successes in n₁ + n₂ trials are those in n₁ plus those in n₂, independent, so a
//! draw is a sum of draws from one table for n₀ trials each, and one from a table for the rest.

use std::fmt::Debug;
use std::sync::Arc;

use dp_exact::{Interval, ParameterError, Rational, Real, refine};
use rand_core::Rng;

use crate::alias::{Alias, Law};
use crate::enclosure::bounded;
use crate::engine::{BySize, Engine, draws, whole_draws};
use crate::laws;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, bulk};

/// The binomial distribution, exactly, for a probability that is rational or known by enclosures.
///
/// ```
/// use dp_exact::Rational;
/// use dp_samplers::{Binomial, Seed};
///
/// let clients = Binomial::new(1_000_000, "1/3".parse::<Rational>()?)?;
/// let mut counts = [0u64; 100];
/// clients.fill(&mut Seed::from_u64(1).rng(), &mut counts)?;
/// assert!(counts.iter().all(|count| (300_000..366_000).contains(count))); // 70 deviations
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// Every draw takes the same random words, table accesses and comparisons: one of each up to a
/// standard deviation of about 3500, (√(npq)/3500)² above. At most [`Self::undecided`] of 2^64
/// draws deviate from that.
#[derive(Debug)]
pub struct Binomial<P = Rational> {
    trials: u64,
    probability: Arc<P>,
    engine: Arc<BySize<Certain, Parts<P>>>,
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
}

/// A sum of draws.
#[derive(Debug)]
struct Parts<P> {
    /// How many draws from the first table.
    count: u64,
    part: Alias<laws::Binomial<P>>,
    rest: Option<Alias<laws::Binomial<P>>>,
}

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
                BySize::Large(Parts::new(&law).ok_or_else(|| too_small(&*probability))?)
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
            BySize::Large(parts) => parts.part.law().lost_bits,
            BySize::Small(_) => 0,
        }
    }

    /// The law behind the table, if there is a single one.
    pub(crate) fn law(&self) -> Option<&laws::Binomial<P>> {
        match &*self.engine {
            BySize::Large(parts) if parts.count == 1 => Some(parts.part.law()),
            _ => None,
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

impl<P: Real + Debug> Parts<P> {
    /// The fewest equal parts that a table can hold.
    fn new(law: &laws::Binomial<P>) -> Option<Self> {
        let table = |trials: u64| {
            Alias::new(laws::Binomial {
                trials,
                ..law.clone()
            })
        };
        let variance = law.variance_bound();
        let (mut count, part) = (variance.div_ceil(MAX_TABLE_VARIANCE).max(1)..)
            .take(3)
            .find_map(|count| Some((count, table(law.trials / count)?)))?;
        let left = law.trials % count;
        if law.trials == 0 {
            count = 1;
        }
        Some(Self {
            count,
            part,
            rest: if left == 0 { None } else { Some(table(left)?) },
        })
    }

    #[inline]
    fn draw<S: Source>(&self, source: &mut S) -> i64 {
        let parts: i64 = (0..self.count).map(|_| self.part.draw(source)).sum();
        let rest = self.rest.as_ref().map_or(0, |rest| rest.draw(source));
        parts + rest
    }
}

impl<P: Real + Debug> Engine for Parts<P> {
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(self.draw(&mut Direct(rng)))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        if self.count == 1 && self.rest.is_none() {
            return Engine::fill(&self.part, rng, out);
        }
        let words = self.count + u64::from(self.rest.is_some());
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        bulk::fill(rng, words, out, |source| T::from_i64(self.draw(source)))
    }

    fn bytes(&self) -> usize {
        self.part.bytes() + self.rest.as_ref().map_or(0, Alias::bytes)
    }

    fn undecided(&self) -> Option<u64> {
        let rest = self.rest.as_ref().map_or(0, Alias::undecided);
        Some(self.count * self.part.undecided() + rest)
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
fn too_small<P: Real>(probability: &P) -> Error {
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

impl<P: Real + Debug> Engine for Binomial<P> {
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.engine.single(rng)
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        self.engine.fill(rng, out)
    }

    fn bytes(&self) -> usize {
        self.engine.bytes()
    }
}
