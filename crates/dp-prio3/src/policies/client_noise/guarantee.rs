//! What randomized measurements promise, by themselves and in a crowd.

use dp_calibration::TrustModel;
use dp_exact::{Delta, Rational};

use super::ClientNoise;
use crate::Error;
use crate::guarantees::{
    Circumstances, Frontier, Guarantee, Loose, Loss, Otherwise, Part, Promise,
};
use crate::policy::PolicyDescription;
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// The promise of the client alone holds against everybody, hence in every trust model. In OAMC
    /// the other honest clients add to it, as far as that is proved for this randomizer.
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
        let crowd = match trust_model.needs_other_clients() {
            true => self.crowd(circumstances),
            false => Ok(None),
        };
        // What a client's reports guarantee together is at least what one of them does.
        let is_ample =
            matches!(&crowd, Ok(Some(loss)) if loss.epsilon() <= self.local_epsilon.value());
        let local = match is_ample {
            true => self.pure_loss(circumstances),
            false => self.local_loss(circumstances),
        };
        let mut frontier = match local {
            Ok(local) => Frontier::of_client(local),
            Err(error) => return not_stated(trust_model, &error, circumstances),
        };
        frontier.add(Part::Clients, crowd);
        let mut answer = frontier.answer(circumstances.delta());
        if trust_model.needs_other_clients() {
            answer.remarks.extend(self.about_drops(circumstances));
        }
        let in_a_crowd = answer.part.needs_other_clients();
        // The noise of aggregators is none of it, so one of them is enough.
        let origin = if in_a_crowd {
            TrustModel::OneAggregatorMostClients
        } else {
            TrustModel::OneClient
        };
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        if in_a_crowd {
            assumptions.push(in_a_crowd_of(
                circumstances.honest_clients(),
                self.min_reports,
            ));
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        let otherwise = if in_a_crowd {
            self.alone("if fewer clients are honest or all aggregators work together")
        } else {
            "nothing protects a client that does not randomize".into()
        };
        Guarantee {
            also: answer.also,
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions,
            otherwise,
            remarks: answer.remarks,
            ..Guarantee::new(trust_model, answer.loss.promise(), circumstances)
        }
    }

    /// What remains where nobody else is honest, in words.
    pub(in crate::policies) fn alone(&self, case: &str) -> Otherwise {
        Otherwise::from(format!("{case}, the client's own randomness remains: "))
            .own_randomness(self.local_epsilon.clone())
    }

    /// What all reports of one person cost, whoever reads them.
    pub(in crate::policies) fn local_loss(
        &self,
        circumstances: &Circumstances,
    ) -> Result<Loss, Error> {
        if circumstances.is_one_report() {
            let none = Delta::new(Rational::zero())?;
            return Loss::new(self.local_epsilon.value().clone(), none);
        }
        let adjacency = circumstances.adjacency();
        let own = self
            .randomizer
            .own_noise(&self.measurement_type, adjacency)?;
        own.loss(circumstances)
    }

    /// ε of all reports of one person with δ = 0, whoever reads them.
    fn pure_loss(&self, circumstances: &Circumstances) -> Result<Loss, Error> {
        let adjacency = circumstances.adjacency();
        let own = self
            .randomizer
            .own_noise(&self.measurement_type, adjacency)?;
        own.pure(circumstances)
    }

    /// Why more is provable than is stated, if that is known.
    pub(super) fn why_loose(
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<Loose> {
        let is_counted_alone =
            trust_model.needs_other_clients() && circumstances.reports_per_client() > 1;
        is_counted_alone.then_some(Loose::Reports)
    }

    /// What all reports of one person cost in the sums over all honest clients.
    pub(in crate::policies) fn crowd(
        &self,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        self.randomizer
            .in_a_crowd(&self.measurement_type, circumstances)
    }

    /// A sentence about dropped reports, where they take from what other clients give.
    pub(in crate::policies) fn about_drops(&self, circumstances: &Circumstances) -> Option<String> {
        let rate = self.randomizer.dropped();
        let share = &rate * &Rational::from(100u64);
        (share > *circumstances.delta().value()).then(|| {
            format!(
                "an honest report is dropped for its weight with a probability of up to {rate}, \
                 which counts against delta {}: a lower false-positive rate gives a smaller epsilon",
                circumstances.delta()
            )
        })
    }
}

/// Where not even the client's own promise can be stated.
pub(in crate::policies) fn not_stated(
    trust_model: TrustModel,
    error: &Error,
    circumstances: &Circumstances,
) -> Guarantee {
    let reason = format!("the client's own promise cannot be stated: {error}");
    Guarantee::new(trust_model, Promise::Absent { reason }, circumstances)
}

/// What every promise of a randomizer rests on.
pub(in crate::policies) const OWN_FLIPS: &str = "the client draws its randomness from a sound generator and \
     sends one report of its measurement: a second one would spend the budget again";

/// What a promise that counts on others rests on beside: a missing report is seen.
pub(in crate::policies) const ARRIVAL: &str = "whether a report arrives does not depend on its measurement, but \
     for a bound on its weight, which is counted";

/// What a promise of the sum rests on beside.
pub(in crate::policies) const HIDDEN_SUM: &str = "Prio3 reveals nothing of an honest client's report but the \
     totals (a computational assumption); the number of reports is public";

/// How many clients a promise counts on, and who can void it, in words.
pub(in crate::policies) fn in_a_crowd_of(honest_clients: u64, min_reports: u64) -> String {
    let ensured = if min_reports >= honest_clients {
        format!(
            "so the honest one releases no batch of fewer than {min_reports} reports by its own \
             count, of which at most {} may be malicious",
            min_reports - honest_clients
        )
    } else {
        format!(
            "the policy's fewest reports, {min_reports}, do not rule it out, at least \
             {honest_clients} would"
        )
    };
    format!(
        "the reports of {honest_clients} honest clients, this one among them, are in the released \
         batch (a malicious aggregator can reject any of them: {ensured})"
    )
}
