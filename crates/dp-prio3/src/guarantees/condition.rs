//! The conditions of a guarantee, what is left if they fail, and the reasons for a missing or a
//! loose guarantee: as data.
//!
//! `words.rs` has the sentence of each for experts, `dp-report` the one for the people whose data
//! are used. No enum here is `#[non_exhaustive]`: that would force a `_` arm on `dp-report`, and a
//! new condition would be left out of its page in silence. A new variant breaks its `match`
//! instead.

use dp_exact::{Delta, Epsilon, Rational};

use crate::Error;

/// A condition of a guarantee, beside who must be honest in its trust model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Several aggregators are honest.
    SeveralAggregators {
        /// The least number of honest aggregators, at least 2.
        honest: usize,
        /// The number of all aggregators.
        aggregators: usize,
    },
    /// Each honest aggregator has a sound generator, releases the batch once and forgets its share
    /// and its noise.
    CarefulAggregator,
    /// The honest aggregator releases no batch of fewer or more reports by its own count.
    BatchSize {
        /// The fewest reports.
        min: u64,
        /// The most reports.
        max: u64,
    },
    /// The client has a sound generator, and sends so few reports of randomized measurements.
    RandomizedReports {
        /// The most reports of the client in the batch.
        most: u32,
    },
    /// The client has so few reports in the batch.
    Reports {
        /// The most reports of the client in the batch.
        most: u32,
    },
    /// Prio3 reveals only the totals of reports, and the number of reports is public.
    OnlyTotals,
    /// Whether a report arrives does not depend on its measurement.
    IndependentArrival,
    /// Whether a report arrives does not depend on its measurement but for the bound on the weight
    /// of a randomized report, whose effect the guarantee counts.
    ArrivalWithinWeight,
    /// The released batch has enough reports of honest clients.
    HonestReports {
        /// The least number of honest reports, the protected client's included.
        honest: u64,
        /// The fewest reports of a batch by the policy.
        min_reports: u64,
    },
    /// The released batch has enough reports of honest clients, and not too many others.
    HonestAndMaliciousReports {
        /// The least number of honest reports, the protected client's included.
        honest: u64,
        /// The most reports that are not honest.
        malicious: u64,
    },
}

/// What is left if conditions of a guarantee fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// There is no guarantee to lose.
    NothingToLose,
    /// Nothing: the guarantee is the one of the client's own randomness.
    NothingWithoutRandomness,
    /// Nothing, unless an aggregator keeps its noise to itself: clients do not randomize.
    AggregatorNoise,
    /// The guarantee of the client's own randomness, against everybody else.
    OwnRandomness {
        /// The ε of one report.
        epsilon: Epsilon,
    },
}

/// A remark on a failed computation or on dropped reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The guarantee of some randomness could not be computed; the stated one holds without it.
    NotComputed {
        /// The randomness.
        source: NoiseSource,
        /// The reason.
        error: Error,
    },
    /// Honest reports are dropped for their weight so often that ε grows.
    DroppedReports {
        /// Upper bound on the probability that an honest report is dropped.
        rate: Rational,
        /// The δ of the guarantee.
        delta: Delta,
    },
}

/// The parties whose randomness proves a pair (ε, δ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseSource {
    /// The protected client's alone.
    Client,
    /// The honest aggregators'.
    Aggregators,
    /// The protected client's and the honest aggregators'.
    ClientAndAggregators,
    /// All honest clients'.
    Clients,
    /// All honest clients' and the honest aggregators'.
    ClientsAndAggregators,
}

impl NoiseSource {
    /// Whether the pair holds only among other honest clients.
    pub(crate) const fn needs_other_clients(self) -> bool {
        matches!(self, Self::Clients | Self::ClientsAndAggregators)
    }

    /// Whether the pair holds only with the noise of honest aggregators.
    pub(crate) const fn needs_aggregators(self) -> bool {
        !matches!(self, Self::Client | Self::Clients)
    }
}

/// The reason why there is no guarantee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AbsenceReason {
    /// The trust model has more honest aggregators than there are aggregators.
    TooFewAggregators {
        /// The number of aggregators.
        aggregators: usize,
    },
    /// Neither clients nor aggregators add noise.
    NoNoise,
    /// All aggregators together see measurements that no client randomized.
    PlainMeasurements,
    /// The noise is not known to keep any ε at this δ.
    UnprovedAtDelta {
        /// The δ.
        delta: Delta,
    },
    /// The guarantee of the noise could not be computed.
    NotComputed(Error),
    /// Not even the guarantee of the client's own randomness could be computed.
    OwnNotComputed(Error),
}

/// The reason why a guarantee is known to have slack: a stronger one could be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlackReason {
    /// Releases are composed as arbitrary pairs (ε, δ).
    PairComposition,
    /// With several reports of a person in a release, other clients count as dishonest.
    SeveralReports,
    /// The better guarantee of the clients' and the aggregators' noise is stated, not their joint
    /// one.
    BetterOfTwo,
    /// Laplace noise of several aggregators counts as the noise of one.
    OneNoiseCounted,
    /// The guarantee follows from a norm of the difference that one person makes.
    NormBound,
    /// The guarantee against a stronger adversary is stated, as this one was not asked for.
    StrongerAdversary,
}
