//! Probability mass functions on the integers, as tables.

use dp_calibration::NoiseDistribution;
use dp_exact::directed::to_index;

use crate::Error;
use crate::binomial::{float, ln_probability};
use crate::error::untestable;

/// Probability below which outcomes at the ends of a table are left out: together less than 10^−14.
const NEGLIGIBLE: f64 = 1e-19;

/// Largest number of outcomes on one side of symmetric noise.
const LONGEST: usize = 1 << 14;

/// Largest number of products of a convolution of two tables.
const MAX_PRODUCTS: usize = 1 << 29;

/// Probabilities of consecutive integers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pmf {
    low: i64,
    values: Vec<f64>,
}

impl Pmf {
    /// The distribution of the constant `value`.
    pub(crate) fn point(value: i64) -> Self {
        Self { low: value, values: vec![1.0] }
    }

    /// The distribution of one draw of noise, without outcomes that are less likely than 0 by a
    /// factor of 10^19. `Err` if the table has more than 32 768 outcomes.
    pub(crate) fn noise(noise: &NoiseDistribution) -> Result<Self, Error> {
        let (name, parameter) = noise.parameter();
        let size = parameter.to_f64();
        // The weight of an outcome: its probability over the probability of 0.
        let weight = |outcome: u64| {
            let outcome = float(outcome);
            let exponent = match noise {
                NoiseDistribution::DiscreteLaplace { .. } => outcome / size,
                NoiseDistribution::DiscreteGaussian { .. } => outcome * outcome / (2.0 * size),
            };
            (-exponent).exp()
        };
        let side = (0_u64..).map(weight);
        let side: Vec<f64> =
            side.take_while(|weight| *weight > NEGLIGIBLE).take(LONGEST + 1).collect();
        if side.len() > LONGEST {
            let accepted = "noise with a standard deviation of at most about 500";
            return Err(untestable(name, parameter, accepted));
        }
        Ok(Self::symmetric(&side))
    }

    /// The symmetric distribution in which 0, 1, … and their negatives have these weights.
    pub(crate) fn symmetric(side: &[f64]) -> Self {
        let low = 1 - length(side.len());
        let sum = 2.0 * side.iter().skip(1).rev().sum::<f64>() + side[0];
        let values = side.iter().skip(1).rev().chain(side).map(|weight| weight / sum).collect();
        Self { low, values }
    }

    /// The distribution of the number of successes in independent trials, without negligible ends.
    /// The probability of a success is clamped to [0, 1].
    pub(crate) fn binomial(trials: u64, probability: f64) -> Self {
        let probability = probability.clamp(0.0, 1.0);
        let at = |outcome| ln_probability(outcome, trials, probability).exp();
        Self { low: 0, values: (0..=trials).map(at).collect() }.trimmed()
    }

    /// The distribution of the sum of two independent draws, without negligible ends. `Err` if the
    /// tables have more than 2^29 pairs of outcomes.
    pub(crate) fn plus(&self, other: &Self) -> Result<Self, Error> {
        let products = self.values.len().saturating_mul(other.values.len());
        if products > MAX_PRODUCTS {
            let pairs = format!("a distribution over {products} pairs of outcomes");
            return Err(untestable("noise", pairs, "at most 2^29: less noise, or fewer reports"));
        }
        let mut values = vec![0.0; self.values.len() + other.values.len() - 1];
        for (start, one) in self.values.iter().enumerate() {
            for (sum, other) in values[start..].iter_mut().zip(&other.values) {
                *sum += one * other;
            }
        }
        Ok(Self { low: self.low + other.low, values }.trimmed())
    }

    /// The distribution of the sum of `draws` independent draws, the constant 0 for none. `Err` as
    /// for [`Self::plus`].
    pub(crate) fn times(&self, draws: u32) -> Result<Self, Error> {
        let (mut sum, mut power) = (Self::point(0), self.clone());
        let mut left = draws;
        while left > 0 {
            if left % 2 == 1 {
                sum = sum.plus(&power)?;
            }
            left /= 2;
            if left > 0 {
                // `power` is the sum of twice as many draws.
                power = power.plus(&power)?;
            }
        }
        Ok(sum)
    }

