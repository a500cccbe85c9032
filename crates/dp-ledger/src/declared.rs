//! Releases that are declared beforehand, each with its largest number.
//!
//! `docs/filters.md`, Theorem 3: whatever of the list takes place, in whatever order, on whatever data, the
//! whole is dominated by the product of the pairs of the whole list. So all that the accountant of
//! `dp-accounting` says of the list holds for every adaptive use of it.

use dp_accounting::{Accountant, Release as Mechanism};
use dp_calibration::{Budget, Error};
use dp_exact::{Delta, Epsilon, ParameterError, Rational};
use serde::{Deserialize, Serialize};

use crate::{LedgerError, Noise};

/// A kind of release, and how often it may take place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// What dominates each such release.
    pub dominated_by: DominatedBy,
    /// The most releases.
    pub times: u64,
}

/// What dominates a release, whatever came before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum DominatedBy {
    /// Noise of one honest aggregator: of this law, on no more coordinates, each moved by no more.
    Noise(Noise),
    /// Any mechanism that is (ε, δ) private.
    Private {
        /// ε
        epsilon: Epsilon,
        /// δ, or 0
        delta: Delta,
    },
}

impl DominatedBy {
    /// As the accountant knows it.
    fn mechanism(&self) -> Mechanism {
        match self {
            Self::Noise(noise) => Mechanism::Noise {
                law: noise.distribution.clone(),
                difference: noise.difference.clone(),
            },
            Self::Private { epsilon, delta } => {
                Mechanism::RandomizedResponse { epsilon: epsilon.clone(), delta: delta.clone() }
            }
        }
    }

    /// Whether it dominates this noise: the law with its parameter is the same, and no coordinate moves
    /// farther (`dp_calibration::WorstCaseDifference`).
    pub(crate) fn covers_noise(&self, other: &Noise) -> bool {
        let Self::Noise(noise) = self else {
            return false;
        };
        noise.distribution == other.distribution
            && noise.difference.coordinates() >= other.difference.coordinates()
            && noise.difference.step() >= other.difference.step()
    }

    /// Whether it dominates all that keeps this guarantee.
    pub(crate) fn covers_budget(&self, bound: &Budget) -> bool {
        let Self::Private { epsilon, delta } = self else {
            return false;
        };
        match bound {
            Budget::Pure { epsilon: guaranteed } => guaranteed <= epsilon,
            Budget::Approximate { epsilon: guaranteed, delta: lost } => {
                guaranteed <= epsilon && lost <= delta
            }
            _ => false,
        }
    }
}

impl Declared {
    /// The least ε at δ of these releases together, rounded up: the limit that they need.
    ///
    /// # Errors
    /// If the accountant refuses a release, δ, or their number (`dp_accounting::Accountant`).
    pub fn epsilon(releases: &[Self], delta: &Delta) -> Result<Rational, Error> {
        let counts: Vec<u64> = releases.iter().map(|declared| declared.times).collect();
        Self::epsilon_of(releases, &counts, delta)
    }

    /// The same of so many of each.
    pub(crate) fn epsilon_of(
        releases: &[Self],
        counts: &[u64],
        delta: &Delta,
    ) -> Result<Rational, Error> {
        let mut accountant = Accountant::new();
        let mut all = 0_u64;
        for (declared, count) in releases.iter().zip(counts) {
            all = all.saturating_add(*count);
            Accountant::check_times(all)?;
            let times = u32::try_from(*count)
                .map_err(|_| ParameterError::new("times", count, "at most 1048576"))?;
            accountant.add(declared.dominated_by.mechanism(), times)?;
        }
        if all == 0 {
            return Ok(Rational::zero());
        }
        accountant.epsilon(delta).map(|bounds| bounds.upper)
    }

    /// Refuses a list that guarantees less than the limit.
    pub(crate) fn check_all(releases: &[Self], limit: &Budget) -> Result<(), LedgerError> {
        let none = Delta::new(Rational::zero())?;
        let (most, delta) = match limit {
            Budget::Pure { epsilon } => (epsilon, &none),
            Budget::Approximate { epsilon, delta } => (epsilon, delta),
            other => {
                let accepted = "epsilon, with a delta or without";
                return Err(ParameterError::new("limit", other, accepted).into());
            }
        };
        if releases.is_empty() {
            return Err(ParameterError::new("releases", 0, "at least one").into());
        }
        let epsilon = Self::epsilon(releases, delta)?;
        if epsilon <= *most.value() {
            return Ok(());
        }
        let accepted =
            format!("at least {epsilon}, which the declared releases come to at delta {delta}");
        Err(ParameterError::new("epsilon", most, accepted).into())
    }
}
