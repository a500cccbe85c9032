//! How much noise a policy needs for what is wanted.

use dp_calibration::Budget;
use dp_exact::{Epsilon, ParameterError, Rational, Refusal, Rounding, directed, elementary};
use dp_prio3::MAX_MEANINGFUL_EPSILON;
use dp_task::{Mechanism, PolicyName, Randomizer};

use crate::Error;
use crate::client::Local;
use crate::crowd::Crowd;
use crate::errors::{Noise, deviation_within, law_of_deviation};
use crate::planner::Planner;
use crate::search::largest_within;
use crate::wanted::{Accuracy, Against};

impl Planner<'_> {
    /// The noise of a policy that keeps what is wanted over the clients of the job.
    pub(crate) fn noise(&self, policy: &PolicyName) -> Result<Noise, Error> {
        if policy.client_noise.is_none() && self.wanted.against == Against::AllAggregators {
            let what = "a promise against all aggregators together, who see what clients send \
                        without randomization";
            return Err(Refusal::not_available(what, "rely on one aggregator").into());
        }
        match (&self.wanted.budget, &self.wanted.accuracy) {
            (Some(budget), _) => self.for_budget(policy, budget),
            (None, Some(accuracy)) => self.for_accuracy(policy, accuracy),
            (None, None) => {
                Err(Refusal::missing("what is wanted", "a budget or an accuracy").into())
            }
        }
    }

    fn for_budget(&self, policy: &PolicyName, budget: &Budget) -> Result<Noise, Error> {
        let law = |mechanism: Mechanism| self.least(mechanism, budget);
        Ok(match (policy.client_noise, policy.aggregator_noise) {
            (None, Some(mechanism)) => Noise {
                clients: None,
                aggregators: Some(law(mechanism)?),
            },
            (Some(randomizer), None) => Noise {
                clients: Some(self.clients_for(randomizer, budget)?),
                aggregators: None,
            },
            (Some(randomizer), Some(mechanism)) => {
                let noise = Noise {
                    clients: None,
                    aggregators: Some(law(mechanism)?),
                };
                let clients = match self.wanted.against {
                    Against::AllAggregators => self.clients_for(randomizer, budget)?,
                    Against::OneAggregator | Against::Collector => {
                        let added = self.job.errors_in_cells(&noise, self.job.clients)?.std;
                        self.clients_beside(randomizer, added)?
                    }
                };
                Noise {
                    clients: Some(clients),
                    ..noise
                }
            }
            (None, None) => return Err(nothing()),
        })
    }

    /// Clients' noise that keeps the budget by itself, or in the crowd where that counts.
    fn clients_for(&self, randomizer: Randomizer, budget: &Budget) -> Result<Local, Error> {
        let local = self.job.local(randomizer)?;
        let reports = u64::from(self.counted()) * u64::from(self.job.reports_per_client);
        if randomizer == Randomizer::CoinFlip {
            return self.checked_coin_flip(local, budget, reports);
        }
        let alone = self.largest_alone(randomizer, &local, budget, reports)?;
        let alone = local.at(alone);
        let (Against::Collector, Budget::Approximate { epsilon, .. }) =
            (self.wanted.against, budget)
        else {
            return Ok(alone);
        };
        let in_a_crowd = self.in_a_crowd(randomizer, &local, epsilon);
        Ok(match in_a_crowd {
            Ok(parameter) if parameter > *alone.parameter() => local.at(parameter),
            Ok(_) => alone,
            Err(_) => {
                self.give_up(randomizer);
                alone
            }
        })
    }

    /// The largest parameter with which the sum of all honest clients keeps ε at the δ that is wanted.
    fn in_a_crowd(
        &self,
        randomizer: Randomizer,
        local: &Local,
        epsilon: &Epsilon,
    ) -> Result<Epsilon, Error> {
        if self.is_unsearched(randomizer) {
            return Err(too_long());
        }
        let releases = self.counted();
        let counts = Crowd::changed(local).saturating_mul(releases.into());
        let variance = self.variance_for(counts, epsilon)?;
        let guess = Crowd::about(local, self.job.honest_clients(), variance);
        if self.is_sketch() {
            let part = self.part(local, counts).unwrap_or(0.99);
            let about = Rational::from_f64(guess * part)?;
            return Ok(Epsilon::new(about.round_to_digits(7, Rounding::Down))?);
        }
        let safe = if releases == 1 { 1.0 } else { 0.995 };
        let part = self.part(local, counts).unwrap_or(safe);
        let found = largest_within(2, 0.99, guess * part, epsilon.value(), |parameter| {
            let local = local.at(parameter.clone());
            let (promised, _) = self.crowd_epsilon(randomizer, &local, releases);
            promised.ok_or_else(too_long)
        })?;
        self.note_part(local, counts, found.value().to_f64() / guess);
        Ok(found)
    }

    /// The coin flip has one parameter.
    fn checked_coin_flip(
        &self,
        local: Local,
        budget: &Budget,
        reports: u64,
    ) -> Result<Local, Error> {
        let keeps = match budget {
            Budget::Pure { epsilon } => local.pure(reports) <= *epsilon.value(),
            Budget::Approximate { epsilon, delta } => {
                local.epsilon(reports, delta)? <= *epsilon.value()
            }
            Budget::ZeroConcentrated { rho } => local.rho(reports)? <= *rho,
            Budget::Renyi { .. } => false,
        };
        if keeps {
            return Ok(local);
        }
        let above = || format!("less than ln 3 = 1.0986 a report, which is {budget} no more");
        let change = "take count-response";
        let (Against::Collector, Budget::Approximate { epsilon, .. }) =
            (self.wanted.against, budget)
        else {
            return Err(Refusal::not_available(above(), change).into());
        };
        if self.is_sketch() {
            let counts = Crowd::changed(&local).saturating_mul(self.counted().into());
            let variance = self.variance_for(counts, epsilon)?;
            let part = self.part(&local, counts).unwrap_or(0.99);
            let about = part * Crowd::about(&local, self.job.honest_clients(), variance);
            return match local.parameter().value().to_f64() <= about {
                true => Ok(local),
                false => Err(Refusal::not_available(above(), change).into()),
            };
        }
        match self.crowd_epsilon(Randomizer::CoinFlip, &local, self.counted()) {
            (Some(found), _) if found <= *epsilon.value() => Ok(local),
            (None, Some(_)) => {
                let what = "what coin flips promise in this crowd";
                Err(Refusal::not_available(what, change).into())
            }
            _ => Err(Refusal::not_available(above(), change).into()),
        }
    }

    /// Clients' noise of the same size as that of all aggregators, which it hedges.
    fn clients_beside(&self, randomizer: Randomizer, added: f64) -> Result<Local, Error> {
        let local = self.job.local(randomizer)?;
        if randomizer == Randomizer::CoinFlip {
            return Ok(local);
        }
        let (reports, estimates) = (self.job.clients, self.job.estimates());
        // Both noises are multiplied by the slope when a total is corrected.
        let is_small = |log: f64| {
            let at = Rational::from_f64(elementary::exp(log)).and_then(Epsilon::new);
            at.is_ok_and(|parameter| {
                let local = local.at(parameter);
                let in_totals =
                    local.variance(reports, estimates) / elementary::powi(local.slope(), 2);
                in_totals <= added * added
            })
        };
        let (low, _) = dp_exact::search::halved((-20.0, 4.6), 60, is_small);
        let parameter = Rational::from_f64(elementary::exp(low))?;
        let parameter = parameter.round_to_digits(4, Rounding::Down);
        let local = local.at(Epsilon::new(parameter)?);
        let promised = local.pure(self.job.reports_per_client.into());
        let change = "take the policy without clients' noise, or --against all-aggregators";
        if is_small(-19.0) {
            let what = format!(
                "clients' noise of the size of the aggregators', which that of {reports} clients does not \
                 reach"
            );
            return Err(Refusal::not_available(what, change).into());
        }
        if promised > Rational::from(MAX_MEANINGFUL_EPSILON) {
            let epsilon = promised.to_f64();
            let what = format!(
                "clients' noise of the size of the aggregators' that protects by itself: it would \
                 promise epsilon {epsilon:.1} against all aggregators"
            );
            return Err(Refusal::not_available(what, change).into());
        }
        Ok(local)
    }

    fn for_accuracy(&self, policy: &PolicyName, accuracy: &Accuracy) -> Result<Noise, Error> {
        let reports = self.job.clients;
        let allowed = self.job.allowed(accuracy, reports) / self.job.unit(reports);
        let is_laplace = policy.aggregator_noise == Some(Mechanism::DiscreteLaplace);
        let deviation = deviation_within(accuracy, allowed);
        let clients = |randomizer: Randomizer, deviation: f64| {
            let local = self.job.local(randomizer)?;
            let estimates = self.job.estimates();
            if randomizer == Randomizer::CoinFlip {
                let std = local.variance(reports, estimates).sqrt();
                return if std <= deviation {
                    Ok(local)
                } else {
                    Err(too_noisy(std))
                };
            }
            let parameter = local.parameter_of_deviation(reports, estimates, deviation)?;
            Ok::<_, Error>(local.at(parameter))
        };
        Ok(match (policy.client_noise, policy.aggregator_noise) {
            (None, Some(_)) => Noise {
                clients: None,
                aggregators: Some(self.job.law_within(is_laplace, accuracy, allowed)?),
            },
            (Some(randomizer), None) => Noise {
                clients: Some(clients(randomizer, deviation)?),
                aggregators: None,
            },
            (Some(randomizer), Some(_)) => {
                let local = clients(randomizer, deviation / std::f64::consts::SQRT_2)?;
                let own = local.variance(reports, self.job.estimates());
                let left = (deviation * deviation - own).max(0.0);
                let each = (left / directed::index(self.job.aggregators)).sqrt() / local.slope();
                Noise {
                    clients: Some(local),
                    aggregators: Some(law_of_deviation(is_laplace, each)?),
                }
            }
            (None, None) => return Err(nothing()),
        })
    }
}

fn too_noisy(std: f64) -> Error {
    let accepted = format!("at least {std:.4}, the standard deviation of the coin flips");
    ParameterError::new("accuracy", "less", accepted).into()
}

fn too_long() -> Error {
    let what = "what these clients' noise promises in a crowd";
    Refusal::not_available(what, "take fewer releases").into()
}

fn nothing() -> Error {
    Refusal::not_available("a promise without noise", "take another policy").into()
}
