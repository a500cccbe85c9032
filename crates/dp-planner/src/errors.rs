//! How far off estimates are, with the noise of clients and of all aggregators.
//!
//! For noise of aggregators alone margins are certified integers; otherwise errors are taken to be
//! normal. None of these figures decides a guarantee.

use dp_calibration::utility::{self, TotalNoise};
use dp_calibration::{NoiseDistribution, Query};
use dp_exact::{Interval, Rational, directed, elementary};
use dp_task::{ClientNoiseType, PolicyName};
use num_bigint::BigUint;
use serde::Serialize;

use crate::client::Local;
use crate::target::{Accuracy, ErrorBound};
use crate::{Error, Job};

/// The most aggregators whose noise is added up by its own law; more of them are normal.
const MAX_ADDED: usize = 64;

/// How often an error may be larger than a margin.
const BETA: f64 = 0.05;

/// The errors of estimates, in their unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimateErrors {
    /// The standard deviation of one estimate.
    pub std: f64,
    /// An estimate is off by more than this with probability 5 % at most.
    pub margin_95: f64,
    /// One of all estimates is off by more than this with probability 5 % at most.
    pub max_error_95: f64,
}

/// The noise of clients and of each aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noise {
    pub(crate) clients: Option<Local>,
    pub(crate) aggregators: Option<NoiseDistribution>,
}

impl Noise {
    /// The parameters by name, as the task of a policy has them.
    pub(crate) fn named(&self, policy: &PolicyName) -> Vec<(&'static str, Rational)> {
        let name = match policy.client_noise {
            Some(
                ClientNoiseType::OneHotRappor
                | ClientNoiseType::BasicRappor
                | ClientNoiseType::SymmetricRappor,
            ) => "epsilon0",
            _ => "epsilon",
        };
        let clients = self.clients.as_ref();
        let clients = clients.map(|local| (name, local.parameter.value().clone()));
        let aggregators = self.aggregators.as_ref().map(|law| match law {
            NoiseDistribution::DiscreteLaplace { scale } => ("scale", scale.clone()),
            NoiseDistribution::DiscreteGaussian { variance } => ("variance", variance.clone()),
        });
        clients.into_iter().chain(aggregators).collect()
    }
}

impl Job {
    /// The standard deviation of an estimate over so many reports.
    pub(crate) fn std(&self, noise: &Noise, reports: u64) -> Result<f64, Error> {
        let std = match self.added(noise)? {
            Some(added) => added.standard_deviation(),
            None => self.std_in_cells(noise, reports)?,
        };
        Ok(std * self.unit(reports))
    }

    /// The errors over so many reports.
    pub(crate) fn errors(&self, noise: &Noise, reports: u64) -> Result<EstimateErrors, Error> {
        let estimates = self.estimates();
        let errors = match self.added(noise)? {
            Some(added) => {
                let beta = Rational::new(1, 20)?;
                EstimateErrors {
                    std: added.standard_deviation(),
                    margin_95: float(&added.quantile(&beta)?),
                    max_error_95: float(&added.simultaneous(estimates, &beta)?),
                }
            }
            None => normal(self.std_in_cells(noise, reports)?, estimates),
        };
        let unit = self.unit(reports);
        Ok(EstimateErrors {
            std: errors.std * unit,
            margin_95: errors.margin_95 * unit,
            max_error_95: errors.max_error_95 * unit,
        })
    }

    /// The noise of all aggregators by its own law, where clients add none.
    fn added(&self, noise: &Noise) -> Result<Option<TotalNoise>, Error> {
        match (&noise.clients, &noise.aggregators) {
            (None, Some(law)) if self.aggregators <= MAX_ADDED => {
                let aggregators = u32::try_from(self.aggregators).unwrap_or(u32::MAX);
                Ok(Some(draws(law)?.from_each_of(aggregators)?))
            }
            _ => Ok(None),
        }
    }

    /// The standard deviation of a total in cells of the grid, or in the integers that are shared.
    fn std_in_cells(&self, noise: &Noise, reports: u64) -> Result<f64, Error> {
        let each = match &noise.aggregators {
            Some(law) => draws(law)?.standard_deviation(),
            None => 0.0,
        };
        let clients = noise.clients.as_ref();
        let own = clients.map_or(0.0, |local| local.variance(reports, self.estimates()));
        let slope = clients.map_or(1.0, |local| local.slope());
        let added = directed::index(self.aggregators) * elementary::powi(slope * each, 2);
        Ok((own + added).sqrt())
    }

    /// One cell in the unit of the estimate.
    pub(crate) fn unit(&self, reports: u64) -> f64 {
        let cell = self.grid.as_ref().map_or(1.0, |grid| grid.granularity().to_f64());
        match self.query {
            Query::Average { .. } => cell / directed::count(reports),
            _ => cell,
        }
    }

    /// The largest value that an estimate can have, beyond that of nothing.
    fn largest(&self, reports: u64) -> f64 {
        let one = self.largest_entry();
        one * directed::count(reports) * self.unit(reports)
    }

