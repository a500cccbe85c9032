//! The guarantee for one person, per release and in total, in each trust model.

use std::sync::{Arc, LazyLock};

use dp_calibration::TrustModel;
use dp_exact::{Delta, Rational, Rounding};
use dp_prio3::{AbsenceReason, Circumstances, EpsilonDelta, Policy, protects_nobody};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

pub use dp_prio3::SlackReason;

/// Significant digits of a written ε, δ or ρ.
const DIGITS: usize = 12;

/// A guarantee as a pair (ε, δ), or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairGuarantee {
    /// (ε, δ)-differential privacy, and ρ-zero-concentrated differential privacy where it is known.
    Kept {
        /// Upper bound on ε, at least 0.
        epsilon: Rational,
        /// Upper bound on δ.
        delta: Rational,
        /// Upper bound on ρ, if one is known.
        rho: Option<Rational>,
        /// The reason why a smaller ε could be proved, if one is known.
        slack_reason: Option<SlackReason>,
    },
    /// There is no guarantee.
    Absent {
        /// Why there is none.
        reason: AbsenceReason,
    },
}

impl PairGuarantee {
    /// A policy's guarantee as a pair.
    #[must_use]
    pub fn of(pair: Result<EpsilonDelta, AbsenceReason>) -> Self {
        match pair {
            Ok(EpsilonDelta { epsilon, delta }) => {
                let (epsilon, delta) = (epsilon.value().clone(), delta.value().clone());
                Self::Kept { epsilon, delta, rho: None, slack_reason: None }
            }
            Err(reason) => Self::Absent { reason },
        }
    }

    /// The pair that a policy guarantees, without ρ, and why a smaller ε could be proved.
    pub(crate) fn stated(
        policy: &Policy,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Self {
        Self::of(policy.pair(model, circumstances))
            .with_slack_reason(policy.slack_reason(model, circumstances))
    }

    /// This guarantee with its ρ.
    #[must_use]
    pub fn with_rho(mut self, known: Option<Rational>) -> Self {
        if let Self::Kept { rho, .. } = &mut self {
            *rho = known;
        }
        self
    }

    /// This guarantee with the reason why a smaller ε could be proved.
    pub(crate) fn with_slack_reason(mut self, reason: Option<SlackReason>) -> Self {
        if let Self::Kept { slack_reason, .. } = &mut self {
            *slack_reason = reason;
        }
        self
    }

    /// The reason why a smaller ε could be proved, if one is known.
    #[must_use]
    pub const fn slack_reason(&self) -> Option<SlackReason> {
        match self {
            Self::Kept { slack_reason, .. } => *slack_reason,
            Self::Absent { .. } => None,
        }
    }

    /// Upper bound on ε, if there is a guarantee.
    #[must_use]
    pub const fn epsilon(&self) -> Option<&Rational> {
        match self {
            Self::Kept { epsilon, .. } => Some(epsilon),
            Self::Absent { .. } => None,
        }
    }

    /// Upper bound on δ, if there is a guarantee.
    #[must_use]
    pub const fn delta(&self) -> Option<&Rational> {
        match self {
            Self::Kept { delta, .. } => Some(delta),
            Self::Absent { .. } => None,
        }
    }

    /// Whether there is no guarantee, or one that [protects nobody](dp_prio3::protects_nobody).
    #[must_use]
    pub fn protects_nobody(&self) -> bool {
        // A δ of 1 or more is none.
        let pair = self.epsilon().zip(self.delta());
        let pair = pair.and_then(|(epsilon, delta)| {
            EpsilonDelta::new(epsilon.clone(), Delta::new(delta.clone()).ok()?).ok()
        });
        pair.is_none_or(|pair| protects_nobody(&pair.budget(), &pair.delta))
    }
}

/// The guarantees of a policy in all trust models.
#[derive(Clone, Debug)]
pub struct Guarantees {
    /// OC: only the client itself is honest.
    pub oc: PairGuarantee,
    /// OAOC: one aggregator is honest as well.
    pub oaoc: PairGuarantee,
    oamc: Arc<LazyLock<PairGuarantee, Box<dyn FnOnce() -> PairGuarantee + Send>>>,
}

impl Guarantees {
    /// Guarantees of which the one in OAMC is computed where it is first asked for.
    pub(crate) fn new(
        oc: PairGuarantee,
        oaoc: PairGuarantee,
        oamc: impl FnOnce() -> PairGuarantee + Send + 'static,
    ) -> Self {
        Self { oc, oaoc, oamc: Arc::new(LazyLock::new(Box::new(oamc))) }
    }

    /// The guarantee in OAMC: one aggregator and most clients are honest. Computed by the first
    /// call, in tenths of a second where clients add noise.
    #[must_use]
    pub fn oamc(&self) -> &PairGuarantee {
        &self.oamc
    }

    /// The guarantee in OC, OAOC or OAMC.
    #[must_use]
    pub fn of(&self, model: TrustModel) -> &PairGuarantee {
        match model {
            TrustModel::OneClient => &self.oc,
            TrustModel::OneAggregatorOneClient => &self.oaoc,
            _ => self.oamc(),
        }
    }
}

/// A reason in words, with the option of `plan` that gives a guarantee without this slack, if any.
#[must_use]
pub fn slack_words(reason: SlackReason) -> String {
    match reason {
        SlackReason::StrongerAdversary => format!("{reason}; ask with --against for this one"),
        _ => reason.to_string(),
    }
}

/// A decimal with at most 12 significant digits, rounded up.
pub(crate) fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

impl Serialize for PairGuarantee {
    /// Writes decimals that are rounded up; null if there is no guarantee.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self::Kept { epsilon, delta, rho, .. } = self else {
            return serializer.serialize_none();
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("epsilon", &decimal(epsilon))?;
        map.serialize_entry("delta", &decimal(delta))?;
        if let Some(rho) = rho {
            map.serialize_entry("rho", &decimal(rho))?;
        }
        if self.protects_nobody() {
            map.serialize_entry("protects_nobody", &true)?;
        }
        map.end()
    }
}

impl Serialize for Guarantees {
    /// Writes the guarantees by name; beside an absent or a loose one stands the reason.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, guarantee) in [("oc", &self.oc), ("oaoc", &self.oaoc), ("oamc", self.oamc())] {
            map.serialize_entry(name, guarantee)?;
            match guarantee {
                PairGuarantee::Absent { reason } => {
                    map.serialize_entry(&format!("{name}_reason"), &reason.to_string())?;
                }
                PairGuarantee::Kept { slack_reason: Some(reason), .. } => {
                    map.serialize_entry(&format!("{name}_loose"), &slack_words(*reason))?;
                }
                PairGuarantee::Kept { slack_reason: None, .. } => {}
            }
        }
        map.end()
    }
}
