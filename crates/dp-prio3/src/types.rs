//! The Prio3 types with checked parameters.
//!
//! All seven are one [`Prio3Type`] over different validity circuits.

use std::fmt;

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::flp::{self, FlpError};
use prio::vdaf::prio3::{Prio3, optimal_chunk_length};
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{Vdaf as _, VdafError};
use zeroize::Zeroize;

use crate::error::within;
use crate::field::SignedField;

mod circuits;
mod measurement;

pub use circuits::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
pub use measurement::OwnedMeasurement;
pub(crate) use measurement::weight;

/// The length of Prio3's seeds and verification key in bytes.
pub(crate) const SEED_SIZE: usize = 32;

/// Prio3 over the validity circuit `T`, as the VDAF specification instantiates it.
pub type Vdaf<T> = Prio3<T, XofTurboShake128, SEED_SIZE>;

/// The longest encoded measurement that is accepted, in field elements: 2^24. A share of that
/// length takes 256 MiB.
pub const MAX_INPUT_LENGTH: usize = 1 << 24;

/// The most aggregators that Prio3 takes; the fewest are 2.
pub const MAX_AGGREGATORS: usize = 254;

/// A Prio3 instance with checked parameters.
pub trait MeasurementType: Clone + fmt::Debug + Send + Sync {
    /// The validity circuit.
    type Flp: flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static;
    /// A client's measurement.
    type Measurement: ?Sized;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    /// The query that the VDAF computes.
    fn query(&self) -> &Query;

    /// The parameters by name, exactly.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// The measurement as prio shards it.
    ///
    /// # Errors
    /// If it is not a valid one: prio would panic on some of those.
    fn check(
        &self,
        measurement: &Self::Measurement,
    ) -> Result<<Self::Flp as flp::Type>::Measurement, ParameterError>;
}

/// Prio3 over the validity circuit `C`, with one proof, and the query that it computes.
#[derive(Clone, Debug)]
pub struct Prio3Type<C: flp::Type> {
    vdaf: Vdaf<C>,
    query: Query,
    /// `None` where the circuit has no chunks.
    chunks: Option<Chunks<C>>,
}

/// A circuit that is proved in chunks.
#[derive(Clone, Debug)]
struct Chunks<C> {
    /// The number of field elements in one chunk.
    length: usize,
    /// The number of field elements of a measurement.
    input_length: usize,
    /// The circuit of a query, for a chunk length.
    circuit: fn(&Query, usize) -> Result<C, FlpError>,
}

impl<C: flp::Type> Prio3Type<C> {
    /// The type over a circuit whose proof has no chunks. `algorithm` is its number in the VDAF
    /// specification.
    fn whole(
        query: Query,
        algorithm: u32,
        aggregators: usize,
        circuit: Result<C, FlpError>,
    ) -> Result<Self, ParameterError> {
        let shares = u8::try_from(within("aggregators", aggregators, 2..=MAX_AGGREGATORS)?);
        let shares = shares.map_err(|error| refused_by_prio(&query, error))?;
        // Our own checks leave nothing that we know of for prio to refuse.
        let vdaf = circuit
            .map_err(VdafError::from)
            .and_then(|circuit| Prio3::new(shares, 1, algorithm, circuit))
            .map_err(|error| refused_by_prio(&query, error))?;
        Ok(Self { vdaf, query, chunks: None })
    }

    /// The type over a circuit that is proved in chunks, for measurements of `input_length` field
    /// elements, with the chunk length that makes the proof shortest.
    fn chunked(
        query: Query,
        algorithm: u32,
        aggregators: usize,
        input_length: usize,
        circuit: fn(&Query, usize) -> Result<C, FlpError>,
    ) -> Result<Self, ParameterError> {
        let length = optimal_chunk_length(input_length);
        let made = circuit(&query, length);
        let whole = Self::whole(query, algorithm, aggregators, made)?;
        Ok(Self { chunks: Some(Chunks { length, input_length, circuit }), ..whole })
    }

    /// The type with this chunk length, which all parties must share; unchanged if it is `None` or the
    /// proof has no chunks.
    ///
    /// # Errors
    /// Unless the chunk length is from 1 to the number of field elements of a measurement.
    pub fn with_chunk_length(
        self,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let (Some(chunks), Some(length)) = (&self.chunks, chunk_length.into()) else {
            return Ok(self);
        };
        // Prio accepts chunks far longer than the measurement, and allocates them.
        within("chunk_length", length, 1..=chunks.input_length)?;
        let chunks = Chunks { length, ..chunks.clone() };
        let circuit = (chunks.circuit)(&self.query, length);
        let (algorithm, aggregators) = (self.vdaf.algorithm_id(), self.vdaf.num_aggregators());
        let whole = Self::whole(self.query, algorithm, aggregators, circuit)?;
        Ok(Self { chunks: Some(chunks), ..whole })
    }

    /// The number of totals.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.query.totals()
    }
}

impl<C> MeasurementType for Prio3Type<C>
where
    C: flp::Type<Field: SignedField, Measurement: OwnedMeasurement> + Send + Sync + 'static,
{
    type Flp = C;
    type Measurement = <C::Measurement as OwnedMeasurement>::Borrowed;

    fn vdaf(&self) -> &Vdaf<C> {
        &self.vdaf
    }

    fn query(&self) -> &Query {
        &self.query
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = vec![("aggregators", self.vdaf.num_aggregators().to_string())];
        if !matches!(self.query, Query::Count | Query::Sum { .. } | Query::Average { .. }) {
            parameters.push(("length", self.length().to_string()));
        }
        match &self.query {
            Query::Count | Query::Histogram { .. } => {}
            Query::HistogramRanges { family, .. } => {
                parameters.push(("strategy_matrix", family.to_string()));
            }
            Query::MultihotCountVec { max_weight, .. } => {
                parameters.push(("max_weight", max_weight.to_string()));
            }
            Query::Sum { max_measurement }
            | Query::Average { max_measurement }
            | Query::SumVec { max_measurement, .. }
            | Query::L1BoundSum { max_measurement, .. } => {
                parameters.push(("max_measurement", max_measurement.to_string()));
            }
        }
        let chunks = self.chunks.as_ref();
        parameters.extend(chunks.map(|chunks| ("chunk_length", chunks.length.to_string())));
        parameters
    }

    fn check(&self, measurement: &Self::Measurement) -> Result<C::Measurement, ParameterError> {
        C::Measurement::check(&self.query, measurement)
    }
}

/// The name of a query's VDAF in its specification.
#[must_use]
pub const fn vdaf_name(query: &Query) -> &'static str {
    match query {
        Query::Count => "Prio3Count",
        Query::Sum { .. } => "Prio3Sum",
        Query::Average { .. } => "Prio3Average",
        Query::SumVec { .. } => "Prio3SumVec",
        Query::Histogram { .. } | Query::HistogramRanges { .. } => "Prio3Histogram",
        Query::MultihotCountVec { .. } => "Prio3MultihotCountVec",
        Query::L1BoundSum { .. } => "Prio3L1BoundSum",
    }
}

/// The error that prio does not make the circuit of `query`.
fn refused_by_prio(query: &Query, error: impl fmt::Display) -> ParameterError {
    ParameterError::new(vdaf_name(query), "refused by prio", error.to_string())
}
