//! What can be wrong with parameters, measurements and noise: a value out of its range, a pair of
//! law and budget that is not available, a measurement that is not sent, what another crate refused.
//!
//! The parties have errors of their own: reports that do not verify are rejections, an aggregator's
//! batch has `BatchError`, the collector `CollectError`.

use std::fmt;

use dp_calibration::Budget;
use dp_exact::ParameterError;

/// An error of a policy or a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter or a measurement out of its range. The message names it, its value and what is
    /// accepted.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The calibration refused.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// The law of noise is not calibrated to budgets of this kind: nothing is proved of the pair.
    #[error("{law} noise is not calibrated to {budget}: expected {accepted}")]
    BudgetKind {
        /// The law, for people.
        law: &'static str,
        /// What was asked of it.
        budget: Box<Budget>,
        /// What it is calibrated to.
        accepted: &'static str,
    },
    /// A sampler refused its parameter, or a draw did not fit.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    /// The local randomizer refused its parameter.
    #[error(transparent)]
    Rappor(#[from] dp_rappor::Error),
    /// The randomized measurement has more ones than the task admits, so it is not sent.
    ///
    /// This happens at the policy's stated false-positive rate. Drawing again for the same
    /// measurement would change the distribution that the guarantee speaks of: do not.
    #[error("the randomized measurement has more than {max_weight} ones: not sent")]
    Dropped {
        /// The most that the task admits. How many there were is as private as the measurement.
        max_weight: usize,
    },
    /// Prio refused.
    #[error("prio, {operation}: {reason}")]
    Prio {
        /// What was asked of it.
        operation: &'static str,
        /// Its answer.
        reason: String,
    },
}

impl Error {
    /// [`Error::BudgetKind`].
    #[must_use]
    pub fn budget_kind(law: &'static str, budget: &Budget, accepted: &'static str) -> Self {
        Self::BudgetKind { law, budget: Box::new(budget.clone()), accepted }
    }

    #[cfg(feature = "parties")]
    pub(crate) fn prio(operation: &'static str, reason: impl fmt::Display) -> Self {
        Self::Prio { operation, reason: reason.to_string() }
    }
}

/// `value`, if it is one of `accepted`. For what is private there is [`admits`].
pub(crate) fn within<T>(
    name: &'static str,
    value: T,
    accepted: std::ops::RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: PartialOrd + fmt::Display,
{
    if accepted.contains(&value) {
        Ok(value)
    } else {
        let (low, high) = accepted.into_inner();
        Err(ParameterError::new(name, value, format!("an integer from {low} to {high}")))
    }
}

/// An error, if `value` is none of `accepted`, that does not show the value: it belongs to a
/// measurement.
pub(crate) fn admits<T>(
    name: &'static str,
    value: &T,
    accepted: std::ops::RangeInclusive<T>,
) -> Result<(), ParameterError>
where
    T: PartialOrd + fmt::Display,
{
    if accepted.contains(value) {
        return Ok(());
    }
    let (low, high) = accepted.into_inner();
    let accepted = format!("an integer from {low} to {high}");
    Err(ParameterError::new(name, "hidden", accepted))
}
