//! The tails of the weight of a randomized vector, with certified remainders.
//!
//! Of an input of length d with w true bits, K₁ ~ Bin(w, p) true bits flip away and
//! K₀ ~ Bin(d − w, p) false bits flip on, independently. The randomized weight is W = w − K₁ + K₀,
//! and
//!
//! ```text
//! P(W > m) = Σ_k P(K₁ = k)·P(K₀ ≥ m + 1 − w + k)
//! ```

use dp_exact::{Dyadic, Interval, Real};

use super::WeightDistribution;
use super::binomial_window::{BinomialTails, BinomialWindow};
use crate::SymmetricRappor;

/// The distribution of the weight W = w − K₁ + K₀ of a randomized vector with w true bits before
/// the flips: K₁ true bits flip away, and K₀ false bits flip on.
pub(crate) struct WeightTails {
    /// d, the number of bits of the vector.
    length: usize,
    /// w, the number of true bits before the flips.
    input_weight: usize,
    /// K₁, the number of true bits that flip away.
    lost: BinomialWindow,
    /// K₀, the number of false bits that flip on.
    gained: BinomialTails,
    /// The product of the sums of all relative probabilities of K₁ and of K₀.
    all: Interval,
}

impl WeightTails {
    /// The distribution for a vector of `length` bits, `input_weight` of them true, computed with
    /// `precision` bits. Probabilities below 2^−`cut` are left out of the windows, but enclosed.
    /// `None` if the windows take too much memory.
    pub(crate) fn new(
        rappor: &SymmetricRappor,
        length: usize,
        input_weight: usize,
        distribution: WeightDistribution,
        precision: u32,
        cut: u64,
    ) -> Option<Self> {
        let odds = rappor.flip().odds(precision);
        let flips_among = |trials: usize| -> Option<BinomialWindow> {
            let mean = rappor.flip().enclose(precision) * Interval::integer(trials, precision);
            let near_mode = usize::try_from(mean.lower().floor_shifted(0)).unwrap_or(0);
            BinomialWindow::new(trials, &odds, near_mode, cut)
        };
        let lost = flips_among(match distribution {
            WeightDistribution::Exact => input_weight,
            WeightDistribution::Draft => 0,
        })?;
        let gained = flips_among(length - input_weight)?.into_tails();
        let lost_all = lost.weights().fold(lost.outside(), |sum, (_, weight)| sum + weight);
        let all = lost_all * gained.all();
        Some(Self { length, input_weight, lost, gained, all })
    }

    /// P(W > `bound`) for the number W of true bits after the flips, enclosed; `None` if the
    /// precision is too low.
    pub(crate) fn above(&self, bound: usize) -> Option<Interval> {
        let none = Interval::integer(0, self.all.precision());
        if bound >= self.length {
            return Some(none);
        }
        // Of the outcomes of K₁ outside the window nothing is known but their total mass.
        let outside = self.lost.outside() * self.gained.all();
        let mut sum = outside.hull(&none);
        for (lost, weight) in self.lost.weights() {
            let needed = (bound + 1 + lost).saturating_sub(self.input_weight);
            match self.gained.at_least(needed) {
                Some(tail) => sum = sum + weight * tail,
                None => break,
            }
        }
        sum.checked_div(&self.all)
    }

    /// P(W = `weight`) for the number W of true bits after the flips, enclosed; `None` if the
    /// precision is too low.
    pub(crate) fn exactly(&self, weight: usize) -> Option<Interval> {
        let at_least = match weight.checked_sub(1) {
            Some(one_less) => self.above(one_less)?,
            None => Interval::integer(1, self.all.precision()),
        };
        Some(at_least - self.above(weight)?)
    }
}

/// Whether the width of the enclosure is at most 2^−32 of its lower end: about nine digits.
pub(crate) fn is_narrow(rate: &Interval) -> bool {
    let point = |end: &Dyadic| Interval::hull_of(end.clone(), end.clone(), 64);
    let (lower, upper) = (point(rate.lower()), point(rate.upper()));
    (upper - &lower).upper() <= lower.shifted(-32).lower()
}
