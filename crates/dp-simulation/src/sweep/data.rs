//! The measurements of the cells: synthetic ones, or the rows of a table as `simulate` reads it.

use std::collections::BTreeMap;
use std::io::Read;
use std::str::FromStr;

use dp_exact::{ParameterError, Refusal};
use sha2::{Digest as _, Sha256};

use crate::data::{
    Bins, Category, CsvTable, LabelledMeasurements, MissingRule, OutOfRange, OutsideBins, SHIPPED,
    indicators, integers, shipped,
};
use crate::sweep::SweepError;
use crate::sweep::cells::CellGrid;
use crate::sweep::file::{CsvSource, DataSource, MeasurementKind, Sweep, missing_lengths};
use crate::{BucketAxis, Measurements, Population, Shape, ValueDistribution};

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

/// The measurements of a cell, and their length, largest value and weight for the cell's task.
#[derive(Clone, Debug)]
pub(crate) struct CellData {
    pub(crate) length: usize,
    pub(crate) max_measurement: u128,
    pub(crate) weight: Option<usize>,
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
                    synthetic(sweep, *distribution, kind, choice)?
                }
                DataSource::Csv(source) => Reader { sweep, source, open }.read(kind, choice)?,
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

/// Synthetic data of this kind, with the length at place `choice` of its list.
fn synthetic(
    sweep: &Sweep,
    distribution: ValueDistribution,
    kind: MeasurementKind,
    choice: usize,
) -> Result<CellData, SweepError> {
    let length = match kind.has_length() {
        false => 1,
        true => *sweep.lengths.get(choice).ok_or_else(missing_lengths)?,
    };
    let max = match kind {
        MeasurementKind::Number | MeasurementKind::Numbers | MeasurementKind::BoundedSum => {
            largest(sweep)?
        }
        _ => 1,
    };
    let weight = if kind == MeasurementKind::Bits { sweep.max_weight.unwrap_or(1) } else { 1 };
    let shape = match kind {
        MeasurementKind::Bit => Shape::Bit,
        MeasurementKind::Number => Shape::Number { max },
        MeasurementKind::Bucket => Shape::Bucket { length },
        MeasurementKind::OneHot | MeasurementKind::Bits => Shape::Bits { length, weight },
        MeasurementKind::Numbers => Shape::Numbers { length, max },
        MeasurementKind::BoundedSum => Shape::BoundedSum { length, max },
    };
    let rows = distribution.measurements(&shape, sweep.seed.unwrap_or_default())?;
    let weight = matches!(shape, Shape::Bits { .. }).then_some(weight);
    Ok(CellData { length, max_measurement: max, weight, rows })
}

/// The largest measurement of a sweep, its key `max_measurement`; `Err` if the key is missing.
fn largest(sweep: &Sweep) -> Result<u128, Refusal> {
    let accepted = "the largest number that is measured, of policies that add numbers up";
    let max = sweep.max_measurement;
    max.ok_or_else(|| Refusal::missing("max_measurement", accepted))
}

/// The table of a sweep.
struct Reader<'a> {
    sweep: &'a Sweep,
    source: &'a CsvSource,
    open: OpenFile<'a>,
}

