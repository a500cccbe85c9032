//! The theorem by which a ledger adds up its releases.
//!
//! A rule is fixed when a ledger is created. Each is a filter: its guarantee holds although all
//! that is asked next may depend on everything that came out before (`docs/filters.md`).

use dp_calibration::{Budget, Error, zcdp};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, Rounding};
use serde::{Deserialize, Serialize};

use crate::{LedgerError, Release};

/// Significant digits of the ρ at which a ledger's limit lies.
const DIGITS: usize = 12;

/// The most releases of a schedule.
const MAX_RELEASES: u64 = 1 << 20;

/// The theorem by which a ledger adds up its releases: [`Rule::Basic`] for few budgets with nothing
/// else known, [`Rule::ZeroConcentrated`] for many releases of any kind, [`Rule::Scheduled`] for a
/// number of equal releases that was planned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Rule {
    /// Basic composition: sums of ε and δ, or of ρ, as the limit is given (Rogers, Roth, Ullman,
    /// Vadhan 2016; `docs/filters.md`, Theorem 1).
    #[default]
    Basic,
    /// A filter of approximate zero-concentrated privacy (Whitehouse, Ramdas, Rogers, Wu 2023;
    /// Feldman, Zrnic 2021): a release is taken as long as Σδ is at most `releases_delta`, and Σρ
    /// at most `rho` or, where every release is pure but for its δ, Σε at most the limit's ε
    /// (`docs/filters.md`, Theorem 2). A limit of ρ holds up to the probability `releases_delta`.
    ZeroConcentrated {
        /// The most that releases may spend of δ. The rest of the limit's δ converts ρ.
        releases_delta: Delta,
        /// The most that releases may spend of ρ.
        rho: Rho,
    },
    /// A schedule: one mechanism and a number of releases, both fixed before the first release. The
    /// limit is the guarantee of all of them together, which whoever makes the terms has certified
    /// (Zhu, Dong, Wang 2022, Theorem 10; `docs/filters.md`, Theorem 3).
    Scheduled {
        /// The most releases, from 1 to 2^20.
        releases: u64,
        /// Every release is equal to this one.
        release: Box<Release>,
    },
}

impl Rule {
    /// [`Rule::ZeroConcentrated`] for a limit of ρ, all of it, or of (ε, δ): a tenth of δ is for
    /// the δ of releases, and ρ is the largest whose conversion at the rest of δ is at most ε.
    ///
    /// # Errors
    /// If the limit is of another kind, or ε or δ is out of the range of [`zcdp::epsilon`].
    pub fn zero_concentrated(limit: &Budget) -> Result<Self, LedgerError> {
        let (releases_delta, rho) = match limit {
            Budget::ZeroConcentrated { rho } => (Delta::new(Rational::zero())?, rho.clone()),
            Budget::Approximate { epsilon, delta } => {
                let tenth = delta.value() * &Rational::new(1, 10_u64)?;
                let tenth = Delta::new(tenth.round_to_digits(DIGITS, Rounding::Down))?;
                let rho = certified_rho(epsilon, &conversion_delta(delta, &tenth)?)?;
                (tenth, rho)
            }
            other => return Err(unsupported_limit(other)),
        };
        Ok(Self::ZeroConcentrated { releases_delta, rho })
    }

    /// Refuses a rule whose ρ and δ do not guarantee a limit (ε, δ), or whose ρ is above a limit of
    /// ρ, and a schedule without releases.
    pub(crate) fn check(&self, limit: &Budget) -> Result<(), LedgerError> {
        let (releases_delta, rho) = match self {
            Self::Basic => return Ok(()),
            Self::ZeroConcentrated { releases_delta, rho } => (releases_delta, rho),
            Self::Scheduled { releases: 1..=MAX_RELEASES, .. } => return Ok(()),
            Self::Scheduled { releases, .. } => {
                let accepted = format!("an integer from 1 to {MAX_RELEASES}");
                return Err(ParameterError::new("releases", releases, accepted).into());
            }
        };
        let is_enough = match limit {
            Budget::ZeroConcentrated { rho: most } => rho <= most,
            Budget::Approximate { epsilon, delta } => {
                let rest = conversion_delta(delta, releases_delta)?;
                is_within(rho.value(), &rest, epsilon.value())?
            }
            other => return Err(unsupported_limit(other)),
        };
        if is_enough {
            return Ok(());
        }
        let accepted = format!("at most what guarantees {limit}");
        Err(ParameterError::new("rho", rho, accepted).into())
    }
}

/// `delta` − `releases_delta`, the δ at which ρ is converted. Refuses one that is not above 0.
fn conversion_delta(delta: &Delta, releases_delta: &Delta) -> Result<Delta, ParameterError> {
    if releases_delta < delta {
        return Delta::new(delta.value() - releases_delta.value());
    }
    let accepted = format!("a number from 0 to below {delta}, the delta of the limit");
    Err(ParameterError::new("releases_delta", releases_delta, accepted))
}

/// The error for a limit that [`Rule::ZeroConcentrated`] cannot guarantee, such as a pure ε.
fn unsupported_limit(limit: &Budget) -> LedgerError {
    let accepted = "rho, or epsilon with a delta above 0";
    ParameterError::new("limit", limit, accepted).into()
}

/// Whether the upper bound on the ε of ρ at δ is at most `epsilon`, so that ρ guarantees (ε, δ).
fn is_within(rho: &Rational, delta: &Delta, epsilon: &Rational) -> Result<bool, Error> {
    let found = zcdp::epsilon(&Rho::new(rho.clone())?, delta)?;
    Ok(found <= *epsilon)
}

/// A ρ that is certified to guarantee (ε, δ), below the largest one by less than a relative 1e-6 in
/// practice. The conversion from ρ to ε takes an order of its own, at which the proposed ρ may just
/// miss.
fn certified_rho(epsilon: &Epsilon, delta: &Delta) -> Result<Rho, Error> {
    let mut rho = zcdp::largest_rho(epsilon, delta)?.value().clone();
    let mut margin = Rational::new(1, 1_000_000_000_000_u64)?;
    while !is_within(&rho, delta, epsilon.value())? {
        let less = rho * (Rational::one() - &margin);
        rho = less.round_to_digits(DIGITS, Rounding::Down);
        margin = margin * Rational::integer(4);
    }
    Ok(Rho::new(rho)?)
}
