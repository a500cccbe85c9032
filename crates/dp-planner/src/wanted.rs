//! What is wanted: a budget, an accuracy, or both.

use std::fmt;
use std::str::FromStr;

use dp_calibration::{Budget, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Refusal};

use crate::{Error, Job};

/// Whom the guarantee has to hold against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// All aggregators, the collector and all other clients together: OC.
    AllAggregators,
    /// All aggregators but one, the collector and all other clients together: OAOC.
    #[default]
    OneAggregator,
    /// All aggregators but one, the collector and a minority of the clients: OAMC.
    Collector,
}

impl Against {
    /// The trust model.
    #[must_use]
    pub const fn trust_model(self) -> TrustModel {
        match self {
            Self::AllAggregators => TrustModel::OneClient,
            Self::OneAggregator => TrustModel::OneAggregatorOneClient,
            Self::Collector => TrustModel::OneAggregatorMostClients,
        }
    }
}

impl FromStr for Against {
    type Err = ParameterError;

    /// Reads `all-aggregators` or OC, `one-aggregator` or OAOC, `collector` or OAMC, in any case.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "all-aggregators" | "oc" => Ok(Self::AllAggregators),
            "one-aggregator" | "oaoc" => Ok(Self::OneAggregator),
            "collector" | "oamc" => Ok(Self::Collector),
            _ => {
                let accepted = "collector (OAMC: one aggregator and most clients are honest), \
                                one-aggregator (OAOC: one aggregator is) or all-aggregators (OC: nobody \
                                else is)";
                Err(ParameterError::new("against", text, accepted))
            }
        }
    }
}

/// What a budget is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Each release by itself.
    #[default]
    Release,
    /// All releases together.
    Total,
}

/// A size of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// In the unit of the estimate: counts, for example.
    Absolute(Rational),
    /// Of the largest value that an estimate can have: of the clients, where clients are counted.
    Fraction(Rational),
}

impl FromStr for Amount {
    type Err = ParameterError;

    /// Reads a number, or a number with `%`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let accepted = "a number above 0, or a fraction above 0 % such as 1%";
        let refused = || ParameterError::new("accuracy", text, accepted);
        let trimmed = text.trim();
        let percent = trimmed.strip_suffix('%');
        let value: Rational = percent.unwrap_or(trimmed).trim().parse()?;
        if !value.is_positive() {
            return Err(refused());
        }
        match percent {
            None => Ok(Self::Absolute(value)),
            Some(_) => {
                let value = value.checked_div(&Rational::integer(100));
                Ok(Self::Fraction(value.ok_or_else(refused)?))
            }
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absolute(value) => write!(formatter, "{value}"),
            Self::Fraction(part) => write!(formatter, "{}%", part * &Rational::integer(100)),
        }
    }
}

/// How accurate one estimate has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// Its standard deviation is at most this.
    StandardDeviation(Amount),
    /// It is off by more than this with a probability of at most 5 %.
    Margin(Amount),
}

impl Accuracy {
    pub(crate) const fn amount(&self) -> &Amount {
        match self {
            Self::StandardDeviation(amount) | Self::Margin(amount) => amount,
        }
    }
}

/// What is wanted of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The budget, if one is given.
    pub budget: Option<Budget>,
    /// The accuracy, if one is given.
    pub accuracy: Option<Accuracy>,
    /// The δ at which ε is stated; 0 where only pure guarantees count.
    pub delta: Delta,
    /// What the budget is about, or the ε that is to be least.
    pub scope: Scope,
    /// Whom the guarantee has to hold against.
    pub against: Against,
    /// The ε that has to be left if all aggregators collude, at the same δ and scope, where that is
    /// asked for.
    pub if_all_collude: Option<Epsilon>,
}

impl Wanted {
    /// A budget for each release, against all but one aggregator. Guarantees are stated at its δ, at
    /// 1e-9 where it is a ρ.
    ///
    /// # Errors
    /// None in practice: 0 and 1e-9 are deltas.
    pub fn budget(budget: Budget) -> Result<Self, Error> {
        let delta = match &budget {
            Budget::Approximate { delta, .. } => delta.clone(),
            Budget::Pure { .. } => Delta::new(Rational::zero())?,
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => "1e-9".parse()?,
        };
        Ok(Self { budget: Some(budget), ..Self::at(delta) })
    }

    /// An accuracy, for the least ε at δ.
    #[must_use]
    pub fn accuracy(accuracy: Accuracy, delta: Delta) -> Self {
        Self { accuracy: Some(accuracy), ..Self::at(delta) }
    }

    fn at(delta: Delta) -> Self {
        Self {
            budget: None,
            accuracy: None,
            delta,
            scope: Scope::default(),
            against: Against::default(),
            if_all_collude: None,
        }
    }

    /// How many releases of a job the budget is for.
    #[must_use]
    pub const fn counted(&self, job: &Job) -> u32 {
        match self.scope {
            Scope::Release => 1,
            Scope::Total => job.releases,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.budget.is_none() && self.accuracy.is_none() {
            let accepted = "a budget (--epsilon and --delta, or --rho), an accuracy (--std or \
                            --margin), or both";
            return Err(Refusal::missing("what is wanted", accepted).into());
        }
        if let (Some(left), None) = (&self.if_all_collude, &self.budget) {
            let place = "without a budget against the others";
            let change = "give --epsilon or --rho as well";
            return Err(Refusal::contradiction("if-all-collude", left, place, change).into());
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
