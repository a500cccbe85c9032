//! The cost of a release, of all releases, or what is left, as the ledger's rule counts it.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr as _;

use dp_calibration::{Budget, Error, zcdp};
use dp_exact::{Delta, Rational, Rho};
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

impl Cost {
    /// The bounds on ε at `delta`: first by the ρ of this cost, rounded up, `None` if no δ is left
    /// to convert it; then its ε. Each stands there only if the cost has it. A single `None` if the
    /// cost's δ is above `delta`. `Err` for a ρ or a δ out of the range of [`zcdp::epsilon`].
    pub(crate) fn epsilons(&self, delta: &Delta) -> Result<Vec<Option<Rational>>, Error> {
        let zero = Rational::zero();
        let (rho, lost, epsilon) = match self {
            Self::Sum(Budget::Pure { epsilon }) => (None, &zero, Some(epsilon.value())),
            Self::Sum(Budget::Approximate { epsilon, delta }) => {
                (None, delta.value(), Some(epsilon.value()))
            }
            Self::Sum(Budget::ZeroConcentrated { rho }) => (Some(rho.value()), &zero, None),
            // No ledger counts Rényi privacy; a number of releases alone bounds nothing.
            Self::Sum(Budget::Renyi { .. }) | Self::Scheduled { .. } => (None, &zero, None),
            Self::Concentrated { rho, delta, epsilon } => (Some(rho), delta, epsilon.as_ref()),
        };
        // The δ that is left to convert ρ.
        let Ok(kept) = Delta::new(delta.value() - lost) else {
            return Ok(vec![None]);
        };
        let converted = rho.map(|rho| of_rho(rho, &kept)).transpose()?;
        Ok(converted.into_iter().chain(epsilon.cloned().map(Some)).collect())
    }
}

/// The ε of ρ at δ, rounded up: 0 for a ρ of 0, else `None` at a δ of 0. A ρ below 1e-30 counts as
/// 1e-30.
fn of_rho(rho: &Rational, delta: &Delta) -> Result<Option<Rational>, Error> {
    if rho.is_zero() {
        return Ok(Some(Rational::zero()));
    }
    if delta.value().is_zero() {
        return Ok(None);
    }
    // The conversion begins at 1e-30; a larger ρ guarantees less.
    let least: Rational = Rho::from_str("1e-30")?.value().clone();
    let rho = Rho::new(rho.clone().max(least))?;
    zcdp::epsilon(&rho, delta).map(Some)
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
