//! A policy's guarantee in one trust model, with its conditions.
//!
//! draft-wang-ppm-differential-privacy, section 3.3, defines the trust models. A guarantee is
//! about **every** batch that the policy releases (`docs/guarantees.md`).

use std::fmt;

use dp_calibration::{Adjacency, Budget, TrustModel};

use super::circumstances::Circumstances;
use super::epsilon_delta::{PrivacyBound, WEAK, protects_nobody};

/// The guarantee of a policy under one trust model, for all releases of the [`Circumstances`]
/// together.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// Who is honest.
    pub trust_model: TrustModel,
    /// The neighbouring relation.
    pub adjacency: Adjacency,
    /// The bound.
    pub bound: PrivacyBound,
    /// Further pairs (ε, δ) that are proved on the same conditions, each neither stronger nor
    /// weaker than [`Self::bound`].
    pub also: Vec<Budget>,
    /// The trust model in which the guarantee was proved, if another. Its adversary is stronger, so
    /// that the guarantee holds here too.
    pub carried_over_from: Option<TrustModel>,
    /// The conditions beside the trust model, one sentence each.
    pub assumptions: Vec<String>,
    /// What is left if those who must be honest are not, in words: the guarantee with one honest
    /// aggregator, if any, before a semicolon; last the one by the client's own randomness.
    pub otherwise: String,
    /// Sentences on whose randomness the bound rests, where a reader may expect another, and on
    /// failed computations.
    pub remarks: Vec<String>,
    /// Whether the guarantee is so weak that it [protects nobody](crate::protects_nobody).
    pub is_weak: bool,
}

impl Guarantee {
    /// A guarantee without conditions or remarks. [`Self::is_weak`] of a budget that is no pair (ε,
    /// δ) is decided at the δ of the circumstances.
    #[must_use]
    pub fn new(
        trust_model: TrustModel,
        bound: PrivacyBound,
        circumstances: &Circumstances,
    ) -> Self {
        let budget = bound.budget();
        Self {
            trust_model,
            adjacency: circumstances.adjacency,
            is_weak: budget.is_some_and(|budget| protects_nobody(budget, &circumstances.delta)),
            bound,
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
        self.bound.budget()
    }

    /// The absent guarantee of a trust model with more honest aggregators than the task's
    /// `aggregators`; `None` if there are enough.
    pub(crate) fn beyond(
        trust_model: TrustModel,
        aggregators: usize,
        circumstances: &Circumstances,
    ) -> Option<Self> {
        let honest = trust_model.honest_aggregators();
        (usize::from(honest) > aggregators).then(|| {
            let reason = format!("there are only {aggregators} aggregators");
            Self::new(trust_model, PrivacyBound::Absent { reason }, circumstances)
        })
    }
}

/// The trust model with as many honest aggregators and no honest client but the protected one.
pub(crate) const fn without_other_clients(trust_model: TrustModel) -> TrustModel {
    match trust_model {
        TrustModel::OneAggregatorMostClients => TrustModel::OneAggregatorOneClient,
        TrustModel::SeveralAggregatorsMostClients(several) => {
            TrustModel::SeveralAggregatorsOneClient(several)
        }
        other => other,
    }
}

/// The condition on an honest aggregator, after "each" or "the".
pub(crate) const HONEST_AGGREGATOR: &str = "honest aggregator draws its noise from a sound \
     generator, releases the batch once and forgets its share and its noise";

/// The condition, in words, that several of all `aggregators` are honest; `None` where one honest
/// aggregator suffices or none is needed.
pub(crate) fn several_aggregators(trust_model: TrustModel, aggregators: usize) -> Option<String> {
    let honest = trust_model.honest_aggregators();
    match usize::from(honest) {
        0 | 1 => None,
        all if all == aggregators => Some(format!(
            "all {all} aggregators are honest: any one of them voids this guarantee by itself"
        )),
        some => Some(format!(
            "{some} of the {aggregators} aggregators are honest, one fewer voids this guarantee"
        )),
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.trust_model;
        write!(f, "{}: {}.", model.abbreviation(), self.bound)?;
        if let PrivacyBound::Absent { .. } = self.bound {
            return Ok(());
        }
        if self.is_weak {
            write!(f, " {WEAK}")?;
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
        write!(f, " Fallback: {}.", self.otherwise)
    }
}

/// The neighbour relation, in words.
const fn neighbours(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::Replacement => "one client's measurement replaced by any other",
        Adjacency::Deletion => "one client's measurement replaced by the reference value",
    }
}

/// The reason why a guarantee is known to have slack: a stronger one could be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl SlackReason {
    /// The reason in words, after a colon.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
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
            Self::StrongerAdversary => {
                "it is the guarantee against a stronger adversary; ask with --against for this one"
            }
        }
    }
}
