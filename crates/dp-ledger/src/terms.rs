//! The terms of a ledger: limit, neighbour relation, trust model and rule.
//!
//! Guarantees add up only if they are about the same neighbours and hold against the same
//! adversary. A guarantee that trusts fewer parties holds where more are trusted, and one for whole
//! measurements holds for one coordinate of them. Other neighbours than the ledger's are refused.

use dp_calibration::{Adjacency, Budget, Error, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, Rounding};
use serde::{Deserialize, Serialize};

use crate::amounts::Amounts;
use crate::{Cost, LedgerError, Mechanism, Release, Rule, concentrated_cost};

/// The limit of a ledger, its neighbour relation, its trust model, and the rule by which it counts.
///
/// ```
/// use dp_calibration::{Adjacency, Budget};
/// use dp_ledger::{Release, Terms};
///
/// let budget = Budget::Pure { epsilon: "0.2".parse()? };
/// let release = Release::new(budget.clone());
/// let terms = Terms::new(Budget::Pure { epsilon: "1".parse()? });
/// assert_eq!(terms.charge("monday", &release)?, budget.into());
/// let deletion = Release { adjacency: Adjacency::Deletion, ..release };
/// assert!(terms.charge("tuesday", &deletion).is_err());
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

    /// At most `releases` releases equal to `release`, which `limit` guarantees together: whoever
    /// calls this has certified it, under the neighbour relation and in the trust model of
    /// `release`, for an adversary who chooses the data of each release by the earlier ones.
    #[must_use]
    pub fn scheduled(limit: Budget, release: Release, releases: u64) -> Self {
        Self {
            limit,
            adjacency: release.adjacency,
            trust_model: release.trust_model,
            rule: Rule::Scheduled { releases, release: Box::new(release) },
        }
    }

    /// The cost of a release under the ledger's neighbour relation and by its rule, rounded up to
    /// 30 digits. `name` names the release in an error.
    ///
    /// # Errors
    /// If the guarantee says less than the ledger asks, is of a kind that the rule does not add up,
    /// rests on aggregator noise without an honest aggregator, or has a parameter out of range.
    pub fn charge(&self, name: &str, release: &Release) -> Result<Cost, LedgerError> {
        let cost = self.charged(name, release, &self.limit_amounts()?)?;
        Ok(self.cost(&cost, Rounding::Up))
    }

    /// The limit in the amounts in which the rule counts. `Err` if the rule counts no such budget,
    /// or an amount is out of range.
    pub(crate) fn limit_amounts(&self) -> Result<Amounts, LedgerError> {
        let limit = match &self.rule {
            Rule::Basic => Amounts::of(&self.limit),
            Rule::ZeroConcentrated { releases_delta, rho } => {
                let epsilon = match &self.limit {
                    Budget::Approximate { epsilon, .. } => Some(epsilon.value().clone()),
                    _ => None,
                };
                let (rho, delta) = (Some(rho.value().clone()), releases_delta.value().clone());
                Some(Amounts { delta, either: [rho, epsilon, None] })
            }
            Rule::Scheduled { releases, .. } => Some(Amounts::releases(*releases)),
        };
        limit.ok_or_else(|| self.refuses(&self.limit))?.checked()
    }

    /// A cost or a limit in words of the rule, each amount rounded to 30 digits.
    pub(crate) fn cost(&self, amounts: &Amounts, rounding: Rounding) -> Cost {
        self.exact_cost(amounts.rounded(rounding))
    }

    /// A cost or a limit in words of the rule. ε and ρ that are counted are above 0: each release
    /// and limit has one, and [`Amounts::after`] leaves none of 0. δ is below 1 as it is of a limit
    /// with its 30 digits; a file's entries beyond their limit are checked when it is read.
    pub(crate) fn exact_cost(&self, amounts: Amounts) -> Cost {
        let Amounts { delta, either: [rho, epsilon, releases] } = amounts;
        if let Some(releases) = releases {
            let releases = u64::try_from(releases.floor()).expect("a limit of 64 bits");
            return Cost::Scheduled { releases };
        }
        if let Rule::ZeroConcentrated { .. } = self.rule {
            // What is left of ε alone has no ρ: then no more of ρ may be spent.
            return Cost::Concentrated { rho: rho.unwrap_or_else(Rational::zero), delta, epsilon };
        }
        Cost::Sum(match epsilon.map(|epsilon| Epsilon::new(epsilon).expect("ε is above 0")) {
            Some(epsilon) if delta.is_zero() => Budget::Pure { epsilon },
            Some(epsilon) => Budget::approximate(epsilon, Delta::new(delta).expect("δ is below 1")),
            None => {
                let rho = rho.expect("basic composition counts ε or ρ");
                Budget::ZeroConcentrated { rho: Rho::new(rho).expect("ρ is above 0") }
            }
        })
    }

    /// The amounts of a recorded cost; `budget` is the release's. Refuses a cost of another rule.
    pub(crate) fn recorded(&self, cost: Cost, budget: &Budget) -> Result<Amounts, LedgerError> {
        let amounts = match (cost, &self.rule) {
            (Cost::Sum(sum), Rule::Basic) => self.counted(&sum),
            (Cost::Concentrated { rho, delta, epsilon }, Rule::ZeroConcentrated { .. }) => {
                Some(Amounts { delta, either: [Some(rho), epsilon, None] })
            }
            (Cost::Scheduled { releases }, Rule::Scheduled { .. }) => {
                Some(Amounts::releases(releases))
            }
            _ => None,
        };
        amounts.ok_or_else(|| self.refuses(budget))?.checked()
    }

    /// The amounts of a budget under basic composition; `None` unless it and the limit are both a ρ
    /// or both an ε, with or without a δ.
    fn counted(&self, budget: &Budget) -> Option<Amounts> {
        let is_rho = |budget: &Budget| matches!(budget, Budget::ZeroConcentrated { .. });
        (is_rho(budget) == is_rho(&self.limit)).then(|| Amounts::of(budget))?
    }

    /// The refusal of a budget that the rule does not count.
    fn refuses(&self, budget: &Budget) -> LedgerError {
        let accepted = match (&self.rule, &self.limit) {
            (Rule::Basic, Budget::ZeroConcentrated { .. }) => "a zero-concentrated budget",
            (Rule::Basic, Budget::Pure { .. } | Budget::Approximate { .. }) => {
                "a pure or approximate budget"
            }
            _ => "a pure, approximate or zero-concentrated budget",
        };
        LedgerError::Kind(Error::Parameter(ParameterError::new("budget", budget, accepted)))
    }

    /// The cost of `release` in the amounts in which the rule counts; `Err` as [`Self::charge`].
    /// `limit` is the terms' limit in these amounts; `name` is for error messages.
    pub(crate) fn charged(
        &self,
        name: &str,
        release: &Release,
        limit: &Amounts,
    ) -> Result<Amounts, LedgerError> {
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
        let (guaranteed, expected) = (release.adjacency, self.adjacency);
        // A replaced coordinate is a replaced measurement.
        let is_implied = guaranteed == expected
            || (guaranteed, expected) == (Adjacency::Replacement, Adjacency::OneCoordinate);
        if !is_implied {
            return Err(LedgerError::Adjacency { name: name.to_owned(), guaranteed, expected });
        }
        let cost = match &self.rule {
            Rule::Basic => self.counted(&release.budget),
            Rule::ZeroConcentrated { .. } => concentrated_cost::cost(release, limit),
            Rule::Scheduled { release: scheduled, .. } if release == &**scheduled => {
                Some(Amounts::releases(1))
            }
            Rule::Scheduled { release: scheduled, .. } => {
                let words = |release: &Release| match &release.task {
                    Some(task) => format!("the task {task}"),
                    None => release.budget.to_string(),
                };
                let (name, expected, found) = (name.to_owned(), words(scheduled), words(release));
                return Err(LedgerError::NotScheduled { name, expected, found });
            }
        };
        cost.ok_or_else(|| self.refuses(&release.budget))?.checked()
    }
}
