//! What is guaranteed to one person, per release and in total, in each trust model.

use std::collections::BTreeMap;

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Rational, Rounding};
use dp_prio3::{Loss, Promise as OfPolicy};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub use dp_prio3::Loose;

/// Digits of an ε that is written.
const DIGITS: usize = 12;

/// A guarantee, or why there is none.
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
    /// The pair of a policy.
    #[must_use]
    pub fn of(stated: &OfPolicy) -> Self {
        let kept = |epsilon: &Rational, delta: &Rational| Self::Kept {
            epsilon: epsilon.clone(),
            delta: delta.clone(),
            rho: None,
            loose: None,
        };
        match stated {
            OfPolicy::TotalVariation { delta, .. } => kept(&Rational::zero(), delta.value()),
            OfPolicy::Proved(Budget::Pure { epsilon }) => kept(epsilon.value(), &Rational::zero()),
            OfPolicy::Proved(Budget::Approximate { epsilon, delta }) => {
                kept(epsilon.value(), delta.value())
            }
            OfPolicy::Proved(budget) => Self::Absent {
                reason: format!("no pair of epsilon and delta is known of {budget}"),
            },
            OfPolicy::Absent { reason } => Self::Absent {
                reason: reason.clone(),
            },
        }
    }

    /// This guarantee with its ρ.
    #[must_use]
    pub fn with_rho(mut self, known: Option<Rational>) -> Self {
        if let Self::Kept { rho, .. } = &mut self {
            *rho = known;
        }
        self
    }

    /// This guarantee, looser than it could be for a reason; unchanged without one.
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

    /// ε, if there is a guarantee.
    #[must_use]
    pub const fn epsilon(&self) -> Option<&Rational> {
        match self {
            Self::Kept { epsilon, .. } => Some(epsilon),
            Self::Absent { .. } => None,
        }
    }

    /// δ, if there is a guarantee.
    #[must_use]
    pub const fn delta(&self) -> Option<&Rational> {
        match self {
            Self::Kept { delta, .. } => Some(delta),
            Self::Absent { .. } => None,
        }
    }

    /// Why there is no guarantee, if that is so.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Kept { .. } => None,
            Self::Absent { reason } => Some(reason),
        }
    }

    /// Whether there is none, or one that [protects nobody](dp_prio3::protects_nobody).
    #[must_use]
    pub fn protects_nobody(&self) -> bool {
        let Self::Kept { epsilon, delta, .. } = self else {
            return true;
        };
        Loss::of_pair(epsilon, delta).is_none_or(|loss| loss.protects_nobody())
    }
}

/// The guarantees in all trust models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promises {
    /// Nobody else is honest.
    pub oc: Promise,
    /// One aggregator is honest.
    pub oaoc: Promise,
    /// One aggregator and most clients are honest.
    pub oamc: Promise,
    /// By the number of honest aggregators, where it is two or more.
    pub with_honest_aggregators: BTreeMap<usize, Promise>,
}

impl Promises {
    /// The guarantee in one of the three trust models.
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

/// A guarantee as a structure of decimals.
struct Kept<'a> {
    promise: &'a Promise,
    epsilon: &'a Rational,
    delta: &'a Rational,
    rho: Option<&'a Rational>,
}

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("epsilon", &decimal(self.epsilon))?;
        map.serialize_entry("delta", &decimal(self.delta))?;
        if let Some(rho) = self.rho {
            map.serialize_entry("rho", &decimal(rho))?;
        }
        if self.promise.protects_nobody() {
            map.serialize_entry("protects_nobody", &true)?;
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
            } => Kept {
                promise: self,
                epsilon,
                delta,
                rho: rho.as_ref(),
            }
            .serialize(serializer),
            Self::Absent { .. } => serializer.serialize_none(),
        }
    }
}

impl Serialize for Promises {
    /// The guarantees by trust model; beside a missing one its reason, beside a loose one why.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let models = [("oc", &self.oc), ("oaoc", &self.oaoc), ("oamc", &self.oamc)];
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, models)?;
        let honest = ByNumber(&self.with_honest_aggregators);
        map.serialize_entry("with_honest_aggregators", &honest)?;
        map.end()
    }
}

/// Guarantees by how many aggregators are honest.
struct ByNumber<'a>(&'a BTreeMap<usize, Promise>);

impl Serialize for ByNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, self.0.iter())?;
        map.end()
    }
}

/// Guarantees by name; beside a missing one its reason, beside a loose one why.
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
