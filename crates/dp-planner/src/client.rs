//! Noise of clients, and the error that it leaves.

use dp_calibration::{Budget, conversion, local};
use dp_exact::{Epsilon, Rational, Refusal, Rho, directed, elementary};

use crate::Error;

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// Flips bits with probability 1/(e^ε₀ + 1).
    Bits {
        /// ε₀
        epsilon0: Epsilon,
        /// In how many bits two measurements differ.
        changed: u64,
    },
    /// Answers with one of several values: k-ary randomized response.
    Answers {
        /// ε
        epsilon: Epsilon,
        /// How many values there are.
        answers: u64,
    },
}

impl Local {
    /// This noise with another parameter.
    pub(crate) fn at(&self, parameter: Epsilon) -> Self {
        match self {
            Self::Bits { changed, .. } => Self::Bits {
                epsilon0: parameter,
                changed: *changed,
            },
            Self::Answers { answers, .. } => Self::Answers {
                epsilon: parameter,
                answers: *answers,
            },
        }
    }

    /// ε₀, or the ε of an answer.
    pub(crate) const fn parameter(&self) -> &Epsilon {
        match self {
            Self::Bits { epsilon0, .. } => epsilon0,
            Self::Answers { epsilon, .. } => epsilon,
        }
    }

    /// How many randomized responses with this parameter a report is at most.
    const fn parts(&self) -> u64 {
        match self {
            Self::Bits { changed, .. } => *changed,
            Self::Answers { .. } => 1,
        }
    }

    /// How many counts one report changes.
    pub(crate) const fn counts(&self) -> u64 {
        match self {
            Self::Bits { changed, .. } => *changed,
            Self::Answers { .. } => 2,
        }
    }

    /// The largest parameter with which `reports` reports keep a pure ε.
    pub(crate) fn largest_pure(&self, epsilon: &Epsilon, reports: u64) -> Result<Epsilon, Error> {
        let all = Rational::from(self.parts().saturating_mul(reports));
        let share = epsilon.value().checked_div(&all);
        Ok(Epsilon::new(share.unwrap_or_else(Rational::zero))?)
    }

    /// ρ of `reports` reports, whoever reads them.
    pub(crate) fn rho(&self, reports: u64) -> Result<Rho, Error> {
        let each = conversion::pure_to_rho(self.parameter())?;
        let all = Rational::from(self.parts().saturating_mul(reports));
        Ok(Rho::new(each.value() * &all)?)
    }

    /// About the parameter at which `reports` reports have a mean privacy loss of ρ.
    pub(crate) fn about_of_rho(&self, rho: f64, reports: u64) -> f64 {
        let all = directed::count(self.parts().saturating_mul(reports));
        let mean = |parameter: f64| match self {
            Self::Bits { .. } => parameter * elementary::tanh(parameter / 2.0),
            Self::Answers { answers, .. } => {
                let others = directed::count(*answers) - 1.0;
                parameter * elementary::exp_m1(parameter) / (elementary::exp(parameter) + others)
            }
        };
        let is_high = |log: f64| mean(elementary::exp(log)) * all > rho;
        elementary::exp(dp_exact::search::halved((-20.0, 5.0), 50, is_high).0)
    }

    /// The parameter with which the bits or answers of all honest clients have the variance of
    /// Gaussian noise in every count.
    pub(crate) fn about_of_variance(&self, honest: u64, variance: f64) -> f64 {
        let honest = directed::count(honest);
        match self {
            Self::Bits { .. } => 2.0 * elementary::asinh(honest.sqrt() / (2.0 * variance.sqrt())),
            // (p − q)²/(nq) = 1/σ², with x = e^ε − 1.
            Self::Answers { answers, .. } => {
                let values = directed::count(*answers);
                let root = (honest * honest + 4.0 * variance * honest * values).sqrt();
                elementary::ln_1p((honest + root) / (2.0 * variance))
            }
        }
    }

    /// The variance of one estimate over `reports` reports: of k-ary answers where every value is
    /// held by an equal share.
    pub(crate) fn variance(&self, reports: u64, estimates: u64) -> f64 {
        let reports = directed::count(reports);
        match self {
            Self::Bits { epsilon0, .. } => {
                reports
                    / elementary::powi(2.0 * elementary::sinh(epsilon0.value().to_f64() / 2.0), 2)
            }
            Self::Answers { epsilon, answers } => {
                // By e^(−ε), which a large ε makes 0 where e^ε is infinite and 1 − own is lost in rounding.
                let shrunk = elementary::exp(-epsilon.value().to_f64());
                let wrong = directed::count(*answers) - 1.0;
                let own = (1.0 + wrong * shrunk).recip();
                let other = shrunk * own;
                let share = directed::count(estimates).recip();
                let each = share * own * (wrong * other) + (1.0 - share) * other * (1.0 - other);
                reports * each / elementary::powi(own - other, 2)
            }
        }
    }

    /// The factor by which noise in a total is multiplied when flips are corrected.
    pub(crate) fn slope(&self) -> f64 {
        match self {
            Self::Bits { epsilon0, .. } => {
                elementary::tanh(epsilon0.value().to_f64() / 2.0).recip()
            }
            Self::Answers { epsilon, answers } => {
                1.0 + directed::count(*answers) / elementary::exp_m1(epsilon.value().to_f64())
            }
        }
    }

    /// About the parameter with which an estimate over `reports` reports has this standard deviation.
    pub(crate) fn parameter_of_deviation(
        &self,
        reports: u64,
        estimates: u64,
        deviation: f64,
    ) -> Result<Epsilon, Error> {
        let is_enough = |log: f64| {
            let at = Rational::from_f64(elementary::exp(log)).and_then(Epsilon::new);
            at.is_ok_and(|parameter| {
                self.at(parameter).variance(reports, estimates).sqrt() <= deviation
            })
        };
        let (_, high) = dp_exact::search::halved((-20.0, 4.6), 60, is_enough);
        let value = Rational::from_f64(elementary::exp(high))?;
        let rounded = value.round_to_digits(9, dp_exact::Rounding::Up);
        Ok(Epsilon::new(rounded)?)
    }
}

/// ln 3, rounded up: the parameter of the coin-flip survey.
pub(crate) fn coin_flip() -> Result<Epsilon, Error> {
    Ok(local::coin_flip().guarantee()?)
}

/// Why there is no noise of clients for a budget of this kind.
pub(crate) fn of_another_kind(budget: &Budget) -> Error {
    let what = format!("the noise of clients for {budget}");
    Refusal::not_available(what, "give an epsilon or a rho").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two answers: e^(−ε) reports, one in two of each value, are flipped; e^ε is beyond 1e308 from
    /// ε = 710 on.
    #[test]
    fn no_epsilon_is_too_large_for_a_variance() {
        let local = |epsilon: &str| Local::Answers {
            epsilon: epsilon.parse().expect("an epsilon"),
            answers: 2,
        };
        let found = local("40").variance(1000, 1);
        assert!(
            (found / (1000.0 * (-40.0_f64).exp()) - 1.0).abs() < 1e-12,
            "{found}"
        );
        for epsilon in ["72", "100"] {
            let found = local(epsilon).variance(1000, 1);
            assert!((0.0..1e-27).contains(&found), "{epsilon}: {found}");
        }
    }
}
