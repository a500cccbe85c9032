//! What compensation promises, for every number of reports that it releases.

use dp_amplification::compensation::Compensation;
use dp_calibration::TrustModel;
use dp_exact::work;

use super::CompensatedRappor;
use crate::Error;
use crate::guarantees::{Answer, Circumstances, Frontier, Guarantee, Loss, Otherwise, Part};
use crate::policies::client_noise::{ARRIVAL, HIDDEN_SUM, OWN_FLIPS, not_stated};
use crate::policy::PolicyDescription;
use crate::randomizers::counts;

impl CompensatedRappor {
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
        let with_clients = trust_model.needs_other_clients();
        let answers = self.answer(with_clients, circumstances).and_then(|answer| {
            let one = if with_clients {
                self.answer(false, circumstances)?
            } else {
                answer.clone()
            };
            Ok((answer, one))
        });
        let (answer, one) = match answers {
            Ok(answers) => answers,
            Err(error) => return not_stated(trust_model, &error, circumstances),
        };
        let origin = match answer.part {
            Part::Client => TrustModel::OneClient,
            Part::Aggregators | Part::Both => TrustModel::OneAggregatorOneClient,
            Part::Clients | Part::Everything => TrustModel::OneAggregatorMostClients,
        };
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: self.assumptions(&answer, circumstances),
            otherwise: self.otherwise(&answer, &one),
            also: answer.also,
            remarks: answer.remarks,
            ..Guarantee::new(trust_model, answer.loss.promise(), circumstances)
        }
    }

    /// With the bits that are added to the batch in which they are the fewest, if any, where nobody but the client
    /// and an aggregator is honest: the number of reports is in the adversary's hands, and the more
    /// there are, the fewer are added.
    fn added_alone(&self, circumstances: &Circumstances) -> Result<Option<Loss>, Error> {
        let fullest = self.plan(self.max_reports())?;
        if fullest.added_zeros() == 0 {
            return Ok(None);
        }
        self.loss(1, &fullest, circumstances)
    }

    /// The same among at least `honest` reports of honest clients and at most f others: the least
    /// favourable number of honest ones, see `docs/promises.md`.
    ///
    /// With h honest reports the batch has at most min(h + f, U) reports, U the most that are
    /// released, so that at least M = max(0, H − min(h, U − f)) zeros are added. Up to h = min(H,
    /// U − f) a further honest client takes the place of an added zero, and may hold anything: ε
    /// grows. Beyond, M stays and a further client only hides: ε falls.
    fn added_among(
        &self,
        honest: u64,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        let (least, most) = (self.least_honest(honest), self.max_reports());
        let worst = least.max(self.wanted.min(most - self.malicious)).min(most);
        let fullest = self.plan(worst.saturating_add(self.malicious).min(most))?;
        self.loss(worst, &fullest, circumstances)
    }

    /// Of a batch that is released, at least so many reports are honest: those that the
    /// circumstances count on, and all but f of the fewest.
    fn least_honest(&self, honest: u64) -> u64 {
        honest.max(self.min_reports().saturating_sub(self.malicious))
    }

    /// The ε of the client among so many honest reports with what `plan` adds, at the δ that dropped
    /// reports leave. Those whose reports may be dropped hide nobody.
    fn loss(
        &self,
        honest: u64,
        plan: &Compensation,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        if circumstances.reports_per_client() > 1 {
            return Ok(None);
        }
        let circumstances = &circumstances.with_honest_clients(honest);
        let rappor = self.clients.randomizer();
        rappor.largest(circumstances, |adjacency| {
            rappor.despite_drops(circumstances, adjacency, |hiding, left| {
                let plan = plan.with_honest(hiding)?;
                Ok(Some(match circumstances.releases() {
                    1 => plan.epsilon(left, adjacency)?,
                    releases => plan.epsilon_of_counts(left, counts(adjacency, releases))?,
                }))
            })
        })
    }

    /// The best of all that is proved where an aggregator is honest. What several add is not
    /// counted.
    fn answer(&self, with_clients: bool, circumstances: &Circumstances) -> Result<Answer, Error> {
        let mut frontier = Frontier::of_client(self.clients.local_loss(circumstances)?);
        frontier.add(Part::Both, self.added_alone(circumstances));
        if with_clients {
            let honest = circumstances.honest_clients();
            let least = circumstances.with_honest_clients(self.least_honest(honest));
            let (among, crowd) = work::both(
                || self.added_among(honest, circumstances),
                || self.clients.crowd(&least),
            );
            frontier.add(Part::Everything, among);
            frontier.add(Part::Clients, crowd);
        }
        let mut answer = frontier.answer(circumstances.delta());
        answer
            .remarks
            .extend(self.clients.about_drops(circumstances));
        Ok(answer)
    }

    /// What a guarantee rests on, by the parts that it counts on.
    fn assumptions(&self, answer: &Answer, circumstances: &Circumstances) -> Vec<String> {
        let (part, min, max) = (answer.part, self.min_reports(), self.max_reports());
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        if part == Part::Client {
            return assumptions;
        }
        if part.needs_noise() {
            assumptions.push(HONEST_ADDER.to_owned());
            assumptions.push(format!(
                "the honest aggregator releases no batch of fewer than {min} or more than {max} \
                 reports by its own count: the promise holds for every number of reports between"
            ));
        }
        assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        if part.needs_other_clients() {
            let honest = self.least_honest(circumstances.honest_clients());
            assumptions.push(format!(
                "of the released batch's reports at least {honest} are of honest clients, this one \
                 among them, and at most {} are not (a malicious aggregator can reject any of them)",
                self.malicious
            ));
        }
        assumptions
    }

    /// What remains if those whom `answer` counts on are not honest.
    fn otherwise(&self, answer: &Answer, one: &Answer) -> Otherwise {
        let nobody = self.clients.alone("if all aggregators work together");
        if !answer.part.needs_other_clients() {
            return nobody;
        }
        let weaker = format!(
            "if fewer clients are honest or more than {} reports malicious, but one aggregator is \
             honest, {} gives ",
            self.malicious,
            one.part.name(),
        );
        Otherwise::from(weaker)
            .one_aggregator(one.loss.promise())
            .words("; ")
            .then(nobody)
    }
}

const HONEST_ADDER: &str = "the honest aggregator draws the missing bits from a sound generator, \
     releases the batch once and forgets its share and those bits";
