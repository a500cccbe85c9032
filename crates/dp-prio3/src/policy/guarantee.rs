//! The guarantee of a policy in each trust model, by whose noise it rests on.

mod aggregators;
mod clients;

use dp_calibration::{Adjacency, Query, TrustModel};

use self::aggregators::AggregatorsAlone;
use self::clients::WithClients;
use super::{Added, Policy};
use crate::guarantees::{
    AbsenceReason, Circumstances, EpsilonDelta, Guarantee, PrivacyBound, SlackReason,
};
use crate::mechanisms::NoiseKind;

/// A policy, by the noise that its guarantee in a trust model rests on.
enum Noisy<'a> {
    Clients(WithClients<'a>),
    Aggregators(AggregatorsAlone<'a>),
    /// Nothing is guaranteed, for this reason.
    Absent(AbsenceReason),
}

impl Policy {
    /// By whose noise the policy guarantees something in a trust model, or why nothing.
    fn noisy(&self, model: TrustModel) -> Noisy<'_> {
        let aggregators = self.aggregators();
        let is_beyond = usize::from(model.honest_aggregators()) > aggregators;
        match (&self.checked.randomizer, &self.checked.added) {
            (None, Added::Nothing | Added::Compensation(_)) => {
                Noisy::Absent(AbsenceReason::NoNoise)
            }
            _ if is_beyond => Noisy::Absent(AbsenceReason::TooFewAggregators { aggregators }),
            (Some(randomizer), _) => Noisy::Clients(WithClients { policy: self, randomizer }),
            (None, Added::Noise { .. }) if model == TrustModel::OneClient => {
                Noisy::Absent(AbsenceReason::PlainMeasurements)
            }
            (None, Added::Noise { mechanism, .. }) => {
                Noisy::Aggregators(AggregatorsAlone { policy: self, mechanism })
            }
        }
    }

    /// The circumstances with no more honest clients than a batch may have reports. 0 honest
    /// clients, releases or reports of a person become 1.
    fn within_batch(&self, circumstances: &Circumstances) -> Circumstances {
        let Circumstances { honest_clients, releases, reports_per_client, .. } = *circumstances;
        let within = circumstances.with_honest_clients(honest_clients.min(self.max_reports()));
        // The fields may be 0: no release, or no report, costs at most what one does.
        within.over(releases).with_reports_per_client(reports_per_client)
    }

    /// The guarantee in a trust model under the given circumstances.
    #[must_use]
    pub fn guarantee(&self, model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let circumstances = &self.within_batch(circumstances);
        let reason = match self.noisy(model) {
            Noisy::Clients(policy) => match policy.proved(model, circumstances) {
                Ok(guarantee) => return guarantee,
                Err(error) => AbsenceReason::OwnNotComputed(error),
            },
            Noisy::Aggregators(policy) => return policy.proved(model, circumstances),
            Noisy::Absent(reason) => reason,
        };
        Guarantee::new(model, PrivacyBound::Absent { reason }, circumstances)
    }

    /// [`Self::guarantee`] as a pair (ε, δ), whatever the policy's own budget: the smallest proved
    /// ε at a δ of at most the circumstances' one.
    ///
    /// # Errors
    /// The reason why nothing is guaranteed.
    pub fn pair(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<EpsilonDelta, AbsenceReason> {
        let circumstances = &self.within_batch(circumstances);
        match self.noisy(model) {
            Noisy::Clients(policy) => {
                let best = policy.best_pair(model, circumstances);
                best.map(|best| best.pair).map_err(AbsenceReason::OwnNotComputed)
            }
            Noisy::Aggregators(policy) => {
                policy.composed(model.honest_aggregators().into(), circumstances)
            }
            Noisy::Absent(reason) => Err(reason),
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
        let (reason, applies) = match (&self.checked.randomizer, kind) {
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
            (None, Some(NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm)) => {
                let has_delta = !circumstances.delta.value().is_zero();
                (SlackReason::OneNoiseCounted, model.honest_aggregators() > 1 && has_delta)
            }
            (None, Some(NoiseKind::DiscreteGaussian)) => {
                let is_multihot = matches!(self.query(), Query::MultihotCountVec { .. });
                let has_norm = circumstances.adjacency != Adjacency::OneCoordinate;
                (SlackReason::NormBound, is_multihot && has_several && has_norm)
            }
            (None, None) => return None,
        };
        applies.then_some(reason)
    }
}
