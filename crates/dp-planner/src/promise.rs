//! What is promised to one person, per release and in total, in each trust model.

use std::collections::BTreeMap;
use std::fmt;

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, Rational, Rounding};
use dp_prio3::{Guarantee, Promise as OfPolicy};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Digits of an ε that is written.
const DIGITS: usize = 12;

/// Why a promise is a looser one than could be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loose {
    /// What more is promised takes too long to compute.
    Costly,
    /// Releases in a crowd are composed as any pairs (ε, δ) are.
    Pairs,
    /// A person has several reports in a release, which count as if nobody else were honest.
    Reports,
    /// Of a policy with the noise of clients and of aggregators: the better promise of one of them.
    Apart,
    /// Laplace noise of several aggregators counts as that of one.
    OneOfSeveral,
    /// Very many reports are composed by their ρ of zero-concentrated privacy.
    Concentrated,
}

impl Loose {
    /// The same in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Costly => "what else is provable takes too long to compute",
            Self::Pairs => {
                "each release counts by its epsilon and delta alone, and the releases are composed \
                 as any such pairs are"
            }
            Self::Reports => {
                "with several reports of a person in one release the other clients count as \
                 dishonest"
            }
            Self::Apart => {
                "it is the better one of the promises of the clients' and the aggregators' noise by \
                 themselves"
            }
            Self::OneOfSeveral => "Laplace noise of several aggregators counts as that of one",
            Self::Concentrated => "it follows from a rho of zero-concentrated privacy",
        }
    }
}

impl fmt::Display for Loose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.reason())
    }
}

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
        /// Why more is provable than this, if that is so.
        loose: Option<Loose>,
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
            loose: None,
        }
    }

    /// The same, looser than it could be for this reason; as it is without one.
    pub(crate) fn loosely(mut self, why: Option<Loose>) -> Self {
        if let (Self::Kept { loose, .. }, Some(why)) = (&mut self, why) {
            *loose = Some(why);
        }
        self
    }

    /// Why more is provable, if that is so.
    #[must_use]
    pub const fn loose(&self) -> Option<Loose> {
        match self {
            Self::Kept { loose, .. } => *loose,
            Self::Absent { .. } => None,
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
                loose: None,
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
                ..
            } => Kept(epsilon, delta, rho.as_ref()).serialize(serializer),
            Self::Absent { .. } => serializer.serialize_none(),
        }
    }
}

impl Serialize for Promises {
    /// The promises by trust model; beside a missing one its reason, beside a loose one why.
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

/// Promises by name; beside a missing one its reason, beside a loose one why.
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
        if let Some(loose) = promise.loose() {
            map.serialize_entry(&format!("{name}_loose"), loose.reason())?;
        }
    }
    Ok(())
}
