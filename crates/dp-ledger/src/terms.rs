//! The terms of a ledger: limit, neighbour relation, trust model and rule.
//!
//! Guarantees add up only if they are about the same neighbours and hold against the same
//! adversary. A guarantee that trusts fewer parties holds where more are trusted. From deletion to
//! replacement it is converted, as a replacement is a deletion and its reverse. From replacement to
//! deletion it holds only where the reference is a valid measurement, which a ledger cannot see: it
//! is refused.

use dp_calibration::{Adjacency, Budget, TrustModel, conversion};
use dp_exact::Rounding;
use serde::{Deserialize, Serialize};

use crate::charged_amounts::ChargedAmounts;
use crate::concentrated_cost::{self, ConcentratedCost};
use crate::{Cost, LedgerError, Mechanism, Release, Rule};

/// The limit of a ledger, its neighbour relation, its trust model, and the rule by which it counts.
///
/// ```
/// use dp_calibration::{Adjacency, Budget};
/// use dp_ledger::{Release, Terms};
///
/// let pure = |epsilon: &str| -> Result<Budget, dp_exact::ParameterError> {
///     Ok(Budget::Pure { epsilon: epsilon.parse()? })
/// };
/// let terms = Terms::new(pure("1")?);
/// let deletion = Release { adjacency: Adjacency::Deletion, ..Release::new(pure("0.2")?) };
/// assert_eq!(terms.charge("monday", &deletion)?, pure("0.4")?.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The limit.
    pub limit: Budget,
    /// The neighbour relation.
    pub adjacency: Adjacency,
    /// The parties that must be honest.
    pub trust_model: TrustModel,
    /// The rule by which the ledger counts.
    pub rule: Rule,
}

impl Terms {
    /// A limit for guarantees under replacement that hold if one aggregator is honest, by basic
    /// composition.
    #[must_use]
    pub const fn new(limit: Budget) -> Self {
        Self {
            limit,
            adjacency: Adjacency::Replacement,
            trust_model: TrustModel::OneAggregatorOneClient,
            rule: Rule::Basic,
        }
    }

    /// The cost of a release under the ledger's neighbour relation and by its rule, rounded up to
    /// 30 digits. `name` names the release in an error.
    ///
    /// # Errors
    /// If the guarantee says less than the ledger asks, is of a kind that the rule does not add up,
    /// rests on aggregator noise without an honest aggregator, or has a parameter out of range.
    pub fn charge(&self, name: &str, release: &Release) -> Result<Cost, LedgerError> {
        let limit = self.limit_charge()?;
        Ok(self.charged(name, release, &limit)?.cost(Rounding::Up))
    }

    /// The limit in the amounts in which the rule counts, rounded down.
    pub(crate) fn limit_charge(&self) -> Result<ChargedAmounts, LedgerError> {
        match self.concentrated_limit() {
            None => ChargedAmounts::of(&self.limit, Rounding::Down),
            Some(limit) => limit.charge(Rounding::Down),
        }
    }

    /// The limit of approximate zero-concentrated privacy; `None` by another rule.
    fn concentrated_limit(&self) -> Option<ConcentratedCost> {
        let Rule::ZeroConcentrated { releases_delta, rho } = &self.rule else {
            return None;
        };
        let epsilon = match &self.limit {
            Budget::Approximate { epsilon, .. } => Some(epsilon.value().clone()),
            _ => None,
        };
        let (rho, delta) = (rho.value().clone(), releases_delta.value().clone());
        Some(ConcentratedCost { rho, delta, epsilon })
    }

    /// The cost of `release` in the amounts in which the rule counts, rounded up. `limit` is the
    /// terms' limit in these amounts; `name` is for error messages.
    pub(crate) fn charged(
        &self,
        name: &str,
        release: &Release,
        limit: &ChargedAmounts,
    ) -> Result<ChargedAmounts, LedgerError> {
        release.mechanism.check()?;
        if !release.trust_model.implies(self.trust_model) {
            return Err(LedgerError::TrustModel {
                name: name.to_owned(),
                guaranteed: release.trust_model,
                expected: self.trust_model,
            });
        }
        if release.trust_model.honest_aggregators() == 0
            && matches!(release.mechanism, Mechanism::Aggregators(_))
        {
            return Err(LedgerError::NoHonestAggregator {
                name: name.to_owned(),
                guaranteed: release.trust_model,
            });
        }
        let budget = self.converted(name, release)?;
        match self.concentrated_limit() {
            None => ChargedAmounts::of(&budget, Rounding::Up)?.counted_by(limit, &budget),
            Some(most) => {
                let cost = concentrated_cost::cost(release, &budget, self.adjacency, &most);
                cost.ok_or_else(|| limit.refuses(&budget))?.charge(Rounding::Up)
            }
        }
    }

    /// The budget of `release` under the ledger's neighbour relation. `name` is for error messages.
    fn converted(&self, name: &str, release: &Release) -> Result<Budget, LedgerError> {
        match (release.adjacency, self.adjacency) {
            (guaranteed, expected) if guaranteed == expected => Ok(release.budget.clone()),
            (Adjacency::Deletion, Adjacency::Replacement) => {
                Ok(conversion::for_group(&release.budget, 2)?)
            }
            (guaranteed, expected) => {
                Err(LedgerError::Adjacency { name: name.to_owned(), guaranteed, expected })
            }
        }
    }
}
