//! Whether a deployment adds the noise that it should: a black box that is given known measurements.
//!
//! What a deployment releases for known measurements has a law P that is known exactly ([`ExpectedRelease`]), and so has what it
//! releases with one of many [`Fault`]s, Q. The test multiplies the likelihood ratios Q/P of all values, given those before
//! them, for each fault:
//!
//! - If the deployment is as it should be, the product is a nonnegative martingale of mean 1. It ever exceeds K/α with
//!   probability at most α/K (Ville 1939), so that with K faults none is found wrongly but with probability α, **however
//!   many collections there are and whenever one stops**.
//! - If the deployment has the fault, the reciprocal is such a martingale, and the fault is excluded wrongly with
//!   probability at most α/K.
//!
//! That is Wald's sequential test (1945) of each fault. A fault that is not on the list is found by the product of
//! Krichevsky and Trofimov (1981): the ratio of a mixture over all laws of the values' quantiles to the uniform one, whose
//! mean is 1 as well. Coordinates that depend on each other, as those of answers do, have products of their own, whose mean
//! is taken.
//!
//! Collections that are asked for again are told apart: a first answer and a later one may be made by different code, and
//! two answers to one collection must be equal.

mod battery;
mod dropping;
mod expected;
mod faults;
mod pmf;

use std::collections::BTreeMap;

use dp_exact::ParameterError;
use serde::Serialize;

use crate::Error;
use battery::Battery;
pub use expected::ExpectedRelease;
pub use faults::Fault;

/// How much likelier an explanation has to be than any other.
const LEAD: f64 = 1000.0;

/// What a deployment released for known measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// Which reports they are: answers about the same ones must be the same.
    pub batch: String,
    /// The how-manieth attempt gave this answer, from 1.
    pub attempt: u32,
    /// The reports that were aggregated.
    pub reports: u64,
    /// The measurements that were submitted: as many, unless clients drop reports that are too heavy.
    pub submitted: u64,
    /// The true totals of all that were submitted.
    pub truths: Vec<i64>,
    /// What was released for each of them.
    pub released: Vec<f64>,
}

/// A test whether a deployment conforms.
#[derive(Clone, Debug)]
pub struct Conformance {
    expected: ExpectedRelease,
    error: f64,
    /// Of first attempts, and of later ones.
    batteries: [Battery; 2],
    answers: BTreeMap<String, Vec<f64>>,
    other_answers: u64,
}

/// What is known of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum FaultStatus {
    /// The deployment has it, or one that is alike.
    Found,
    /// The deployment does not have it.
    Excluded,
    /// The measurements are such that it does not show.
    Invisible,
    /// More collections are needed.
    Open,
}

/// What is known of a fault, and how well.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Which one.
    pub fault: Fault,
    /// Whether it shows in later attempts; otherwise in first ones.
    pub is_of_later_attempts: bool,
    /// What is known.
    pub outcome: FaultStatus,
    /// The log of the likelihood ratio of what was released, with the fault over without.
    pub evidence: f64,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConformanceResult {
    /// How many collections it rests on.
    pub collections: u64,
    /// The probability that a fault is found where there is none, and that one is excluded which is there.
    pub error: f64,
    /// What is known of each fault, the best explanation first.
    pub verdicts: Vec<Verdict>,
}

impl Conformance {
    /// A test of a deployment that should release this. What it says is wrong with probability at most `error`.
    ///
    /// # Errors
    /// If the error is not above 0 and below 1/2, or the noise is too wide for tables.
    pub fn new(expected: ExpectedRelease, error: f64) -> Result<Self, Error> {
        if !(error > 0.0 && error < 0.5) {
            return Err(
                ParameterError::new("error", error, "a number above 0 and below 1/2").into()
            );
        }
        let batteries = [Battery::new(&expected)?, Battery::new(&expected)?];
        Ok(Self { expected, error, batteries, answers: BTreeMap::new(), other_answers: 0 })
    }

    /// Takes a collection.
    ///
    /// # Errors
    /// If it has another number of totals than the aggregate, or not as many values as truths; if a truth, or all of them,
    /// is more than the measurements allow; if it is of another number of reports than the law of compensation.
    pub fn observe(&mut self, collected: &Collected) -> Result<(), Error> {
        self.expected.admits(collected)?;
        let released = &collected.released;
        if let Some(answer) = self.answers.get(&collected.batch) {
            self.other_answers += u64::from(answer != released);
            // The same answer tells nothing new.
            if answer == released {
                return Ok(());
            }
        } else {
            self.answers.insert(collected.batch.clone(), released.clone());
        }
        let [first, later] = &mut self.batteries;
        let battery = if collected.attempt > 1 { later } else { first };
        battery.observe(&self.expected, collected)
    }

    /// What is known so far.
    #[must_use]
    pub fn result(&self) -> ConformanceResult {
        let mut verdicts = Vec::new();
        if self.other_answers > 0 {
            verdicts.push(Verdict {
                fault: Fault::AnotherAnswer,
                is_of_later_attempts: true,
                outcome: FaultStatus::Found,
                evidence: f64::MAX,
            });
        }
        for (battery, is_of_later_attempts) in self.batteries.iter().zip([false, true]) {
            if battery.collections() > 0 {
                verdicts.extend(battery.verdicts(self.error / 2.0, is_of_later_attempts));
            }
        }
        let rank = |verdict: &Verdict| match verdict.outcome {
            FaultStatus::Found => 0,
            FaultStatus::Open => 1,
            FaultStatus::Invisible => 2,
            FaultStatus::Excluded => 3,
        };
        verdicts.sort_by(|one, other| {
            let by_evidence = other.evidence.total_cmp(&one.evidence);
            rank(one).cmp(&rank(other)).then(by_evidence)
        });
        ConformanceResult {
            collections: self.batteries.iter().map(Battery::collections).sum(),
            error: self.error,
            verdicts,
        }
    }
}

impl ConformanceResult {
    /// The best explanation, if something is wrong.
    #[must_use]
    pub fn found(&self) -> Option<&Verdict> {
        let first = self.verdicts.first();
        first.filter(|verdict| verdict.outcome == FaultStatus::Found)
    }

    /// Whether something is found and no other explanation of the same attempts comes near: each is less likely by a factor
    /// of 1000. First attempts and later ones have answers of their own, and may have the same fault.
    ///
    /// That something is wrong is known before it is known what.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        self.found().is_some_and(|found| {
            let rivals = self.verdicts.iter().skip(1);
            let rivals =
                rivals.filter(|one| one.is_of_later_attempts == found.is_of_later_attempts);
            let nearest = rivals.map(|rival| rival.evidence).fold(0.0, f64::max);
            found.evidence > nearest + LEAD.ln()
        })
    }

    /// Whether nothing is found, and every fault that would show, and is one law, is excluded.
    #[must_use]
    pub fn conforms(&self) -> bool {
        let is_settled = |verdict: &Verdict| match verdict.outcome {
            FaultStatus::Excluded | FaultStatus::Invisible => true,
            FaultStatus::Open => verdict.fault == Fault::WrongDistribution,
            FaultStatus::Found => false,
        };
        self.collections > 0 && self.verdicts.iter().all(is_settled)
    }
}
