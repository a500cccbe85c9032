//! Compensation: where a batch of one-hot RAPPOR reports falls short of the honest clients that the
//! policy counts on, each aggregator adds the randomized bits that are missing.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, sections 3.5 and B.1; the
//! arithmetic is that of `dp_amplification::compensation`.
//!
//! With n verified reports, f of them assumed malicious, and H honest ones wanted, every party
//! computes M = max(0, H − (n − f)) from what is public. Each of A aggregators adds Binomial(M, p),
//! p = 1/(e^ε₀ + 1), to every count, and forgets it: exactly the reports of M clients that hold
//! nothing. The collector corrects for n + A·M randomized bits. An aggregator that omits its part
//! biases every estimate by −M/(e^ε₀ − 1), which shows.

// DIFFERENCE from draft-wang §B.1: the estimate is debiased by n + A·M reports: all A aggregators add.

use std::ops::RangeInclusive;

use dp_amplification::compensation::{BatchCounts, Compensation};
use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Query, TrustModel};
#[cfg(feature = "parties")]
use dp_exact::{Interval, Real};
use dp_exact::{ParameterError, join};
use dp_rappor::SymmetricRappor;
#[cfg(feature = "parties")]
use dp_samplers::Binomial;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::client_noise::{ARRIVAL, HIDDEN_SUM, MultihotRappor, OWN_FLIPS, not_stated};
use crate::error::within;
#[cfg(feature = "parties")]
use crate::field::NoiseBlock;
use crate::guarantees::{Answer, Circumstances, EpsilonDelta, Fallback, Frontier, Guarantee, Part};
#[cfg(feature = "parties")]
use crate::policy::{ClientRandomization, FieldOf, ShardedMeasurement};
use crate::policy::{DpPolicy, PolicyDescription};
use crate::randomizers::counts;
use crate::vdaf::{Vdaf, VdafKind};
use crate::{Error, Estimate};

/// One-hot [`MultihotRappor`] whose aggregators make up for clients that are missing.
#[derive(Clone, Debug)]
pub struct CompensatedRappor {
    clients: MultihotRappor,
    wanted: u64,
    malicious: u64,
}

impl CompensatedRappor {
    /// The policy of the clients, made up for by the aggregators to at least `wanted` honest
    /// reports in every batch, of whose reports `malicious` are assumed to be known to the
    /// adversary.
    ///
    /// # Errors
    ///
    /// If `wanted` is 0 or above 10^10, or not above 0 reports of a full batch are left that are
    /// not malicious.
    pub fn new(clients: MultihotRappor, wanted: u64, malicious: u64) -> Result<Self, Error> {
        within("wanted_honest_clients", wanted, 1..=10_000_000_000)?;
        within("assumed_malicious_clients", malicious, 0..=clients.max_reports() - 1)?;
        Ok(Self { clients, wanted, malicious })
    }

    /// With a least number of reports in a released batch.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self { clients: self.clients.with_min_reports(min_reports)?, ..self })
    }

    /// What is added to a batch of `reports` reports, what to correct for, and what is guaranteed.
    ///
    /// # Errors
    ///
    /// If all of the reports may be malicious, or there are more than the policy allows or 10^10.
    pub fn plan(&self, reports: u64) -> Result<Compensation, Error> {
        within("reports", reports, 1..=self.max_reports())?;
        let batch = BatchCounts { reports, malicious: self.malicious };
        let aggregators = self.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let epsilon0 = self.bits().epsilon0().clone();
        Ok(Compensation::new(epsilon0, batch, self.wanted, aggregators)?)
    }

    /// The clients' part.
    #[must_use]
    pub const fn clients(&self) -> &MultihotRappor {
        &self.clients
    }

    const fn bits(&self) -> &SymmetricRappor {
        self.clients.randomizer().bits()
    }

    /// n + A·M; n where there is no plan, as then no aggregator releases its share.
    fn randomized_bits(&self, reports: u64) -> u64 {
        self.plan(reports).map_or(reports, |plan| plan.debias_count())
    }
}

/// p = 1/(e^ε₀ + 1).
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

    fn vdaf_kind(&self) -> VdafKind {
        self.clients.vdaf_kind()
    }

    fn aggregators(&self) -> usize {
        self.clients.aggregators()
    }

    fn query(&self) -> Query {
        self.clients.query()
    }

    fn min_reports(&self) -> u64 {
        self.clients.min_reports()
    }

    fn max_reports(&self) -> u64 {
        self.clients.max_reports()
    }

    fn assumed_malicious(&self) -> u64 {
        self.malicious
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        parameters.push(("wanted_honest_clients", self.wanted.to_string()));
        parameters.push(("assumed_malicious_clients", self.malicious.to_string()));
        parameters
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        self.clients.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
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
            let one =
                if with_clients { self.answer(false, circumstances)? } else { answer.clone() };
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
            ..Guarantee::new(trust_model, answer.loss.bound(), circumstances)
        }
    }

    /// As the clients' policy, for n + A·M randomized bits.
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

    #[cfg(feature = "parties")]
    /// Adds Binomial(M, p) to every count of a batch that may be released.
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

impl CompensatedRappor {
    /// With the bits that are added to the batch in which they are the fewest, if any, where nobody but the client
    /// and an aggregator is honest: the number of reports is in the adversary's hands, and the more
    /// there are, the fewer are added.
    fn added_alone(&self, circumstances: &Circumstances) -> Result<Option<EpsilonDelta>, Error> {
        let fullest = self.plan(self.max_reports())?;
        if fullest.added_zeros() == 0 {
            return Ok(None);
        }
        self.loss(1, &fullest, circumstances)
    }

    /// ε among at least `honest` reports of honest clients and at most f others, at the least favourable number of
    /// honest ones, see `docs/guarantees.md`.
    ///
    /// With h honest reports the batch has at most min(h + f, U) reports, U the most that are
    /// released, so that at least M = max(0, H − min(h, U − f)) zeros are added. Up to h = min(H,
    /// U − f) a further honest client takes the place of an added zero, and may hold anything: ε
    /// grows. Beyond, M stays and a further client only hides: ε falls.
    fn added_among(
        &self,
        honest: u64,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
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
            let (among, crowd) =
                join(|| self.added_among(honest, circumstances), || self.clients.crowd(&least));
            frontier.add(Part::Everything, among);
            frontier.add(Part::Clients, crowd);
        }
        let mut answer = frontier.answer(circumstances.delta());
        answer.remarks.extend(self.clients.about_drops(circumstances));
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
                 reports by its own count: the guarantee holds for every number of reports between"
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
    fn otherwise(&self, answer: &Answer, one: &Answer) -> Fallback {
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
        Fallback::from(weaker).one_aggregator(one.loss.bound()).words("; ").then(nobody)
    }
}

const HONEST_ADDER: &str = "the honest aggregator draws the missing bits from a sound generator, \
     releases the batch once and forgets its share and those bits";
