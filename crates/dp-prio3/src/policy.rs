//! A policy: what is asked, what each client does, what each aggregator adds, and the size of a
//! batch.
//!
//! What is written is [`Parts`], plain data; a [`Policy`] is checked and calibrated. Its guarantees
//! (`guarantee`), estimates (`estimate`), canonical bytes ([`encode`]) and the parties' steps
//! (`steps`) are functions of it.

#[cfg(feature = "simulation")]
mod deviation;
pub mod encode;
mod estimate;
mod field_path;
mod guarantee;
mod kinds;
pub mod number;
mod parameters;
#[cfg(feature = "parties")]
mod steps;
mod written;

use std::sync::Arc;

use dp_calibration::Query;
use dp_calibration::strategy_matrix::StrategyMatrix;
use dp_exact::{Epsilon, ParameterError};
use dp_rappor::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
use num_bigint::BigUint;

use crate::Error;
use crate::circuit;
use crate::compensation::Compensator;
use crate::error::within;
use crate::mechanisms::NoiseMechanism;
use crate::randomizers::{LocalRandomizer, Rappor, Weights};
use crate::strategy_matrix::MatrixEstimator;

#[cfg(feature = "simulation")]
pub use deviation::Deviation;
pub use kinds::{AggregatorNoiseType, ClientNoiseType, VdafSize, VdafType};
pub(crate) use written::Sizes;
pub use written::{
    AggregatorNoise, Amount, BatchLimits, ClientNoise, MeasurementRange, Parts, Vdaf,
};

/// The largest number of reports in a batch unless a policy sets another: 2^32.
pub const DEFAULT_MAX_REPORTS: u64 = 1 << 32;

/// A policy, with all that follows from its [`Parts`]: noise is calibrated, totals fit the field.
/// Clones share it. Policies are equal if their parts are.
#[derive(Clone, Debug)]
pub struct Policy {
    checked: Arc<Checked>,
    #[cfg(feature = "simulation")]
    deviation: Option<Arc<Deviation>>,
}

/// What a policy is, once its parts are checked.
#[derive(Debug)]
struct Checked {
    parts: Parts,
    /// The query over the measurements, before any randomization.
    query: Query,
    /// The number of entries per gadget call of the proof; `None` where the proof has no chunks.
    chunk_length: Option<usize>,
    /// The most ones in a shared vector of bits.
    max_weight: usize,
    /// (p − 1)/2, the largest signed total of the field with the modulus p.
    max_signed: i128,
    #[cfg(feature = "parties")]
    circuit: Arc<dyn circuit::wire::Circuit>,
    clients: Option<Clients>,
    added: Added,
    /// The most reports in a batch, where the parts leave it open as many as have room.
    max_reports: u64,
    /// The canonical bytes.
    encoded: Vec<u8>,
}

/// What each client does.
#[derive(Debug)]
struct Clients {
    randomizer: Box<dyn LocalRandomizer>,
    /// Upper bound on the ε of one report under replacement, against every adversary.
    local_epsilon: Epsilon,
}

