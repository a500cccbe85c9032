//! Inputs with several ones.
//!
//! Let a client hold a vector of length d with at most w ones. Two such vectors differ in at most
//! D = min(d, 2w) coordinates, and one differs from zero in at most D = min(d, w). Bits are
//! randomized independently, so that the others can be dropped, and the counts of the D
//! coordinates are independent under both inputs; each is dominated by the pair that dominates
//! one count for every dataset. The guarantee is that of the product of D of these. It does not
//! depend on what the others hold, nor on how many ones that has.
//!
//! **Dropped reports.** Let C be D coordinates that contain all ones of both inputs, and V the
//! weight of a report outside C. Reports with V ≤ m − D are accepted whatever their bits in C are.
//! Outside C the client holds zeros, so that its V has the law Bin(d − D, p) under both inputs. If
//! V > m it is dropped, and nothing is told. If m − D < V ≤ m it may be told apart by being dropped:
//! inputs of unequal weights are dropped with unequal probabilities. So the probability of that is
//! added to δ. Another client holds at most w
//! ones outside C, and has V > m − D with probability at most
//! P(Bin(w', q) + Bin(d − D − w', p) > m − D), w' = min(w, d − D), as q > p.

use dp_exact::{Delta, Rational};

use super::composed::Composed;
use super::dropping::{DroppingBounds, Revealed};
use super::{AggregatedRappor, depth_for, rounded_up, solve, target};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{add_up, mul_up};

/// The share of δ that is spent on cutting far tails.
const SHARE: f64 = 1e-6;

/// The most coordinates that may change.
const MAX_CHANGED: u64 = 1 << 20;

/// How many numbers of revealed clients are told apart.
const NUMBERS: u64 = 12;

/// Vectors with several ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiHot {
    /// The length d of the vectors.
    pub length: u64,
    /// The most ones w that a vector has before it is randomized.
    pub ones: u64,
}

impl MultiHot {
    /// In how many coordinates two vectors, or a vector and zero, may differ: min(d, 2w) or
    /// min(d, w).
    #[must_use]
    pub fn changed(self, adjacency: Adjacency) -> u64 {
        let most = match adjacency {
            Adjacency::Replacement => self.ones.saturating_mul(2),
            Adjacency::Deletion => self.ones,
        };
        most.min(self.length)
    }
}

impl AggregatedRappor {
    /// The guarantee of the client alone where inputs have several ones: ε₀ for every coordinate
    /// that may change, with δ = 0.
    #[must_use]
    pub fn local_epsilon_multi_hot(&self, adjacency: Adjacency, input: MultiHot) -> Rational {
        self.epsilon0.value() * &Rational::from(input.changed(adjacency))
    }

    /// The ε at δ for every dataset of the others, where inputs have several ones.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9, or the number of coordinates that may change
    /// is 0 or above 2^20.
    pub fn epsilon_multi_hot(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
    ) -> Result<Rational, Error> {
        let changed = accepted(adjacency, input)?;
        let local = self.local_epsilon_multi_hot(adjacency, input);
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = target(delta)?;
        let curve = self.curve(depth_for(target))?;
        match Composed::new(curve, changed, target * SHARE) {
            Some(composed) => solve(target, &local, |alpha| composed.delta(alpha)),
            None => Ok(local),
        }
    }

