//! A test whether a deployment adds the noise that it should.
//!
//! The values that a deployment releases for known measurements have a distribution P that is known
//! exactly ([`ExpectedRelease`]). With a [`Fault`] they have another known distribution Q. For each
//! fault the test multiplies the likelihood ratios Q/P of all values, given those before them
//! (Wald's sequential test, 1945):
//!
//! - Without faults the product is a nonnegative martingale of mean 1, and ever exceeds K/α with
//!   probability at most α/K (Ville 1939). So with K faults any is found wrongly with probability
//!   at most α, **however many collections there are and whenever one stops**.
//! - With this fault and no other, the product of the reciprocals is such a martingale: the fault
//!   is excluded wrongly with probability at most α/K.
//!
//! One fault may raise the products of others above K/α as well. The likeliest is found; that the
//! others are there too is not shown ([`FaultStatus::Secondary`]).
//!
//! Three faults have no distribution Q of their own: values that have another distribution, that
//! have one which depends on the measurements, or whose sums and differences have another one. For
//! them Q is a mixture over all distributions of quantiles ([`mixture`]), and the product is a
//! martingale of mean 1 as well. Two more are about sequences of batches ([`batches`]): bare ones,
//! and noise that depends on earlier ones. Dependent coordinates, such as the totals of k-ary
//! answers, have products of their own, which are averaged. First and later attempts to collect a
//! batch are tested separately.

mod batches;
mod expected_release;
mod fault;
mod k_norm;
mod likelihood_ratio;
mod mixture;
mod pmf;
mod task_terms;

use std::collections::{BTreeMap, BTreeSet};

use dp_exact::ParameterError;

use crate::Error;
use crate::submissions::{CollectionAnswer, CollectionRequest, StatedTerms, Submissions};
pub use expected_release::ExpectedRelease;
pub use fault::Fault;
use likelihood_ratio::FaultEvidence;

/// The least likelihood ratio of a fault to every other explanation, at which the fault is named.
const LEAD: f64 = 1000.0;

/// The fewest collections of first attempts, and of later ones if there are any, of a deployment
/// that conforms.
///
/// A fault that is not listed is found after n values if the divergence of their classes from the
/// expected ones is above about (8·ln(n/2π) + ln(2K/α))/n nats, by the regret of Krichevsky and
/// Trofimov's mixture over 17 classes: 0.4 nats after 100 collections of one total at α = 10⁻⁶.
pub const LEAST_COLLECTIONS: u64 = 100;

/// Submits the measurements of a request to a deployment and collects. Returns an answer for each
/// attempt that gave one, none if the batch is refused; `Err` if the deployment fails.
pub type Collect<'a> = dyn FnMut(&CollectionRequest) -> Result<Vec<CollectionAnswer>, Error> + 'a;

/// The values that a deployment released for known measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The name of the batch. Answers about one batch must be equal.
    pub batch: String,
    /// The number of the attempt that gave this answer, from 1.
    pub attempt: u32,
    /// Number of aggregated reports, one of each measurement.
    pub reports: u64,
    /// The true totals of all measurements.
    pub truths: Vec<i64>,
    /// The released estimate of each total: of a histogram with noise of aggregators from
    /// [raw totals](dp_prio3::Policy::with_raw_totals), and behind a strategy matrix these totals.
    pub released: Vec<f64>,
    /// What the deployment says of the fields of its task.
    pub stated: StatedTerms,
}

impl Collected {
    /// The answer to a request whose measurements have these true totals, of people who are in no
    /// other batch unless the answer names them.
    #[must_use]
    pub fn new(request: &CollectionRequest, truths: &[i64], answer: CollectionAnswer) -> Self {
        let CollectionAnswer { attempt, reports, released, mut stated } = answer;
        let people = stated.people.filter(|people| !people.is_empty());
        stated.people = people.or_else(|| Some(request.batch.clone()));
        let batch = request.batch.clone();
        Self { batch, attempt, reports, truths: truths.to_vec(), released, stated }
    }
}

/// A test whether a deployment conforms.
#[derive(Clone, Debug)]
pub struct Conformance {
    expected: ExpectedRelease,
    error: f64,
    /// The evidence of first attempts at a batch, and of later attempts.
    evidence: [FaultEvidence; 2],
    answers: BTreeMap<String, Vec<f64>>,
    /// The batches of each group of people; under `None` those whose people are not named.
    releases: BTreeMap<Option<String>, BTreeSet<String>>,
    /// Faults that no noise explains, in first or in later attempts.
    certain: BTreeSet<(Fault, bool)>,
}