impl Reader<'_> {
    fn table(&self) -> Result<CsvTable<'static>, SweepError> {
        let source = self.source;
        let missing = MissingRule {
            values: parsed(source.missing.as_deref().unwrap_or("refuse"), "data.missing")?,
            codes: match &source.missing_value {
                Some(codes) => Category::list("data.missing_value", codes)?,
                None => Vec::new(),
            },
        };
        let Some(file) = &source.file else {
            return Ok(CsvTable::new(SHIPPED, shipped(), None)?.with_missing(missing));
        };
        let path = self.sweep.folder.join(file);
        let bytes = (self.open)(&path.to_string_lossy()).map_err(SweepError::Open)?;
        let delimiter = source.delimiter.as_deref();
        let delimiter = delimiter.map(|text| parsed(text, "data.delimiter")).transpose()?;
        Ok(CsvTable::new(file, bytes, delimiter)?.with_missing(missing))
    }

    /// The column of a single value, or the columns of a vector.
    fn columns(&self, is_vector: bool) -> Result<Vec<String>, Refusal> {
        match (is_vector, &self.source.column) {
            (true, _) if !self.source.columns.is_empty() => Ok(self.source.columns.clone()),
            (true, _) => {
                Err(Refusal::missing("data.columns", "the names of the columns of a vector"))
            }
            (false, Some(column)) => Ok(vec![column.clone()]),
            (false, None) => Err(Refusal::missing("data.column", "the name of a column")),
        }
    }

    /// A yes or no for each column.
    fn indicators(&self, columns: &[String]) -> Result<LabelledMeasurements, SweepError> {
        let (yes, no) = (&self.source.yes, &self.source.no);
        let (yes, no) = (yes.as_deref().unwrap_or("1"), no.as_deref().unwrap_or("0,2"));
        let yes_codes = Category::list("data.yes", yes)?;
        let no_codes = Category::list("data.no", no)?;
        if yes_codes.iter().any(|code| no_codes.contains(code)) {
            let accepted = "a code that is not one of data.no";
            return Err(ParameterError::new("data.yes", yes, accepted).into());
        }
        Ok(indicators(self.table()?, columns, &yes_codes, &no_codes)?)
    }

    /// The bin of each value, by the bins at place `choice` of their list.
    fn buckets(&self, choice: usize) -> Result<LabelledMeasurements, SweepError> {
        let accepted = "LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct";
        let bins = self.source.bins.get(choice);
        let bins = bins.ok_or_else(|| Refusal::missing("data.bins", accepted))?;
        let bins: Bins = parsed(bins, "data.bins")?;
        let outside = match (self.source.clamp, self.source.overflow_bins) {
            (false, false) => OutsideBins::Refuse,
            (true, false) => OutsideBins::Clamp,
            (false, true) => OutsideBins::Count,
            (true, true) => {
                let (place, change) = ("with data.overflow_bins", "leave one of them out");
                return Err(Refusal::contradiction("data.clamp", true, place, change).into());
            }
        };
        Ok(bins.apply(self.table()?, &self.columns(false)?[0], outside)?)
    }

    fn read(&self, kind: MeasurementKind, choice: usize) -> Result<CellData, SweepError> {
        let Sweep { max_measurement, max_weight, .. } = *self.sweep;
        let max = match kind {
            MeasurementKind::Number => Some(largest(self.sweep)?),
            MeasurementKind::Numbers | MeasurementKind::BoundedSum => max_measurement,
            _ => None,
        };
        let are_bins = kind.is_binned(self.source);
        let columns = || self.columns(kind.has_length());
        let data = match max {
            _ if are_bins => self.buckets(choice)?,
            None => self.indicators(&columns()?)?,
            Some(max) => {
                // No vector is the nearest whose sum is in range.
                let clamps = self.source.clamp && kind != MeasurementKind::BoundedSum;
                let beyond = if clamps { OutOfRange::Clamp } else { OutOfRange::Refuse };
                integers(self.table()?, &columns()?, max, beyond)?
            }
        };
        if self.sweep.percentiles.is_some() {
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
        let weight = match kind {
            MeasurementKind::OneHot => Some(1),
            MeasurementKind::Bits => Some(max_weight.unwrap_or(if are_bins { 1 } else { length })),
            _ => None,
        };
        Ok(CellData { length, max_measurement: max.unwrap_or(default), weight, rows })
    }
}

/// Parses `text` as the value of `key`, the name that an error carries.
fn parsed<T: FromStr<Err = ParameterError>>(
    text: &str,
    key: &'static str,
) -> Result<T, ParameterError> {
    text.parse().map_err(|error: ParameterError| error.renamed(key))
}