    /// The same where reports of more than `max_weight` ones are dropped, and everyone sees which.
    ///
    /// # Errors
    /// As [`Self::epsilon_multi_hot`], and if δ is 0 or the length above 2^40.
    pub fn epsilon_multi_hot_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        input: MultiHot,
        max_weight: u64,
    ) -> Result<DroppingBounds, Error> {
        let changed = accepted(adjacency, input)?;
        let target = target(delta)?;
        let local = self.local_epsilon_multi_hot(adjacency, input);
        let outside = input.length - changed;
        let heavy = max_weight.saturating_add(1).saturating_sub(changed);
        let ones = input.ones.min(outside);
        let (light, critical) = if heavy > outside {
            (1.0, 0.0)
        } else {
            let law = self.weight_law(outside, 0, target)?;
            let critical = law.within(heavy, max_weight.saturating_add(1));
            let light = if changed > max_weight {
                0.0
            } else {
                law.below(heavy)
            };
            (light, critical)
        };
        let revealed = Revealed::new(
            self.clients - 1,
            self.tail(outside - ones, ones, heavy, target)?,
            target,
            NUMBERS,
        )?;
        let upper = if critical > target {
            local
        } else {
            let mut laws = Vec::new();
            for &(missing, _) in &revealed.shares {
                let curve = self.without(missing)?.curve(depth_for(target))?;
                laws.push(Composed::new(curve, changed, target * SHARE));
            }
            solve(target, &local, |alpha| {
                let laws = laws.iter();
                let deltas = laws.map(|law| law.as_ref().map_or(1.0, |law| law.delta(alpha)));
                let free = revealed.mean(deltas);
                add_up(critical, mul_up(light, free).min(free))
            })?
        };
        Ok(DroppingBounds {
            upper,
            revealed: revealed.most(),
            delta_of_others: rounded_up(revealed.excess)?,
            critical: rounded_up(critical)?,
        })
    }
}

/// The number of coordinates that may change.
pub(crate) fn accepted(adjacency: Adjacency, input: MultiHot) -> Result<u64, Error> {
    if input.length == 0 || input.length > 1 << 40 {
        let accepted = "an integer from 1 to 2^40";
        return Err(Error::parameter("length", input.length, accepted));
    }
    let changed = input.changed(adjacency);
    if changed == 0 || changed > MAX_CHANGED {
        let accepted = "a number of ones with which 1 to 2^20 coordinates may change";
        return Err(Error::parameter("ones", input.ones, accepted));
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregated_rappor::tests::slow_law;
    use dp_exact::directed::to_index;

    #[test]
    fn a_report_of_as_many_ones_as_are_allowed_is_not_free() {
        // Flips are so rare that hardly a report is dropped, and hardly a bit is hidden.
        let sum = AggregatedRappor::new("40".parse().expect("a number"), 10).expect("in range");
        let delta = "1e-6".parse().expect("a number");
        let plain = sum.epsilon(&delta, Adjacency::Replacement);
        let plain = plain.expect("bounds").lower;
        for (ones, max_weight) in [(1, 2), (1, 3), (1, 6), (2, 4)] {
            let input = MultiHot { length: 6, ones };
            let bounds =
                sum.epsilon_multi_hot_with_drops(&delta, Adjacency::Replacement, input, max_weight);
            let upper = bounds.expect("bounds").upper;
            assert!(upper >= plain, "{ones} {max_weight}: {upper} {plain}");
        }
    }

    #[test]
    fn others_may_hold_all_their_ones_outside_the_coordinates_that_change() {
        let sum = AggregatedRappor::new("2".parse().expect("a number"), 200).expect("in range");
        let p = (2f64.exp() + 1.0).recip();
        let (delta, target) = ("1e-6".parse().expect("a number"), 1e-6);
        for (length, ones, max_weight) in [(40u32, 2u32, 22u32), (60, 3, 33)] {
            let input = MultiHot {
                length: length.into(),
                ones: ones.into(),
            };
            let bounds = sum
                .epsilon_multi_hot_with_drops(
                    &delta,
                    Adjacency::Replacement,
                    input,
                    max_weight.into(),
                )
                .expect("in range");
            let [d, w, m] = [length, ones, max_weight].map(|number| number as usize);
            let (outside, held) = ((d - 2 * w) as u64, w as u64);
            let other: f64 = slow_law(p, outside - held, held)
                .iter()
                .skip(m - 2 * w + 1)
                .sum();
            let own = slow_law(p, outside, 0);
            let critical: f64 = own.iter().take(m + 1).skip(m - 2 * w + 1).sum();
            assert!((bounds.critical.to_f64() / critical - 1.0).abs() < 1e-9);
            // P(Bin(199, π) > r) for the r that is counted out.
            let others = slow_law(other, 199, 0);
            let more: f64 = others.iter().skip(to_index(1 + bounds.revealed)).sum();
            let excess = bounds.delta_of_others.to_f64();
            assert!((excess / more - 1.0).abs() < 1e-6, "{excess} {more}");
            assert!(critical < target && excess < 1e-4 * target && bounds.revealed > 0);
        }
    }
}
