//! What a policy promises, to whom, and on what conditions.
//!
//! A mechanism M is (ε, δ)-differentially private when for all neighbouring inputs D, D' and every
//! **set** of outcomes S
//!
//! ```text
//! P[M(D) ∈ S] ≤ e^ε · P[M(D') ∈ S] + δ.
//! ```
//!
//! In a distributed aggregation "the outcome" is all that the adversary sees, so the promise
//! depends on who is honest. The three trust models are those of the Internet-Draft
//! draft-wang-ppm-differential-privacy, section 3.3. From the strongest adversary to the weakest:
//! OC ⊃ OAOC ⊃ OAMC. A promise against a stronger adversary holds against a weaker one. OAOC and
//! OAMC count on **one** honest aggregator; what counts on more is a trust model of its own, 2AOC,
//! 2AMC, 3AOC and so on.
//!
//! A promise is about **every** batch that the policy releases: uniform over the number of reports
//! from [`DpPolicy::min_reports`](crate::DpPolicy::min_reports) to
//! [`DpPolicy::max_reports`](crate::DpPolicy::max_reports), over who is missing and who is extra.
//! `docs/promises.md` has the proofs.

use std::fmt;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, Rational};

use crate::Error;
use crate::ceiling::protects_nobody;
use crate::frontier::Loss;

/// The numbers that a guarantee depends on beside the trust model.
///
/// A trust model says which kinds of party are honest, and how many aggregators; this says how many
/// clients. The protected client itself is always one of the honest ones.
///
/// ```
/// use dp_prio3::Circumstances;
///
/// let circumstances = Circumstances::new(100_000, "1e-9".parse()?);
/// assert_eq!(circumstances.honest_clients(), 100_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    honest_clients: u64,
    delta: Delta,
}

impl Circumstances {
    /// At least `honest_clients` reports of honest clients in every released batch, that of the
    /// protected one among them (0 counts as 1). `delta` is the δ at which ε is stated where the
    /// policy has none of its own.
    #[must_use]
    pub fn new(honest_clients: u64, delta: Delta) -> Self {
        Self {
            honest_clients: honest_clients.max(1),
            delta,
        }
    }

    /// The honest clients, at least 1.
    #[must_use]
    pub const fn honest_clients(&self) -> u64 {
        self.honest_clients
    }

    /// The δ for promises without one of their own.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }

    /// The same where a batch has at most so many reports, hence no more of honest clients: a promise
    /// that counts on more would be about no batch.
    pub(crate) fn within(&self, max_reports: u64) -> Self {
        self.with_honest_clients(self.honest_clients.min(max_reports))
    }

    /// The same with other honest clients.
    pub(crate) fn with_honest_clients(&self, honest_clients: u64) -> Self {
        Self::new(honest_clients, self.delta.clone())
    }
}

/// The pair (ε, δ), where ε may be 0.
pub(crate) fn approximate(epsilon: Rational, delta: &Delta) -> Result<Loss, Error> {
    Loss::new(epsilon, delta.clone())
}

/// What is promised under one trust model.
#[derive(Clone, Debug, PartialEq)]
pub enum Promise {
    /// Proved, with this budget.
    Proved(Budget),
    /// Proved with ε = 0: no set of outcomes differs in probability by more than δ. A budget has an
    /// ε above 0, so this is a promise of its own.
    TotalVariation {
        /// The most by which a probability may differ.
        delta: Delta,
        /// A budget that it keeps, as it keeps every one of this δ: what a ledger may count.
        counted_as: Budget,
    },
    /// There is no promise.
    Absent {
        /// Why.
        reason: String,
    },
}

impl Promise {
    /// The budget that is kept, if there is a promise: of [`Self::TotalVariation`] the one that it
    /// is counted as.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::Proved(budget)
            | Self::TotalVariation {
                counted_as: budget, ..
            } => Some(budget),
            Self::Absent { .. } => None,
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(budget) => write!(f, "{budget}"),
            Self::TotalVariation { delta, .. } => write!(
                f,
                "approximate differential privacy with epsilon 0 and delta {delta}"
            ),
            Self::Absent { reason } => write!(f, "no guarantee: {reason}"),
        }
    }
}