    /// The distribution of minus a draw.
    pub(crate) fn negated(&self) -> Self {
        let high = self.low + length(self.values.len()) - 1;
        Self { low: -high, values: self.values.iter().rev().copied().collect() }
    }

    /// The distribution of a draw multiplied by a positive integer.
    pub(crate) fn multiplied(&self, factor: u32) -> Self {
        let step = to_index(factor.into());
        let mut values = vec![0.0; (self.values.len() - 1) * step + 1];
        for (index, probability) in self.values.iter().enumerate() {
            values[index * step] = *probability;
        }
        Self { low: self.low * i64::from(factor), values }
    }

    /// The index of `value` in the table; `None` outside.
    pub(crate) fn index(&self, value: i64) -> Option<usize> {
        let index = value.checked_sub(self.low).and_then(|index| usize::try_from(index).ok());
        index.filter(|index| *index < self.values.len())
    }

    /// The probability of `value`; 0 outside the table.
    pub(crate) fn at(&self, value: i64) -> f64 {
        self.index(value).map_or(0.0, |index| self.values[index])
    }

    /// The outcomes with their probabilities, in growing order.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (i64, f64)> + Clone + '_ {
        (self.low..).zip(self.values.iter().copied())
    }

    /// The table without the outcomes at its ends whose probability is at most [`NEGLIGIBLE`]. The
    /// others are not scaled up.
    fn trimmed(mut self) -> Self {
        let is_large = |value: &f64| *value > NEGLIGIBLE;
        let last = self.values.iter().rposition(is_large).expect("an outcome is likely");
        self.values.truncate(last + 1);
        let first = self.values.iter().position(is_large).expect("an outcome is likely");
        self.values.drain(..first);
        self.low += length(first);
        self
    }
}

/// The length of a table as an outcome.
fn length(length: usize) -> i64 {
    i64::try_from(length).expect("tables have far fewer than 2^63 outcomes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binomial::signed;

    fn variance(pmf: &Pmf) -> f64 {
        let mean: f64 = pmf.outcomes().map(|(value, p)| signed(value) * p).sum();
        pmf.outcomes().map(|(value, p)| (signed(value) - mean).powi(2) * p).sum()
    }

    fn laplace(scale: &str) -> Pmf {
        let scale = scale.parse().expect("a scale");
        Pmf::noise(&NoiseDistribution::DiscreteLaplace { scale }).expect("a table")
    }

    #[test]
    fn probabilities_add_up_to_one_and_variances_are_known() {
        let one = laplace("2");
        assert!((variance(&one) - 0.5 / 0.25_f64.sinh().powi(2)).abs() < 1e-9);
        let three = one.times(3).expect("a table");
        for pmf in [&three, &one.multiplied(2), &Pmf::binomial(40, 0.3)] {
            let sum: f64 = pmf.outcomes().map(|(_, probability)| probability).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
        assert!((variance(&three) / variance(&one) - 3.0).abs() < 1e-9);
        // A sum of binomial draws of one probability is a binomial draw; one less another has mean
        // 0.
        let (ten, seventy) = (Pmf::binomial(10, 0.3), Pmf::binomial(70, 0.3));
        for (outcome, probability) in seventy.outcomes() {
            let sum = ten.times(7).expect("a table").at(outcome);
            assert!((sum - probability).abs() < 1e-12, "{outcome}: {sum}");
        }
        let difference = ten.plus(&ten.negated()).expect("a table");
        assert!((difference.at(-10) / (0.3_f64 * 0.7).powi(10) - 1.0).abs() < 1e-9);
        assert!((variance(&difference) / variance(&ten) - 2.0).abs() < 1e-9);
        assert!((variance(&one.multiplied(2)) / variance(&one) - 4.0).abs() < 1e-9);
    }
}
