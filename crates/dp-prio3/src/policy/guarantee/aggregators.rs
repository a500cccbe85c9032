//! The guarantee of noise at the aggregators alone: it rests on the draw of one honest aggregator.

use dp_calibration::{Budget, TrustModel, zcdp};

use crate::guarantees::{
    AbsenceReason, Circumstances, Condition, EpsilonDelta, Fallback, Guarantee, PrivacyBound,
    several_aggregators, without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
use crate::policy::Policy;

/// A policy with noise of aggregators alone.
#[derive(Clone, Copy)]
pub(super) struct AggregatorsAlone<'a> {
    pub(super) policy: &'a Policy,
    pub(super) mechanism: &'a NoiseMechanism,
}

impl AggregatorsAlone<'_> {
    /// The guarantee in a trust model with an honest aggregator. With several their noise adds up.
    /// A malicious aggregator that adds none weakens nothing, for only the noise of honest ones
    /// counts.
    pub(super) fn proved(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Guarantee {
        let honest = u32::from(trust_model.honest_aggregators());
        let (one, bound) = (self.bound(1, circumstances), self.bound(honest, circumstances));
        let origin = if bound == one {
            TrustModel::OneAggregatorOneClient
        } else {
            without_other_clients(trust_model)
        };
        let several =
            several_aggregators(trust_model, self.policy.aggregators()).filter(|_| bound != one);
        let mut conditions: Vec<Condition> = several.into_iter().collect();
        conditions.extend([
            Condition::CarefulAggregator,
            Condition::OnlyTotals,
            Condition::Reports { most: circumstances.reports_per_client },
            Condition::IndependentArrival,
        ]);
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            conditions,
            fallback: Fallback::AggregatorNoise,
            ..Guarantee::new(trust_model, bound, circumstances)
        }
    }

    /// The smallest proved (ε, δ) of all releases of the circumstances together, with the noise of
    /// `honest` aggregators in each. δ is at most the δ of the circumstances. `Err` with the reason
    /// if none is proved.
    pub(super) fn composed(
        &self,
        honest: u32,
        circumstances: &Circumstances,
    ) -> Result<EpsilonDelta, AbsenceReason> {
        let pair = self.mechanism.composed_pair(self.policy.query(), honest, circumstances);
        let unproved = || AbsenceReason::UnprovedAtDelta { delta: circumstances.delta.clone() };
        pair.map_err(AbsenceReason::NotComputed)?.ok_or_else(unproved)
    }

    /// The ρ of one aggregator's Gaussian noise for one report under the circumstances' neighbour
    /// relation, Δ₂²/(2σ²), exactly. `Err` with the reason if there are no such neighbours.
    fn rho(&self, circumstances: &Circumstances) -> Result<Budget, AbsenceReason> {
        let not_computed = |error: dp_calibration::Error| AbsenceReason::NotComputed(error.into());
        let (query, noise) = (self.policy.query(), self.mechanism.distribution());
        let sensitivity = query.sensitivity(circumstances.adjacency).map_err(not_computed)?;
        let (_, variance) = noise.parameter();
        let rho = zcdp::rho(variance, &sensitivity.l2_squared).map_err(not_computed)?;
        Ok(Budget::from(rho))
    }

    /// The bound with the noise of `honest` aggregators. For one report in one release it is a pair
    /// at the δ of the budget, or the budget itself where further aggregators gain nothing; of a ρ
    /// under another relation than replacement [`Self::rho`]. Else it is [`Self::composed`], or
    /// absent with the reason.
    fn bound(&self, honest: u32, circumstances: &Circumstances) -> PrivacyBound {
        let budget = self.mechanism.budget();
        let proved = match budget {
            Budget::ZeroConcentrated { .. }
                if circumstances.reports() == 1 && !circumstances.is_one_report() =>
            {
                self.rho(circumstances)
            }
            _ if !circumstances.is_one_report() => {
                self.composed(honest, circumstances).map(|pair| pair.budget())
            }
            Budget::Approximate { delta, .. } if honest > 1 => {
                let several = self.composed(honest, &circumstances.clone().at(delta.clone()));
                // The noise of one aggregator always counts, as more noise never hurts.
                Ok(several.map_or_else(|_| budget.clone(), |pair| pair.budget()))
            }
            _ => Ok(budget.clone()),
        };
        proved.map_or_else(|reason| PrivacyBound::Absent { reason }, PrivacyBound::Proved)
    }
}
