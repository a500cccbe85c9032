//! Probabilities by their binary digits, as many as a draw asks for.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use dp_exact::{Interval, PrecisionError, refine};
use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

/// Digits of a real number that are computed beforehand: more are asked for once in 2^256 draws.
const DIGITS: u32 = 256;

/// A probability.
#[derive(Clone, Debug)]
pub(super) enum Probability {
    /// A fraction.
    Ratio {
        /// At most the denominator.
        numerator: u64,
        /// At least 1, below 2^63.
        denominator: u64,
    },
    /// A number between 0 and 1 that is no fraction of a power of two.
    Real(Digits),
}

/// A number by its digits.
#[derive(Clone)]
pub(super) struct Digits {
    words: Vec<u64>,
    place: usize,
    enclose: Enclose,
}

/// Encloses some numbers with so many bits.
type Enclose = Arc<dyn Fn(u32) -> Option<Vec<Interval>> + Send + Sync>;

impl Debug for Digits {
    /// The first digits.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Digits").field(&self.words).finish()
    }
}

impl Probability {
    pub(super) const fn ratio(numerator: u64, denominator: u64) -> Self {
        Self::Ratio {
            numerator,
            denominator,
        }
    }

    /// The number between 0 and 1 that `enclose` encloses with so many bits.
    ///
    /// # Errors
    /// If no precision tells its digits: it is a fraction of a power of two.
    pub(super) fn real(
        enclose: impl Fn(u32) -> Option<Interval> + Send + Sync + 'static,
    ) -> Result<Self, PrecisionError> {
        let mut reals = Self::reals(1, move |precision| Some(vec![enclose(precision)?]))?;
        reals.pop().ok_or(PrecisionError)
    }

    /// So many such numbers that are enclosed together.
    ///
    /// # Errors
    /// As for one.
    pub(super) fn reals(
        count: usize,
        enclose: impl Fn(u32) -> Option<Vec<Interval>> + Send + Sync + 'static,
    ) -> Result<Vec<Self>, PrecisionError> {
        let all = refine(|precision| {
            let enclosures = enclose(precision.max(DIGITS + 128))?;
            let known = enclosures.iter().map(|one| words(one, DIGITS));
            known.collect::<Option<Vec<_>>>()
        })?;
        let enclose: Enclose = Arc::new(enclose);
        let one = |(place, words)| {
            let enclose = Arc::clone(&enclose);
            Self::Real(Digits {
                words,
                place,
                enclose,
            })
        };
        let reals: Vec<Self> = all.into_iter().enumerate().map(one).collect();
        if reals.len() == count {
            Ok(reals)
        } else {
            Err(PrecisionError)
        }
    }

    /// Whether it is 1.
    pub(super) const fn is_one(&self) -> bool {
        matches!(self, Self::Ratio { numerator, denominator } if *numerator == *denominator)
    }

    /// The digits after the point; none after the last one that is not 0.
    pub(super) fn digits(&self) -> impl Iterator<Item = bool> + '_ {
        let (mut ratio, mut real) = match self {
            Self::Ratio {
                numerator,
                denominator,
            } => (Some(of_ratio(*numerator, *denominator)), None),
            Self::Real(digits) => (None, Some(digits.iter())),
        };
        std::iter::from_fn(move || match &mut ratio {
            Some(ratio) => ratio.next(),
            None => real.as_mut().and_then(Iterator::next),
        })
    }
}

/// By long division. Of 1 all digits are 1.
fn of_ratio(numerator: u64, denominator: u64) -> impl Iterator<Item = bool> {
    let mut remainder = numerator;
    std::iter::from_fn(move || {
        if remainder == 0 {
            return None;
        }
        let doubled = remainder << 1;
        let digit = doubled >= denominator;
        remainder = if digit {
            doubled - denominator
        } else {
            doubled
        };
        Some(digit)
    })
}

impl Digits {
    fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        let first = self.words.iter().copied();
        let mut more = Vec::new();
        let later = (self.words.len()..).map_while(move |place| {
            if place >= more.len() {
                more = self.first(u32::try_from(place + 1).ok()?.checked_mul(128)?)?;
            }
            more.get(place).copied()
        });
        first
            .chain(later)
            .flat_map(|word| (0..64).rev().map(move |place| word >> place & 1 == 1))
    }

    /// More digits than are kept.
    #[cold]
    fn first(&self, digits: u32) -> Option<Vec<u64>> {
        let found = refine(|precision| {
            let enclosures = (self.enclose)(precision.max(digits.saturating_add(128)))?;
            words(enclosures.get(self.place)?, digits)
        });
        found.ok()
    }
}

/// The first digits, in words, if the enclosure tells them.
fn words(enclosure: &Interval, digits: u32) -> Option<Vec<u64>> {
    let floor = enclosure.lower().floor_shifted(digits.into());
    if floor != enclosure.upper().floor_shifted(digits.into()) {
        return None;
    }
    let places = (0..digits / u64::BITS).rev();
    let word = |place| (&floor >> (u64::BITS * place)) & BigInt::from(u64::MAX);
    places.map(|place| word(place).to_u64()).collect()
}
