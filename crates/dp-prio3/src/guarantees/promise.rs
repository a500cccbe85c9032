//! What is promised under one trust model.

use std::fmt;

use dp_calibration::Budget;
use dp_exact::Delta;

/// What is promised under one trust model.
#[derive(Clone, Debug, PartialEq)]
pub enum Promise {
    /// Proved, with this budget.
    Proved(Budget),
    /// Proved with ε = 0: no set of outcomes differs in probability by more than δ. A budget has an
    /// ε above 0, so this is a promise of its own.
    TotalVariation {
        /// The most by which a probability may differ.
        delta: Delta,
        /// A budget that it keeps, as it keeps every one of this δ: what a ledger may count.
        counted_as: Budget,
    },
    /// There is no promise.
    Absent {
        /// Why.
        reason: String,
    },
}

impl Promise {
    /// The budget that is kept, if there is a promise: of [`Self::TotalVariation`] the one that it
    /// is counted as.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::Proved(budget)
            | Self::TotalVariation {
                counted_as: budget, ..
            } => Some(budget),
            Self::Absent { .. } => None,
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(budget) => write!(f, "{budget}"),
            Self::TotalVariation { delta, .. } => write!(
                f,
                "approximate differential privacy with epsilon 0 and delta {delta}"
            ),
            Self::Absent { reason } => write!(f, "no guarantee: {reason}"),
        }
    }
}
