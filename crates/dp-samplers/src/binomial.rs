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
use rand::distr::Distribution;
use rand_core::{CryptoRng, Rng};

use crate::alias::{Alias, Law};
use crate::enclosure::bounded;
use crate::laws;
use crate::words::{Direct, Source, Words};
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
    engine: Arc<Engine<P>>,
}

/// What serves which probability.
#[derive(Debug)]
enum Engine<P> {
    /// p = 0 or p = 1: always the same.
    Certain(u64),
    Tables(Parts<P>),
}

/// A sum of draws.
#[derive(Debug)]
struct Parts<P> {
    /// How many draws from the first table.
    count: u64,
    part: Alias<laws::Binomial<P>>,
    rest: Option<Alias<laws::Binomial<P>>>,
    /// Whether failures are counted, of this many trials.
    complement: Option<i64>,
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
            Kind::Zero => Engine::Certain(0),
            Kind::One => Engine::Certain(trials),
            Kind::Inside {
                above_half,
                lost_bits,
            } => {
                let law = laws::Binomial {
                    trials,
                    probability: Arc::clone(&probability),
                    complement: above_half,
                    lost_bits,
                };
                Engine::Tables(Parts::new(&law).ok_or_else(|| too_small(&*probability))?)
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

    /// Draws a number of successes.
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.draw_count(rng)
    }

    /// Fills a slice with independent draws: the values that repeated [`Self::sample`] would give,
    /// from a generator whose bytes are those of its words.
    ///
    /// # Errors
    /// [`Error::Overflow`] if a draw does not fit `T`. The slice is then partly filled and must
    /// not be used.
    pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        self.fill_with(rng, out)
    }

    pub(crate) fn fill_with<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        match &*self.engine {
            Engine::Certain(count) => {
                bulk::fill_one_by_one(out, || T::from_i128(i128::from(*count)))
            }
            Engine::Tables(parts) => parts.fill(rng, out),
        }
    }

    fn lost_bits(&self) -> u32 {
        match &*self.engine {
            Engine::Tables(parts) => parts.part.law().lost_bits,
            Engine::Certain(_) => 0,
        }
    }

    /// The law behind the table, if there is a single one.
    pub(crate) fn law(&self) -> Option<&laws::Binomial<P>> {
        match &*self.engine {
            Engine::Tables(parts) if parts.count == 1 => Some(parts.part.law()),
            _ => None,
        }
    }

    pub(crate) fn draw_count<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        match &*self.engine {
            Engine::Certain(count) => *count,
            // Between 0 and the number of trials.
            Engine::Tables(parts) => parts.draw(&mut Direct(rng)).try_into().unwrap_or(0),
        }
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
        let law = laws::Binomial {
            trials: self.trials,
            probability: Arc::clone(&self.probability),
            complement: false,
            lost_bits: self.lost_bits(),
        };
        i64::try_from(outcome).map_or_else(
            |_| Interval::integer(0, precision),
            |outcome| law.at(precision)(outcome),
        )
    }

    /// The size of the tables in bytes, at most 1 MiB and, above a standard deviation of about
    /// 3500, once more for the rest of the trials.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &*self.engine {
            Engine::Certain(_) => 0,
            Engine::Tables(parts) => {
                parts.part.bytes() + parts.rest.as_ref().map_or(0, Alias::bytes)
            }
        }
    }

    /// How many of 2^64 draws take longer than the others, at most: divided by 2^64, the δ that
    /// running time can add to a draw.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        match &*self.engine {
            Engine::Certain(_) => 0,
            Engine::Tables(parts) => {
                let rest = parts.rest.as_ref().map_or(0, Alias::undecided);
                parts.count * parts.part.undecided() + rest
            }
        }
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
            complement: law
                .complement
                .then(|| i64::try_from(law.trials))
                .transpose()
                .ok()?,
        })
    }

    #[inline]
    fn draw<S: Source>(&self, source: &mut S) -> i64 {
        let parts: i64 = (0..self.count).map(|_| self.part.draw(source)).sum();
        let rest = self.rest.as_ref().map_or(0, |rest| rest.draw(source));
        let sum = parts + rest;
        self.complement.map_or(sum, |trials| trials - sum)
    }

    fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: Rng + ?Sized,
    {
        if self.count == 1 && self.rest.is_none() && self.complement.is_none() {
            let unfit = self.part.fill_from(&mut Words::new(rng, out.len()), out);
            return bulk::complete(unfit, out);
        }
        let words = self.count + u64::from(self.rest.is_some());
        let words = usize::try_from(words).unwrap_or(usize::MAX);
        bulk::fill(rng, words, out, |source| T::from_i64(self.draw(source)))
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

/// For interoperability: [`Distribution`] cannot demand a cryptographic generator.
/// [`Binomial::sample`] does.
impl<P: Real + Debug> Distribution<u64> for Binomial<P> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.draw_count(rng)
    }
}
