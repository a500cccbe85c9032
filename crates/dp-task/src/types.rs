//! From the VDAF's section of a document to the Prio3 type.

use dp_exact::ParameterError;
use dp_prio3::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};

use crate::Error;
use crate::build::at;
use crate::document::Vdaf;

pub(crate) fn count(vdaf: &Vdaf) -> Result<Count, Error> {
    Count::new(vdaf.required_aggregators()?).map_err(in_vdaf)
}

pub(crate) fn sum(vdaf: &Vdaf) -> Result<Sum, Error> {
    let max = vdaf.required_max_measurement()?;
    let max = u64::try_from(max).map_err(|_| {
        let accepted = "an integer of at most 63 bits with Prio3Sum";
        ParameterError::new("vdaf.max_measurement", max, accepted)
    })?;
    Sum::new(vdaf.required_aggregators()?, max).map_err(in_vdaf)
}

pub(crate) fn average(vdaf: &Vdaf) -> Result<Average, Error> {
    let aggregators = vdaf.required_aggregators()?;
    Average::new(aggregators, vdaf.required_max_measurement()?).map_err(in_vdaf)
}

pub(crate) fn sum_vec(vdaf: &Vdaf) -> Result<SumVec, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let max = vdaf.required_max_measurement()?;
    match vdaf.chunk_length {
        Some(chunk) => SumVec::with_chunk_length(aggregators, length, max, chunk),
        None => SumVec::new(aggregators, length, max),
    }
    .map_err(in_vdaf)
}

pub(crate) fn histogram(vdaf: &Vdaf) -> Result<Histogram, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    match vdaf.chunk_length {
        Some(chunk) => Histogram::with_chunk_length(aggregators, length, chunk),
        None => Histogram::new(aggregators, length),
    }
    .map_err(in_vdaf)
}

pub(crate) fn multihot(vdaf: &Vdaf) -> Result<MultihotCountVec, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let weight = vdaf.required_max_weight()?;
    match vdaf.chunk_length {
        Some(chunk) => MultihotCountVec::with_chunk_length(aggregators, length, weight, chunk),
        None => MultihotCountVec::new(aggregators, length, weight),
    }
    .map_err(in_vdaf)
}

pub(crate) fn l1_bound_sum(vdaf: &Vdaf) -> Result<L1BoundSum, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let max = vdaf.required_max_measurement()?;
    match vdaf.chunk_length {
        Some(chunk) => L1BoundSum::with_chunk_length(aggregators, length, max, chunk),
        None => L1BoundSum::new(aggregators, length, max),
    }
    .map_err(in_vdaf)
}

fn in_vdaf(error: ParameterError) -> Error {
    at("vdaf", None, error.into())
}