/// What each aggregator adds to its share.
#[derive(Debug)]
enum Added {
    Nothing,
    Noise {
        mechanism: Box<NoiseMechanism>,
        /// The noise of all aggregators together stays within ±`bound` in every total, except with
        /// probability 2^−64.
        bound: i128,
        /// The strategy matrix by which shares are multiplied before the noise is added.
        strategy: Option<MatrixEstimator>,
    },
    Compensation(Compensator),
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Policy {
    /// Checks the parts, calibrates the noise, and checks that totals cannot wrap around.
    ///
    /// # Errors
    /// The parameter that is out of its range, by its path in [`Parts`].
    pub fn new(parts: Parts) -> Result<Self, Error> {
        let clients_error = |error| parts.error_in("client_noise", error);
        let randomizer = randomizer(&parts).map_err(clients_error)?;
        let rappor = randomizer.as_ref().and_then(|randomizer| randomizer.weights());
        let Weights { measured, shared: max_weight } = weights(&parts, rappor)?;
        let made = circuit::make(&parts.vdaf, max_weight)
            .map_err(|error| parts.error_in("vdaf", error))?;
        let query = query(&parts, measured)?;

        let clients = randomizer.map(|randomizer| {
            let local_epsilon = randomizer.local_epsilon()?;
            Ok::<_, Error>(Clients { randomizer, local_epsilon })
        });
        let clients = clients.transpose().map_err(clients_error)?;
        let policy = Checked {
            query,
            chunk_length: made.chunk_length,
            max_weight,
            max_signed: made.max_signed,
            #[cfg(feature = "parties")]
            circuit: made.circuit,
            clients,
            added: Added::Nothing,
            max_reports: 1,
            encoded: Vec::new(),
            parts,
        };
        let noise_error =
            |policy: &Checked, error| policy.parts.error_in("aggregator_noise", error);
        let added = policy.calibrate().map_err(|error| noise_error(&policy, error))?;
        let mut policy = Checked { added, ..policy };
        policy.max_reports =
            policy.checked_max_reports().map_err(|error| policy.parts.error_in("batch", error))?;
        if let Some(compensator) = policy.compensator() {
            // If the largest batch has a plan, every smaller released batch has one.
            let plan = compensator.plan(&policy.batch(), policy.max_reports);
            plan.map_err(|error| noise_error(&policy, error))?;
        }
        policy.encoded = policy.encoded()?;
        Ok(Self {
            checked: Arc::new(policy),
            #[cfg(feature = "simulation")]
            deviation: None,
        })
    }

    /// Noise at each aggregator alone, for batches of any size.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_noise(vdaf: Vdaf, noise: AggregatorNoise) -> Result<Self, Error> {
        let batch = BatchLimits { min_reports: 1, max_reports: None };
        Self::new(Parts { vdaf, client_noise: None, aggregator_noise: Some(noise), batch })
    }

    /// What the policy is made of, as it is written.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.checked.parts
    }

    /// The query over the measurements, before any randomization.
    #[must_use]
    pub fn query(&self) -> &Query {
        &self.checked.query
    }

    /// The number of aggregators.
    #[must_use]
    pub fn aggregators(&self) -> usize {
        self.checked.parts.vdaf.aggregators()
    }

    /// The fewest reports in a batch that an aggregator releases.
    #[must_use]
    pub fn min_reports(&self) -> u64 {
        self.checked.parts.batch.min_reports
    }

    /// The most reports in a batch that the aggregators and the collector accept.
    #[must_use]
    pub fn max_reports(&self) -> u64 {
        self.checked.max_reports
    }

    /// The largest number of malicious reports in a batch, on top of the honest ones, under which a
    /// guarantee that counts on other clients holds.
    #[must_use]
    pub fn assumed_malicious(&self) -> u64 {
        self.checked.compensator().map_or(0, |compensator| compensator.malicious)
    }

    /// The number of entries per gadget call of the proof; `None` where the proof has no chunks.
    #[must_use]
    pub fn chunk_length(&self) -> Option<usize> {
        self.checked.chunk_length
    }

    /// The most ones in a shared vector of bits.
    #[must_use]
    pub fn max_weight(&self) -> usize {
        self.checked.max_weight
    }

    /// The noise of each aggregator; `None` if they draw none.
    #[must_use]
    pub fn mechanism(&self) -> Option<&NoiseMechanism> {
        if let Added::Noise { mechanism, .. } = &self.checked.added {
            Some(mechanism)
        } else {
            None
        }
    }

    /// The VDAF and the mechanism, for people.
    #[must_use]
    pub fn name(&self) -> String {
        let vdaf = self.checked.parts.vdaf.kind().name();
        let clients = self.checked.randomizer().map(|randomizer| randomizer.name());
        let noise = self.mechanism().map(|noise| noise.kind().name());
        match (clients, noise, self.checked.compensator()) {
            (None, Some(noise), _) => format!("{vdaf} with {noise} noise at each aggregator"),
            (Some(clients), Some(noise), _) => {
                format!("{vdaf} with {clients} at each client and {noise} noise at each aggregator")
            }
            (Some(clients), None, Some(_)) => {
                format!("{vdaf} with {clients} at each client, made up for by each aggregator")
            }
            (Some(clients), None, None) => format!("{vdaf} with {clients} at each client"),
            (None, None, _) => vdaf.to_owned(),
        }
    }
}

impl Checked {
    fn randomizer(&self) -> Option<&dyn LocalRandomizer> {
        self.clients.as_ref().map(|clients| &*clients.randomizer)
    }

    const fn compensator(&self) -> Option<&Compensator> {
        if let Added::Compensation(compensator) = &self.added { Some(compensator) } else { None }
    }

