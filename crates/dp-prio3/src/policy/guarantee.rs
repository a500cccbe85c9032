//! The guarantee of a policy in each trust model, by whose noise it rests on.

mod aggregators;
mod clients;

use dp_calibration::{Query, TrustModel};

use self::aggregators::AggregatorsAlone;
use self::clients::{WithClients, unproved};
use super::Policy;
use crate::guarantees::{AbsenceReason, Circumstances, Guarantee, PrivacyBound, SlackReason};
use crate::mechanisms::NoiseKind;

impl Policy {
    fn with_clients(&self) -> Option<WithClients<'_>> {
        self.checked.clients.as_ref().map(|clients| WithClients { policy: self, clients })
    }

    fn aggregators_alone(&self) -> Option<AggregatorsAlone<'_>> {
        self.mechanism().map(|mechanism| AggregatorsAlone { policy: self, mechanism })
    }

    /// The circumstances with no more honest clients than a batch has reports.
    fn within_batch(&self, circumstances: &Circumstances) -> Circumstances {
        circumstances.with_honest_clients(circumstances.honest_clients.min(self.max_reports()))
    }

    /// The guarantee in a trust model under the given circumstances.
    #[must_use]
    pub fn guarantee(&self, model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let circumstances = &self.within_batch(circumstances);
        let absent = |reason| PrivacyBound::Absent { reason };
        let aggregators = self.aggregators();
        let is_beyond = usize::from(model.honest_aggregators()) > aggregators;
        let bound = match (self.with_clients(), self.aggregators_alone()) {
            (None, None) => absent(AbsenceReason::NoNoise),
            _ if is_beyond => absent(AbsenceReason::TooFewAggregators { aggregators }),
            (Some(policy), _) => match policy.proved(model, circumstances) {
                Ok(guarantee) => return guarantee,
                Err(error) => unproved(error),
            },
            (None, Some(_)) if model == TrustModel::OneClient => {
                absent(AbsenceReason::PlainMeasurements)
            }
            (None, Some(policy)) => return policy.proved(model, circumstances),
        };
        Guarantee::new(model, bound, circumstances)
    }

    /// [`Self::guarantee`] as a pair (ε, δ), whatever the policy's own budget: the smallest proved
    /// ε at a δ of at most the circumstances' one.
    #[must_use]
    pub fn pair(&self, model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        let circumstances = &self.within_batch(circumstances);
        let honest = model.honest_aggregators();
        match (self.with_clients(), self.aggregators_alone()) {
            (Some(policy), _) if usize::from(honest) <= self.aggregators() => {
                let best = policy.best_pair(model, circumstances);
                best.map_or_else(unproved, |best| PrivacyBound::Proved(best.pair.budget()))
            }
            (None, Some(policy)) if model != TrustModel::OneClient => {
                policy.composed(honest.into(), circumstances)
            }
            _ => self.guarantee(model, circumstances).bound,
        }
    }

    /// The reason why a stronger guarantee could be proved; `None` where no slack is known.
    #[must_use]
    pub fn slack_reason(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        let has_several = circumstances.reports_per_client > 1;
        let kind = self.mechanism().map(|noise| noise.kind());
        let (reason, applies) = match (self.with_clients(), kind) {
            // Joint noise of clients and aggregators is composed for bits alone, and for one report
            // of a person.
            (Some(_), None) => {
                (SlackReason::SeveralReports, model.needs_other_clients() && has_several)
            }
            (Some(_), Some(_))
                if model == TrustModel::OneClient || circumstances.is_one_report() =>
            {
                return None;
            }
            (Some(_), Some(_)) if has_several => (SlackReason::BetterOfTwo, true),
            (Some(_), Some(_)) => {
                (SlackReason::PairComposition, matches!(self.query(), Query::Histogram { .. }))
            }
            (None, Some(NoiseKind::DiscreteLaplace)) => {
                let has_delta = !circumstances.delta.value().is_zero();
                (SlackReason::OneNoiseCounted, model.honest_aggregators() > 1 && has_delta)
            }
            (None, Some(NoiseKind::DiscreteGaussian)) => {
                let is_multihot = matches!(self.query(), Query::MultihotCountVec { .. });
                (SlackReason::NormBound, is_multihot && has_several)
            }
            (None, None) => return None,
        };
        applies.then_some(reason)
    }
}
