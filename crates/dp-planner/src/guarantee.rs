//! What is guaranteed to one person, per release and in total, in each trust model.

use std::collections::BTreeMap;

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Rational, Rounding};
use serde::{Serialize, Serializer};

pub use dp_prio3::SlackReason;

/// Digits of an ε that is written.
const DIGITS: usize = 12;

/// A guarantee, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairGuarantee {
    /// (ε, δ)-differential privacy, and ρ-zero-concentrated differential privacy where that is known.
    Kept {
        /// ε, at least 0.
        epsilon: Rational,
        /// δ
        delta: Rational,
        /// ρ
        rho: Option<Rational>,
        /// Why more is provable than this, if that is so.
        loose: Option<SlackReason>,
    },
    /// There is none.
    Absent {
        /// Why.
        reason: String,
    },
}

impl PairGuarantee {
    /// The pair of a policy.
    #[must_use]
    pub fn of(stated: &dp_prio3::PrivacyBound) -> Self {
        let kept = |epsilon: &Rational, delta: &Rational| Self::Kept {
            epsilon: epsilon.clone(),
            delta: delta.clone(),
            rho: None,
            loose: None,
        };
        match stated {
            dp_prio3::PrivacyBound::TotalVariation { delta, .. } => {
                kept(&Rational::zero(), delta.value())
            }
            dp_prio3::PrivacyBound::Proved(Budget::Pure { epsilon }) => {
                kept(epsilon.value(), &Rational::zero())
            }
            dp_prio3::PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
                kept(epsilon.value(), delta.value())
            }
            dp_prio3::PrivacyBound::Proved(budget) => Self::Absent {
                reason: format!("no pair of epsilon and delta is known of {budget}"),
            },
            dp_prio3::PrivacyBound::Absent { reason } => Self::Absent { reason: reason.clone() },
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
    pub(crate) fn loosely(mut self, why: Option<SlackReason>) -> Self {
        if let (Self::Kept { loose, .. }, Some(why)) = (&mut self, why) {
            *loose = Some(why);
        }
        self
    }

    /// Why more is provable, if that is so.
    #[must_use]
    pub const fn loose(&self) -> Option<SlackReason> {
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
        let loss = self.epsilon().zip(self.delta());
        let loss =
            loss.and_then(|(epsilon, delta)| dp_prio3::EpsilonDelta::of_pair(epsilon, delta));
        loss.is_none_or(|loss| loss.protects_nobody())
    }
}

/// The guarantees in all trust models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantees {
    /// Nobody else is honest.
    pub oc: PairGuarantee,
    /// One aggregator is honest.
    pub oaoc: PairGuarantee,
    /// One aggregator and most clients are honest.
    pub oamc: PairGuarantee,
    /// By the number of honest aggregators, where it is two or more.
    pub with_honest_aggregators: BTreeMap<usize, PairGuarantee>,
}

impl Guarantees {
    /// The guarantee in one of the three trust models.
    #[must_use]
    pub const fn of(&self, model: TrustModel) -> &PairGuarantee {
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

impl Serialize for PairGuarantee {
    /// Decimals that are rounded up; null where there is no guarantee.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written {
            epsilon: String,
            delta: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            rho: Option<String>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            protects_nobody: bool,
        }
        let written = match self {
            Self::Kept { epsilon, delta, rho, .. } => Some(Written {
                epsilon: decimal(epsilon),
                delta: decimal(delta),
                rho: rho.as_ref().map(decimal),
                protects_nobody: self.protects_nobody(),
            }),
            Self::Absent { .. } => None,
        };
        written.serialize(serializer)
    }
}

/// Guarantees by name; beside a missing one its reason, beside a loose one why.
struct ByName<'a>(Vec<(String, &'a PairGuarantee)>);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Entry<'a> {
            PairGuarantee(&'a PairGuarantee),
            Words(&'a str),
        }
        let entries = self.0.iter().flat_map(|(name, guarantee)| {
            let reason = guarantee.reason();
            let loose = guarantee.loose().map(SlackReason::reason);
            let words = [("reason", reason), ("loose", loose)].into_iter();
            let words = words.filter_map(move |(suffix, words)| {
                Some((format!("{name}_{suffix}"), Entry::Words(words?)))
            });
            std::iter::once((name.clone(), Entry::PairGuarantee(guarantee))).chain(words)
        });
        serializer.collect_map(entries)
    }
}

impl Serialize for Guarantees {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            #[serde(flatten)]
            three: ByName<'a>,
            with_honest_aggregators: ByName<'a>,
        }
        let three = [("oc", &self.oc), ("oaoc", &self.oaoc), ("oamc", &self.oamc)];
        let several = self.with_honest_aggregators.iter();
        let written = Written {
            three: ByName(three.map(|(name, guarantee)| (name.to_owned(), guarantee)).to_vec()),
            with_honest_aggregators: ByName(
                several.map(|(count, guarantee)| (count.to_string(), guarantee)).collect(),
            ),
        };
        written.serialize(serializer)
    }
}