    fn largest_entry(&self) -> f64 {
        match self.query {
            Query::Count | Query::Histogram { .. } | Query::MultihotCountVec { .. } => 1.0,
            Query::Sum { max_measurement }
            | Query::Average { max_measurement }
            | Query::SumVec { max_measurement, .. }
            | Query::L1BoundSum { max_measurement, .. } => float(&BigUint::from(max_measurement)),
        }
    }

    /// What an accuracy allows over so many reports.
    pub(crate) fn allowed(&self, accuracy: &Accuracy, reports: u64) -> f64 {
        match accuracy.bound() {
            ErrorBound::Absolute(value) => value.to_f64(),
            ErrorBound::Fraction(part) => part.to_f64() * self.largest(reports),
        }
    }

    /// The standard error of a survey of so many people that adds no noise: of a bucket that holds an
    /// equal share; of other numbers at most.
    #[must_use]
    pub fn sampling_error(&self) -> f64 {
        let people = directed::count(self.clients);
        let share = match self.query {
            Query::Histogram { length } => directed::index(length).recip(),
            _ => 0.5,
        };
        let each = self.largest_entry() * (share * (1.0 - share)).sqrt();
        each * people.sqrt() * self.unit(self.clients)
    }

    /// The noise that one aggregator adds if a total in cells may have an accuracy of `allowed`.
    pub(crate) fn law_within(
        &self,
        is_laplace: bool,
        accuracy: &Accuracy,
        allowed: f64,
    ) -> Result<NoiseDistribution, Error> {
        let aggregators = u32::try_from(self.aggregators).unwrap_or(u32::MAX);
        if let (Accuracy::Margin(_), true) = (accuracy, self.aggregators <= MAX_ADDED) {
            let bound = Rational::from_f64(allowed)?.floor();
            let bound = BigUint::try_from(bound).unwrap_or_default();
            let beta = Rational::new(1, 20)?;
            return Ok(if is_laplace {
                let scale = utility::laplace_scale(aggregators, &bound, 1, &beta)?;
                NoiseDistribution::DiscreteLaplace { scale }
            } else {
                let variance = utility::gaussian_variance(aggregators, &bound, 1, &beta)?;
                NoiseDistribution::DiscreteGaussian { variance }
            });
        }
        let deviation = deviation_within(accuracy, allowed) / f64::from(aggregators).sqrt();
        law_of_deviation(is_laplace, deviation)
    }
}

/// The standard deviation of normal errors of this accuracy.
pub(crate) fn deviation_within(accuracy: &Accuracy, allowed: f64) -> f64 {
    match accuracy {
        Accuracy::StandardDeviation(_) => allowed,
        Accuracy::Margin(_) => allowed / two_sided(BETA),
    }
}

/// The law whose standard deviation is about this, and no more.
pub(crate) fn law_of_deviation(
    is_laplace: bool,
    deviation: f64,
) -> Result<NoiseDistribution, Error> {
    let rounded = |value: f64| -> Result<Rational, Error> {
        let value = Rational::from_f64(value * (1.0 - 1e-12))?;
        Ok(value.round_to_digits(12, dp_exact::Rounding::Down))
    };
    Ok(if is_laplace {
        // √(2q)/(1 − q) = 1/(√2·sinh(1/2t))
        let half_rate = elementary::asinh((std::f64::consts::SQRT_2 * deviation).recip());
        let scale = rounded((2.0 * half_rate).recip())?;
        NoiseDistribution::DiscreteLaplace { scale }
    } else {
        let variance = rounded(deviation * deviation)?;
        NoiseDistribution::DiscreteGaussian { variance }
    })
}

fn draws(law: &NoiseDistribution) -> Result<TotalNoise, Error> {
    Ok(match law {
        NoiseDistribution::DiscreteLaplace { scale } => TotalNoise::laplace(scale.clone())?,
        NoiseDistribution::DiscreteGaussian { variance } => TotalNoise::gaussian(variance.clone())?,
    })
}

/// Normal errors of this standard deviation.
fn normal(std: f64, estimates: u64) -> EstimateErrors {
    let all = -elementary::exp_m1(elementary::ln_1p(-BETA) / directed::count(estimates));
    EstimateErrors { std, margin_95: std * two_sided(BETA), max_error_95: std * two_sided(all) }
}

/// What a normal variable exceeds, in standard deviations and in absolute value, this often.
fn two_sided(beta: f64) -> f64 {
    let tail = |place: f64| {
        let place = Rational::from_f64(place).ok()?;
        Some(Interval::rational(&place, 64).normal_tail()?.midpoint())
    };
    let is_beyond = |place: f64| tail(place).is_none_or(|tail| 2.0 * tail <= beta);
    dp_exact::search::bisect_floats((0.0, 40.0), 50, is_beyond).1
}

fn float(value: &BigUint) -> f64 {
    Rational::integer(num_bigint::BigInt::from(value.clone())).to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_margins_are_the_known_ones() {
        assert!((two_sided(0.05) - 1.959_963_985).abs() < 1e-8);
        assert!((two_sided(1e-9) - 6.109_410_204).abs() < 1e-8);
        let errors = normal(10.0, 1);
        assert!((errors.margin_95 - errors.max_error_95).abs() < 1e-9);
    }
}
