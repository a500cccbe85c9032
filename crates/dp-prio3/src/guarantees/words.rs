//! Guarantees in words for experts: the one table of these sentences.
//!
//! It stands here, below the reports, since the refusals of this crate and of `dp-task` and the
//! JSON of plans and of simulations say the same sentences. They begin in lower case and have no
//! full stop.

use std::fmt::{Display, Formatter, Result};

use dp_calibration::Adjacency;

use super::condition::{AbsenceReason, Condition, Fallback, NoiseSource, Remark, SlackReason};
use super::epsilon_delta::{PrivacyBound, WEAK};
use super::guarantee::Guarantee;

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::SeveralAggregators { honest, aggregators } if honest == aggregators => write!(
                f,
                "all {honest} aggregators are honest: any one of them voids this guarantee by itself"
            ),
            Self::SeveralAggregators { honest, aggregators } => write!(
                f,
                "{honest} of the {aggregators} aggregators are honest, one fewer voids this guarantee"
            ),
            Self::CarefulAggregator => f.write_str(
                "each honest aggregator draws its noise from a sound generator, releases the batch \
                 once and forgets its share and its noise",
            ),
            Self::BatchSize { min, max } => write!(
                f,
                "the honest aggregator releases no batch of fewer than {min} or more than {max} \
                 reports by its own count: the guarantee holds for every number of reports between"
            ),
            Self::RandomizedReports { most: 1 } => f.write_str(
                "the client draws its randomness from a sound generator and sends one report of its \
                 measurement: a second one would spend the budget again",
            ),
            Self::RandomizedReports { most } => write!(
                f,
                "the client draws its randomness from a sound generator and sends at most {most} \
                 reports: a further one would spend the budget again"
            ),
            Self::Reports { most: 1 } => f.write_str(
                "the client has one report in the batch (aggregators refuse a report whose id they \
                 have seen, which is the same report again; two reports of one client they cannot \
                 tell)",
            ),
            Self::Reports { most } => write!(
                f,
                "the client has at most {most} reports in the batch (aggregators cannot tell that \
                 reports are of one client)"
            ),
            Self::OnlyTotals => f.write_str(
                "Prio3 reveals nothing of an honest client's report but the totals (a computational \
                 assumption); the number of reports is public",
            ),
            Self::IndependentArrival => f.write_str(
                "whether a report arrives does not depend on its measurement: one that is dropped or \
                 rejected is then in neither of two neighbouring batches, and what is released is the \
                 same for both",
            ),
            Self::ArrivalWithinWeight => f.write_str(
                "whether a report arrives does not depend on its measurement, but for a bound on its \
                 weight, which is counted",
            ),
            Self::HonestReports { honest, min_reports } => {
                write!(
                    f,
                    "the reports of {honest} honest clients, this one among them, are in the released \
                     batch (a malicious aggregator can reject any of them: "
                )?;
                match min_reports.checked_sub(*honest) {
                    Some(malicious) => write!(
                        f,
                        "so the honest one releases no batch of fewer than {min_reports} reports by \
                         its own count, of which at most {malicious} may be malicious)"
                    ),
                    None => write!(
                        f,
                        "the policy's fewest reports, {min_reports}, do not rule it out, at least \
                         {honest} would)"
                    ),
                }
            }
            Self::HonestAndMaliciousReports { honest, malicious } => write!(
                f,
                "of the released batch's reports at least {honest} are of honest clients, this one \
                 among them, and at most {malicious} are not (a malicious aggregator can reject any \
                 of them)"
            ),
        }
    }
}

impl Display for Fallback {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::NothingToLose => f.write_str("there is nothing to lose"),
            Self::NothingWithoutRandomness => {
                f.write_str("nothing protects a client that does not randomize")
            }
            Self::AggregatorNoise => f.write_str(
                "if every aggregator is malicious, or the honest one keeps its noise and is broken \
                 into, nothing protects a measurement",
            ),
            Self::OwnRandomness { epsilon } => write!(
                f,
                "if these parties are not honest, the client's own randomness remains: epsilon \
                 {epsilon}"
            ),
        }
    }
}

