//! Compensation: where a batch of one-hot RAPPOR reports falls short of the honest clients that the
//! policy counts on, each aggregator adds the randomized bits that are missing.
//!
//! Source: draft-wang-ppm-differential-privacy, sections 3.5 and B.1; proof: `docs/guarantees.md`,
//! section 2. With n verified reports, f of them assumed malicious, and a target of H honest
//! reports, each of A aggregators adds Binomial(M, p), M = max(0, H − (n − f)) and p = 1/(e^ε₀ +
//! 1), to every count, and forgets it. The collector corrects for n + A·M randomized bits.

// DIFFERENCE from draft-wang §B.1: the estimate is debiased by n + A·M reports: all A aggregators
// add.

use std::ops::RangeInclusive;

use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_exact::ParameterError;
use dp_rappor::SymmetricRappor;
#[cfg(feature = "parties")]
use {
    crate::field::{BLOCK, SignedField, add_draws},
    dp_exact::{Interval, Real},
    dp_samplers::Binomial,
    rand_core::CryptoRng,
};

use crate::Error;
use crate::error::within;

/// The bits that aggregators add to batches.
#[derive(Clone, Debug)]
pub(crate) struct Compensator {
    bits: SymmetricRappor,
    /// H, the least number of honest reports in a batch, added ones included.
    target: u64,
    /// f, the largest number of malicious reports in a batch that the guarantee allows.
    pub(crate) malicious: u64,
    aggregators: u32,
    /// The numbers of reports of batches that are released.
    released: RangeInclusive<u64>,
}

impl Compensator {
    /// Compensation up to `target` honest reports in a batch, for batches of a number of reports in
    /// `released`, up to `malicious` of them malicious. `Err` unless `target` is from 1 to 10^10,
    /// every batch has more than `malicious` reports, and the largest one a plan ([`Self::plan`]).
    pub(crate) fn new(
        bits: SymmetricRappor,
        target: u64,
        malicious: u64,
        aggregators: usize,
        released: RangeInclusive<u64>,
    ) -> Result<Self, Error> {
        within("target_honest_clients", target, 1..=10_000_000_000)?;
        if malicious >= *released.start() {
            // A released batch without an honest report would have no plan.
            let accepted = format!("below batch.min_reports, {}", released.start());
            let error = ParameterError::new("assumed_malicious_clients", malicious, accepted);
            return Err(error.into());
        }
        let aggregators = u32::try_from(aggregators).expect("at most 254");
        let compensator = Self { bits, target, malicious, aggregators, released };
        // If the largest batch has a plan, so has every smaller one.
        compensator.plan(*compensator.released.end())?;
        Ok(compensator)
    }

    /// The bits to add to a batch of `reports` reports, the number to debias by, and the guarantee.
    /// `Err` if all reports may be malicious, or there are more than the policy allows or 10^10.
    pub(crate) fn plan(&self, reports: u64) -> Result<Compensation, Error> {
        within("reports", reports, 1..=*self.released.end())?;
        let batch = BatchCounts { reports, malicious: self.malicious };
        let epsilon0 = self.bits.epsilon0().clone();
        Ok(Compensation::new(epsilon0, batch, self.target, self.aggregators)?)
    }

    /// The plan of the fullest batch, which gets the fewest bits, for a client alone with one
    /// honest aggregator; `None` if that batch gets no bits.
    pub(crate) fn alone(&self) -> Result<Option<Compensation>, Error> {
        let fullest = self.plan(*self.released.end())?;
        Ok((fullest.added_zeros() > 0).then_some(fullest))
    }

    /// The least favourable number of honest reports where at least `honest` are counted on, with
    /// the plan of the largest batch with that number of honest reports. ε grows up to min(H, U −
    /// f) honest reports, H the target, U the largest batch and f the malicious reports, and falls
    /// beyond (`docs/guarantees.md`).
    pub(crate) fn among(&self, honest: u64) -> Result<(u64, Compensation), Error> {
        let (least, most) = (self.least_honest(honest), *self.released.end());
        let worst = least.max(self.target.min(most - self.malicious)).min(most);
        // At most `most` reports, also where the sum is beyond 2^64.
        Ok((worst, self.plan(worst.saturating_add(self.malicious).min(most))?))
    }

    /// The least number of honest reports in a released batch: `honest`, or the policy's fewest
    /// reports less the malicious ones, whichever is more.
    pub(crate) fn least_honest(&self, honest: u64) -> u64 {
        honest.max(self.released.start() - self.malicious)
    }

    /// Adds a draw of Binomial(M, p) to every count of an aggregator's share over `reports`
    /// reports: M is the number of zeros that the plan adds, p the probability of a flip; nothing
    /// where M is 0. `Err` if a batch of that size is not released or has no plan.
    #[cfg(feature = "parties")]
    pub(crate) fn add_to<F: SignedField>(
        &self,
        share: &mut [F],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        within("reports", reports, self.released.clone())?;
        let missing = self.plan(reports)?.added_zeros();
        if missing == 0 {
            return Ok(());
        }
        let zeros = Binomial::new(missing, Flip(self.bits.clone()))?;
        Ok(add_draws(share, BLOCK, |draws| zeros.fill(rng, draws))?)
    }
}

/// The probability p = 1/(e^ε₀ + 1) with which a randomizer flips a bit.
#[cfg(feature = "parties")]
#[derive(Debug)]
struct Flip(SymmetricRappor);

#[cfg(feature = "parties")]
impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        self.0.flip_probability(precision)
    }
}