    const fn strategy(&self) -> Option<&MatrixEstimator> {
        if let Added::Noise { strategy: Some(strategy), .. } = &self.added {
            Some(strategy)
        } else {
            None
        }
    }

    /// Upper bound on the noise of all aggregators in a total, except with probability 2^−64.
    const fn noise_bound(&self) -> i128 {
        if let Added::Noise { bound, .. } = self.added { bound } else { 0 }
    }

    fn batch(&self) -> Batch {
        Batch {
            aggregators: self.parts.vdaf.aggregators(),
            min_reports: self.parts.batch.min_reports,
            max_reports: self.max_reports,
        }
    }

    /// What each aggregator adds. With A aggregators and L totals the bound is A·b: each of the A·L
    /// draws of a batch exceeds b with probability at most 2^−64 / (A·L).
    fn calibrate(&self) -> Result<Added, Error> {
        let Some(noise) = &self.parts.aggregator_noise else {
            return Ok(Added::Nothing);
        };
        let Some((kind, amount)) = noise.kind().noise_kind().zip(noise.amount()) else {
            return Ok(Added::Compensation(self.compensation(noise)?));
        };
        let mechanism = amount.mechanism(kind, &self.query)?;
        let aggregators = self.parts.vdaf.aggregators();
        let draws = aggregators.saturating_mul(self.query.totals());
        let bits = 64 + usize::BITS - draws.leading_zeros();
        let bound: BigUint = mechanism.tail_bound(bits) * aggregators;
        match i128::try_from(&bound) {
            Ok(bound) if bound < self.max_signed => {
                let strategy = self.query.strategy_matrix().map(MatrixEstimator::new);
                Ok(Added::Noise { mechanism: Box::new(mechanism), bound, strategy })
            }
            _ => {
                let accepted = format!(
                    "below {}: the noise alone would wrap around the field",
                    self.max_signed
                );
                Err(ParameterError::new("noise bound", &bound, accepted).into())
            }
        }
    }

    fn compensation(&self, noise: &AggregatorNoise) -> Result<Compensator, Error> {
        let AggregatorNoise::Compensation { target_honest_clients, assumed_malicious_clients } =
            *noise
        else {
            return Err(no_such_policy(&self.parts));
        };
        let bits = self.randomizer().and_then(|randomizer| randomizer.bits());
        let bits = bits.ok_or_else(|| no_such_policy(&self.parts))?.clone();
        let most = self.parts.batch.max_reports.unwrap_or(DEFAULT_MAX_REPORTS);
        within("max_reports", most, 1..=u64::MAX)?;
        Compensator::new(bits, target_honest_clients, assumed_malicious_clients, most)
    }

    /// The most reports in a batch: the written number, by default 2^32, or fewer if no more have
    /// room in the field.
    fn checked_max_reports(&self) -> Result<u64, Error> {
        let BatchLimits { min_reports, max_reports } = self.parts.batch;
        let reports = (self.max_signed - self.noise_bound()).unsigned_abs() / self.largest_change();
        // No batch counts more reports than a u64.
        let room = u64::try_from(reports).unwrap_or(u64::MAX);
        within("min_reports", min_reports, 1..=u64::MAX)?;
        let max_reports = max_reports.unwrap_or(room.clamp(1, DEFAULT_MAX_REPORTS));
        if max_reports < min_reports {
            let accepted = format!("at least batch.min_reports, {min_reports}");
            return Err(ParameterError::new("max_reports", max_reports, accepted).into());
        }
        if max_reports > room {
            let accepted =
                format!("at most {room}: totals and noise must not wrap around the field");
            return Err(ParameterError::new("max_reports", max_reports, accepted).into());
        }
        Ok(max_reports)
    }

    /// The most by which one report changes a total, in absolute value.
    fn largest_change(&self) -> u128 {
        let entry = self.query.max_entry();
        self.strategy().map_or(entry, |strategy| strategy.matrix.largest_entry().into())
    }
}

/// The sizes of batches, and the number of aggregators that add to each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    pub(crate) aggregators: usize,
    pub(crate) min_reports: u64,
    pub(crate) max_reports: u64,
}