/// The decision about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultStatus {
    /// The deployment has a fault: this one, or one with a similar effect. In the values of one
    /// kind of attempts it is the likeliest.
    Found,
    /// The values are likelier with this fault than without any, as one fault makes them likelier
    /// with others too. The found one explains them better.
    Secondary,
    /// More collections are needed.
    Open,
    /// The fault does not show in these measurements.
    Invisible,
    /// The deployment does not have this fault alone.
    Excluded,
}

/// The decision about a fault, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The fault.
    pub fault: Fault,
    /// Whether it was tested in later attempts; otherwise in first ones.
    pub is_of_later_attempts: bool,
    /// The decision.
    pub outcome: FaultStatus,
    /// ln of the likelihood ratio of the released values, with the fault over without.
    pub evidence: f64,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct ConformanceResult {
    /// Number of collections.
    pub collections: u64,
    /// Number of further collections without which no deployment conforms ([`LEAST_COLLECTIONS`]).
    pub missing: u64,
    /// Upper bound on the probability that a fault is found in a deployment without faults, and on
    /// the probability that the only fault of a deployment is excluded.
    pub error: f64,
    /// The verdict on each fault, the best explanation first.
    pub verdicts: Vec<Verdict>,
}

impl Conformance {
    /// A test against the expected release. In a deployment without faults one is found with
    /// probability at most `error`, and one with a single fault has it excluded as rarely.
    ///
    /// # Errors
    /// If the error is not above 0 and below 1/2, or the noise is too wide for tables.
    pub fn new(expected: ExpectedRelease, error: f64) -> Result<Self, Error> {
        if !(error > 0.0 && error < 0.5) {
            let accepted = "a number above 0 and below 1/2";
            return Err(ParameterError::new("error", error, accepted).into());
        }
        let evidence = FaultEvidence::new(&expected)?;
        Ok(Self {
            expected,
            error,
            evidence: [evidence.clone(), evidence],
            answers: BTreeMap::new(),
            releases: BTreeMap::new(),
            certain: BTreeSet::new(),
        })
    }

    /// Collects until every fault is excluded, a fault is found and explained, or `most`
    /// collections are made. Two explanations may fit equally well, such as no noise and a reused
    /// draw of 0: as many collections again, and ten more, are made to explain the first finding.
    ///
    /// Before, reports are submitted that the deployment has to refuse, by no answer: one fewer
    /// than a batch of `expected` needs, and one more than it admits, if that is at most 2^20.
    ///
    /// # Errors
    /// As [`Self::new`]; if the deployment fails, refuses a batch that it has to admit, or its
    /// answers do not fit the measurements.
    pub fn of(
        collect: &mut Collect<'_>,
        submissions: &Submissions,
        expected: ExpectedRelease,
        error: f64,
        most: u64,
    ) -> Result<ConformanceResult, Error> {
        let mut test = Self::new(expected, error)?;
        let reports = test.expected.terms.reports.clone();
        for (fault, refused) in [
            (Fault::FewerReports, reports.start().checked_sub(1)),
            (Fault::MoreReports, reports.end().checked_add(1)),
        ] {
            let request = refused.and_then(|clients| submissions.of_clients(clients));
            let Some(request) = request else { continue };
            let answers = collect(&request).map_err(|error| {
                Error::Run(format!("{error}; the batch has to be refused, by no answer"))
            })?;
            if !answers.is_empty() {
                test.certain.insert((fault, false));
                return Ok(test.result());
            }
        }
        let mut last = most;
        let (mut made, mut number) = (0, 0);
        while made < last {
            let (request, truths) = submissions.of_collection(number)?;
            number += 1;
            let answers = collect(&request)?;
            if answers.is_empty() {
                return Err(Error::Run(format!("{}: no attempt gave an answer", request.batch)));
            }
            for answer in answers {
                if made == last {
                    break;
                }
                made += 1;
                let measurements = request.measurements.len();
                if answer.reports != measurements as u64 {
                    let accepted = format!("{measurements}, as many as there are measurements");
                    return Err(ParameterError::new("reports", answer.reports, accepted).into());
                }
                test.observe(&Collected::new(&request, &truths, answer))?;
                let result = test.result();
                if result.is_explained() || result.conforms() {
                    return Ok(result);
                }
                if result.found().is_some() && last == most {
                    last = most.min(2 * made + 10);
                }
            }
        }
        Ok(test.result())
    }

