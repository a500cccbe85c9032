//! Compensation: where a batch of one-hot RAPPOR reports falls short of the honest clients that the
//! policy counts on, each aggregator adds the randomized bits that are missing.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, sections 3.5 and B.1; the
//! arithmetic is in `dp_amplification::compensation`.
//!
//! With n verified reports, f of them assumed malicious, and a target of H honest reports, every
//! party computes M = max(0, H − (n − f)) from public numbers. Each of A aggregators adds
//! Binomial(M, p), p = 1/(e^ε₀ + 1), to every count, and forgets it: exactly the reports of M
//! clients with vectors of zeros. The collector corrects for n + A·M randomized bits. An aggregator
//! that adds nothing biases every estimate by −M/(e^ε₀ − 1), which shows.

// DIFFERENCE from draft-wang §B.1: the estimate is debiased by n + A·M reports: all A aggregators
// add.

use std::ops::RangeInclusive;

use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_calibration::TrustModel;
use dp_calibration::utility::NoisyTotal;
use dp_exact::join;
#[cfg(feature = "parties")]
use dp_exact::{Interval, Real};
use dp_rappor::SymmetricRappor;
#[cfg(feature = "parties")]
use dp_samplers::Binomial;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::client_noise::{
    ARRIVAL, HIDDEN_SUM, MultihotRappor, OWN_FLIPS, of_clients_and_aggregators,
    one_aggregator_fallback,
};
use crate::error::within;
#[cfg(feature = "parties")]
use crate::field::NoiseBlock;
use crate::guarantees::{
    BestPair, Circumstances, EpsilonDelta, Guarantee, NoiseSource, ProvedPairs,
};
#[cfg(feature = "parties")]
use crate::policy::{ClientRandomization, FieldOf, ShardedMeasurement};
use crate::policy::{DpPolicy, PolicyDescription, TaskParameters};
use crate::randomizers::changed_counts;
use crate::vdaf::Vdaf;
use crate::{Error, Estimate};

/// One-hot [`MultihotRappor`] whose aggregators add the reports of missing clients.
#[derive(Clone, Debug)]
pub struct CompensatedRappor {
    clients: MultihotRappor,
    /// H, the least number of honest reports in a batch, added ones included.
    target: u64,
    /// f, the largest number of malicious reports in a batch that the guarantee allows.
    malicious: u64,
}

impl CompensatedRappor {
    /// The policy of the clients, with `target` honest reports in every batch, added ones among
    /// them. `malicious` of the clients' reports are assumed to be known to the adversary.
    ///
    /// # Errors
    /// If `target` is not from 1 to 10^10, or `malicious` is not below the reports of a full batch.
    pub fn new(clients: MultihotRappor, target: u64, malicious: u64) -> Result<Self, Error> {
        within("target_honest_clients", target, 1..=10_000_000_000)?;
        within("assumed_malicious_clients", malicious, 0..=clients.max_reports() - 1)?;
        Ok(Self { clients, target, malicious })
    }

    /// The bits to add to a batch of `reports` reports, the number to debias by, and the guarantee.
    ///
    /// # Errors
    /// If all of the reports may be malicious, or there are more than the policy allows or 10^10.
    pub fn plan(&self, reports: u64) -> Result<Compensation, Error> {
        within("reports", reports, 1..=self.max_reports())?;
        let batch = BatchCounts { reports, malicious: self.malicious };
        let aggregators = u32::try_from(self.aggregators()).unwrap_or(u32::MAX);
        let epsilon0 = self.bits().epsilon0().clone();
        Ok(Compensation::new(epsilon0, batch, self.target, aggregators)?)
    }

    /// The policy of the clients.
    #[must_use]
    pub const fn clients(&self) -> &MultihotRappor {
        &self.clients
    }

    /// The randomizer of each single bit.
    const fn bits(&self) -> &SymmetricRappor {
        self.clients.randomizer().bits()
    }

    /// The number of randomized bits in each count: n reports and, from each of A aggregators, M
    /// added bits. Without a plan it is n, as then no aggregator releases its share.
    fn randomized_bits(&self, reports: u64) -> u64 {
        self.plan(reports).map_or(reports, |plan| plan.debias_count())
    }

    /// Upper bound on the (ε, δ) of the client with the bits that one aggregator adds, where
    /// everybody else is dishonest; `None` if the fullest batch gets no bits. The adversary then
    /// chooses the number of reports, and the fullest batch gets the fewest bits.
    fn pair_alone(&self, circumstances: &Circumstances) -> Result<Option<EpsilonDelta>, Error> {
        let fullest = self.plan(self.max_reports())?;
        if fullest.added_zeros() == 0 {
            return Ok(None);
        }
        self.pair_in(1, &fullest, circumstances)
    }

    /// Upper bound on the (ε, δ) among at least `honest` honest reports and at most f others. It is
    /// for the least favourable number of honest reports (`docs/guarantees.md`). `None` where
    /// nothing is proved.
    ///
    /// With h honest reports the batch has at most min(h + f, U) reports, where U is the most that
    /// are released. So at least M = max(0, H − min(h, U − f)) zeros are added. Up to h = min(H, U
    /// − f) a further honest client replaces an added zero, and may hold anything: ε grows. Beyond
    /// that number M stays, and a further client only hides: ε falls.
    fn pair_among(
        &self,
        honest: u64,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let (least, most) = (self.least_honest(honest), self.max_reports());
        let worst = least.max(self.target.min(most - self.malicious)).min(most);
        let fullest = self.plan(worst.saturating_add(self.malicious).min(most))?;
        self.pair_in(worst, &fullest, circumstances)
    }

