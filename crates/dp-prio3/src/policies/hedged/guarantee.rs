//! What randomized measurements and noise at the aggregators promise, alone and together.

use dp_calibration::{Query, TrustModel};
use dp_exact::{Delta, ParameterError, Rational};

use super::Hedged;
use crate::Error;
use crate::guarantees::{
    Answer, Circumstances, Frontier, Guarantee, Loose, Loss, Otherwise, Part, several,
    without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
use crate::policies::client_noise::{ARRIVAL, HIDDEN_SUM, OWN_FLIPS, in_a_crowd_of, not_stated};
use crate::policy::PolicyDescription;
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;

/// The most honest aggregators whose noise is counted together with flips.
const MAX_HONEST: usize = 64;

const HONEST_AGGREGATOR: &str = "honest aggregator draws its noise from a sound generator, \
     releases the batch once and forgets its share and its noise";

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> Hedged<V, R, N> {
    pub(super) fn promised(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Guarantee {
        let aggregators = self.aggregators();
        let circumstances = &circumstances.within(self.max_reports());
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        if trust_model == TrustModel::OneClient {
            return self.clients.guarantee(trust_model, circumstances);
        }
        let one_aggregator = TrustModel::OneAggregatorOneClient;
        let answers = self.answer(trust_model, circumstances).and_then(|answer| {
            let one = if trust_model == one_aggregator {
                answer.clone()
            } else {
                self.answer(one_aggregator, circumstances)?
            };
            Ok((answer, one))
        });
        let (answer, one) = match answers {
            Ok(answers) => answers,
            Err(error) => return not_stated(trust_model, &error, circumstances),
        };
        let origin = match answer.part {
            Part::Client => TrustModel::OneClient,
            Part::Clients => TrustModel::OneAggregatorMostClients,
            Part::Everything => trust_model,
            _ if answer.loss == one.loss => one_aggregator,
            _ => without_other_clients(trust_model),
        };
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: self.assumptions(&answer, origin, circumstances.honest_clients()),
            otherwise: self.otherwise(trust_model, &answer, &one),
            also: answer.also,
            remarks: answer.remarks,
            ..Guarantee::new(trust_model, answer.loss.promise(), circumstances)
        }
    }

    /// Why more is provable than is stated, if that is known: noise of clients and of aggregators
    /// together is followed over several releases for bits alone, and for one report of a person.
    pub(super) fn why_loose(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<Loose> {
        let are_bits = !matches!(self.query(), Query::Histogram { .. });
        if trust_model == TrustModel::OneClient || circumstances.is_one_report() {
            None
        } else if circumstances.reports_per_client() > 1 {
            Some(Loose::Apart)
        } else {
            (!are_bits).then_some(Loose::Pairs)
        }
    }

    /// The aggregators' part by itself. Where a measurement may be dropped and its neighbour not,
    /// that joins δ, so the noise has to do with as much less.
    fn noise_alone(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        let asked = circumstances.delta();
        let parted = self.clients.randomizer().parted_by_drops();
        let parted = parted * Rational::from(circumstances.reports());
        let left = Delta::new(asked.value() - &parted);
        let Some(left) = left
            .ok()
            .filter(|left| parted.is_zero() || left.value().is_positive())
        else {
            return Ok(None);
        };
        let at = circumstances.clone().at(left);
        let Some(loss) = self.mechanism.loss_at(&self.query(), honest, &at)? else {
            return Ok(None);
        };
        let delta = Delta::new(loss.delta().value() + &parted)?;
        Loss::new(loss.epsilon().clone(), delta).map(Some)
    }

    /// Flips and noise together, among so many honest clients.
    fn together(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        let Some(law) = self.mechanism.law() else {
            return Ok(None);
        };
        // The noise of more than these is left out of the account.
        let aggregators = u32::try_from(honest.min(MAX_HONEST))
            .map_err(|_| ParameterError::new("aggregators", honest, "at most 254"))?;
        let measurement_type = self.clients.measurement_type();
        let randomizer = self.clients.randomizer();
        randomizer.with_noise(measurement_type, &law, aggregators, circumstances)
    }

    /// The best of all that is proved where an aggregator is honest.
    fn answer(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Answer, Error> {
        let honest = usize::from(trust_model.honest_aggregators());
        let mut frontier = Frontier::of_client(self.clients.local_loss(circumstances)?);
        frontier.add(Part::Aggregators, self.noise_alone(honest, circumstances));
        let alone = circumstances.with_honest_clients(1);
        frontier.add(Part::Both, self.together(honest, &alone));
        if trust_model.needs_other_clients() {
            frontier.add(Part::Everything, self.together(honest, circumstances));
            frontier.add(Part::Clients, self.clients.crowd(circumstances));
        }
        let mut answer = frontier.answer(circumstances.delta());
        answer
            .remarks
            .extend(self.clients.about_drops(circumstances));
        Ok(answer)
    }

    /// What a guarantee rests on, by the parts that it counts on.
    fn assumptions(
        &self,
        answer: &Answer,
        trust_model: TrustModel,
        honest_clients: u64,
    ) -> Vec<String> {
        let part = answer.part;
        let mut assumptions = Vec::new();
        if part.needs_noise() {
            assumptions.extend(several(trust_model, self.aggregators()));
        }
        if part != Part::Aggregators {
            assumptions.push(OWN_FLIPS.to_owned());
        }
        if part.needs_noise() || answer.also_needs_noise {
            let whose = match trust_model.honest_aggregators() {
                0 | 1 => "the",
                _ => "each",
            };
            assumptions.push(format!("{whose} {HONEST_AGGREGATOR}"));
        }
        if part != Part::Client {
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        if part.needs_other_clients() {
            assumptions.push(in_a_crowd_of(honest_clients, self.min_reports()));
        }
        assumptions
    }

    /// What remains if those whom `answer` counts on are not honest: first what one honest
    /// aggregator still gives, then the client's own randomness.
    fn otherwise(&self, trust_model: TrustModel, answer: &Answer, one: &Answer) -> Otherwise {
        let nobody = self.clients.alone("if all aggregators work together");
        let several = trust_model.honest_aggregators() > 1;
        let weaker = match (answer.part.needs_other_clients(), one.part.needs_noise()) {
            (true, true) if several => {
                "if fewer clients or fewer aggregators are honest, but one aggregator is"
            }
            (true, true) => "if fewer clients are honest, but one aggregator is",
            (false, true) if several => "if fewer aggregators are honest, but one is",
            (true, false) => {
                return self
                    .clients
                    .alone("if fewer clients are honest or all aggregators work together");
            }
            (false, _) => return nobody,
        };
        Otherwise::from(format!("{weaker}, {} gives ", one.part.name()))
            .one_aggregator(one.loss.promise())
            .words("; ")
            .then(nobody)
    }
}