    /// Takes a collection.
    ///
    /// # Errors
    /// If its numbers do not fit the query, or the measurements cannot have these totals. The test
    /// is unchanged then.
    pub fn observe(&mut self, collected: &Collected) -> Result<(), Error> {
        self.expected.check(collected)?;
        let released = &collected.released;
        let batches = self.releases.entry(collected.stated.people.clone()).or_default();
        batches.insert(collected.batch.clone());
        let releases = batches.len() as u64;
        let answer = self.answers.get(&collected.batch);
        let is_repeated = answer == Some(released);
        match answer {
            Some(_) if is_repeated => {}
            Some(_) => drop(self.certain.insert((Fault::AnotherAnswer, true))),
            None => drop(self.answers.insert(collected.batch.clone(), released.clone())),
        }
        let is_later = collected.attempt > 1;
        let broken = self.expected.terms.broken(collected, releases).into_iter();
        self.certain.extend(broken.map(|fault| (fault, is_later)));
        if is_repeated {
            // Released numbers that repeat are no new evidence; their stated terms may be.
            return Ok(());
        }
        self.evidence[usize::from(is_later)].observe(&self.expected, collected)
    }

    /// Upper bound on the number of releases with one person, where people of some batches are not
    /// named: one person may be in every unnamed batch, and in the batches of the group that is
    /// named most often. 0 if the people of all batches are named.
    fn possible_releases(&self) -> u64 {
        let named = || self.releases.iter().filter(|(people, _)| people.is_some());
        let is_named = |batch| named().any(|(_, batches)| batches.contains(batch));
        let unnamed = self.releases.get(&None).into_iter().flatten();
        match unnamed.filter(|batch| !is_named(*batch)).count() as u64 {
            0 => 0,
            unnamed => {
                unnamed + named().map(|(_, batches)| batches.len() as u64).max().unwrap_or(0)
            }
        }
    }

    /// The decisions so far.
    #[must_use]
    pub fn result(&self) -> ConformanceResult {
        let certain = self.certain.iter().map(|&(fault, is_of_later_attempts)| Verdict {
            fault,
            is_of_later_attempts,
            outcome: FaultStatus::Found,
            evidence: f64::MAX,
        });
        let mut verdicts: Vec<Verdict> = certain.collect();
        if self.expected.terms.are_too_many(self.possible_releases()) {
            verdicts.push(Verdict {
                fault: Fault::MoreReleases,
                is_of_later_attempts: false,
                outcome: FaultStatus::Open,
                evidence: 0.0,
            });
        }
        for (evidence, is_of_later_attempts) in self.evidence.iter().zip([false, true]) {
            if evidence.collections > 0 {
                verdicts.extend(evidence.verdicts(self.error / 2.0, is_of_later_attempts));
            }
        }
        verdicts.sort_by(|one, other| {
            let by_evidence = other.evidence.total_cmp(&one.evidence);
            one.outcome.cmp(&other.outcome).then(by_evidence)
        });
        let [first, later] = self.evidence.each_ref().map(|evidence| evidence.collections);
        let missing = |made: u64, is_needed: bool| {
            if is_needed { LEAST_COLLECTIONS.saturating_sub(made) } else { 0 }
        };
        ConformanceResult {
            // A deployment may give no answer to first attempts.
            missing: missing(first, first > 0 || later == 0) + missing(later, later > 0),
            collections: first + later,
            error: self.error,
            verdicts,
        }
    }
}

impl ConformanceResult {
    /// The best explanation, if a fault is found.
    #[must_use]
    pub fn found(&self) -> Option<&Verdict> {
        self.verdicts.first().filter(|verdict| verdict.outcome == FaultStatus::Found)
    }

    /// Whether a fault is found and every other explanation of the same attempts is less likely by
    /// a factor of 1000.
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

    /// Whether no fault is found in at least [`LEAST_COLLECTIONS`] collections of each kind of
    /// attempts, and every visible fault with a known distribution is excluded.
    #[must_use]
    pub fn conforms(&self) -> bool {
        let is_settled = |verdict: &Verdict| match verdict.outcome {
            FaultStatus::Excluded | FaultStatus::Invisible => true,
            FaultStatus::Open => !verdict.fault.has_distribution(),
            FaultStatus::Found | FaultStatus::Secondary => false,
        };
        self.missing == 0 && self.verdicts.iter().all(is_settled)
    }
}
