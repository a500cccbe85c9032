//! The largest change that one client makes to an aggregate.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use num_bigint::BigUint;

use crate::norm_gaussian::NormBound;
use crate::{NoiseDistribution, NoiseKind, WorstCaseDifference};

/// The largest norms of x − y over the contributions x and y of one client in neighbouring
/// batches. Exact integers, in the unit of the aggregate.
///
/// The L2 norm is kept squared, so that √2 stays exact. No pair need reach all three.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sensitivity {
    /// max ‖x − y‖₁
    pub l1: BigUint,
    /// max ‖x − y‖₂²
    pub l2_squared: BigUint,
    /// max ‖x − y‖_∞
    pub linf: BigUint,
}

/// What one person changes at most, in a release or in several: the worst difference of two
/// neighbouring inputs, or bounds on the norms of all differences.
///
/// Integers have |d|₁ ≤ |d|₂² ≤ |d|₁²: a bound on either norm bounds the other, attained.
///
/// ```
/// use dp_calibration::{Adjacency, NoiseDistribution, Query};
///
/// // Thirty histograms in which one person has one report each.
/// let query = Query::Histogram { length: 24 };
/// let contribution = query.contribution(Adjacency::Replacement, 1, 30)?;
/// let distribution = NoiseDistribution::DiscreteGaussian { variance: "1070.3".parse()? };
/// let (epsilon, _) = contribution.loss(&distribution, &"1e-6".parse()?, 1)?;
/// assert!((epsilon.to_f64() - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SensitivityBound {
    /// The worst difference for Laplace noise; `None` if more than 2^32 coordinates change.
    pub(crate) laplace: Option<WorstCaseDifference>,
    /// The worst difference for Gaussian noise, if it is known.
    pub(crate) gaussian: Option<WorstCaseDifference>,
    /// One entry with the largest change in each release; `None` if it is not known.
    pub(crate) largest: Option<WorstCaseDifference>,
    /// The number of rows of a strategy matrix, in all releases; `None` without a matrix.
    pub(crate) matrix: Option<BigUint>,
    /// The largest L1 norm of a difference.
    pub(crate) l1: BigUint,
    /// Upper bound on the squared L2 norm of every difference.
    pub(crate) l2_squared: BigUint,
    /// Whether a norm is all that is known: the worst difference is one of many.
    pub(crate) is_norm: bool,
}

impl SensitivityBound {
    /// Every difference whose L1 norm is at most this: all of it on one coordinate is the worst.
    #[must_use]
    pub fn of_l1(norm: BigUint) -> Self {
        let bound = Self::of_l2_squared(norm.clone());
        Self { gaussian: bound.laplace.clone(), l2_squared: norm.pow(2), ..bound }
    }

    /// Every difference whose squared L2 norm is at most this.
    #[must_use]
    pub fn of_l2_squared(norm: BigUint) -> Self {
        // All of the L1 norm on one coordinate is the worst for Laplace noise.
        let laplace = WorstCaseDifference::new(1, norm.clone()).ok();
        let (l1, l2_squared) = (norm.clone(), norm);
        Self { laplace, gaussian: None, largest: None, matrix: None, l1, l2_squared, is_norm: true }
    }

