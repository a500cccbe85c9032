//! A policy: what is asked, what each client does, what each aggregator adds, and the size of a
//! batch.
//!
//! What is written is [`Parts`], plain data; a [`Policy`] is checked and calibrated. Its guarantees
//! (`guarantee`), estimates (`estimate`), canonical bytes ([`encode`]) and the parties' steps
//! (`steps`) are functions of it.

// DIFFERENCE from draft-wang §4: a policy joins samplers and randomizers; there is no common class
// of mechanisms.

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

use dp_calibration::strategy_matrix::StrategyMatrix;
use dp_calibration::{Adjacency, Query};
use dp_exact::ParameterError;
use dp_rappor::{CoinFlip, KaryRandomizedResponse, SymmetricRappor};

use crate::Error;
use crate::circuit;
use crate::compensation::Compensator;
use crate::error::within;
use crate::mechanisms::{NoiseKind, NoiseMechanism};
use crate::randomizers::{Randomizer, Rappor};
use crate::strategy_matrix::MatrixEstimator;

#[cfg(feature = "simulation")]
pub use deviation::{AlterNoise, Deviation, OtherEstimates};
pub use kinds::{AggregatorNoiseType, ClientNoiseType, VdafSize, VdafType};
pub(crate) use written::Sizes;
pub use written::{
    AggregatorNoise, BatchLimits, ClientNoise, MAX_AGGREGATORS, MAX_INPUT_LENGTH, MeasurementRange,
    Parts, Vdaf,
};

/// The largest number of reports in a batch unless a policy sets another: 2^32.
pub const DEFAULT_MAX_REPORTS: u64 = 1 << 32;

/// A policy, with all that follows from its [`Parts`]: noise is calibrated, totals fit the field.
/// Clones share it. Policies are equal if their parts are.
#[derive(Clone, Debug)]
pub struct Policy {
    checked: Arc<Checked>,
    /// Whether estimates are made from the noisy totals as they are, although their sum is known.
    raw_totals: bool,
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
    #[cfg(feature = "parties")]
    circuit: Arc<dyn circuit::wire::Circuit>,
    randomizer: Option<Randomizer>,
    added: Added,
    /// The most by which one report changes a total, in absolute value.
    largest_change: u128,
    /// The most reports in a batch, where the parts leave it open as many as have room.
    max_reports: u64,
    /// The canonical bytes.
    encoded: Vec<u8>,
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

impl Added {
    /// The compensation; `None` with noise, or with nothing added.
    const fn compensator(&self) -> Option<&Compensator> {
        if let Self::Compensation(compensator) = self { Some(compensator) } else { None }
    }

    /// The strategy matrix with its estimator; `None` without noise or matrix.
    const fn strategy(&self) -> Option<&MatrixEstimator> {
        if let Self::Noise { strategy, .. } = self { strategy.as_ref() } else { None }
    }

    /// Upper bound on the noise of all aggregators in every total, in absolute value, except with
    /// probability 2^−64; 0 without noise, also with compensation.
    const fn noise_bound(&self) -> i128 {
        if let Self::Noise { bound, .. } = self { *bound } else { 0 }
    }
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
    /// The parameter that is out of its range, by its path in [`Parts`];
    /// [`Error::NoSuchPolicy`] also for parts without any noise.
    pub fn new(parts: Parts) -> Result<Self, Error> {
        // Without noise the exact totals would be released.
        if parts.client_noise.is_none() && parts.aggregator_noise.is_none() {
            return Err(no_such_policy(&parts));
        }
        Self::of(parts)
    }

