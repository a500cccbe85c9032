//! Reports that clients drop because their randomized vectors have more ones than the task admits.
//!
//! A vector of d bits with w ones is flipped bit by bit, and is sent if at most m ones result: with
//! probability P(W ≤ m), where W ~ Bin(w, a) + Bin(d − w, b). In a sent vector, a bit that was 1 is
//! 1 with probability a · P(W′ ≤ m − 1)/P(W ≤ m), W′ ~ Bin(w − 1, a) + Bin(d − w, b), and a bit
//! that was 0 is 1 with probability b · P(W″ ≤ m − 1)/P(W ≤ m), W″ ~ Bin(w, a) + Bin(d − w − 1, b).
//! The number of ones among the sent reports is hypergeometric.

use dp_calibration::Query;

use super::pmf::Pmf;
use crate::Error;
use crate::binomial::{float, ln_probability};

/// The probabilities that a bit of a report is 1 if the measured bit is 1, and if it is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlipProbabilities {
    pub(super) kept: f64,
    pub(super) gained: f64,
}

/// The vectors that clients randomize, and send unless they have too many ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropping {
    length: u64,
    /// Number of ones of each measurement.
    ones: u64,
    /// Largest number of ones of a vector that is sent.
    pub(super) max_sent: i64,
}

impl Dropping {
    /// The clients whose measurements have as many ones as the query admits. `None` if all vectors
    /// are sent, as of every query but vectors of bits of bounded weight.
    pub(super) fn of(query: &Query, max_sent: usize) -> Option<Self> {
        match *query {
            Query::MultihotCountVec { length, max_weight } if max_sent < length => Some(Self {
                length: length as u64,
                ones: max_weight as u64,
                max_sent: i64::try_from(max_sent).expect("a length of at most 2^20"),
            }),
            _ => None,
        }
    }

    /// The probability that a vector has few enough ones to be sent once its bits are flipped.
    pub(super) fn rate(&self, flips: FlipProbabilities) -> Result<f64, Error> {
        at_most(self.ones, self.length - self.ones, self.max_sent, flips)
    }

    /// The probabilities that a bit is 1, by its value before the flips, given that the vector is
    /// sent; `flips` has them without that condition.
    pub(super) fn flips_of_sent(
        &self,
        flips: FlipProbabilities,
    ) -> Result<FlipProbabilities, Error> {
        let rate = self.rate(flips)?;
        let (others, below) = (self.length - self.ones, self.max_sent - 1);
        let kept = at_most(self.ones - 1, others, below, flips)?;
        // Without other bits, none has the probability that is found here.
        let gained = at_most(self.ones, others.saturating_sub(1), below, flips)?;
        Ok(FlipProbabilities {
            kept: flips.kept * kept / rate,
            gained: flips.gained * gained / rate,
        })
    }
}

/// The probability that a vector of `ones` ones and `zeros` zeros has at most `most` ones after its
/// bits are flipped.
fn at_most(ones: u64, zeros: u64, most: i64, flips: FlipProbabilities) -> Result<f64, Error> {
    let weight = Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(zeros, flips.gained))?;
    let light = weight.outcomes().take_while(|(weight, _)| *weight <= most);
    Ok(light.map(|(_, probability)| probability).sum())
}

/// Pairs (k, the probability that k of `reports` sent measurements have a one). Of `submitted`
/// measurements `ones` have a one: P(k) is C(ones, k)·C(zeros, reports − k)/C(submitted, reports),
/// which is a quotient of binomial probabilities for any probability of success.
pub(super) fn hypergeometric(reports: u64, ones: u64, submitted: u64) -> Vec<(u64, f64)> {
    if reports >= submitted {
        return vec![(ones, 1.0)];
    }
    let success = float(reports) / float(submitted);
    let outcomes = (reports + ones).saturating_sub(submitted)..=ones.min(reports);
    let probability = |outcome| {
        let ln_pair = ln_probability(outcome, ones, success)
            + ln_probability(reports - outcome, submitted - ones, success);
        (outcome, (ln_pair - ln_probability(reports, submitted, success)).exp())
    };
    outcomes.map(probability).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sent_reports_have_the_flips_that_enumeration_gives() {
        let dropping = Dropping { length: 4, ones: 1, max_sent: 2 };
        let flips = FlipProbabilities { kept: 0.7, gained: 0.3 };
        let (mut sent, mut kept, mut gained) = (0.0, 0.0, 0.0);
        for vector in 0_u32..16 {
            // The first bit was 1.
            let flipped = (vector ^ 1).count_ones();
            let probability = 0.3_f64.powf(flipped.into()) * 0.7_f64.powf((4 - flipped).into());
            if vector.count_ones() <= 2 {
                sent += probability;
                kept += probability * f64::from(vector & 1);
                gained += probability * f64::from(vector >> 3);
            }
        }
        let of_sent = dropping.flips_of_sent(flips).expect("flips");
        assert!((dropping.rate(flips).expect("a rate") - sent).abs() < 1e-12);
        assert!((of_sent.kept - kept / sent).abs() < 1e-12, "{of_sent:?}");
        assert!((of_sent.gained - gained / sent).abs() < 1e-12, "{of_sent:?}");
    }

    #[test]
    fn the_ones_among_sent_reports_are_hypergeometric() {
        // 3 of 5 are sent, 2 of the 5 have the bit: C(2, k)·C(3, 3 − k)/C(5, 3).
        let found = hypergeometric(3, 2, 5);
        for ((outcome, probability), (number, expected)) in
            found.into_iter().zip([(0, 0.1), (1, 0.6), (2, 0.3)])
        {
            assert_eq!(outcome, number);
            assert!((probability - expected).abs() < 1e-12, "{outcome}: {probability}");
        }
        assert_eq!(hypergeometric(5, 2, 5), [(2, 1.0)]);
        assert_eq!(hypergeometric(2, 4, 4), [(2, 1.0)]);
    }
}