impl Display for Remark {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::NotComputed { source, error } => write!(
                f,
                "what {source} gives could not be computed ({error}): what is stated holds without it"
            ),
            Self::DroppedReports { rate, delta } => write!(
                f,
                "an honest report is dropped for its weight with a probability of up to {rate}, \
                 which counts against delta {delta}: a lower false-positive rate gives a smaller \
                 epsilon"
            ),
        }
    }
}

impl Display for NoiseSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Client => "the client's own randomness",
            Self::Aggregators => "what honest aggregators add",
            Self::ClientAndAggregators => {
                "the client's randomness and what honest aggregators add, together"
            }
            Self::Clients => "all honest clients' randomness together",
            Self::ClientsAndAggregators => {
                "all honest clients' randomness and what honest aggregators add, together"
            }
        })
    }
}

impl Display for AbsenceReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::TooFewAggregators { aggregators } => {
                write!(f, "there are only {aggregators} aggregators")
            }
            Self::NoNoise => f.write_str("nobody adds noise"),
            Self::PlainMeasurements => f.write_str(
                "clients send their measurements without randomization, and all aggregators together \
                 can put them together again",
            ),
            Self::UnprovedAtDelta { delta } => {
                write!(f, "nothing is proved of this noise at delta {delta}")
            }
            Self::NotComputed(error) => write!(f, "{error}"),
            Self::OwnNotComputed(error) => {
                write!(f, "the client's own guarantee cannot be stated: {error}")
            }
        }
    }
}

impl Display for SlackReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::PairComposition => {
                "each release counts by its epsilon and delta alone, and the releases are composed \
                 as any such pairs are"
            }
            Self::SeveralReports => {
                "with several reports of a person in one release the other clients count as \
                 dishonest"
            }
            Self::BetterOfTwo => {
                "it is the better one of the guarantees of the clients' and the aggregators' noise by \
                 themselves"
            }
            Self::OneNoiseCounted => {
                "Laplace noise of several aggregators counts as the noise of one"
            }
            Self::NormBound => "it follows from a norm of what one person changes",
            Self::StrongerAdversary => "it is the guarantee against a stronger adversary",
        })
    }
}

impl Display for PrivacyBound {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Proved(budget) => write!(f, "{budget}"),
            Self::Absent { reason } => write!(f, "no guarantee: {reason}"),
        }
    }
}

impl Display for Guarantee {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let model = self.trust_model;
        write!(f, "{}: {}.", model.abbreviation(), self.bound)?;
        if let PrivacyBound::Absent { .. } = self.bound {
            return Ok(());
        }
        if self.is_weak {
            write!(f, " {WEAK}")?;
        }
        let neighbours = match self.adjacency {
            Adjacency::Replacement => "one client's measurement replaced by any other",
            Adjacency::Deletion => "one client's measurement replaced by the reference value",
            Adjacency::OneCoordinate => "one coordinate of one client's measurement replaced",
        };
        write!(
            f,
            " Neighbours: {neighbours}. Must be honest: {}. Holds against {}.",
            model.must_be_honest(),
            model.adversary(),
        )?;
        if let Some(stronger) = self.carried_over_from {
            let model = stronger.abbreviation();
            write!(f, " Carried over from {model}: its adversary is stronger.")?;
        }
        f.write_str(&self.provisos())?;
        for remark in &self.remarks {
            write!(f, " Note: {remark}.")?;
        }
        write!(f, " Fallback: {}.", self.fallback)
    }
}

impl Guarantee {
    /// All conditions as one sentence after a space; empty without conditions.
    #[must_use]
    pub fn provisos(&self) -> String {
        let conditions: Vec<String> = self.conditions.iter().map(Condition::to_string).collect();
        match conditions.is_empty() {
            true => String::new(),
            false => format!(" Provided that: {}.", conditions.join("; ")),
        }
    }
}