    /// Checks the parts and calibrates the noise as [`Self::new`] does, but accepts parts without
    /// any noise.
    fn of(parts: Parts) -> Result<Self, Error> {
        let in_clients = |error| parts.error_in("client_noise", error);
        let in_noise = |error| parts.error_in("aggregator_noise", error);
        let randomizer = randomizer(&parts).map_err(in_clients)?;
        let rappor = randomizer.as_ref().and_then(Randomizer::rappor);
        let (measured, max_weight) = weights(&parts, rappor)?;
        let made = circuit::make(&parts.vdaf, max_weight)
            .map_err(|error| parts.error_in("vdaf", error))?;
        let query = query(&parts, measured)?;

        if let Some(randomizer) = &randomizer {
            randomizer.local_epsilon(Adjacency::Replacement).map_err(in_clients)?;
        }
        let mut added = calibrated(&parts, &query, made.max_signed).map_err(in_noise)?;

        let matrix_entry = added.strategy().map(|strategy| strategy.matrix.largest_entry());
        let largest_change = matrix_entry.map_or(query.max_entry(), u128::from);
        let room = (made.max_signed - added.noise_bound()).unsigned_abs() / largest_change;
        let max_reports =
            max_reports(parts.batch, room).map_err(|error| parts.error_in("batch", error))?;
        if let Some(compensator) = compensator(&parts, rappor, max_reports).map_err(in_noise)? {
            added = Added::Compensation(compensator);
        }
        let mut policy = Checked {
            query,
            chunk_length: made.chunk_length,
            max_weight,
            #[cfg(feature = "parties")]
            circuit: made.circuit,
            randomizer,
            added,
            largest_change,
            max_reports,
            encoded: Vec::new(),
            parts,
        };
        let Checked { parts, chunk_length, max_weight, max_reports, .. } = &policy;
        policy.encoded = encode::policy(parts, *chunk_length, *max_weight, *max_reports)?;
        Ok(Self {
            checked: Arc::new(policy),
            raw_totals: false,
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

    /// A policy that protects nobody: the exact totals of batches of any size are released. **For
    /// tests of audits**, as a fault to plant.
    ///
    /// # Errors
    /// As [`Self::new`], for the VDAF.
    #[cfg(feature = "simulation")]
    pub fn without_noise(vdaf: Vdaf) -> Result<Self, Error> {
        let batch = BatchLimits { min_reports: 1, max_reports: None };
        Self::of(Parts { vdaf, client_noise: None, aggregator_noise: None, batch })
    }

    /// What the policy is made of, as it is written.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.checked.parts
    }

    /// The canonical bytes: equal for two policies if and only if they mean the same. A digest
    /// hashes them after a prefix of its own.
    #[must_use]
    pub fn encoded(&self) -> &[u8] {
        &self.checked.encoded
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
        self.checked.added.compensator().map_or(0, |compensator| compensator.malicious)
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
        let clients = self.checked.randomizer.as_ref().map(|randomizer| randomizer.name());
        let noise = self.mechanism().map(|noise| noise.kind().name());
        match (clients, noise, self.checked.added.compensator()) {
            (None, Some(noise), _) => format!("{vdaf} with {noise} at each aggregator"),
            (Some(clients), Some(noise), _) => {
                format!("{vdaf} with {clients} at each client and {noise} at each aggregator")
            }
            (Some(clients), None, Some(_)) => {
                format!("{vdaf} with {clients} at each client, made up for by each aggregator")
            }
            (Some(clients), None, None) => format!("{vdaf} with {clients} at each client"),
            (None, None, _) => vdaf.to_owned(),
        }
    }
}

/// The noise of each aggregator, calibrated to the budget of the parts; `Nothing` if the parts have
/// no noise at aggregators, or compensation. `Err` if the calibration fails, for K-norm noise of
/// anything but unrandomized vectors of numbers or of bits, or if the noise of all aggregators may
/// reach `max_signed`, (p − 1)/2 for the modulus p.
fn calibrated(parts: &Parts, query: &Query, max_signed: i128) -> Result<Added, Error> {
    let noise = parts.aggregator_noise.as_ref();
    let noise = noise.and_then(|noise| noise.kind().noise_kind().zip(noise.budget()));
    let Some((kind, budget)) = noise else { return Ok(Added::Nothing) };
    let is_vector = matches!(query, Query::SumVec { .. } | Query::MultihotCountVec { .. });
    if kind == NoiseKind::DiscreteKNorm && !(is_vector && parts.client_noise.is_none()) {
        return Err(no_such_policy(parts));
    }
    let mechanism = NoiseMechanism::calibrate(kind, query, budget)?;
    let bound = mechanism.bound_of_totals(parts.vdaf.aggregators(), query.totals());
    match i128::try_from(&bound) {
        Ok(bound) if bound < max_signed => {
            let strategy = query.strategy_matrix().map(MatrixEstimator::new);
            Ok(Added::Noise { mechanism: Box::new(mechanism), bound, strategy })
        }
        _ => {
            let accepted =
                format!("below {max_signed}: the noise alone would wrap around the field");
            Err(ParameterError::new("noise bound", &bound, accepted).into())
        }
    }
}

/// The compensation of each aggregator, for batches up to `max_reports`; `None` if the parts have
/// none. `Err` without RAPPOR at clients, or if [`Compensator::new`] refuses.
fn compensator(
    parts: &Parts,
    rappor: Option<&Rappor>,
    max_reports: u64,
) -> Result<Option<Compensator>, Error> {
    let Some(AggregatorNoise::Compensation {
        target_honest_clients: target,
        assumed_malicious_clients: malicious,
    }) = parts.aggregator_noise
    else {
        return Ok(None);
    };
    let bits = rappor.ok_or_else(|| no_such_policy(parts))?.bits.clone();
    let released = parts.batch.min_reports..=max_reports;
    let aggregators = parts.vdaf.aggregators();
    Compensator::new(bits, target, malicious, aggregators, released).map(Some)
}

/// The most reports in a batch: the written number, or by default 2^32 or `room` if that is less,
/// `room` being the most whose totals the field holds. `Err` if `min_reports` is 0 or above the
/// result, or the result above `room`.
fn max_reports(batch: BatchLimits, room: u128) -> Result<u64, Error> {
    let BatchLimits { min_reports, max_reports } = batch;
    // No batch counts more reports than a u64.
    let room = u64::try_from(room).unwrap_or(u64::MAX);
    within("min_reports", min_reports, 1..=u64::MAX)?;
    let max_reports = max_reports.unwrap_or(room.clamp(1, DEFAULT_MAX_REPORTS));
    if max_reports < min_reports {
        let accepted = format!("at least batch.min_reports, {min_reports}");
        return Err(ParameterError::new("max_reports", max_reports, accepted).into());
    }
    if max_reports > room {
        let accepted = format!("at most {room}: totals and noise must not wrap around the field");
        return Err(ParameterError::new("max_reports", max_reports, accepted).into());
    }
    Ok(max_reports)
}

/// The randomizer of the parts; `None` if clients do not randomize. `Err` if a parameter is out of
/// its range, or clients of this VDAF cannot add this noise.
fn randomizer(parts: &Parts) -> Result<Option<Randomizer>, Error> {
    use VdafType::{Count, Histogram, MultihotCountVec};
    let Some(noise) = &parts.client_noise else {
        return Ok(None);
    };
    let length = parts.vdaf.length();
    Ok(Some(match (parts.vdaf.kind(), noise) {
        (Count, ClientNoise::RandomizedResponse { epsilon }) => {
            Randomizer::RandomizedResponse(SymmetricRappor::new(epsilon.clone())?)
        }
        (Count, ClientNoise::CoinFlip {}) => Randomizer::CoinFlip(CoinFlip),
        (Histogram, ClientNoise::KaryRandomizedResponse { epsilon }) => {
            within("length", length, 2..=MAX_INPUT_LENGTH)?;
            let answers = u32::try_from(length).expect("at most 2^24 buckets");
            Randomizer::Kary(KaryRandomizedResponse::new(epsilon.clone(), answers)?)
        }
        (
            MultihotCountVec,
            ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate: rate },
        ) => Randomizer::Rappor(Rappor::new(length, [0, *input_weight], epsilon0.clone(), rate)?),
        (MultihotCountVec, ClientNoise::OneHotRappor { epsilon0, false_positive_rate: rate }) => {
            Randomizer::Rappor(Rappor::new(length, [1, 1], epsilon0.clone(), rate)?)
        }
        (MultihotCountVec, ClientNoise::BasicRappor { epsilon, false_positive_rate: rate }) => {
            let bits = SymmetricRappor::basic(epsilon)?;
            Randomizer::Rappor(Rappor::new(length, [1, 1], bits.epsilon0().clone(), rate)?)
        }
        _ => return Err(no_such_policy(parts)),
    }))
}

/// The largest number of ones first in a measurement, then in a shared vector of bits; both are 1
/// where the VDAF is not MultihotCountVec. RAPPOR determines both: `Err` if the parts state another
/// number for the vector, or none without RAPPOR.
fn weights(parts: &Parts, rappor: Option<&Rappor>) -> Result<(usize, usize), ParameterError> {
    let Vdaf::MultihotCountVec { max_weight, .. } = parts.vdaf else {
        return Ok((1, 1));
    };
    let randomized = rappor.map(|rappor| (rappor.input_weight, rappor.max_weight()));
    match (max_weight, randomized) {
        (Some(weight), None) => Ok((weight, weight)),
        (None, Some(weights)) => Ok(weights),
        (Some(weight), Some(weights)) if weight == weights.1 => Ok(weights),
        (Some(weight), Some((_, shared))) => {
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

/// The query over the measurements, before any randomization; `max_weight`, the most ones in a
/// measurement, counts for MultihotCountVec alone. `Err` for a strategy matrix with another VDAF
/// than Histogram, with noise at clients, or for a length that the matrix does not take.
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
