//! The measurements of the cells: synthetic ones, or the rows of a table as `simulate` reads it.

use std::collections::BTreeMap;
use std::io::Read;

use dp_calibration::Query;
use dp_exact::{ParameterError, Refusal};
use dp_task::VdafSize;
use sha2::{Digest as _, Sha256};

use crate::data::{
    Bins, Category, CsvTable, OutOfRange, OutsideBins, SHIPPED, indicators, integers, shipped,
};
use crate::sweep::SweepError;
use crate::sweep::cells::CellGrid;
use crate::sweep::file::{CsvSource, DataSource, MeasurementKind, Sweep, missing_lengths};
use crate::{BucketAxis, Measurements, Population};

/// The codes for yes and for no in a table.
const YES_AND_NO: [&str; 2] = ["1", "0,2"];

/// Opens the file of data of a sweep.
pub type OpenFile<'a> =
    &'a dyn Fn(&str) -> Result<Box<dyn Read>, Box<dyn std::error::Error + Send + Sync>>;

/// A digest of the data that are not in the sweep's file: SHA-256 over all measurements of a table, zeros for synthetic
/// data.
///
/// # Errors
/// If the table cannot be read.
pub fn data_digest(
    sweep: &Sweep,
    grid: &CellGrid,
    open: OpenFile<'_>,
) -> Result<[u8; 32], SweepError> {
    if let DataSource::Synthetic(_) = sweep.data {
        return Ok([0; 32]);
    }
    let needed = grid.cells.iter().map(|cell| (cell.kind, cell.choice));
    let mut hash = Sha256::new();
    for data in SweepData::read(sweep, needed, open)?.0.into_values() {
        hash.update(Population::each_once(data.rows)?.digest());
    }
    Ok(hash.finalize().into())
}

/// The measurements of a cell, and their size for the cell's task.
#[derive(Clone, Debug)]
pub(crate) struct CellData {
    pub(crate) size: VdafSize,
    pub(crate) rows: Measurements,
}

/// The data of all cells, by kind of measurement and place of the length or the bins in its list.
#[derive(Debug)]
pub(crate) struct SweepData(BTreeMap<(MeasurementKind, usize), CellData>);

impl SweepData {
    /// Reads the data of each kind and choice once.
    pub(crate) fn read(
        sweep: &Sweep,
        needed: impl Iterator<Item = (MeasurementKind, usize)>,
        open: OpenFile<'_>,
    ) -> Result<Self, SweepError> {
        let mut all = BTreeMap::new();
        for (kind, choice) in needed {
            if all.contains_key(&(kind, choice)) {
                continue;
            }
            let data = match &sweep.data {
                DataSource::Synthetic(distribution) => {
                    let query = query(sweep, kind, choice)?;
                    let seed = sweep.seed.unwrap_or_default();
                    let rows = distribution.measurements(&query, seed)?;
                    CellData { size: size(&query), rows }
                }
                DataSource::Csv(source) => of_table(sweep, source, (kind, choice), open)?,
            };
            all.insert((kind, choice), data);
        }
        Ok(Self(all))
    }

    pub(crate) fn get(
        &self,
        kind: MeasurementKind,
        choice: usize,
    ) -> Result<&CellData, ParameterError> {
        let unknown = || ParameterError::new("data", choice, "data that were read");
        self.0.get(&(kind, choice)).ok_or_else(unknown)
    }
}

/// The query of synthetic data of this kind, with the length at place `choice` of its list.
fn query(sweep: &Sweep, kind: MeasurementKind, choice: usize) -> Result<Query, Refusal> {
    let length = || sweep.lengths.get(choice).copied().ok_or_else(missing_lengths);
    Ok(match kind {
        MeasurementKind::Bit => Query::Count,
        MeasurementKind::Number => Query::Sum { max_measurement: largest(sweep)? },
        MeasurementKind::Bucket => Query::Histogram { length: length()? },
        MeasurementKind::OneHot => Query::MultihotCountVec { length: length()?, max_weight: 1 },
        MeasurementKind::Bits => {
            let max_weight = sweep.max_weight.unwrap_or(1);
            Query::MultihotCountVec { length: length()?, max_weight }
        }
        MeasurementKind::Numbers => {
            Query::SumVec { length: length()?, max_measurement: largest(sweep)? }
        }
        MeasurementKind::BoundedSum => {
            Query::L1BoundSum { length: length()?, max_measurement: largest(sweep)? }
        }
    })
}

