//! The bits of a report that is sent, where reports of too many ones are not.
//!
//! A vector has a true bit in question and `length` − 1 others, v of them ones; R is the number of
//! ones among the others after the flips, and m the most ones of a sent report. With s the
//! probability that the bit in question is one after the flips, 1 − p or p,
//!
//! ```text
//! P(it is one | sent) = s·P(R ≤ m − 1) / (s·P(R ≤ m − 1) + (1 − s)·P(R ≤ m))
//! ```
//!
//! `docs/dropped-reports.md` proves that it falls as v grows, and that the estimate with it is
//! unbiased where all vectors weigh the same.

use dp_exact::ParameterError;

use crate::weight::rejection_rate;
use crate::{Error, SymmetricRappor};

/// The probabilities that a bit of a sent report is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentBits {
    /// The probability if the true bit is set, for a vector in the middle of all weights.
    pub held: f64,
    /// The probability if the true bit is not set, for a vector in the middle of all weights.
    pub other: f64,
    /// By how much either probability is off at most, for any weight: 0 if all vectors weigh the
    /// same.
    pub spread: f64,
}

impl SymmetricRappor {
    /// The bits of the reports that are sent if they have at most `bound` ones, over vectors of
    /// `length` bits of which from `lightest` to `heaviest` are set. Figures of accuracy, to about
    /// nine digits.
    ///
    /// # Errors
    /// If the length is above [`MAX_LENGTH`](crate::MAX_LENGTH), the heaviest weight is not from 1
    /// to the length or below the lightest, or `bound` is 0.
    pub fn sent_bits(
        &self,
        length: usize,
        [lightest, heaviest]: [usize; 2],
        bound: usize,
    ) -> Result<SentBits, Error> {
        if !(lightest.max(1)..=length).contains(&heaviest) {
            let accepted = "at least 1 and the least weight, and at most the length";
            return Err(ParameterError::new("input_weight", heaviest, accepted).into());
        }
        if bound == 0 {
            return Err(ParameterError::new("bound", bound, "at least 1").into());
        }
        let flip = self.flip_probability(64).midpoint();
        if bound >= length {
            return Ok(SentBits { held: 1.0 - flip, other: flip, spread: 0.0 });
        }
        // P(one | sent) of a bit that is one with probability `one` after the flips, beside others
        // of which `ones` are set.
        let sent = |one: f64, ones: usize| {
            let above =
                |bound| Ok::<f64, Error>(rejection_rate(self, length - 1, ones, bound)?.midpoint());
            // If the bit is one, the others have at most `bound` − 1 ones.
            let with = one * (1.0 - above(bound - 1)?);
            let without = (1.0 - one) * (1.0 - above(bound)?);
            Ok::<f64, Error>(with / (with + without))
        };
        // Beside a set bit one fewer is set; an unset bit leaves at most `length` − 1 set ones.
        let of_set = |weight: usize| sent(1.0 - flip, weight.max(1) - 1);
        let of_unset = |weight: usize| sent(flip, weight.min(length - 1));
        let (most_held, least_held) = (of_set(lightest)?, of_set(heaviest)?);
        let (most_other, least_other) = (of_unset(lightest)?, of_unset(heaviest)?);
        let spread = (most_held - least_held).max(most_other - least_other).max(0.0) / 2.0;
        Ok(SentBits {
            held: (most_held + least_held) / 2.0,
            other: (most_other + least_other) / 2.0,
            spread,
        })
    }
}
