//! What the four vector types share: a proof that is made in chunks.

use dp_exact::ParameterError;
use prio::flp::{self, FlpError};
use prio::vdaf::prio3::optimal_chunk_length;

use super::prio3;
use crate::error::within;
use crate::vdaf::{Vdaf, VdafKind};

/// Prio3 over a circuit that is proved in chunks of one length, which all parties must share.
#[derive(Clone, Debug)]
pub(super) struct Chunked<C: flp::Type> {
    pub(super) vdaf: Vdaf<C>,
    pub(super) aggregators: usize,
    pub(super) chunk_length: usize,
}

impl<C: flp::Type> Chunked<C> {
    /// The circuit for measurements of `input_length` field elements, in chunks of the given length
    /// or of the one that makes the proof shortest.
    pub(super) fn new(
        (kind, algorithm): (VdafKind, u32),
        aggregators: usize,
        input_length: usize,
        chunk_length: Option<usize>,
        circuit: impl FnOnce(usize) -> Result<C, FlpError>,
    ) -> Result<Self, ParameterError> {
        let chunk_length = chunk_length.unwrap_or_else(|| optimal_chunk_length(input_length));
        // Prio accepts chunks far longer than the measurement, and allocates them.
        within("chunk_length", chunk_length, 1..=input_length)?;
        Ok(Self {
            vdaf: prio3(kind, aggregators, algorithm, circuit(chunk_length))?,
            aggregators,
            chunk_length,
        })
    }

    /// The parameters, with the type's own between those that all have.
    pub(super) fn parameters<const N: usize>(
        &self,
        own: [(&'static str, String); N],
    ) -> Vec<(&'static str, String)> {
        let mut parameters = vec![("aggregators", self.aggregators.to_string())];
        parameters.extend(own);
        parameters.push(("chunk_length", self.chunk_length.to_string()));
        parameters
    }
}
