//! Compensation: where a batch of one-hot RAPPOR reports falls short of the honest clients that the
//! policy counts on, each aggregator adds the randomized bits that are missing.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, sections 3.5 and B.1; the
//! arithmetic is that of `dp_calibration::compensation`.
//!
//! With n verified reports, f of them assumed malicious, and H honest ones wanted, every party
//! computes M = max(0, H − (n − f)) from what is public. Each of A aggregators adds Binomial(M, p),
//! p = 1/(e^ε₀ + 1), to every count, and forgets it: exactly the reports of M clients that hold
//! nothing. The collector corrects for n + A·M randomized bits. An aggregator that omits its part
//! biases every estimate by −M/(e^ε₀ − 1), which shows.

use std::ops::RangeInclusive;

use dp_calibration::compensation::{Batch, Compensation};
use dp_calibration::{Adjacency, Budget, Query, TrustModel};
use dp_exact::{Interval, Real};
use dp_rappor::SymmetricRappor;
use dp_samplers::Binomial;
use prio::vdaf::Vdaf as _;
use rand_core::CryptoRng;

use crate::Error;
use crate::client_noise::{HIDDEN_SUM, MultihotRappor, OWN_FLIPS, in_a_crowd_of};
use crate::error::within;
use crate::field::NoiseBlock;
use crate::guarantee::{Circumstances, Guarantee, Promise, approximate, better};
use crate::policy::{DpPolicy, Estimate, FieldOf, ShardedMeasurement, Vdaf};

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
        within("wanted", wanted, 1..=10_000_000_000)?;
        within("malicious", malicious, 0..=clients.max_reports() - 1)?;
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
    /// If all of the reports may be malicious, or there are more than 10^10.
    pub fn plan(&self, reports: u64) -> Result<Compensation, Error> {
        let batch = Batch {
            reports,
            malicious: self.malicious,
        };
        let aggregators = u32::try_from(self.vdaf().num_aggregators()).unwrap_or(u32::MAX);
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

    /// The ε of the client in a batch of so many honest reports, with what is added, at the δ that
    /// dropped reports leave.
    fn promise(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Option<Budget> {
        let (honest, delta) = (circumstances.honest_clients(), circumstances.delta());
        let rappor = self.clients.randomizer();
        let mut largest = None;
        for adjacency in rappor.replacements() {
            let (hiding, left) = rappor.hiding(honest, delta, *adjacency).ok()??;
            let reports = honest.checked_add(self.malicious)?;
            // Those whose reports may be dropped hide nobody.
            let plan = self.plan(reports).ok()?;
            let plan = match trust_model {
                TrustModel::OneAggregatorMostClients => plan.with_honest(hiding).ok()?,
                _ => plan.one_client().ok()?,
            };
            largest = largest.max(Some(plan.epsilon(&left, *adjacency).ok()?.upper));
        }
        approximate(largest?, delta).ok()
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

impl DpPolicy for CompensatedRappor {
    type Flp = <MultihotRappor as DpPolicy>::Flp;
    type Measurement = <MultihotRappor as DpPolicy>::Measurement;

    fn name(&self) -> String {
        format!("{}, made up for by each aggregator", self.clients.name())
    }

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        self.clients.vdaf()
    }

    fn query(&self) -> Query {
        self.clients.query()
    }

    fn max_reports(&self) -> u64 {
        self.clients.max_reports()
    }

    fn min_reports(&self) -> u64 {
        self.clients.min_reports()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        parameters.push(("honest_clients_wanted", self.wanted.to_string()));
        parameters.push(("malicious_clients_assumed", self.malicious.to_string()));
        parameters
    }

    fn randomize<G: CryptoRng + ?Sized>(
        &self,
        measurement: &Self::Measurement,
        rng: &mut G,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }

    /// Adds Binomial(M, p) to every count.
    fn add_noise<G: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut G,
    ) -> Result<(), Error> {
        let missing = self.plan(reports)?.added_zeros();
        if missing == 0 {
            return Ok(());
        }
        let zeros = Binomial::new(missing, Flip(self.bits().clone()))?;
        NoiseBlock::new().add_to(share, |noise| Ok(zeros.fill(rng, noise)?))
    }

    /// As the clients' policy, for n + A·M randomized bits.
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        self.clients.estimate(totals, self.randomized_bits(reports))
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        0..=i128::from(self.randomized_bits(reports))
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let alone = TrustModel::OneClient;
        let local = self.clients.local_budget();
        let promise = match trust_model {
            TrustModel::OneClient => None,
            _ => self.promise(trust_model, circumstances),
        };
        let best = promise.map(|promise| better(local.clone(), promise));
        let Some(budget) = best.filter(|budget| *budget != local) else {
            let guarantee = self.clients.guarantee(alone, circumstances);
            return Guarantee {
                trust_model,
                carried_over_from: (trust_model != alone).then_some(alone),
                ..guarantee
            };
        };
        let mut assumptions = [OWN_FLIPS, HONEST_ADDER, HIDDEN_SUM]
            .map(str::to_owned)
            .to_vec();
        assumptions.push(match trust_model {
            TrustModel::OneAggregatorMostClients => format!(
                "{}, and at most {} others",
                in_a_crowd_of(circumstances),
                self.malicious
            ),
            _ => format!(
                "the batch has at most {} reports, so that enough bits are added",
                circumstances
                    .honest_clients()
                    .saturating_add(self.malicious)
            ),
        });
        Guarantee {
            trust_model,
            adjacency: Adjacency::Replacement,
            promise: Promise::Proved(budget),
            carried_over_from: None,
            assumptions,
            otherwise: self.clients.alone(),
        }
    }
}

impl CompensatedRappor {
    /// n + A·M; n where there is no plan, as then no aggregator releases its share.
    fn randomized_bits(&self, reports: u64) -> u64 {
        self.plan(reports)
            .map_or(reports, |plan| plan.debias_count())
    }
}

const HONEST_ADDER: &str = "the honest aggregator draws the missing bits from a sound generator, \
     releases the batch once and forgets its share and those bits";
