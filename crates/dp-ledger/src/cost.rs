//! The cost of a release, of all releases, or what is left, as the ledger's rule counts it.

use std::fmt::{self, Display, Formatter};

use dp_calibration::Budget;
use dp_exact::Rational;
use serde::{Deserialize, Serialize};

/// An amount of privacy, as a ledger's [`Rule`](crate::Rule) counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Cost {
    /// A sum of budgets of one kind.
    Sum(Budget),
    /// `delta`-approximate `rho`-zero-concentrated privacy (Bun, Steinke 2016, Definition 8.1).
    Concentrated {
        /// ρ
        rho: Rational,
        /// δ
        delta: Rational,
        /// (ε, `delta`) holds as well; absent where that is not known of every release.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epsilon: Option<Rational>,
    },
    /// Releases of a schedule, whose limit is the guarantee of all of them.
    Scheduled {
        /// The number of releases.
        releases: u64,
    },
}

impl From<Budget> for Cost {
    fn from(budget: Budget) -> Self {
        Self::Sum(budget)
    }
}

impl Display for Cost {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sum(budget) => budget.fmt(formatter),
            Self::Concentrated { rho, delta, epsilon } => {
                write!(formatter, "rho {rho}")?;
                if let Some(epsilon) = epsilon {
                    write!(formatter, " or epsilon {epsilon}")?;
                }
                if delta.is_zero() {
                    return Ok(());
                }
                write!(formatter, ", with delta {delta}")
            }
            Self::Scheduled { releases: 1 } => formatter.write_str("1 scheduled release"),
            Self::Scheduled { releases } => write!(formatter, "{releases} scheduled releases"),
        }
    }
}
