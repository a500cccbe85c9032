//! What a policy guarantees, to whom, and on what conditions.
//!
//! A mechanism M is (ε, δ)-differentially private when for all neighbouring inputs D, D' and every
//! **set** of outcomes S
//!
//! ```text
//! P[M(D) ∈ S] ≤ e^ε · P[M(D') ∈ S] + δ.
//! ```
//!
//! "The outcome" is all that the adversary sees, so the guarantee depends on who is honest: the trust models are those
//! of the Internet-Draft draft-wang-ppm-differential-privacy, section 3.3. A guarantee against a stronger adversary
//! holds against a weaker one, OC ⊃ OAOC ⊃ OAMC; 2AOC, 2AMC and so on count on more than one honest aggregator.
//!
//! A guarantee is about **every** batch that the policy releases, whoever is missing or extra (`docs/guarantees.md`).

use std::fmt;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::Epsilon;

use super::circumstances::Circumstances;
use super::loss::{PrivacyBound, WEAK, protects_nobody};

/// The answer of a policy under one trust model.
///
/// It is about as many releases as the [`Circumstances`] say, together.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// Who is honest.
    pub trust_model: TrustModel,
    /// Which inputs count as neighbours.
    pub adjacency: Adjacency,
    /// What is guaranteed.
    pub bound: PrivacyBound,
    /// What else is proved of the same batch on the same conditions, and is neither more nor less:
    /// a smaller δ with a larger ε, or the reverse.
    pub also: Vec<Budget>,
    /// Where the guarantee was proved, if that is under another trust model: one with a stronger
    /// adversary, so that it holds here too.
    pub carried_over_from: Option<TrustModel>,
    /// On what conditions, beside the trust model: one sentence each.
    pub assumptions: Vec<String>,
    /// What remains if those who must be honest are not: a sentence for people.
    pub otherwise: Fallback,
    /// Which part of the randomness answers where the reader may expect another, and what could not
    /// be computed: one sentence each.
    pub remarks: Vec<String>,
    /// Whether the guarantee is so weak that it [protects nobody](crate::protects_nobody).
    pub is_weak: bool,
}

impl Guarantee {
    /// A guarantee without conditions or remarks. `circumstances` have the δ at which a guarantee that is
    /// no pair (ε, δ) is judged.
    #[must_use]
    pub fn new(
        trust_model: TrustModel,
        bound: PrivacyBound,
        circumstances: &Circumstances,
    ) -> Self {
        let budget = bound.budget();
        Self {
            trust_model,
            adjacency: circumstances.adjacency(),
            is_weak: budget.is_some_and(|budget| protects_nobody(budget, circumstances.delta())),
            bound,
            also: Vec::new(),
            carried_over_from: None,
            assumptions: Vec::new(),
            otherwise: "there is nothing to lose".into(),
            remarks: Vec::new(),
        }
    }

    /// The budget, if one is proved.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        self.bound.budget()
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
            Self::new(trust_model, PrivacyBound::Absent { reason }, circumstances)
        })
    }
}

/// The trust model with as many honest aggregators and no other client.
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

const fn neighbours(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::Replacement => "one client's measurement replaced by any other",
        Adjacency::Deletion => "one client's measurement replaced by the reference value",
    }
}

/// What remains if those who must be honest are not: a sentence for people, in which the guarantees are
/// values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fallback(Vec<FallbackPart>);

/// A part of the sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FallbackPart {
    /// Words.
    Words(String),
    /// What one honest aggregator still gives.
    OneAggregator(PrivacyBound),
    /// The ε of the client's own randomness, whoever else is honest.
    OwnRandomness(Epsilon),
}

impl Fallback {
    /// Its parts, one after the other.
    #[must_use]
    pub fn parts(&self) -> &[FallbackPart] {
        &self.0
    }

    pub(crate) fn words(mut self, words: impl Into<String>) -> Self {
        self.0.push(FallbackPart::Words(words.into()));
        self
    }

    pub(crate) fn one_aggregator(mut self, bound: PrivacyBound) -> Self {
        self.0.push(FallbackPart::OneAggregator(bound));
        self
    }

    pub(crate) fn own_randomness(mut self, epsilon: Epsilon) -> Self {
        self.0.push(FallbackPart::OwnRandomness(epsilon));
        self
    }

    /// This, then the other one.
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl<T: Into<String>> From<T> for Fallback {
    /// Words alone.
    fn from(words: T) -> Self {
        Self::default().words(words)
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| part.fmt(f))
    }
}

impl fmt::Display for FallbackPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::OneAggregator(bound) => bound.fmt(f),
            Self::OwnRandomness(epsilon) => write!(f, "epsilon {epsilon}"),
        }
    }
}

/// Why a guarantee states less than could be proved. It holds all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlackReason {
    /// Releases are composed as any pairs (ε, δ) are.
    PairComposition,
    /// A person has several reports in a release, which count as if nobody else were honest.
    SeveralReports,
    /// Of the noise of clients and of aggregators the better guarantee of one of them.
    BetterOfTwo,
    /// Laplace noise of several aggregators counts as the noise of one.
    OneNoiseCounted,
    /// The guarantee follows from a norm of what one person changes.
    NormBound,
    /// The guarantee was not asked for, and the one against a stronger adversary is stated.
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

impl fmt::Display for SlackReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.reason())
    }
}
