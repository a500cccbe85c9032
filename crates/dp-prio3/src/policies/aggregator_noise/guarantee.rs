//! What noise at the aggregators promises.

use dp_calibration::{Budget, NoiseLaw, Query, TrustModel};

use super::AggregatorNoise;
use crate::guarantees::{
    Circumstances, Guarantee, Loose, Otherwise, Promise, several, without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
use crate::policy::PolicyDescription;
use crate::types::MeasurementType;

impl<V: MeasurementType, N: NoiseMechanism> AggregatorNoise<V, N> {
    /// With several honest aggregators their noise adds up. A malicious aggregator that adds none
    /// takes nothing from the promise, for only the noise of honest ones is counted.
    pub(super) fn promised(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Guarantee {
        let aggregators = self.aggregators();
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        if trust_model == TrustModel::OneClient {
            let reason = "clients send their measurements without randomization, and all \
                          aggregators together can put them together again"
                .to_owned();
            return Guarantee::new(trust_model, Promise::Absent { reason }, circumstances);
        }
        let honest = usize::from(trust_model.honest_aggregators());
        let (one, (promise, remark)) = match circumstances.is_one_report() {
            true => {
                let one = Promise::Proved(self.mechanism.budget().clone());
                (one, self.promise(honest, circumstances))
            }
            false => {
                let one = self.drawn(1, circumstances);
                (one, (self.drawn(honest, circumstances), None))
            }
        };
        let origin = if promise == one {
            TrustModel::OneAggregatorOneClient
        } else {
            without_other_clients(trust_model)
        };
        let counts_on = several(trust_model, aggregators).filter(|_| promise != one);
        let fewer = counts_on.as_ref().map(|_| {
            Otherwise::from("if fewer aggregators are honest, what one of them adds remains: ")
                .one_aggregator(one)
                .words("; ")
        });
        let own = ASSUMPTIONS.iter().map(|text| match &counts_on {
            Some(_) => text.replace(
                "the honest aggregator draws",
                "each honest aggregator draws",
            ),
            None => (*text).to_owned(),
        });
        let own: Vec<String> = own.collect();
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: counts_on.into_iter().chain(own).collect(),
            otherwise: fewer.unwrap_or_default().words(OTHERWISE),
            remarks: remark.into_iter().collect(),
            ..Guarantee::new(trust_model, promise, circumstances)
        }
    }

    /// (ε, δ) of all releases of the circumstances, with the noise of `honest` aggregators in each.
    pub(super) fn drawn(&self, honest: usize, circumstances: &Circumstances) -> Promise {
        let query = self.measurement_type.query();
        match self.mechanism.loss_at(&query, honest, circumstances) {
            Ok(Some(loss)) => loss.promise(),
            Ok(None) => {
                let delta = circumstances.delta();
                let reason = format!("nothing is proved of this noise at delta {delta}");
                Promise::Absent { reason }
            }
            Err(error) => Promise::Absent {
                reason: error.to_string(),
            },
        }
    }

    /// Why more is provable than is stated, if that is known.
    pub(super) fn why_loose(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<Loose> {
        let law = self.mechanism.law()?;
        let has_delta = !circumstances.delta().value().is_zero();
        let is_several = trust_model.honest_aggregators() > 1;
        let is_multihot = matches!(
            self.measurement_type.query(),
            Query::MultihotCountVec { .. }
        );
        match law {
            NoiseLaw::DiscreteLaplace { .. } if is_several && has_delta => {
                Some(Loose::OneOfSeveral)
            }
            NoiseLaw::DiscreteGaussian { .. }
                if is_multihot && circumstances.reports_per_client() > 1 =>
            {
                Some(Loose::Norm)
            }
            _ => None,
        }
    }

    /// The promise of so many draws at the policy's own δ. That of one holds in any case, as more
    /// noise never hurts; if no better one can be computed, a sentence says so.
    fn promise(&self, honest: usize, circumstances: &Circumstances) -> (Promise, Option<String>) {
        let budget = self.mechanism.budget();
        let one = Promise::Proved(budget.clone());
        let Budget::Approximate { delta, .. } = budget else {
            return (one, None);
        };
        if honest < 2 {
            return (one, None);
        }
        let query = self.measurement_type.query();
        let circumstances = circumstances.clone().at(delta.clone());
        match self.mechanism.loss_at(&query, honest, &circumstances) {
            Ok(Some(loss)) => (loss.promise(), None),
            Ok(None) => (one, None),
            Err(error) => {
                let remark = format!(
                    "what {honest} honest aggregators add together could not be computed \
                     ({error}): what is stated is the promise of one"
                );
                (one, Some(remark))
            }
        }
    }
}

/// What remains.
const OTHERWISE: &str = "if every aggregator is malicious, or the honest one keeps its noise and \
     is broken into, nothing protects a measurement";

/// What the promise rests on beside the honest aggregator's noise, which alone is counted.
const ASSUMPTIONS: [&str; 4] = [
    "the honest aggregator draws its noise from a sound generator, releases the batch once and \
     forgets its share and its noise",
    "Prio3 reveals nothing of an honest client's measurement but the totals (a computational \
     assumption); the number of reports is public",
    "the client has one report in the batch (aggregators refuse a report whose id they have seen, which \
     is the same report again; two reports of one client they cannot tell)",
    "whether a report arrives does not depend on its measurement: one that is dropped or rejected \
     is then in neither of two neighbouring batches, and what is released is the same for both",
];
