//! Noise of clients, and the error that it leaves.

use dp_calibration::{conversion, local};
use dp_exact::{Epsilon, Rational, Rho, directed, elementary};

use crate::Error;

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    /// ε₀ of a bit, or the ε of an answer.
    pub(crate) parameter: Epsilon,
    pub(crate) kind: Kind,
}

/// How a client randomizes, and over how many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It flips bits with probability 1/(e^ε₀ + 1). Two measurements differ in so many of them.
    Bits(u64),
    /// It answers with one of so many values: k-ary randomized response.
    Answers(u64),
}

impl Local {
    /// This noise with another parameter.
    pub(crate) const fn at(&self, parameter: Epsilon) -> Self {
        let kind = self.kind;
        Self { parameter, kind }
    }

    /// How many randomized responses with this parameter a report is at most.
    const fn parts(&self) -> u64 {
        match self.kind {
            Kind::Bits(changed) => changed,
            Kind::Answers(_) => 1,
        }
    }

    /// How many counts one report changes.
    pub(crate) const fn counts(&self) -> u64 {
        match self.kind {
            Kind::Bits(changed) => changed,
            Kind::Answers(_) => 2,
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
        let each = conversion::pure_to_rho(&self.parameter)?;
        let all = Rational::from(self.parts().saturating_mul(reports));
        Ok(Rho::new(each.value() * &all)?)
    }

    /// About the parameter at which `reports` reports have a mean privacy loss of ρ.
    pub(crate) fn about_of_rho(&self, rho: f64, reports: u64) -> f64 {
        let all = directed::count(self.parts().saturating_mul(reports));
        let mean = |parameter: f64| match self.kind {
            Kind::Bits(_) => parameter * elementary::tanh(parameter / 2.0),
            Kind::Answers(answers) => {
                let others = directed::count(answers) - 1.0;
                parameter * elementary::exp_m1(parameter) / (elementary::exp(parameter) + others)
            }
        };
        let is_high = |log: f64| mean(elementary::exp(log)) * all > rho;
        elementary::exp(dp_exact::search::bisect_floats((-20.0, 5.0), 50, is_high).0)
    }

    /// The parameter with which the bits or answers of all honest clients have the variance of
    /// Gaussian noise in every count.
    pub(crate) fn about_of_variance(&self, honest: u64, variance: f64) -> f64 {
        let honest = directed::count(honest);
        match self.kind {
            Kind::Bits(_) => 2.0 * elementary::asinh(honest.sqrt() / (2.0 * variance.sqrt())),
            // (p − q)²/(nq) = 1/σ², with x = e^ε − 1.
            Kind::Answers(answers) => {
                let values = directed::count(answers);
                let root = (honest * honest + 4.0 * variance * honest * values).sqrt();
                elementary::ln_1p((honest + root) / (2.0 * variance))
            }
        }
    }

    /// The variance of one estimate over `reports` reports: of k-ary answers where every value is
    /// held by an equal share.
    pub(crate) fn variance(&self, reports: u64, estimates: u64) -> f64 {
        let (reports, epsilon) = (directed::count(reports), self.parameter.value().to_f64());
        match self.kind {
            Kind::Bits(_) => reports / elementary::powi(2.0 * elementary::sinh(epsilon / 2.0), 2),
            Kind::Answers(answers) => {
                // By e^(−ε), which a large ε makes 0 where e^ε is infinite and 1 − own is lost in rounding.
                let shrunk = elementary::exp(-epsilon);
                let wrong = directed::count(answers) - 1.0;
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
        let epsilon = self.parameter.value().to_f64();
        match self.kind {
            Kind::Bits(_) => elementary::tanh(epsilon / 2.0).recip(),
            Kind::Answers(answers) => 1.0 + directed::count(answers) / elementary::exp_m1(epsilon),
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
        let (_, high) = dp_exact::search::bisect_floats((-20.0, 4.6), 60, is_enough);
        let value = Rational::from_f64(elementary::exp(high))?;
        let rounded = value.round_to_digits(9, dp_exact::Rounding::Up);
        Ok(Epsilon::new(rounded)?)
    }
}

/// ln 3, rounded up: the parameter of the coin-flip survey.
pub(crate) fn coin_flip() -> Result<Epsilon, Error> {
    Ok(local::coin_flip().guarantee()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two answers: e^(−ε) reports, one in two of each value, are flipped.
    #[test]
    fn no_epsilon_is_too_large_for_a_variance() {
        let local = |epsilon: &str| Local {
            parameter: epsilon.parse().expect("an epsilon"),
            kind: Kind::Answers(2),
        };
        let found = local("40").variance(1000, 1);
        assert!((found / (1000.0 * (-40.0_f64).exp()) - 1.0).abs() < 1e-12, "{found}");
        let found = local("100").variance(1000, 1);
        assert!((0.0..1e-38).contains(&found), "{found}");
    }
}
