//! The Prio3 types by their parameters. A chunk length that is left open is the one that makes the
//! proof shortest.

use dp_exact::ParameterError;
use dp_prio3::types::{Average, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};

use crate::document::Range;

pub(crate) fn sum(aggregators: usize, range: &Range) -> Result<Sum, ParameterError> {
    let max = range.max_measurement();
    let max = u64::try_from(max).map_err(|_| {
        let accepted = "an integer of at most 63 bits with Prio3Sum";
        ParameterError::new("max_measurement", max, accepted)
    })?;
    Sum::new(aggregators, max)
}

pub(crate) fn average(aggregators: usize, range: &Range) -> Result<Average, ParameterError> {
    Average::new(aggregators, range.max_measurement())
}

pub(crate) fn sum_vec(
    aggregators: usize,
    length: usize,
    range: &Range,
    chunk_length: Option<usize>,
) -> Result<SumVec, ParameterError> {
    let max = range.max_measurement();
    match chunk_length {
        Some(chunk) => SumVec::with_chunk_length(aggregators, length, max, chunk),
        None => SumVec::new(aggregators, length, max),
    }
}

pub(crate) fn histogram(
    aggregators: usize,
    length: usize,
    chunk_length: Option<usize>,
) -> Result<Histogram, ParameterError> {
    match chunk_length {
        Some(chunk) => Histogram::with_chunk_length(aggregators, length, chunk),
        None => Histogram::new(aggregators, length),
    }
}

pub(crate) fn multihot(
    aggregators: usize,
    length: usize,
    max_weight: usize,
    chunk_length: Option<usize>,
) -> Result<MultihotCountVec, ParameterError> {
    match chunk_length {
        Some(chunk) => MultihotCountVec::with_chunk_length(aggregators, length, max_weight, chunk),
        None => MultihotCountVec::new(aggregators, length, max_weight),
    }
}

pub(crate) fn l1_bound_sum(
    aggregators: usize,
    length: usize,
    max: u128,
    chunk_length: Option<usize>,
) -> Result<L1BoundSum, ParameterError> {
    match chunk_length {
        Some(chunk) => L1BoundSum::with_chunk_length(aggregators, length, max, chunk),
        None => L1BoundSum::new(aggregators, length, max),
    }
}