/// The answer of a policy under one trust model.
///
/// It is about one batch. A client that takes part in several batches composes their budgets.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// Who is honest.
    pub trust_model: TrustModel,
    /// Which inputs count as neighbours.
    pub adjacency: Adjacency,
    /// What is promised.
    pub promise: Promise,
    /// What else is proved of the same batch on the same conditions, and is neither more nor less:
    /// a smaller δ with a larger ε, or the reverse.
    pub also: Vec<Budget>,
    /// Where the promise was proved, if that is under another trust model: one with a stronger
    /// adversary, so that it holds here too.
    pub carried_over_from: Option<TrustModel>,
    /// On what conditions, beside the trust model: one sentence each.
    pub assumptions: Vec<String>,
    /// What remains if those who must be honest are not: a sentence for people.
    pub otherwise: String,
    /// Which part of the randomness answers where the reader may expect another, and what could not
    /// be computed: one sentence each.
    pub remarks: Vec<String>,
    /// Whether the promise is so weak that it [protects nobody](crate::protects_nobody).
    pub is_weak: bool,
}

impl Guarantee {
    /// A guarantee under replacement, without conditions or remarks. `circumstances` have the δ at
    /// which a promise that is no pair (ε, δ) is judged.
    #[must_use]
    pub fn new(trust_model: TrustModel, promise: Promise, circumstances: &Circumstances) -> Self {
        let budget = promise.budget();
        Self {
            trust_model,
            adjacency: Adjacency::Replacement,
            is_weak: budget.is_some_and(|budget| protects_nobody(budget, circumstances.delta())),
            promise,
            also: Vec::new(),
            carried_over_from: None,
            assumptions: Vec::new(),
            otherwise: "there is nothing to lose".to_owned(),
            remarks: Vec::new(),
        }
    }

    /// The budget, if one is proved.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        self.promise.budget()
    }

    /// That there is none where more aggregators must be honest than there are.
    pub(crate) fn beyond(
        trust_model: TrustModel,
        aggregators: usize,
        circumstances: &Circumstances,
    ) -> Option<Self> {
        let honest = trust_model.honest_aggregators();
        (usize::from(honest) > aggregators).then(|| {
            let reason = format!("there are only {aggregators} aggregators");
            Self::new(trust_model, Promise::Absent { reason }, circumstances)
        })
    }
}

/// The same honest aggregators, and no other client.
pub(crate) const fn without_other_clients(trust_model: TrustModel) -> TrustModel {
    match trust_model {
        TrustModel::OneAggregatorMostClients => TrustModel::OneAggregatorOneClient,
        TrustModel::SeveralAggregatorsMostClients(several) => {
            TrustModel::SeveralAggregatorsOneClient(several)
        }
        other => other,
    }
}

/// What counting on several honest aggregators means, of so many; `None` where it is one.
pub(crate) fn several(trust_model: TrustModel, aggregators: usize) -> Option<String> {
    let honest = trust_model.honest_aggregators();
    match usize::from(honest) {
        0 | 1 => None,
        all if all == aggregators => Some(format!(
            "all {all} aggregators are honest: any one of them voids this promise by itself"
        )),
        some => Some(format!(
            "{some} of the {aggregators} aggregators are honest, one fewer voids this promise"
        )),
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.trust_model;
        write!(f, "{}: {}.", model.abbreviation(), self.promise)?;
        if let Promise::Absent { .. } = self.promise {
            return Ok(());
        }
        if self.is_weak {
            write!(f, " {}", crate::WEAK)?;
        }
        for budget in &self.also {
            write!(f, " Also holds: {budget}.")?;
        }
        write!(
            f,
            " Neighbours: {}. Must be honest: {}. Holds against {}.",
            neighbours(self.adjacency),
            model.must_be_honest(),
            model.adversary(),
        )?;
        if let Some(stronger) = self.carried_over_from {
            let model = stronger.abbreviation();
            write!(f, " Carried over from {model}: its adversary is stronger.")?;
        }
        if !self.assumptions.is_empty() {
            write!(f, " Provided that: {}.", self.assumptions.join("; "))?;
        }
        for remark in &self.remarks {
            write!(f, " Note: {remark}.")?;
        }
        write!(f, " Otherwise: {}.", self.otherwise)
    }
}

const fn neighbours(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::Replacement => "one client's measurement replaced by any other",
        Adjacency::Deletion => "one client's measurement replaced by the reference value",
    }
}
