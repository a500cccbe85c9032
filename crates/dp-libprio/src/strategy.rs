//! A strategy: a noise distribution, the budget to which it is calibrated, and a matrix for
//! percentiles or ranges.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Budget, Query};
use dp_exact::{Delta, Epsilon, ParameterError, Rho};
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_prio3::{Policy, WEAK, protects_nobody};
use prio::dp::{DifferentialPrivacyBudget, DifferentialPrivacyStrategy};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::{CalibratedNoise, CircuitQuery, Error};

/// The version of the written form and of its meaning: query and budget determine the distribution
/// of the noise.
pub const VERSION: u32 = 1;

/// The use of the sums of a histogram's buckets, which determines the strategy matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Purpose {
    Percentiles,
    Ranges,
}

impl Purpose {
    /// The family of strategy matrices for this purpose and noise; `None` for percentiles with
    /// Laplace noise, and for K-norm noise.
    const fn family(self, kind: NoiseKind) -> Option<StrategyFamily> {
        match (kind, self) {
            (NoiseKind::DiscreteGaussian, Self::Percentiles) => Some(StrategyFamily::Toeplitz),
            (NoiseKind::DiscreteGaussian, Self::Ranges) => Some(StrategyFamily::Circulant),
            (NoiseKind::DiscreteLaplace, Self::Ranges) => Some(StrategyFamily::FoldedTree),
            (NoiseKind::DiscreteLaplace, Self::Percentiles) | (NoiseKind::DiscreteKNorm, _) => None,
        }
    }
}

/// Noise at each aggregator, calibrated to a budget.
///
/// A strategy [for percentiles](Self::for_percentiles) or [for ranges](Self::for_ranges) of a
/// histogram multiplies the share by a public [matrix](dp_calibration::strategy_matrix) before it
/// adds the noise; [`CalibratedNoise::estimator`] solves for the histogram.
///
/// It is its own [`DifferentialPrivacyStrategy::Budget`], as libprio's conversion cannot fail. A
/// guarantee that [protects nobody](dp_prio3::protects_nobody), ρ by its ε at δ = 1e-9, is refused
/// unless the written form accepts it by `"accept_weak_guarantee": true`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "WrittenStrategy", into = "WrittenStrategy")]
pub struct Strategy {
    pub(crate) kind: NoiseKind,
    pub(crate) purpose: Option<Purpose>,
    budget: Budget,
    accepts_weak_guarantee: bool,
}

impl Strategy {
    /// Discrete Laplace noise, for a pure or an approximate budget.
    ///
    /// # Errors
    /// For a budget of another kind, numbers out of the range of [`Budget::check_range`], and a
    /// guarantee that protects nobody.
    pub fn discrete_laplace(budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(NoiseKind::DiscreteLaplace, None, budget.into(), false)
    }

    /// Discrete Gaussian noise, for an approximate or a zero-concentrated budget.
    ///
    /// # Errors
    /// As for [`Self::discrete_laplace`].
    pub fn discrete_gaussian(budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(NoiseKind::DiscreteGaussian, None, budget.into(), false)
    }

    /// Discrete K-norm noise, for a pure or an approximate budget: one draw for the whole share of
    /// a `Prio3SumVec` or a `Prio3MultihotCountVec` of 2 to 1000 entries.
    ///
    /// # Errors
    /// As for [`Self::discrete_laplace`].
    pub fn discrete_k_norm(budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(NoiseKind::DiscreteKNorm, None, budget.into(), false)
    }