/// The size of measurements of a query.
fn size(query: &Query) -> VdafSize {
    let max_weight = match query {
        Query::MultihotCountVec { max_weight, .. } => Some(*max_weight),
        _ => None,
    };
    let (length, max_measurement) = (query.totals(), query.max_entry());
    VdafSize { length, max_measurement, max_weight, grid: None }
}

/// The largest measurement of a sweep, its key `max_measurement`; `Err` if the key is missing.
fn largest(sweep: &Sweep) -> Result<u128, Refusal> {
    let accepted = "the largest number that is measured, of policies that add numbers up";
    sweep.max_measurement.ok_or_else(|| Refusal::missing("max_measurement", accepted))
}

/// The measurements of a table, for one kind, with the bins at place `choice` of their list.
fn of_table(
    sweep: &Sweep,
    source: &CsvSource,
    (kind, choice): (MeasurementKind, usize),
    open: OpenFile<'_>,
) -> Result<CellData, SweepError> {
    let table = match &source.file {
        None => CsvTable::new(SHIPPED, shipped(), None)?,
        Some(file) => {
            let path = sweep.folder.join(file);
            let bytes = open(&path.to_string_lossy()).map_err(SweepError::Open)?;
            CsvTable::new(file, bytes, None)?
        }
    };
    let are_bins = kind.is_binned(source);
    let columns = match (kind.has_length() && !are_bins, &source.column) {
        (true, _) if !source.columns.is_empty() => source.columns.clone(),
        (true, _) => {
            let accepted = "the names of the columns of a vector";
            return Err(Refusal::missing("data.columns", accepted).into());
        }
        (false, Some(column)) => vec![column.clone()],
        (false, None) => return Err(Refusal::missing("data.column", "the name of a column").into()),
    };
    let max = match kind {
        MeasurementKind::Number => Some(largest(sweep)?),
        MeasurementKind::Numbers | MeasurementKind::BoundedSum => sweep.max_measurement,
        _ => None,
    };
    let data = match max {
        _ if are_bins => {
            let accepted = "LOW..HIGH/WIDTH, or values such as 0,1,2 or ios,android";
            let bins = source.bins.get(choice);
            let bins = bins.ok_or_else(|| Refusal::missing("data.bins", accepted))?;
            let bins = bins.parse::<Bins>().map_err(|error| error.renamed("data.bins"))?;
            bins.apply(table, &columns[0], OutsideBins::Refuse)?
        }
        None => {
            let [yes, no] = YES_AND_NO.map(|codes| Category::list("data", codes));
            indicators(table, &columns, &yes?, &no?)?
        }
        Some(max) => integers(table, &columns, max, OutOfRange::Refuse)?,
    };
    if sweep.percentiles.is_some() {
        BucketAxis::of(&data.labels).map_err(|error| error.renamed("data.bins"))?;
    }
    let (length, rows) = (data.labels.len(), data.measurements);
    let rows = match kind {
        MeasurementKind::Bit | MeasurementKind::Number => rows.single(),
        MeasurementKind::Bucket => rows,
        MeasurementKind::OneHot | MeasurementKind::Bits => rows.one_hot(length)?,
        MeasurementKind::Numbers | MeasurementKind::BoundedSum => rows.as_integers(),
    };
    let largest_sum = u128::try_from(length).unwrap_or(u128::MAX);
    let default = if kind == MeasurementKind::BoundedSum { largest_sum } else { 1 };
    let max_weight = match kind {
        MeasurementKind::OneHot => Some(1),
        MeasurementKind::Bits => {
            Some(sweep.max_weight.unwrap_or(if are_bins { 1 } else { length }))
        }
        _ => None,
    };
    let max_measurement = max.unwrap_or(default);
    Ok(CellData { size: VdafSize { length, max_measurement, max_weight, grid: None }, rows })
}
