//! The written form of a strategy.

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rho};
use dp_prio3::mechanisms::NoiseKind;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::strategy::{Purpose, Strategy, VERSION};

/// The fields of a strategy before they are checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Strategy")]
pub(crate) struct WrittenStrategy {
    version: u32,
    law: NoiseKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    matrix: Option<Purpose>,
    budget: WrittenBudget,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    accept_weak_guarantee: bool,
}

/// A budget as a map with one key. YAML would write an enum with a tag of its own, which cannot be
/// read inside an enum with a tag.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "budget")]
struct WrittenBudget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pure: Option<Pure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approximate: Option<Approximate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zero_concentrated: Option<ZeroConcentrated>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pure {
    epsilon: Epsilon,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approximate {
    epsilon: Epsilon,
    delta: Delta,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ZeroConcentrated {
    rho: Rho,
}

impl From<Strategy> for WrittenStrategy {
    fn from(strategy: Strategy) -> Self {
        let mut budget = WrittenBudget::default();
        match strategy.budget().clone() {
            Budget::Pure { epsilon } => budget.pure = Some(Pure { epsilon }),
            Budget::Approximate { epsilon, delta } => {
                budget.approximate = Some(Approximate { epsilon, delta });
            }
            Budget::ZeroConcentrated { rho } => {
                budget.zero_concentrated = Some(ZeroConcentrated { rho });
            }
            // No noise is calibrated to it, so no strategy has it.
            Budget::Renyi { .. } => {}
        }
        Self {
            version: VERSION,
            law: strategy.kind,
            matrix: strategy.purpose,
            budget,
            accept_weak_guarantee: strategy.accepts_weak_guarantee(),
        }
    }
}

impl TryFrom<WrittenStrategy> for Strategy {
    type Error = Error;

    fn try_from(written: WrittenStrategy) -> Result<Self, Error> {
        if written.version != VERSION {
            let accepted = format!("{VERSION}, the version that this release knows");
            return Err(ParameterError::new("version", written.version, accepted).into());
        }
        let WrittenBudget { pure, approximate, zero_concentrated } = written.budget;
        let budget = match (pure, approximate, zero_concentrated) {
            (Some(Pure { epsilon }), None, None) => Budget::Pure { epsilon },
            (None, Some(Approximate { epsilon, delta }), None) => {
                Budget::Approximate { epsilon, delta }
            }
            (None, None, Some(ZeroConcentrated { rho })) => Budget::ZeroConcentrated { rho },
            _ => {
                let accepted = "one of pure, approximate and zero_concentrated";
                return Err(ParameterError::new("budget", "none or several", accepted).into());
            }
        };
        Self::new(written.law, written.matrix, budget, written.accept_weak_guarantee)
    }
}