/// The randomizer of the parts; `None` if clients do not randomize.
fn randomizer(parts: &Parts) -> Result<Option<Box<dyn LocalRandomizer>>, Error> {
    let Some(noise) = &parts.client_noise else {
        return Ok(None);
    };
    let length = parts.vdaf.size().length;
    let randomizer: Box<dyn LocalRandomizer> = match (&parts.vdaf, noise) {
        (Vdaf::Count { .. }, ClientNoise::RandomizedResponse { epsilon }) => {
            Box::new(RandomizedResponse::new(epsilon.clone())?)
        }
        (Vdaf::Count { .. }, ClientNoise::CoinFlip {}) => Box::new(CoinFlip),
        (Vdaf::Histogram { .. }, ClientNoise::KaryRandomizedResponse { epsilon }) => {
            within("length", length, 2..=circuit::MAX_INPUT_LENGTH)?;
            let answers = u32::try_from(length).expect("at most 2^24 buckets");
            Box::new(KaryRandomizedResponse::new(epsilon.clone(), answers)?)
        }
        (
            Vdaf::MultihotCountVec { .. },
            ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate },
        ) => {
            let (weight, epsilon0) = (*input_weight, epsilon0.clone());
            Box::new(Rappor::new(length, weight, epsilon0, false_positive_rate)?)
        }
        (
            Vdaf::MultihotCountVec { .. },
            ClientNoise::OneHotRappor { epsilon0, false_positive_rate },
        ) => Box::new(Rappor::one_hot(length, epsilon0.clone(), false_positive_rate)?),
        (
            Vdaf::MultihotCountVec { .. },
            ClientNoise::BasicRappor { epsilon, false_positive_rate },
        ) => Box::new(Rappor::basic(length, epsilon, false_positive_rate)?),
        _ => return Err(no_such_policy(parts)),
    };
    Ok(Some(randomizer))
}

/// The largest number of ones in a measurement and in a shared vector of bits. RAPPOR determines
/// both; `Err` if the parts state another number for the vector, or none without RAPPOR.
fn weights(parts: &Parts, rappor: Option<Weights>) -> Result<Weights, ParameterError> {
    let Vdaf::MultihotCountVec { max_weight, .. } = parts.vdaf else {
        return Ok(Weights { measured: 1, shared: 1 });
    };
    match (max_weight, rappor) {
        (Some(weight), None) => Ok(Weights { measured: weight, shared: weight }),
        (None, Some(weights)) => Ok(weights),
        (Some(weight), Some(weights)) if weight == weights.shared => Ok(weights),
        (Some(weight), Some(Weights { shared, .. })) => {
            let accepted = format!(
                "{shared}, the least that at most the fraction client_noise.false_positive_rate of \
                 honest reports exceeds"
            );
            Err(ParameterError::new("vdaf.max_weight", weight, accepted))
        }
        (None, None) => {
            let accepted = "the most ones in a measurement, an integer from 1 to vdaf.length";
            Err(ParameterError::new("vdaf.max_weight", "missing", accepted))
        }
    }
}

/// The query over the measurements, before any randomization.
fn query(parts: &Parts, max_weight: usize) -> Result<Query, Error> {
    let Sizes { length, max_measurement, .. } = parts.vdaf.size();
    let strategy = parts.aggregator_noise.as_ref().and_then(|noise| noise.kind().strategy());
    Ok(match (&parts.vdaf, strategy, &parts.client_noise) {
        (Vdaf::Histogram { .. }, Some(family), None) => {
            StrategyMatrix::check_length(length).map_err(|error| parts.error_in("vdaf", error))?;
            Query::HistogramRanges { length, family }
        }
        (_, Some(_), _) => return Err(no_such_policy(parts)),
        (Vdaf::Count { .. }, ..) => Query::Count,
        (Vdaf::Sum { .. }, ..) => Query::Sum { max_measurement },
        (Vdaf::Average { .. }, ..) => Query::Average { max_measurement },
        (Vdaf::SumVec { .. }, ..) => Query::SumVec { length, max_measurement },
        (Vdaf::Histogram { .. }, ..) => Query::Histogram { length },
        (Vdaf::MultihotCountVec { .. }, ..) => Query::MultihotCountVec { length, max_weight },
        (Vdaf::L1BoundSum { .. }, ..) => Query::L1BoundSum { length, max_measurement },
    })
}

/// The error that no policy combines the VDAF with these noises.
fn no_such_policy(parts: &Parts) -> Error {
    Error::NoSuchPolicy {
        vdaf: parts.vdaf.kind(),
        client_noise: parts.client_noise.as_ref().map(ClientNoise::kind),
        aggregator_noise: parts.aggregator_noise.as_ref().map(AggregatorNoise::kind),
    }
}
