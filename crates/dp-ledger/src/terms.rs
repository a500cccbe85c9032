//! What a ledger counts: up to which limit, of promises about which neighbours, against whom.
//!
//! Promises add up only if they are about the same neighbours and hold against the same adversary.
//! One that says more than the ledger asks is taken as it stands or converted; one that says less
//! is refused:
//!
//! - **Trust model.** A promise that trusts fewer parties holds where more are trusted
//!   ([`TrustModel::implies`]).
//! - **From deletion to replacement.** Let D and D' differ in one client's measurement, and let D₀
//!   be either with the reference value in its place. D and D₀ are neighbours under deletion, D₀ and
//!   D' as well, and the promise holds in both directions. So for every set S
//!
//!   ```text
//!   P(M(D) ∈ S) ≤ e^ε·P(M(D₀) ∈ S) + δ ≤ e^ε·(e^ε·P(M(D') ∈ S) + δ) + δ,
//!   ```
//!
//!   which is (2ε, (1 + e^ε)·δ). D₀ occurs only in the middle: whether the reference is a valid
//!   measurement does not matter, as long as the promise under deletion speaks of it. In the same
//!   way ρ becomes 4ρ (Bun, Steinke 2016, Proposition 1.9), and τ of order α becomes 3τ of order
//!   α/2 (Mironov 2017, Proposition 2). `dp_calibration::conversion::for_group` computes them,
//!   rounded up.
//! - **From replacement to deletion** a promise holds only where the reference is a valid
//!   measurement, which a ledger cannot see: a histogram's is not. Refused.

use dp_calibration::{Adjacency, Budget, Error, TrustModel, conversion};
use dp_exact::{ParameterError, Rounding};
use serde::{Deserialize, Serialize};

use crate::charge::Charge;
use crate::{LedgerError, Release};

/// The limit of a ledger, its neighbour relation and its trust model.
///
/// ```
/// use dp_calibration::{Adjacency, Budget};
/// use dp_ledger::{Release, Terms};
///
/// let pure = |epsilon: &str| -> Result<Budget, dp_exact::ParameterError> {
///     Ok(Budget::Pure { epsilon: epsilon.parse()? })
/// };
/// let terms = Terms::new(pure("1")?);
/// let deletion = Release::new(pure("0.2")?).with_adjacency(Adjacency::Deletion);
/// assert_eq!(terms.charge("monday", &deletion)?, pure("0.4")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Terms {
    limit: Budget,
    adjacency: Adjacency,
    trust_model: TrustModel,
}

dp_exact::named_fields!(Terms: Serialize, Deserialize);

impl Terms {
    /// A limit for promises under replacement that hold if one aggregator is honest.
    #[must_use]
    pub const fn new(limit: Budget) -> Self {
        Self {
            limit,
            adjacency: Adjacency::Replacement,
            trust_model: TrustModel::OneAggregatorOneClient,
        }
    }

    /// The same for another neighbour relation.
    #[must_use]
    pub fn with_adjacency(self, adjacency: Adjacency) -> Self {
        Self { adjacency, ..self }
    }

    /// The same for another trust model.
    #[must_use]
    pub fn with_trust_model(self, trust_model: TrustModel) -> Self {
        Self {
            trust_model,
            ..self
        }
    }

    /// The limit.
    #[must_use]
    pub const fn limit(&self) -> &Budget {
        &self.limit
    }

    /// Which batches are neighbours.
    #[must_use]
    pub const fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// Who must be honest.
    #[must_use]
    pub const fn trust_model(&self) -> TrustModel {
        self.trust_model
    }

    /// What the release costs here: its budget, converted to the ledger's neighbour relation and
    /// rounded up to 30 digits. `name` is for the error.
    ///
    /// # Errors
    /// If the promise says less than the ledger asks, is of another kind than the limit, or has a
    /// parameter out of range.
    pub fn charge(&self, name: &str, release: &Release) -> Result<Budget, LedgerError> {
        let limit = self.limit_charge()?;
        self.charged(name, release, &limit)?.budget(Rounding::Up)
    }

    /// The limit, rounded down.
    pub(crate) fn limit_charge(&self) -> Result<Charge, LedgerError> {
        Charge::of(&self.limit, Rounding::Down)
    }

    pub(crate) fn charged(
        &self,
        name: &str,
        release: &Release,
        limit: &Charge,
    ) -> Result<Charge, LedgerError> {
        release.check()?;
        if !release.trust_model.implies(self.trust_model) {
            return Err(LedgerError::TrustModel {
                name: name.to_owned(),
                promised: release.trust_model,
                expected: self.trust_model,
            });
        }
        let budget = match (release.adjacency, self.adjacency) {
            (promised, expected) if promised == expected => release.budget.clone(),
            (Adjacency::Deletion, Adjacency::Replacement) => {
                conversion::for_group(&release.budget, 2)?
            }
            (promised, expected) => {
                return Err(LedgerError::Adjacency {
                    name: name.to_owned(),
                    promised,
                    expected,
                });
            }
        };
        let charge = Charge::of(&budget, Rounding::Up)?;
        if charge.is_of_the_kind_of(limit) {
            return Ok(charge);
        }
        let error = ParameterError::new("budget", &budget, limit.accepted());
        Err(LedgerError::Kind(Error::Parameter(error)))
    }
}
