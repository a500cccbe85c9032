//! **Simulation mode**: the same exact law in less time, which depends on the flips.
//!
//! With the feature `simulation`. Nothing here may protect anybody. Instead of a decision for every coordinate it draws the gaps
//! between flips, so that its running time tells how many there are. Use it to simulate clients,
//! never to be one.
//!
//! With q = 1 − p, the next flip is k ≥ 0 coordinates ahead with probability q^k·p. The law is
//! without memory, so it may be cut: with probability q^n there is none among the next n, and
//! beyond them it starts anew.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt::{self, Debug, Formatter};
use core::ops::RangeInclusive;

use dp_exact::{Epsilon, Interval, PrecisionError};
use dp_samplers::alias::{Alias, Law};
use rand_core::CryptoRng;

use crate::flip::FlipProbability;
use crate::{Error, PackedBits};

/// n: how far ahead one draw looks.
const REACH: i64 = 1 << 10;

/// Symmetric RAPPOR with the law of [`crate::SymmetricRappor`], **for simulations only**.
#[derive(Clone)]
pub struct SymmetricRappor {
    epsilon0: Epsilon,
    gaps: Arc<Alias<Gaps>>,
}

impl SymmetricRappor {
    /// The mechanism with parameter ε₀.
    ///
    /// # Errors
    /// None: the gaps up to 1024 fit a table for every parameter. The type is that of every
    /// certified computation.
    pub fn new(epsilon0: &Epsilon) -> Result<Self, Error> {
        let gaps = Alias::new(Gaps(FlipProbability::new(epsilon0))).ok_or(PrecisionError)?;
        Ok(Self {
            epsilon0: epsilon0.clone(),
            gaps: Arc::new(gaps),
        })
    }

    /// Flips every bit independently with probability p, in time that tells how many are flipped.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        self.flips(rng, bits.len(), |place| {
            if let Some(bit) = bits.get_mut(place) {
                *bit = !*bit;
            }
        });
    }

    /// Flips every bit independently with probability p, in time that tells how many are flipped.
    ///
    /// Gives the same flips as [`randomize`](Self::randomize) for the same state of the generator.
    pub fn randomize_packed<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut PackedBits) {
        self.flips(rng, bits.len(), |place| bits.flip(place));
    }

    /// Calls `flip` with the places of the flips among `length` coordinates, in order.
    fn flips<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        length: usize,
        mut flip: impl FnMut(usize),
    ) {
        let mut place = 0;
        loop {
            let gap = self.gaps.sample(rng);
            place += usize::try_from(gap).unwrap_or(0);
            if place >= length {
                return;
            }
            if gap < REACH {
                flip(place);
                place += 1;
            }
        }
    }
}

impl Debug for SymmetricRappor {
    /// The parameter, not the tables.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SymmetricRappor")
            .field("epsilon0", &format_args!("{}", self.epsilon0))
            .finish_non_exhaustive()
    }
}

/// The coordinates before the next flip, or [`REACH`] if there is none among so many.
#[derive(Clone, Debug)]
struct Gaps(FlipProbability);

impl Law for Gaps {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        // Ten bits more, for q to the power of 2^10.
        let finer = precision + 10;
        let kept = self.0.complement(finer);
        let flipped = self.0.odds(finer) * &kept;
        Box::new(move |gap| match u32::try_from(gap) {
            Ok(coordinates) if gap < REACH => kept.powi(coordinates) * &flipped,
            Ok(coordinates) if gap == REACH => kept.powi(coordinates),
            _ => Interval::integer(0, precision),
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=REACH
    }
}

#[cfg(test)]
mod tests {
    use dp_exact::{Dyadic, Rational};

    use super::*;

    /// As wide as a table may ask ([`Law::at`]); q^k·p before the reach, q^n for none among n, and 0 for all others.
    #[test]
    fn gaps_have_a_geometric_law_that_is_cut_at_the_reach() {
        let (one, zero) = (|bits| Interval::integer(1, bits), Rational::zero());
        for (epsilon0, precision) in [("1/100", 64), ("1", 192), ("12", 300)] {
            let flips = FlipProbability::new(&epsilon0.parse().expect("positive"));
            let gaps = Gaps(flips.clone());
            let law = gaps.at(precision);
            let kept = flips.complement(2 * precision);
            let flipped = flips.odds(2 * precision) * &kept;
            let (mut none, mut sum) = (one(2 * precision), Interval::integer(0, precision));
            for gap in gaps.support() {
                let expected = if gap < REACH {
                    &none * &flipped
                } else {
                    none.clone()
                };
                let found = law(gap);
                assert!((&found - expected).contains(&zero), "{epsilon0}: {gap}");
                let [lower, upper] = [found.lower(), found.upper()]
                    .map(|end| Interval::hull_of(end.clone(), end.clone(), 2 * precision));
                let width = (upper - lower).upper().clone();
                assert!(
                    width <= Dyadic::new(1, -i64::from(precision)),
                    "{epsilon0}: {gap}"
                );
                sum = sum + found;
                none = &none * &kept;
            }
            assert!((sum - one(precision)).contains(&zero), "{epsilon0}");
            for outside in [i64::MIN, -1, REACH + 1, 1 << 32, i64::MAX] {
                let nothing = law(outside);
                assert!(nothing.contains(&zero) && *nothing.upper() <= Dyadic::new(0, 0));
            }
        }
    }
}
