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
//! OC ⊃ OAOC ⊃ OAMC. A promise against a stronger adversary holds against a weaker one.

use std::fmt;

use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, Epsilon, Rational};

use crate::Error;

/// The numbers that a guarantee depends on beside the trust model.
///
/// A trust model says which kinds of party are honest; these say how many. The protected client
/// itself is always one of the honest clients.
///
/// ```
/// use dp_prio3::Circumstances;
///
/// let circumstances = Circumstances::new(100_000, "1e-9".parse()?).with_honest_aggregators(2);
/// assert_eq!(circumstances.honest_clients(), 100_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    honest_clients: u64,
    honest_aggregators: usize,
    delta: Delta,
}

impl Circumstances {
    /// `honest_clients` honest clients in the batch, the protected one among them (0 counts as 1),
    /// and one honest aggregator. `delta` is the δ at which ε is stated where the policy has none
    /// of its own: for the noise of clients that hide each other.
    #[must_use]
    pub fn new(honest_clients: u64, delta: Delta) -> Self {
        Self {
            honest_clients: honest_clients.max(1),
            honest_aggregators: 1,
            delta,
        }
    }

    /// The same with more honest aggregators, whose noise adds up. It is for the trust models that
    /// have honest aggregators; 0 counts as 1.
    #[must_use]
    pub fn with_honest_aggregators(mut self, aggregators: usize) -> Self {
        self.honest_aggregators = aggregators.max(1);
        self
    }

    /// The honest clients, at least 1.
    #[must_use]
    pub const fn honest_clients(&self) -> u64 {
        self.honest_clients
    }

    /// The honest aggregators, at least 1.
    #[must_use]
    pub const fn honest_aggregators(&self) -> usize {
        self.honest_aggregators
    }

    /// The δ for promises without one of their own.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }
}

impl Circumstances {
    /// The honest ones of so many aggregators.
    pub(crate) fn honest_of(&self, aggregators: usize) -> usize {
        self.honest_aggregators.min(aggregators)
    }

    /// The honest clients, and the honest aggregators as the calibration counts them.
    pub(crate) fn counts(&self) -> (u64, u32) {
        let aggregators = u32::try_from(self.honest_aggregators).unwrap_or(u32::MAX);
        (self.honest_clients, aggregators)
    }
}

/// The budget (ε, δ), pure if δ is 0.
pub(crate) fn approximate(epsilon: Rational, delta: &Delta) -> Result<Budget, Error> {
    // A mechanism whose ε is 0 keeps every larger one.
    let epsilon = if epsilon.is_zero() {
        Rational::new(1, 1_000_000_000)?
    } else {
        epsilon
    };
    let epsilon = Epsilon::new(epsilon)?;
    let delta = delta.clone();
    Ok(if delta.value().is_zero() {
        Budget::Pure { epsilon }
    } else {
        Budget::Approximate { epsilon, delta }
    })
}

/// The budget with the smaller ε, or of the same ε with the smaller δ; `first` if they cannot be
/// compared.
pub(crate) fn better(first: Budget, second: Budget) -> Budget {
    match (loss(&first), loss(&second)) {
        (Some(one), Some(other)) if other < one => second,
        _ => first,
    }
}

/// ε and δ.
fn loss(budget: &Budget) -> Option<(&Rational, Rational)> {
    match budget {
        Budget::Pure { epsilon } => Some((epsilon.value(), Rational::zero())),
        Budget::Approximate { epsilon, delta } => Some((epsilon.value(), delta.value().clone())),
        Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => None,
    }
}

/// What is promised under one trust model.
#[derive(Clone, Debug, PartialEq)]
pub enum Promise {
    /// Proved, with this budget.
    Proved(Budget),
    /// There is no promise.
    Absent {
        /// Why.
        reason: String,
    },
    /// There is something to promise which this crate cannot compute. It never stands for a
    /// number.
    NotComputed {
        /// What is missing, and what holds meanwhile.
        reason: String,
    },
}

impl Promise {
    /// The budget, if one is proved.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::Proved(budget) => Some(budget),
            Self::Absent { .. } | Self::NotComputed { .. } => None,
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
    /// Where the promise was proved, if that is under another trust model: one with a stronger
    /// adversary, so that it holds here too.
    pub carried_over_from: Option<TrustModel>,
    /// On what conditions, beside the trust model: one sentence each.
    pub assumptions: Vec<String>,
    /// What remains if those who must be honest are not: a sentence for people.
    pub otherwise: String,
}

impl Guarantee {
    /// The budget, if one is proved.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        self.promise.budget()
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.trust_model;
        match &self.promise {
            Promise::Proved(budget) => {
                write!(
                    f,
                    "{}: {}. Neighbours: {}. Must be honest: {}. Holds against {}.",
                    model.abbreviation(),
                    budget,
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
                write!(f, " Otherwise: {}.", self.otherwise)
            }
            Promise::Absent { reason } => {
                write!(f, "{}: no guarantee: {reason}.", model.abbreviation())
            }
            Promise::NotComputed { reason } => {
                write!(f, "{}: not computed yet: {reason}.", model.abbreviation())
            }
        }
    }
}

const fn neighbours(adjacency: Adjacency) -> &'static str {
    match adjacency {
        Adjacency::Replacement => "one client's measurement replaced by any other",
        Adjacency::Deletion => "one client's measurement replaced by the reference value",
    }
}
