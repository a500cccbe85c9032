//! The noise of clients that a policy needs for a job: a search, which the guarantee of the built
//! policy decides.

use dp_calibration::{Budget, Refusal, WorstCaseDifference, discrete_gaussian, zcdp};
use dp_exact::{Epsilon, Rational, directed};
use dp_prio3::TrustModel;
use dp_task::ClientNoiseType;

use super::PolicyForJob;
use crate::Error;
use crate::local_noise::{LocalNoise, Randomized};
use crate::parameter_search::largest_parameter;

impl PolicyForJob<'_> {
    /// The smallest client noise that keeps the budget: among honest clients in OAMC, else alone.
    pub(super) fn smallest_client_noise(
        &self,
        randomizer: ClientNoiseType,
        budget: &Budget,
    ) -> Result<LocalNoise, Error> {
        let local = self.job.randomized(randomizer);
        let model = self.model_of_clients(budget);
        let epsilon = match budget {
            Budget::Approximate { epsilon, .. } if model != TrustModel::OneClient => epsilon,
            _ => return self.without_others(local, budget),
        };
        let deviation = self.gaussian_deviation(local)?;
        let honest = self.job.honest_clients();
        let guess = |multiple| local.guess_for_deviation(honest, deviation(multiple));
        let bound =
            |parameter: &Epsilon| self.epsilon(model, &local.with(parameter.clone()).into());
        let together = largest_parameter(guess, epsilon.value(), bound);
        match (together, self.without_others(local, budget)) {
            (Ok(together), Ok(alone)) => Ok(local.with(together.max(alone.parameter))),
            (Ok(together), Err(_)) => Ok(local.with(together)),
            (Err(_), alone) => alone,
        }
    }

    /// The smallest client noise that keeps the budget in OC, where all others are malicious.
    pub(super) fn without_others(
        &self,
        local: Randomized,
        budget: &Budget,
    ) -> Result<LocalNoise, Error> {
        let reports = self.reports();
        let at = |parameter: &Epsilon| local.with(parameter.clone());
        match budget {
            Budget::Pure { epsilon } => Ok(local.with(local.largest_pure(epsilon, reports)?)),
            Budget::Approximate { epsilon, delta } => {
                let pure = local.largest_pure(epsilon, reports)?;
                if reports == 1 {
                    // δ gains next to nothing for one report, and a pure guarantee is stronger.
                    return Ok(local.with(pure));
                }
                let rho = zcdp::largest_rho(epsilon, delta)?.value().to_f64();
                let guess = |multiple: f64| local.guess_for_rho(rho * multiple * multiple, reports);
                let bound = |parameter: &Epsilon| {
                    self.epsilon(TrustModel::OneClient, &at(parameter).into())
                };
                let composed = largest_parameter(guess, epsilon.value(), bound);
                Ok(local.with(composed.map_or(pure.clone(), |composed| composed.max(pure))))
            }
            Budget::ZeroConcentrated { rho } => {
                let guess =
                    |multiple| local.guess_for_rho(rho.value().to_f64() * multiple, reports);
                let bound = |parameter: &Epsilon| Ok(at(parameter).rho(reports)?.value().clone());
                Ok(local.with(largest_parameter(guess, rho.value(), bound)?))
            }
            Budget::Renyi { .. } => unreachable!("a checked target has no Rényi budget"),
        }
    }

    /// A function that estimates the standard deviation of all honest clients' noise in a total, at
    /// which ε over the releases that share the budget is its argument times the budget's ε; `Err`
    /// without an (ε, δ) budget. With losses y of Gaussian noise, a sum of flipped bits loses
    /// y + y²/2 + … by its skewness; of the two totals of an answer one is skewed.
    pub(crate) fn gaussian_deviation(
        &self,
        local: Randomized,
    ) -> Result<impl Fn(f64) -> f64 + use<>, Error> {
        let Some(Budget::Approximate { epsilon, delta }) = &self.target.budget else {
            let what = "a pure guarantee of what honest clients hide";
            return Err(Refusal::not_available(what, "give a delta above 0").into());
        };
        let totals =
            local.changed_totals().saturating_mul(self.target.counted_releases(self.job).into());
        let skewed = match local {
            Randomized::Bits(_) => directed::count(totals),
            Randomized::Answer(_) => 2.0 * directed::count(totals),
        };
        let target = epsilon.value().to_f64();
        let symmetric =
            move |multiple: f64| skewed * ((1.0 + 2.0 * multiple * target / skewed).sqrt() - 1.0);
        let of_gaussian = Epsilon::new(Rational::from_f64(symmetric(1.0))?)?;
        let difference = WorstCaseDifference::new(totals, 1u32)?;
        let noise = discrete_gaussian::calibrate(&of_gaussian, delta, &difference)?;
        let deviation = noise.variance.to_f64().sqrt() * symmetric(1.0);
        Ok(move |multiple| deviation / symmetric(multiple))
    }

    /// The largest client noise whose totals have at most this standard deviation.
    pub(crate) fn client_noise_within(
        &self,
        randomizer: ClientNoiseType,
        deviation: f64,
    ) -> Result<LocalNoise, Error> {
        let (local, job) = (self.job.randomized(randomizer), self.job);
        let parameter = local.parameter_for_deviation(job.clients, job.estimates(), deviation)?;
        Ok(local.with(parameter))
    }
}