    /// The strategy of these fields. `Err` for a budget out of its range or of a kind that the
    /// noise cannot keep, for percentiles with Laplace noise, for a matrix with K-norm noise, and
    /// for a wrong `accepts_weak_guarantee` ([`check_strength`]).
    pub(crate) fn new(
        kind: NoiseKind,
        purpose: Option<Purpose>,
        budget: Budget,
        accepts_weak_guarantee: bool,
    ) -> Result<Self, Error> {
        kind.check_kind(&budget)?;
        budget.check_range()?;
        check_strength(&budget, accepts_weak_guarantee)?;
        if let Some(purpose) = purpose
            && purpose.family(kind).is_none()
        {
            let value = if purpose == Purpose::Ranges { "ranges" } else { "percentiles" };
            let accepted = match kind {
                NoiseKind::DiscreteKNorm => "no such field with discrete_k_norm noise",
                _ => "ranges, with discrete_laplace noise",
            };
            return Err(ParameterError::new("matrix", value, accepted).into());
        }
        Ok(Self { kind, purpose, budget, accepts_weak_guarantee })
    }

    /// The noise of a policy's aggregators as a strategy, which accepts a weak guarantee where the
    /// policy has one; `None` if they draw no noise.
    #[must_use]
    pub fn of(policy: &Policy) -> Option<Self> {
        let budget = policy.mechanism()?.budget().clone();
        let noise = policy.parts().aggregator_noise.as_ref()?.kind();
        let purpose = noise.strategy().map(|family| match family {
            StrategyFamily::Toeplitz => Purpose::Percentiles,
            StrategyFamily::Circulant | StrategyFamily::FoldedTree => Purpose::Ranges,
        });
        let accepts_weak_guarantee = is_weak(&budget);
        Some(Self { kind: noise.noise_kind()?, purpose, budget, accepts_weak_guarantee })
    }

    /// The strategy with the matrix for percentiles of a histogram: its prefix sums. Gaussian noise
    /// alone.
    ///
    /// # Errors
    /// [`Error::Parameter`] for Laplace noise, whose matrix for percentiles is the one for ranges,
    /// and for K-norm noise.
    pub fn for_percentiles(self) -> Result<Self, Error> {
        let purpose = Some(Purpose::Percentiles);
        Self::new(self.kind, purpose, self.budget, self.accepts_weak_guarantee)
    }

    /// The strategy with the matrix for ranges of a histogram: sums of consecutive buckets.
    ///
    /// # Errors
    /// [`Error::Parameter`] for K-norm noise.
    pub fn for_ranges(self) -> Result<Self, Error> {
        let purpose = Some(Purpose::Ranges);
        Self::new(self.kind, purpose, self.budget, self.accepts_weak_guarantee)
    }

    /// The strategy matrix that shares are multiplied by, if there is one.
    #[must_use]
    pub fn matrix(&self) -> Option<StrategyFamily> {
        self.purpose.and_then(|purpose| purpose.family(self.kind))
    }

    /// Whether the guarantee protects nobody, and was accepted all the same.
    pub const fn accepts_weak_guarantee(&self) -> bool {
        self.accepts_weak_guarantee
    }

    /// The cost of one release with this strategy, under replacement of one measurement.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The noise that keeps the budget for `query`, a histogram if the strategy has a matrix.
    ///
    /// # Errors
    /// If the query's parameters are out of range, or no measurement changes the result (a
    /// histogram of one bucket); with a matrix, if the query is no histogram of 3 to 16 384
    /// buckets; for K-norm noise, if it is no vector of 2 to 1000 numbers or bits.
    pub fn noise(&self, query: &Query) -> Result<CalibratedNoise, Error> {
        let is_vector = matches!(query, Query::SumVec { .. } | Query::MultihotCountVec { .. });
        if self.kind == NoiseKind::DiscreteKNorm && !is_vector {
            let accepted =
                "sumvec:LENGTH:MAX or multihot:LENGTH:WEIGHT, as noise is discrete_k_norm";
            return Err(ParameterError::new("query", query, accepted).into());
        }
        let query = match (self.matrix(), query) {
            (Some(family), &Query::Histogram { length }) => {
                Query::HistogramRanges { length, family }
            }
            (own, Query::HistogramRanges { family, .. }) if own == Some(*family) => query.clone(),
            (own @ Some(_), _) | (own, Query::HistogramRanges { .. }) => {
                let accepted = match own {
                    Some(_) => "histogram:LENGTH, as the strategy has a matrix",
                    None => "a query without a matrix, as the strategy has none",
                };
                return Err(ParameterError::new("query", query, accepted).into());
            }
            (None, _) => query.clone(),
        };
        let mechanism = NoiseMechanism::calibrate(self.kind, &query, &self.budget)?;
        Ok(CalibratedNoise { mechanism, matrix: query.strategy_matrix(), query })
    }