    /// The change that accounts for noise of this kind, with the distribution of one integer
    /// ([`VectorNoise::accounted`](crate::VectorNoise::accounted)): for K-norm noise one entry that
    /// takes the largest change in each release, for other noise this one.
    #[must_use]
    pub fn accounted(&self, kind: NoiseKind) -> Cow<'_, Self> {
        match (kind, &self.largest) {
            (NoiseKind::DiscreteKNorm, Some(largest)) => Cow::Owned(largest.into()),
            // All changes of independent noise are no less than the largest.
            _ => Cow::Borrowed(self),
        }
    }

    /// The worst difference for noise of either distribution, if there is a single one.
    #[must_use]
    pub const fn worst_case_difference(&self) -> Option<&WorstCaseDifference> {
        self.gaussian.as_ref()
    }

    /// A difference with the largest ρ under this distribution of noise. For Gaussian noise that is
    /// any difference of the largest L2 norm, as ρ depends on the norm alone. `None` if no such
    /// difference is known, or more than 2^32 coordinates change.
    #[must_use]
    pub fn largest_difference(&self, noise: &NoiseDistribution) -> Option<&WorstCaseDifference> {
        let is_laplace = noise.kind() == NoiseKind::DiscreteLaplace;
        self.laplace.as_ref().filter(|worst| is_laplace || worst.l2_squared() == self.l2_squared)
    }

    /// Whether the differences are those behind a strategy matrix.
    #[must_use]
    pub const fn is_behind_matrix(&self) -> bool {
        self.matrix.is_some()
    }

    /// The bound for Gaussian noise by the L2 norm: every row of a strategy matrix may change, and
    /// without a matrix as many integers as the L1 norm says.
    pub(crate) fn norm(&self) -> NormBound {
        let coordinates = self.matrix.as_ref().unwrap_or(&self.l1).clone();
        NormBound { l2_squared: self.l2_squared.clone(), coordinates }
    }

    /// Whether a norm is all that is known: the worst difference is one of many.
    #[must_use]
    pub const fn is_norm(&self) -> bool {
        self.is_norm
    }

    /// Δ₁, the largest L1 norm that a difference can have.
    pub const fn l1(&self) -> &BigUint {
        &self.l1
    }

    /// Δ₂², the largest square of an L2 norm that a difference can have.
    pub const fn l2_squared(&self) -> &BigUint {
        &self.l2_squared
    }
}

impl From<WorstCaseDifference> for SensitivityBound {
    fn from(difference: WorstCaseDifference) -> Self {
        let (l1, l2_squared) = (difference.l1(), difference.l2_squared());
        let laplace = Some(difference.clone());
        let gaussian = Some(difference);
        let (largest, matrix, is_norm) = (None, None, false);
        Self { laplace, gaussian, largest, matrix, l1, l2_squared, is_norm }
    }
}

impl From<&WorstCaseDifference> for SensitivityBound {
    fn from(difference: &WorstCaseDifference) -> Self {
        difference.clone().into()
    }
}

impl From<&Self> for SensitivityBound {
    fn from(sensitivity: &Self) -> Self {
        sensitivity.clone()
    }
}

impl Display for SensitivityBound {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { l1, l2_squared, .. } = self;
        match (&self.gaussian, &self.matrix) {
            (Some(_), _) if self.is_norm => {
                write!(formatter, "any query of L1 sensitivity {l1}")
            }
            (Some(difference), _) if *difference == WorstCaseDifference::one_hot() => {
                formatter.write_str("a histogram under replacement, two counts that change by 1")
            }
            (Some(difference), _) => match (difference.coordinates(), difference.step()) {
                (1, step) => write!(formatter, "one integer of sensitivity {step}"),
                (count, step) => write!(formatter, "{count} counts that change by {step}"),
            },
            (None, Some(rows)) => write!(
                formatter,
                "a histogram behind a strategy matrix, {rows} integers of L1 sensitivity {l1} \
                 and squared L2 sensitivity {l2_squared}"
            ),
            (None, None) => write!(formatter, "any query of squared L2 sensitivity {l2_squared}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_on_one_norm_bounds_the_other() {
        let difference = |coordinates, step: u32| {
            SensitivityBound::from(WorstCaseDifference::new(coordinates, step).expect("in range"))
        };
        for (bound, l1, l2_squared, written) in [
            // Seven coordinates changed by 1, and one changed by 7.
            (
                SensitivityBound::of_l2_squared(7u32.into()),
                7u32,
                7u32,
                "any query of squared L2 sensitivity 7",
            ),
            (SensitivityBound::of_l1(7u32.into()), 7, 49, "any query of L1 sensitivity 7"),
            (difference(3, 5), 15, 75, "3 counts that change by 5"),
            (difference(1, 80), 80, 6400, "one integer of sensitivity 80"),
        ] {
            assert_eq!((bound.l1(), bound.l2_squared()), (&l1.into(), &l2_squared.into()));
            assert_eq!(bound.to_string(), written);
        }
    }
}
