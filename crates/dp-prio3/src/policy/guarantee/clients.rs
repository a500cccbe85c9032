//! The guarantees of client noise: of the client alone, among other honest clients, and with what
//! honest aggregators add.

use dp_amplification::compensation::Compensation;
use dp_calibration::TrustModel;
use dp_exact::{Delta, Rational};

use crate::Error;
use crate::guarantees::{
    BestPair, Circumstances, Condition, EpsilonDelta, Fallback, Guarantee, NoiseSource,
    PrivacyBound, ProvedPairs, Remark, several_aggregators, without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
use crate::policy::{Added, Policy};
use crate::randomizers::{Randomizer, Rappor};

/// The most honest aggregators whose noise counts in the bound of several noises together.
const MAX_HONEST: u32 = 64;

/// A policy with client noise.
#[derive(Clone, Copy)]
pub(super) struct WithClients<'a> {
    pub(super) policy: &'a Policy,
    pub(super) randomizer: &'a Randomizer,
}

impl WithClients<'_> {
    /// The guarantee in a trust model. `Err` if not even the client's own pair can be computed.
    pub(super) fn proved(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Guarantee, Error> {
        let best = self.best_pair(trust_model, circumstances)?;
        // One honest aggregator is enough where none adds noise, and with compensation, where one's
        // bits are enough.
        let model = match &self.policy.checked.added {
            Added::Noise { .. } => trust_model,
            _ if trust_model.needs_other_clients() => TrustModel::OneAggregatorMostClients,
            _ => TrustModel::OneAggregatorOneClient,
        };
        let origin = match best.source {
            NoiseSource::Client => TrustModel::OneClient,
            NoiseSource::Clients => TrustModel::OneAggregatorMostClients,
            NoiseSource::ClientsAndAggregators => model,
            _ => {
                let one = TrustModel::OneAggregatorOneClient;
                let several = without_other_clients(model);
                let is_of_one =
                    several == one || best.pair == self.best_pair(one, circumstances)?.pair;
                if is_of_one { one } else { several }
            }
        };
        Ok(Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            conditions: self.conditions(&best, origin, circumstances),
            fallback: match best.source {
                NoiseSource::Client => Fallback::NothingWithoutRandomness,
                _ => Fallback::OwnRandomness {
                    epsilon: self.randomizer.local_epsilon(circumstances.adjacency)?,
                },
            },
            remarks: best.remarks,
            ..Guarantee::new(trust_model, PrivacyBound::Proved(best.pair.budget()), circumstances)
        })
    }

    /// The best pair that is proved in a trust model. `Err` if not even the client's own pair can
    /// be computed.
    pub(super) fn best_pair(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<BestPair, Error> {
        let mut pairs = ProvedPairs::default();
        let honest = u32::from(trust_model.honest_aggregators());
        let clients = circumstances.honest_clients;
        let counts_on_clients = trust_model.needs_other_clients();
        let mut hiding = clients;
        match &self.policy.checked.added {
            Added::Noise { mechanism, .. } if honest > 0 => {
                let by_noise = self.noise_pair(mechanism, honest, circumstances);
                pairs.add(NoiseSource::Aggregators, by_noise);
                let alone = circumstances.with_honest_clients(1);
                let with_noise = self.aggregated_pair(honest, &alone);
                pairs.add(NoiseSource::ClientAndAggregators, with_noise);
                if counts_on_clients {
                    let joint = self.aggregated_pair(honest, circumstances);
                    pairs.add(NoiseSource::ClientsAndAggregators, joint);
                }
            }
            Added::Compensation(compensator) if honest > 0 => {
                let alone = compensator.alone().and_then(|plan| match plan {
                    Some(plan) => self.compensated_pair(1, &plan, circumstances),
                    None => Ok(None),
                });
                pairs.add(NoiseSource::ClientAndAggregators, alone);
                if counts_on_clients {
                    let among = compensator.among(clients);
                    let among = among.and_then(|(honest, plan)| {
                        self.compensated_pair(honest, &plan, circumstances)
                    });
                    pairs.add(NoiseSource::ClientsAndAggregators, among);
                    hiding = compensator.least_honest(clients);
                }
            }
            _ => {}
        }
        if counts_on_clients {
            let circumstances = circumstances.with_honest_clients(hiding);
            pairs.add(NoiseSource::Clients, self.aggregated_pair(0, &circumstances));
        }
        // The reports of a client together leak at least as much as one: then the sum of the
        // largest losses is enough.
        let of_one_report = self.randomizer.local_epsilon(circumstances.adjacency)?;
        let releases = self.randomizer.local_releases(circumstances.adjacency)?;
        let own = match pairs.reaches(of_one_report.value(), &circumstances.delta) {
            true => releases.pure(circumstances)?,
            false => releases.composed(circumstances)?,
        };
        let counts_on_others = counts_on_clients || !pairs.is_empty();
        let mut best = pairs.best(own, &circumstances.delta);
        if counts_on_others {
            best.remarks.extend(self.remark_on_drops(circumstances));
        }
        Ok(best)
    }

    /// Upper bound on the (ε, δ) of all reports of one person in the sums over all honest clients,
    /// with the noise of `honest` aggregators, of which 64 count at most and 0 leave it out. `None`
    /// where no joint bound is proved.
    fn aggregated_pair(
        &self,
        honest: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let noise = self.policy.mechanism().filter(|_| honest > 0);
        // Behind a randomizer draws are independent.
        let distribution = noise.map(|noise| noise.distribution().accounted());
        let noise = distribution.as_ref().map(|noise| (noise, honest.min(MAX_HONEST)));
        at_delta(self.randomizer.aggregated_epsilon(noise, circumstances), circumstances)
    }

    /// Upper bound on the (ε, δ) that the `noise` of `honest` aggregators alone proves. The
    /// probability that of two neighbouring reports one alone is dropped is part of δ: `None` if it
    /// uses δ up, or nothing is proved at what is left.
    fn noise_pair(
        &self,
        noise: &NoiseMechanism,
        honest: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let of_rappor = |rappor: &Rappor| {
            let of_one_report = rappor.drop_mismatch_probability(circumstances.adjacency);
            of_one_report * Rational::from(circumstances.reports())
        };
        let mismatch = self.randomizer.rappor().map_or_else(Rational::zero, of_rappor);
        let left = circumstances.delta.value() - &mismatch;
        if left.is_negative() || (left.is_zero() && !mismatch.is_zero()) {
            return Ok(None);
        }
        let at = circumstances.clone().at(Delta::new(left)?);
        let pair = noise.composed_pair(self.policy.query(), honest, &at)?;
        let with_mismatch = |pair: EpsilonDelta| {
            Ok(EpsilonDelta { delta: Delta::new(pair.delta.value() + &mismatch)?, ..pair })
        };
        pair.map(with_mismatch).transpose()
    }

    /// Upper bound on the (ε, δ) of all reports of one person, in the sums over `honest` reports,
    /// with the bits that aggregators add by `plan`. `None` where nothing is proved.
    fn compensated_pair(
        &self,
        honest: u64,
        plan: &Compensation,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let circumstances = &circumstances.with_honest_clients(honest);
        // Other randomizers than RAPPOR have no compensation.
        let Some(rappor) = self.randomizer.rappor() else { return Ok(None) };
        at_delta(rappor.compensated_epsilon(plan, circumstances), circumstances)
    }

    /// A remark on dropped reports; `None` where the probability that a report is dropped in any of
    /// the releases, by the union bound, is at most δ/100.
    fn remark_on_drops(&self, circumstances: &Circumstances) -> Option<Remark> {
        let (rate, delta) = (self.randomizer.rappor()?.drop_probability(), &circumstances.delta);
        let releases = Rational::from(100 * u64::from(circumstances.releases));
        let is_large = &rate * &releases > *delta.value();
        is_large.then(|| Remark::DroppedReports { rate, delta: delta.clone() })
    }

    /// The conditions of a guarantee whose pair `best` was proved in the trust model `origin`.
    fn conditions(
        &self,
        best: &BestPair,
        origin: TrustModel,
        circumstances: &Circumstances,
    ) -> Vec<Condition> {
        let honest_clients = circumstances.honest_clients;
        let source = best.source;
        let compensator = self.policy.checked.added.compensator();
        let mut conditions = Vec::new();
        if source.needs_aggregators() {
            conditions.extend(several_aggregators(origin, self.policy.aggregators()));
        }
        if source != NoiseSource::Aggregators {
            let most = circumstances.reports_per_client;
            conditions.push(Condition::RandomizedReports { most });
        }
        let (min, max) = (self.policy.min_reports(), self.policy.max_reports());
        if source.needs_aggregators() {
            conditions.push(Condition::CarefulAggregator);
            conditions.extend(compensator.map(|_| Condition::BatchSize { min, max }));
        }
        if source != NoiseSource::Client {
            conditions.extend([Condition::OnlyTotals, Condition::ArrivalWithinWeight]);
        }
        if source.needs_other_clients() {
            conditions.push(match compensator {
                Some(compensator) => Condition::HonestAndMaliciousReports {
                    honest: compensator.least_honest(honest_clients),
                    malicious: compensator.malicious,
                },
                None => Condition::HonestReports { honest: honest_clients, min_reports: min },
            });
        }
        conditions
    }
}

/// The pair of `epsilon` and the δ of the circumstances; `None` where no ε is proved. `Err` also if
/// ε is out of the range of an [`EpsilonDelta`].
fn at_delta(
    epsilon: Result<Option<Rational>, Error>,
    circumstances: &Circumstances,
) -> Result<Option<EpsilonDelta>, Error> {
    epsilon?.map(|epsilon| EpsilonDelta::new(epsilon, circumstances.delta.clone())).transpose()
}
