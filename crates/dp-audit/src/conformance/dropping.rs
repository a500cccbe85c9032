//! Reports that are not sent, since their randomized vectors have more ones than the task admits.
//!
//! A vector of d bits with w ones is flipped bit by bit, and is sent if at most m ones come out. So many are sent as
//! P(W ≤ m), where W ~ Bin(w, a) + Bin(d − w, b). Of a vector that was sent a bit that was set is set with probability
//!
//! ```text
//! a · P(W′ ≤ m − 1)/P(W ≤ m), W′ ~ Bin(w − 1, a) + Bin(d − w, b),
//! ```
//!
//! and another one alike. Which reports were dropped nobody knows: of the T set bits among n measurements the k reports
//! that were sent have a hypergeometric number.

use dp_calibration::Randomizer;

use super::expected::Flips;
use super::pmf::Pmf;
use crate::Error;
use crate::confidence::{float, ln_probability};

/// Fewer dropped reports than this do not show in any number of collections.
const NEGLIGIBLE: f64 = 1e-9;

/// Which vectors are sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropping {
    pub(super) length: u64,
    /// The ones of each measurement.
    pub(super) ones: u64,
    /// The most ones of a vector that is sent.
    pub(super) sent: u64,
}

impl Dropping {
    /// Of vectors that have as many ones as they may.
    pub(super) const fn of(randomizer: &Randomizer) -> Option<Self> {
        match *randomizer {
            Randomizer::SymmetricRappor { length, input_weight, sent_weight, .. }
                if sent_weight < length && input_weight <= length =>
            {
                Some(Self { length, ones: input_weight, sent: sent_weight })
            }
            _ => None,
        }
    }

    /// Nothing if hardly any report is dropped.
    pub(super) fn unless_negligible(self, flips: Flips) -> Result<Option<Self>, Error> {
        let dropped = 1.0 - self.rate(flips)?;
        Ok((dropped > NEGLIGIBLE).then_some(self))
    }

    /// The same with so many more ones.
    pub(super) fn heavier(self, more: i64) -> Self {
        let sent = self.sent.saturating_add_signed(more);
        Self { sent, ..self }
    }

    /// The probability that a report is sent.
    pub(super) fn rate(&self, flips: Flips) -> Result<f64, Error> {
        self.at_most(self.ones, self.length - self.ones, self.sent, flips)
    }

    /// How bits are flipped of a report that is sent.
    pub(super) fn of_sent(&self, flips: Flips) -> Result<Flips, Error> {
        let rate = self.rate(flips)?;
        let others = self.length - self.ones;
        let below = self.sent.saturating_sub(1);
        let kept = self.at_most(self.ones.saturating_sub(1), others, below, flips)?;
        let gained = self.at_most(self.ones, others.saturating_sub(1), below, flips)?;
        Ok(Flips { kept: flips.kept * kept / rate, gained: flips.gained * gained / rate })
    }

    fn at_most(&self, ones: u64, zeros: u64, most: u64, flips: Flips) -> Result<f64, Error> {
        let weight = Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(zeros, flips.gained))?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let light = weight.outcomes().take_while(|(weight, _)| *weight <= most);
        Ok(light.map(|(_, probability)| probability).sum())
    }
}

/// The log of the probability that so many of so many reports are sent.
pub(super) fn ln_sent(reports: u64, submitted: u64, rate: f64) -> f64 {
    match reports.min(submitted) {
        // ln 0 where it cannot be.
        reports if rate >= 1.0 => {
            if reports == submitted {
                0.0
            } else {
                f64::NEG_INFINITY
            }
        }
        reports => ln_probability(reports, submitted, rate),
    }
}

/// Of `submitted` measurements `ones` have a bit set: in how many of the `reports` that were sent it was.
pub(super) fn hypergeometric(reports: u64, ones: u64, submitted: u64) -> Vec<(u64, f64)> {
    if reports >= submitted {
        return vec![(ones, 1.0)];
    }
    let low = (reports + ones).saturating_sub(submitted);
    let outcomes = low..=ones.min(reports);
    let zeros = submitted - ones;
    // C(ones, k)·C(zeros, reports − k), from outcome to outcome.
    let mut terms: Vec<(u64, f64)> = Vec::new();
    let mut ln_term = 0.0;
    for outcome in outcomes {
        terms.push((outcome, ln_term));
        let up = float(ones - outcome) * float(reports - outcome.min(reports));
        let down = float(outcome + 1) * float(zeros + outcome + 1 - reports.min(zeros + outcome));
        ln_term += (up / down).ln();
    }
    let most = terms.iter().map(|(_, ln)| *ln).fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = terms.iter().map(|(_, ln)| (ln - most).exp()).sum();
    terms.into_iter().map(|(outcome, ln)| (outcome, (ln - most).exp() / all)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sent_reports_have_the_flips_that_enumeration_gives() {
        let dropping = Dropping { length: 4, ones: 1, sent: 2 };
        let flips = Flips::symmetric(0.3);
        let (mut sent, mut kept, mut gained) = (0.0, 0.0, 0.0);
        for vector in 0_u32..16 {
            // The first bit was set.
            let flipped = (vector ^ 1).count_ones();
            let probability = 0.3_f64.powf(flipped.into()) * 0.7_f64.powf((4 - flipped).into());
            if vector.count_ones() <= 2 {
                sent += probability;
                kept += probability * f64::from(vector & 1);
                gained += probability * f64::from(vector >> 3);
            }
        }
        let of_sent = dropping.of_sent(flips).expect("flips");
        assert!((dropping.rate(flips).expect("a rate") - sent).abs() < 1e-12);
        assert!((of_sent.kept - kept / sent).abs() < 1e-12, "{of_sent:?}");
        assert!((of_sent.gained - gained / sent).abs() < 1e-12, "{of_sent:?}");
    }

    #[test]
    fn what_was_dropped_is_hypergeometric() {
        // 3 of 5 are sent, 2 of the 5 have the bit: C(2, k)·C(3, 3 − k)/C(5, 3).
        let law = hypergeometric(3, 2, 5);
        for ((outcome, probability), (number, expected)) in
            law.into_iter().zip([(0, 0.1), (1, 0.6), (2, 0.3)])
        {
            assert_eq!(outcome, number);
            assert!((probability - expected).abs() < 1e-12, "{outcome}: {probability}");
        }
        assert_eq!(hypergeometric(5, 2, 5), [(2, 1.0)]);
        assert_eq!(hypergeometric(2, 4, 4), [(2, 1.0)]);
    }
}
