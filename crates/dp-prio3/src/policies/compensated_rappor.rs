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

use std::ops::RangeInclusive;

use dp_amplification::compensation::{Batch, Compensation};
use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Query, TrustModel};
use dp_exact::{Interval, ParameterError, Real};
use dp_rappor::SymmetricRappor;
use dp_samplers::Binomial;
use rand_core::CryptoRng;

use super::client_noise::MultihotRappor;
use crate::Error;
use crate::error::within;
use crate::estimate::Estimate;
use crate::field::NoiseBlock;
use crate::guarantees::{Circumstances, Guarantee};
#[cfg(feature = "parties")]
use crate::policy::ClientRandomization;
use crate::policy::{
    AggregatorPolicy, ClientPolicy, CollectorPolicy, FieldOf, PolicyDescription, Prio3Policy,
    ShardedMeasurement,
};
use crate::vdaf::{Vdaf, VdafKind};

mod guarantee;

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
        within(
            "assumed_malicious_clients",
            malicious,
            0..=clients.max_reports() - 1,
        )?;
        Ok(Self {
            clients,
            wanted,
            malicious,
        })
    }

    /// The same where no batch of fewer reports is released.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self {
            clients: self.clients.with_min_reports(min_reports)?,
            ..self
        })
    }

    /// What is added to a batch of `reports` reports, what to correct for, and what is promised.
    ///
    /// # Errors
    ///
    /// If all of the reports may be malicious, or there are more than the policy allows or 10^10.
    pub fn plan(&self, reports: u64) -> Result<Compensation, Error> {
        within("reports", reports, 1..=self.max_reports())?;
        let batch = Batch {
            reports,
            malicious: self.malicious,
        };
        let aggregators = self.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let epsilon0 = self.bits().epsilon0().clone();
        Ok(Compensation::new(
            epsilon0,
            batch,
            self.wanted,
            aggregators,
        )?)
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
        self.plan(reports)
            .map_or(reports, |plan| plan.debias_count())
    }
}

/// p = 1/(e^ε₀ + 1).
#[derive(Debug)]
struct Flip(SymmetricRappor);

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
        self.promised(trust_model, circumstances)
    }
}

impl Prio3Policy for CompensatedRappor {
    type Flp = <MultihotRappor as Prio3Policy>::Flp;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.clients.vdaf()
    }
}

impl ClientPolicy for CompensatedRappor {
    type Measurement = <MultihotRappor as ClientPolicy>::Measurement;

    fn randomize<G: CryptoRng + ?Sized>(
        &self,
        measurement: &Self::Measurement,
        rng: &mut G,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }
}

impl AggregatorPolicy for CompensatedRappor {
    /// Adds Binomial(M, p) to every count of a batch that may be released.
    fn add_noise<G: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut G,
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

impl CollectorPolicy for CompensatedRappor {
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
