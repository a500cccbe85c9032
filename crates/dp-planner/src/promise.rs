//! What is promised to one person, per release and in total, in each trust model.

use std::collections::BTreeMap;

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, Rational, Rounding};
use dp_prio3::{Guarantee, Promise as OfPolicy};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Digits of an ε that is written.
const DIGITS: usize = 12;

/// A promise, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// (ε, δ)-differential privacy, and ρ-zero-concentrated differential privacy where that is known.
    Kept {
        /// ε, at least 0.
        epsilon: Rational,
        /// δ
        delta: Rational,
        /// ρ
        rho: Option<Rational>,
    },
    /// There is none.
    Absent {
        /// Why.
        reason: String,
    },
}

impl Promise {
    pub(crate) fn kept(epsilon: Rational, delta: &Delta, rho: Option<Rational>) -> Self {
        Self::Kept {
            epsilon,
            delta: delta.value().clone(),
            rho,
        }
    }

    /// ε, if there is a promise.
    #[must_use]
    pub const fn epsilon(&self) -> Option<&Rational> {
        match self {
            Self::Kept { epsilon, .. } => Some(epsilon),
            Self::Absent { .. } => None,
        }
    }

    /// δ, if there is a promise.
    #[must_use]
    pub const fn delta(&self) -> Option<&Rational> {
        match self {
            Self::Kept { delta, .. } => Some(delta),
            Self::Absent { .. } => None,
        }
    }

    /// That of a policy, if it is a pair (ε, δ).
    pub(crate) fn of(guarantee: &Guarantee, rho: Option<Rational>) -> Option<Self> {
        Some(match &guarantee.promise {
            OfPolicy::TotalVariation { delta, .. } => Self::kept(Rational::zero(), delta, rho),
            OfPolicy::Proved(Budget::Pure { epsilon }) => Self::Kept {
                epsilon: epsilon.value().clone(),
                delta: Rational::zero(),
                rho,
            },
            OfPolicy::Proved(Budget::Approximate { epsilon, delta }) => {
                Self::kept(epsilon.value().clone(), delta, rho)
            }
            OfPolicy::Proved(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. }) => {
                return None;
            }
            OfPolicy::Absent { reason } => Self::Absent {
                reason: reason.clone(),
            },
        })
    }

    /// The one of smaller ε.
    pub(crate) fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Kept { epsilon: one, .. }, Self::Kept { epsilon: two, .. }) if two < one => {
                other
            }
            (Self::Absent { .. }, Self::Kept { .. }) => other,
            _ => self,
        }
    }
}

/// The promises in all trust models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promises {
    /// Nobody else is honest.
    pub oc: Promise,
    /// One aggregator is honest.
    pub oaoc: Promise,
    /// One aggregator and most clients are honest.
    pub oamc: Promise,
    /// So many aggregators are honest.
    pub with_honest_aggregators: BTreeMap<usize, Promise>,
}

impl Promises {
    /// That of one of the three trust models.
    #[must_use]
    pub const fn of(&self, model: TrustModel) -> &Promise {
        match model {
            TrustModel::OneClient => &self.oc,
            TrustModel::OneAggregatorOneClient => &self.oaoc,
            _ => &self.oamc,
        }
    }
}

/// A decimal, rounded up.
pub(crate) fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

/// A budget as a structure of decimals.
struct Kept<'a>(&'a Rational, &'a Rational, Option<&'a Rational>);

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("epsilon", &decimal(self.0))?;
        map.serialize_entry("delta", &decimal(self.1))?;
        if let Some(rho) = self.2 {
            map.serialize_entry("rho", &decimal(rho))?;
        }
        map.end()
    }
}

impl Serialize for Promise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Kept {
                epsilon,
                delta,
                rho,
            } => Kept(epsilon, delta, rho.as_ref()).serialize(serializer),
            Self::Absent { .. } => serializer.serialize_none(),
        }
    }
}

impl Serialize for Promises {
    /// The promises by trust model; beside a missing one its reason.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let models = [("oc", &self.oc), ("oaoc", &self.oaoc), ("oamc", &self.oamc)];
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, models)?;
        let honest = ByNumber(&self.with_honest_aggregators);
        map.serialize_entry("with_honest_aggregators", &honest)?;
        map.end()
    }
}

/// Promises by how many aggregators are honest.
struct ByNumber<'a>(&'a BTreeMap<usize, Promise>);

impl Serialize for ByNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, self.0.iter())?;
        map.end()
    }
}

/// Promises by name; beside a missing one its reason.
fn entries<'a, M: SerializeMap>(
    map: &mut M,
    promises: impl IntoIterator<Item = (impl ToString, &'a Promise)>,
) -> Result<(), M::Error> {
    for (name, promise) in promises {
        // A name is text also where it is a number.
        let name = name.to_string();
        map.serialize_entry(&name, promise)?;
        if let Promise::Absent { reason } = promise {
            map.serialize_entry(&format!("{name}_reason"), reason)?;
        }
    }
    Ok(())
}
