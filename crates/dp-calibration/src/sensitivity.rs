//! The largest change that one client makes to an aggregate.

use std::fmt::{self, Display, Formatter};

use num_bigint::BigUint;

use crate::{NormBound, WorstCaseDifference};

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

/// The worst difference of two neighbouring inputs, or a bound on one of its norms.
///
/// Integers have |d|₁ ≤ |d|₂² ≤ |d|₁²: a bound on either norm bounds the other, attained.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SensitivityBound {
    /// No difference is worse than this one.
    WorstCase(WorstCaseDifference),
    /// The L1 norm of every difference is at most this.
    L1(BigUint),
    /// The square of the L2 norm of every difference is at most this.
    L2Squared(BigUint),
    /// The product of a histogram with a strategy matrix.
    Matrix {
        /// The L1 norm of every difference is at most this.
        l1: BigUint,
        /// A bound on the L2 norm of every difference.
        norm: NormBound,
    },
}

impl SensitivityBound {
    /// The worst difference, if there is a single one.
    #[must_use]
    pub fn worst_case_difference(&self) -> Option<&WorstCaseDifference> {
        match self {
            Self::WorstCase(difference) => Some(difference),
            Self::L1(_) | Self::L2Squared(_) | Self::Matrix { .. } => None,
        }
    }

    /// The bound behind a strategy matrix, for wide Gaussian noise; `None` elsewhere.
    #[must_use]
    pub fn matrix_norm(&self) -> Option<&NormBound> {
        match self {
            Self::Matrix { norm, .. } => Some(norm),
            Self::WorstCase(_) | Self::L1(_) | Self::L2Squared(_) => None,
        }
    }

    /// Δ₁, the largest L1 norm that a difference can have.
    #[must_use]
    pub fn l1(&self) -> BigUint {
        match self {
            Self::WorstCase(difference) => difference.l1(),
            Self::L1(norm) | Self::L2Squared(norm) | Self::Matrix { l1: norm, .. } => norm.clone(),
        }
    }

    /// Δ₂², the largest square of an L2 norm that a difference can have.
    #[must_use]
    pub fn l2_squared(&self) -> BigUint {
        match self {
            Self::WorstCase(difference) => difference.l2_squared(),
            Self::L1(norm) => norm * norm,
            Self::L2Squared(norm) => norm.clone(),
            Self::Matrix { norm, .. } => norm.l2_squared.clone(),
        }
    }
}

impl From<WorstCaseDifference> for SensitivityBound {
    fn from(difference: WorstCaseDifference) -> Self {
        Self::WorstCase(difference)
    }
}

impl From<&WorstCaseDifference> for SensitivityBound {
    fn from(difference: &WorstCaseDifference) -> Self {
        Self::WorstCase(difference.clone())
    }
}

impl From<&Self> for SensitivityBound {
    fn from(sensitivity: &Self) -> Self {
        sensitivity.clone()
    }
}

impl Display for SensitivityBound {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorstCase(difference) if *difference == WorstCaseDifference::one_hot() => {
                formatter.write_str("a histogram under replacement, two counts that change by 1")
            }
            Self::WorstCase(difference) => {
                let (count, step) = (difference.coordinates(), difference.step());
                match count {
                    1 => write!(formatter, "one integer of sensitivity {step}"),
                    _ => write!(formatter, "{count} counts that change by {step}"),
                }
            }
            Self::L1(norm) => write!(formatter, "any query of L1 sensitivity {norm}"),
            Self::L2Squared(norm) => {
                write!(formatter, "any query of squared L2 sensitivity {norm}")
            }
            Self::Matrix { l1, norm } => {
                let NormBound { l2_squared, coordinates } = norm;
                write!(
                    formatter,
                    "a histogram behind a strategy matrix, {coordinates} integers of L1 sensitivity {l1} \
                     and squared L2 sensitivity {l2_squared}"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_on_one_norm_bounds_the_other() {
        let norms = |known: SensitivityBound| (known.l1(), known.l2_squared());
        let pair = |l1: u32, l2: u32| (BigUint::from(l1), BigUint::from(l2));
        // Seven coordinates changed by 1, and one changed by 7.
        assert_eq!(norms(SensitivityBound::L2Squared(7u32.into())), pair(7, 7));
        assert_eq!(norms(SensitivityBound::L1(7u32.into())), pair(7, 49));
        let difference = WorstCaseDifference::new(3, 5u32).expect("a worst-case difference");
        let known = SensitivityBound::WorstCase(difference);
        assert_eq!(known.to_string(), "3 counts that change by 5");
        assert_eq!(norms(known), pair(15, 75));
        let sum = SensitivityBound::WorstCase(
            WorstCaseDifference::new(1, 80u32).expect("a worst-case difference"),
        );
        assert_eq!(sum.to_string(), "one integer of sensitivity 80");
    }
}
