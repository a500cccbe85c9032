//! k-ary randomized response on Prio3Histogram: a client reports its own bucket with probability
//! e^ε/(e^ε + k − 1), and each of the others with 1/(e^ε + k − 1).
//!
//! One bucket stays one bucket, so Prio3Histogram verifies it. The report is ε-differentially
//! private under replacement, against every adversary. The counts are dependent: they sum to the
//! number of reports. The histogram of all honest clients hides more, and with the discrete
//! Gaussian noise of an aggregator more than either. Source:
//! `dp_amplification::aggregated_response`.

use dp_accounting::AccountedMechanism;
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{ParameterError, elementary};
use dp_rappor::KaryRandomizedResponse;
use rand_core::CryptoRng;

use super::{LocalRandomizer, Sharded};
use crate::Error;
use crate::guarantees::{Circumstances, EpsilonDelta, LocalReleases, of_pairs};
use crate::types::{Histogram, MeasurementType as _};
use crate::{Estimate, as_float};

impl LocalRandomizer<Histogram> for KaryRandomizedResponse {
    const NAME: &'static str = "k-ary randomized response";

    fn check_type(&self, histogram: &Histogram) -> Result<(), Error> {
        let answers = self.answers();
        if usize::try_from(answers).is_ok_and(|answers| answers == histogram.length()) {
            return Ok(());
        }
        let accepted = format!("{}, the number of buckets", histogram.length());
        Err(ParameterError::new("answers", answers, accepted).into())
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        histogram: &Histogram,
        measurement: &usize,
        rng: &mut R,
    ) -> Result<Sharded<Histogram>, Error> {
        let bucket = histogram.check(measurement)?;
        let too_many = || ParameterError::new("bucket", "beyond the answers", "one of them");
        let answer = u32::try_from(bucket).map_err(|_| too_many())?;
        let reported = Self::randomize(self, rng, answer)?;
        Ok(usize::try_from(reported).map_err(|_| too_many())?)
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

    fn local_releases(&self, _: &Histogram, adjacency: Adjacency) -> Result<LocalReleases, Error> {
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

    /// Of aggregator noise, the discrete Gaussian noise of one honest aggregator counts; discrete
    /// Laplace noise and the noise of further aggregators do not.
    fn aggregated_guarantee(
        &self,
        _: &Histogram,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let answers = |circumstances: &Circumstances| {
            let (epsilon0, answers) = (self.epsilon().clone(), self.answers().into());
            AggregatedResponse::new(epsilon0, answers, circumstances.honest_clients)
        };
        match noise {
            _ if circumstances.reports_per_client > 1 => Ok(None),
            None => {
                let (sum, delta) = (answers(circumstances)?, &circumstances.delta);
                let epsilon = match circumstances.releases {
                    1 => sum.epsilon(delta)?.upper,
                    releases => sum.epsilon_of_releases(delta, releases)?,
                };
                EpsilonDelta::new(epsilon, delta.clone()).map(Some)
            }
            Some((NoiseDistribution::DiscreteGaussian { variance }, _)) => {
                of_pairs(circumstances, |one| {
                    let epsilon =
                        answers(one)?.epsilon_with_gaussian_noise(&one.delta, variance)?;
                    epsilon.map(|epsilon| EpsilonDelta::new(epsilon, one.delta.clone())).transpose()
                })
            }
            Some(_) => Ok(None),
        }
    }

    #[cfg(feature = "parties")]
    fn recorded(&self, _: &Histogram) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::KaryRandomizedResponse {
            answers: self.answers().into(),
            epsilon: self.epsilon().clone(),
        }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("epsilon", self.epsilon().to_string())]
    }
}
