//! Noise of clients, and the error that it causes.

use dp_calibration::conversion;
use dp_exact::search::bisect_floats;
use dp_exact::{Epsilon, Rational, Rho, directed, elementary};

use crate::Error;

/// The randomization of one client's measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalNoise {
    /// ε₀ of one bit, or ε of one k-ary answer.
    pub(crate) parameter: Epsilon,
    pub(crate) randomized: Randomized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Randomized {
    /// Bits, each flipped with probability 1/(e^ε₀ + 1); at most this number differs.
    Bits(u64),
    /// One answer among this number of values: k-ary randomized response.
    Answer(u64),
}

impl Randomized {
    /// This randomization with this parameter.
    pub(crate) const fn with(self, parameter: Epsilon) -> LocalNoise {
        LocalNoise { parameter, randomized: self }
    }

    /// Number of randomized responses that `reports` reports of a neighbour change, at most: bits
    /// that differ, or one k-ary answer of each.
    fn responses(self, reports: u64) -> Rational {
        let each = match self {
            Self::Bits(changed) => changed,
            Self::Answer(_) => 1,
        };
        Rational::from(each) * Rational::from(reports)
    }

    /// Number of totals that one replaced report changes, at most.
    pub(crate) const fn changed_totals(self) -> u64 {
        match self {
            Self::Bits(changed) => changed,
            Self::Answer(_) => 2,
        }
    }

    /// Largest parameter with which `reports` reports keep a pure ε: ε divided by all responses.
    pub(crate) fn largest_pure(self, epsilon: &Epsilon, reports: u64) -> Result<Epsilon, Error> {
        let share = epsilon.value().checked_div(&self.responses(reports));
        Ok(Epsilon::new(share.expect("a report has at least one response"))?)
    }

    /// Estimated parameter at which `reports` reports have this ρ: a small ε costs about ε²/2.
    pub(crate) fn guess_for_rho(self, rho: f64, reports: u64) -> f64 {
        (2.0 * rho / self.responses(reports).to_f64()).sqrt()
    }

    /// Estimated parameter with which the noise of `honest` clients in a total, after debiasing,
    /// has this standard deviation.
    pub(crate) fn guess_for_deviation(self, honest: u64, deviation: f64) -> f64 {
        let honest = directed::count(honest);
        match self {
            Self::Bits(_) => 2.0 * elementary::asinh(honest.sqrt() / (2.0 * deviation)),
            // (p − q)²/(nq) = 1/σ², with x = e^ε − 1.
            Self::Answer(values) => {
                let variance = deviation * deviation;
                let root = 4.0 * variance * honest * directed::count(values);
                let root = (honest * honest + root).sqrt();
                elementary::ln_1p((honest + root) / (2.0 * variance))
            }
        }
    }

    /// About the smallest parameter with at most this standard deviation of one total, from e^−20
    /// to e^4.6, rounded up to 9 digits; the largest if none is enough. Arguments as of
    /// [`LocalNoise::variance`].
    pub(crate) fn parameter_for_deviation(
        self,
        reports: u64,
        estimates: u64,
        deviation: f64,
    ) -> Result<Epsilon, Error> {
        let is_enough = |log: f64| {
            let parameter = Rational::from_f64(elementary::exp(log)).and_then(Epsilon::new);
            parameter.is_ok_and(|parameter| {
                self.with(parameter).variance(reports, estimates).sqrt() <= deviation
            })
        };
        let (_, high) = bisect_floats((-20.0, 4.6), 60, is_enough);
        let value = Rational::from_f64(elementary::exp(high))?;
        Ok(Epsilon::new(value.round_to_digits(9, dp_exact::Rounding::Up))?)
    }
}

impl LocalNoise {
    /// Upper bound on ρ of `reports` reports in OC: of every response, times their number. A bit
    /// that flips has the largest ρ of its ε.
    pub(crate) fn rho(&self, reports: u64) -> Result<Rho, Error> {
        let each = match self.randomized {
            Randomized::Bits(_) => conversion::pure_to_rho(&self.parameter)?,
            Randomized::Answer(answers) => conversion::response_rho(&self.parameter, answers)?,
        };
        Ok(Rho::new(each.value() * &self.randomized.responses(reports))?)
    }

    /// Variance of one debiased total over `reports` reports. Of k-ary answers the reports have the
    /// bucket of this total with the share 1/`estimates`; flipped bits do not depend on it.
    pub(crate) fn variance(&self, reports: u64, estimates: u64) -> f64 {
        let (reports, epsilon) = (directed::count(reports), self.parameter.value().to_f64());
        match self.randomized {
            Randomized::Bits(_) => {
                reports / elementary::powi(2.0 * elementary::sinh(epsilon / 2.0), 2)
            }
            Randomized::Answer(values) => {
                // In terms of e^(−ε): e^ε overflows for a large ε, and 1 − own is lost in rounding.
                let shrunk = elementary::exp(-epsilon);
                let wrong = directed::count(values) - 1.0;
                let own = (1.0 + wrong * shrunk).recip();
                let other = shrunk * own;
                let share = directed::count(estimates).recip();
                let each = share * own * (wrong * other) + (1.0 - share) * other * (1.0 - other);
                reports * each / elementary::powi(own - other, 2)
            }
        }
    }

    /// Factor by which debiasing multiplies noise that was added to a total.
    pub(crate) fn debiasing_factor(&self) -> f64 {
        let epsilon = self.parameter.value().to_f64();
        match self.randomized {
            Randomized::Bits(_) => elementary::tanh(epsilon / 2.0).recip(),
            Randomized::Answer(values) => {
                1.0 + directed::count(values) / elementary::exp_m1(epsilon)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two answers e^(−ε) of the reports are flipped, half of them of each value.
    #[test]
    fn no_epsilon_is_too_large_for_a_variance() {
        let variance = |epsilon: &str| {
            let parameter = epsilon.parse().expect("an epsilon");
            LocalNoise { parameter, randomized: Randomized::Answer(2) }.variance(1000, 1)
        };
        let found = variance("40");
        assert!((found / (1000.0 * (-40.0_f64).exp()) - 1.0).abs() < 1e-12, "{found}");
        let found = variance("100");
        assert!((0.0..1e-38).contains(&found), "{found}");
    }
}