    /// The least number of honest reports in a released batch: `honest`, or the policy's fewest
    /// reports less f, whichever is more.
    fn least_honest(&self, honest: u64) -> u64 {
        honest.max(self.min_reports().saturating_sub(self.malicious))
    }

    /// Upper bound on the (ε, δ) of the client among `honest` honest reports with the bits of
    /// `plan`. `None` where nothing is proved, such as for several reports of one person. Dropped
    /// reports take their part of δ, and clients whose reports may be dropped hide nobody.
    fn pair_in(
        &self,
        honest: u64,
        plan: &Compensation,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
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
                    releases => {
                        plan.epsilon_of_counts(left, changed_counts(adjacency, releases))?
                    }
                }))
            })
        })
    }

    /// The best pair that is proved where an aggregator is honest; the bits of further honest
    /// aggregators do not count. `Err` if not even the client's own pair can be computed.
    fn best_pair(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<BestPair, Error> {
        let mut pairs = ProvedPairs::of_client(self.clients.local_pair(circumstances)?);
        pairs.add(NoiseSource::ClientAndAggregators, self.pair_alone(circumstances));
        if trust_model.needs_other_clients() {
            let honest = circumstances.honest_clients();
            let least = circumstances.with_honest_clients(self.least_honest(honest));
            let (among, clients) = join(
                || self.pair_among(honest, circumstances),
                || self.clients.aggregated_pair(&least),
            );
            pairs.add(NoiseSource::ClientsAndAggregators, among);
            pairs.add(NoiseSource::Clients, clients);
        }
        let mut best = pairs.best(circumstances.delta());
        best.remarks.extend(self.clients.remark_on_drops(circumstances));
        Ok(best)
    }

    /// The conditions, in words, of a guarantee that the randomness of `source` proves.
    fn assumptions(&self, source: NoiseSource, circumstances: &Circumstances) -> Vec<String> {
        let (min, max) = (self.min_reports(), self.max_reports());
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        if source == NoiseSource::Client {
            return assumptions;
        }
        if source.needs_aggregators() {
            assumptions.push(HONEST_ADDER.to_owned());
            assumptions.push(format!(
                "the honest aggregator releases no batch of fewer than {min} or more than {max} \
                 reports by its own count: the guarantee holds for every number of reports between"
            ));
        }
        assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        if source.needs_other_clients() {
            let honest = self.least_honest(circumstances.honest_clients());
            assumptions.push(format!(
                "of the released batch's reports at least {honest} are of honest clients, this one \
                 among them, and at most {} are not (a malicious aggregator can reject any of them)",
                self.malicious
            ));
        }
        assumptions
    }

    /// The guarantee, in words, that is left if the parties on whom `best` counts are not honest.
    /// `one` is the best pair with one honest aggregator and no other honest client.
    fn fallback(&self, best: &BestPair, one: &BestPair) -> String {
        let local = self.clients.local_fallback("if all aggregators work together");
        if !best.source.needs_other_clients() {
            return local;
        }
        let case = format!(
            "if fewer clients are honest or more than {} reports malicious, but one aggregator is \
             honest",
            self.malicious,
        );
        one_aggregator_fallback(&case, one, &local)
    }
}

/// The probability p = 1/(e^ε₀ + 1) with which a randomizer flips a bit.
#[cfg(feature = "parties")]
#[derive(Debug)]
struct Flip(SymmetricRappor);

#[cfg(feature = "parties")]
impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        self.0.flip_probability(precision)
    }
}

impl PolicyDescription for CompensatedRappor {
    fn name(&self) -> String {
        format!("{}, made up for by each aggregator", self.clients.name())
    }

    fn task_parameters(&self) -> &TaskParameters {
        self.clients.task_parameters()
    }

    fn assumed_malicious(&self) -> u64 {
        self.malicious
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        parameters.push(("target_honest_clients", self.target.to_string()));
        parameters.push(("assumed_malicious_clients", self.malicious.to_string()));
        parameters
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        self.clients.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let best = |model, circumstances: &Circumstances| self.best_pair(model, circumstances);
        of_clients_and_aggregators(
            &self.clients,
            trust_model,
            circumstances,
            best,
            |best, one, circumstances| {
                let origin = match best.source {
                    NoiseSource::Client => TrustModel::OneClient,
                    source if source.needs_other_clients() => TrustModel::OneAggregatorMostClients,
                    _ => TrustModel::OneAggregatorOneClient,
                };
                let assumptions = self.assumptions(best.source, circumstances);
                (origin, assumptions, self.fallback(best, one))
            },
        )
    }

    /// The estimates of the clients' policy for n + A·M randomized bits.
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        self.clients.estimate(totals, self.randomized_bits(reports))
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        self.clients.noisy_total(self.randomized_bits(reports))
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        0..=i128::from(self.randomized_bits(reports))
    }
}

impl DpPolicy for CompensatedRappor {
    type Flp = <MultihotRappor as DpPolicy>::Flp;
    type Measurement = <MultihotRappor as DpPolicy>::Measurement;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.clients.vdaf()
    }

    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &Self::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }

    /// Adds a draw of Binomial(M, p) to every count of a batch that may be released, p the
    /// probability of a flip.
    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        within("reports", reports, self.min_reports()..=self.max_reports())?;
        let missing = self.plan(reports)?.added_zeros();
        if missing == 0 {
            return Ok(());
        }
        let zeros = Binomial::new(missing, Flip(self.bits().clone()))?;
        NoiseBlock::new().add_to(share, |noise| Ok(zeros.fill(rng, noise)?))
    }
}

/// The condition on the aggregator that adds the missing bits.
const HONEST_ADDER: &str = "the honest aggregator draws the missing bits from a sound generator, \
     releases the batch once and forgets its share and those bits";