    /// Adds noise to an aggregate share over `reports` reports, entry by entry, after a
    /// multiplication by the matrix if the strategy has one.
    ///
    /// # Errors
    /// As [`CircuitQuery::enforced_query`], [`noise`](Self::noise) and [`CalibratedNoise::add_to`].
    /// **The share must not be released then.**
    pub fn add_noise<C, R>(
        &self,
        circuit: &C,
        share: &mut [C::Field],
        reports: usize,
        rng: &mut R,
    ) -> Result<(), Error>
    where
        C: CircuitQuery,
        R: CryptoRng + ?Sized,
    {
        self.noise(&circuit.enforced_query()?)?.add_to(share, reports, rng)
    }
}

/// Whether the guarantee of a budget protects nobody. A zero-concentrated budget is judged by its ε
/// at δ = 1e-9.
fn is_weak(budget: &Budget) -> bool {
    protects_nobody(budget, &"1e-9".parse::<Delta>().expect("a valid delta"))
}

/// `Err` if the guarantee of `budget` protects nobody and this is not accepted, or if it is marked
/// as accepted and the guarantee protects somebody.
fn check_strength(budget: &Budget, is_accepted: bool) -> Result<(), Error> {
    let (value, accepted) = match (is_weak(budget), is_accepted) {
        (true, false) => {
            let why = WEAK.trim_end_matches('.');
            ("missing", format!("true, as the strategy guarantees {budget}. {why}"))
        }
        (false, true) => {
            ("true", format!("no such field with {budget}, which is no weak guarantee"))
        }
        (true, true) | (false, false) => return Ok(()),
    };
    Err(ParameterError::new("accept_weak_guarantee", value, accepted).into())
}

impl DifferentialPrivacyBudget for Strategy {}

impl DifferentialPrivacyStrategy for Strategy {
    type Budget = Self;

    fn from_budget(budget: Self) -> Self {
        budget
    }
}

/// The fields of a strategy before they are checked.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields, rename = "Strategy")]
struct WrittenStrategy {
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
#[serde(remote = "Self", deny_unknown_fields, rename = "budget")]
struct WrittenBudget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pure: Option<Pure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approximate: Option<Approximate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    zero_concentrated: Option<ZeroConcentrated>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct Pure {
    epsilon: Epsilon,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct Approximate {
    epsilon: Epsilon,
    delta: Delta,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct ZeroConcentrated {
    rho: Rho,
}

dp_exact::as_map!(WrittenStrategy, WrittenBudget, Pure, Approximate, ZeroConcentrated);

impl From<Strategy> for WrittenStrategy {
    fn from(strategy: Strategy) -> Self {
        let mut budget = WrittenBudget::default();
        match strategy.budget {
            Budget::Pure { epsilon } => budget.pure = Some(Pure { epsilon }),
            Budget::Approximate { epsilon, delta } => {
                budget.approximate = Some(Approximate { epsilon, delta });
            }
            Budget::ZeroConcentrated { rho } => {
                budget.zero_concentrated = Some(ZeroConcentrated { rho });
            }
            Budget::Renyi { .. } => unreachable!("no noise is calibrated to a Rényi budget"),
        }
        Self {
            version: VERSION,
            law: strategy.kind,
            matrix: strategy.purpose,
            budget,
            accept_weak_guarantee: strategy.accepts_weak_guarantee,
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
