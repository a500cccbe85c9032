//! k-ary randomized response on Prio3Histogram: a client reports its own bucket with probability
//! e^ε/(e^ε + k − 1), and each of the others with 1/(e^ε + k − 1).
//!
//! The report is ε-differentially private under replacement, against every adversary. The histogram
//! of all honest clients hides more, and with the discrete Gaussian noise of an aggregator more
//! than either (`dp_amplification::aggregated_response`).

use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{ParameterError, Rational, elementary};
use dp_rappor::KaryRandomizedResponse;

use super::LocalRandomizer;
use crate::Error;
use crate::guarantees::{Circumstances, LocalReleases, epsilon_of_pairs};
use crate::{Estimate, as_float};

impl LocalRandomizer for KaryRandomizedResponse {
    fn name(&self) -> &'static str {
        "k-ary randomized response"
    }

    fn estimate(&self, total: i128, reports: u64) -> Estimate {
        Self::estimate(self, total, reports)
    }

    fn report_probabilities(&self) -> [f64; 2] {
        let odds = elementary::exp(-self.epsilon().value().to_f64());
        let truth = (1.0 + as_float(self.answers() - 1) * odds).recip();
        [truth, odds * truth]
    }

    fn covariance(&self, one: &Estimate, other: &Estimate, reports: u64) -> f64 {
        self.estimated_covariance([one, other], reports)
    }

    fn local_releases(&self, adjacency: Adjacency) -> Result<LocalReleases, Error> {
        if adjacency == Adjacency::Deletion {
            let what = "a guarantee for a deleted answer, as no answer counts nothing";
            let change = "ask for replacement";
            return Err(ParameterError::new("adjacency", what, change).into());
        }
        Ok(LocalReleases {
            release: AccountedMechanism::KaryResponse {
                epsilon: self.epsilon().clone(),
                answers: self.answers().into(),
            },
            epsilon: self.epsilon().clone(),
            count: 1,
        })
    }

    /// `None` with discrete Laplace noise. The discrete Gaussian noise of one honest
    /// aggregator counts, however many aggregators are honest.
    fn aggregated_epsilon(
        &self,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        if circumstances.reports_per_client > 1 {
            return Ok(None);
        }
        let (epsilon0, answers) = (self.epsilon().clone(), self.answers().into());
        let sum = AggregatedResponse::new(epsilon0, answers, circumstances.honest_clients)?;
        Ok(match (noise, &circumstances.delta, circumstances.releases) {
            (None, delta, 1) => Some(sum.epsilon(delta)?.upper),
            (None, delta, releases) => Some(sum.epsilon_of_releases(delta, releases)?),
            (Some((NoiseDistribution::DiscreteGaussian { variance }, _)), ..) => {
                epsilon_of_pairs(circumstances, |one| {
                    Ok(sum.epsilon_with_gaussian_noise(&one.delta, variance)?)
                })?
            }
            (Some(_), ..) => None,
        })
    }
}
