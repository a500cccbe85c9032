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
}

impl Cost {
    /// The least ε that is known for which this guarantees (ε, δ), rounded up; `None` if there is
    /// none.
    ///
    /// # Errors
    /// If ρ or δ is out of the range of [`zcdp::epsilon`].
    pub fn epsilon(&self, delta: &Delta) -> Result<Option<Rational>, Error> {
        match self {
            Self::Sum(budget) => Ok(match budget {
                Budget::Pure { epsilon } => Some(epsilon.value().clone()),
                Budget::Approximate { epsilon, delta: lost } => {
                    (lost.value() <= delta.value()).then(|| epsilon.value().clone())
                }
                Budget::ZeroConcentrated { rho } => of_rho(rho.value(), delta)?,
                // No ledger counts it.
                Budget::Renyi { .. } => None,
            }),
            Self::Concentrated { rho, delta: lost, epsilon } => {
                let Some(kept) = without(delta, lost) else {
                    return Ok(None);
                };
                let converted = of_rho(rho, &kept)?;
                Ok([converted, epsilon.clone()].into_iter().flatten().min())
            }
        }
    }
}

/// `delta` minus `lost`, exactly; `None` if that is negative.
pub(crate) fn without(delta: &Delta, lost: &Rational) -> Option<Delta> {
    Delta::new(delta.value() - lost).ok()
}

/// The ε of ρ at δ, rounded up; `None` at a δ of 0.
pub(crate) fn of_rho(rho: &Rational, delta: &Delta) -> Result<Option<Rational>, Error> {
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
        }
    }
}
