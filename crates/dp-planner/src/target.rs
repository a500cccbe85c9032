//! The target of a plan: a privacy budget, an accuracy, or both, in one trust model.

use std::fmt;
use std::str::FromStr;

use dp_calibration::{Budget, Refusal, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational};
use dp_task::DEFAULT_DELTA;

use crate::{Error, Job};

/// The trust model of a guarantee against an adversary: `all-aggregators` or OC, `one-aggregator`
/// or OAOC, `collector` or OAMC, in any case.
///
/// # Errors
/// If the text is none of these names.
pub fn trust_model_against(text: &str) -> Result<TrustModel, ParameterError> {
    match text.trim().to_ascii_lowercase().as_str() {
        "all-aggregators" | "oc" => Ok(TrustModel::OneClient),
        "one-aggregator" | "oaoc" => Ok(TrustModel::OneAggregatorOneClient),
        "collector" | "oamc" => Ok(TrustModel::OneAggregatorMostClients),
        _ => {
            let accepted = "collector (OAMC: one aggregator and most clients are honest), \
                            one-aggregator (OAOC: one aggregator is) or all-aggregators (OC: nobody \
                            else is)";
            Err(ParameterError::new("against", text, accepted))
        }
    }
}

/// Whether a budget applies to each release or to all releases together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BudgetScope {
    /// The budget applies to each release by itself.
    #[default]
    Release,
    /// The budget applies to all releases together.
    Total,
}

/// Upper bound on the error of one estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorBound {
    /// In the unit of the estimate: counts, for example.
    Absolute(Rational),
    /// As a fraction of the largest value of an estimate: of the number of clients for a count.
    Fraction(Rational),
}

impl FromStr for ErrorBound {
    type Err = ParameterError;

    /// Reads a number, or a number with `%`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let trimmed = text.trim();
        let percent = trimmed.strip_suffix('%');
        let value: Rational = percent.unwrap_or(trimmed).trim().parse()?;
        if !value.is_positive() {
            let accepted = "a number above 0, or a fraction above 0 % such as 1%";
            return Err(ParameterError::new("accuracy", text, accepted));
        }
        Ok(match percent {
            None => Self::Absolute(value),
            Some(_) => Self::Fraction(&value * &Rational::new(1, 100)?),
        })
    }
}

impl fmt::Display for ErrorBound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absolute(value) => write!(formatter, "{value}"),
            Self::Fraction(value) => write!(formatter, "{}%", value * &Rational::integer(100)),
        }
    }
}

/// Required accuracy of one estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Upper bound on the standard deviation.
    StandardDeviation(ErrorBound),
    /// Upper bound on the absolute error, which may be exceeded with probability 5 %.
    Margin(ErrorBound),
}

/// The δ of a pure budget, 0.
pub(crate) fn no_delta() -> Delta {
    Delta::new(Rational::zero()).expect("0 is accepted")
}

/// The δ at which ε is reported for a ρ, [`DEFAULT_DELTA`].
pub(crate) fn default_delta() -> Delta {
    DEFAULT_DELTA.parse().expect("the default is accepted")
}

/// What a policy has to achieve for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The budget to keep, if one is given.
    pub budget: Option<Budget>,
    /// The accuracy to reach, if one is given.
    pub accuracy: Option<Accuracy>,
    /// The δ at which ε is reported; 0 if only pure guarantees count.
    pub delta: Delta,
    /// Whether the budget, or the ε to minimize, is per release or in total.
    pub scope: BudgetScope,
    /// Trust model of the guarantee: OC, OAOC or OAMC.
    pub trust_model: TrustModel,
    /// Upper bound on ε if all aggregators collude, at the same δ and scope.
    pub if_all_collude: Option<Epsilon>,
}

impl Target {
    /// A budget for each release in OAOC. ε is reported at the budget's δ, or at [`DEFAULT_DELTA`]
    /// for a ρ.
    #[must_use]
    pub fn budget(budget: Budget) -> Self {
        let delta = match &budget {
            Budget::Approximate { delta, .. } => delta.clone(),
            Budget::Pure { .. } => no_delta(),
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => default_delta(),
        };
        Self { budget: Some(budget), ..Self::at(delta) }
    }

    /// An accuracy, to be reached with the smallest ε at `delta` for each release in OAOC.
    #[must_use]
    pub fn accuracy(accuracy: Accuracy, delta: Delta) -> Self {
        Self { accuracy: Some(accuracy), ..Self::at(delta) }
    }

    /// A target at this δ for each release in OAOC, without budget and accuracy, which it needs.
    fn at(delta: Delta) -> Self {
        Self {
            budget: None,
            accuracy: None,
            delta,
            scope: BudgetScope::Release,
            trust_model: TrustModel::OneAggregatorOneClient,
            if_all_collude: None,
        }
    }

    /// Number of releases of the job that share the budget.
    #[must_use]
    pub const fn counted_releases(&self, job: &Job) -> u32 {
        match self.scope {
            BudgetScope::Release => 1,
            BudgetScope::Total => job.releases,
        }
    }

    /// Refuses a target without budget and accuracy, with a trust model other than OC, OAOC and
    /// OAMC, with `if_all_collude` but no budget, or with a budget of Rényi privacy or out of
    /// range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.budget.is_none() && self.accuracy.is_none() {
            let accepted = "a budget (--epsilon and --delta, or --rho), an accuracy (--std or \
                            --margin), or both";
            return Err(Refusal::missing("a target", accepted).into());
        }
        if self.trust_model.honest_aggregators() > 1 {
            let model = self.trust_model.abbreviation();
            return Err(ParameterError::new("against", model, "OC, OAOC or OAMC").into());
        }
        if let (Some(epsilon), None) = (&self.if_all_collude, &self.budget) {
            let conflict = "without a budget in the trust model of the target";
            let change = "give --epsilon or --rho as well";
            return Err(Refusal::contradiction("if-all-collude", epsilon, conflict, change).into());
        }
        match &self.budget {
            Some(budget @ Budget::Renyi { .. }) => {
                let accepted = "an epsilon, an epsilon with a delta, or a rho";
                Err(ParameterError::new("budget", budget, accepted).into())
            }
            Some(budget) => Ok(budget.check_range()?),
            None => Ok(()),
        }
    }
}
