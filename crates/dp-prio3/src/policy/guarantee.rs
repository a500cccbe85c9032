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

    /// The guarantee in a trust model under the given circumstances.
    #[must_use]
    pub fn guarantee(&self, model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        if let Some(policy) = self.with_clients() {
            let circumstances = &policy.within_batch(circumstances);
            if let Some(none) = Guarantee::beyond(model, self.aggregators(), circumstances) {
                return none;
            }
            return policy
                .proved(model, circumstances)
                .unwrap_or_else(|error| Guarantee::new(model, unproved(error), circumstances));
        }
        match self.aggregators_alone() {
            Some(policy) => policy.guarantee(model, circumstances),
            None => {
                let bound = PrivacyBound::Absent { reason: AbsenceReason::NoNoise };
                Guarantee::new(model, bound, circumstances)
            }
        }
    }

    /// [`Self::guarantee`] as a pair (ε, δ), whatever the policy's own budget: the smallest proved
    /// ε at a δ of at most the circumstances' one.
    #[must_use]
    pub fn pair(&self, model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        if let Some(policy) = self.with_clients() {
            let circumstances = &policy.within_batch(circumstances);
            if let Some(none) = Guarantee::beyond(model, self.aggregators(), circumstances) {
                return none.bound;
            }
            let best = policy.best_pair(model, circumstances);
            return best.map_or_else(unproved, |best| PrivacyBound::Proved(best.pair.budget()));
        }
        match self.aggregators_alone() {
            Some(policy) if model != TrustModel::OneClient => {
                policy.composed(model.honest_aggregators().into(), circumstances)
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
