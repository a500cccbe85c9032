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
use crate::sweep::file::{CsvSource, DataSource, MeasurementKind, Sweep};
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

/// The measurements of a cell, and what its task has to know of them.
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

fn synthetic(
    sweep: &Sweep,
    distribution: ValueDistribution,
    kind: MeasurementKind,
    choice: usize,
) -> Result<CellData, SweepError> {
    let length = match kind.has_length() {
        false => 1,
        true => sweep.lengths.get(choice).copied().ok_or_else(|| {
            Refusal::missing("lengths", "how long the vectors are, such as [12, 1000]")
        })?,
    };
    let (max_measurement, weight, shape) = match kind {
        MeasurementKind::Bit => (1, None, Shape::Bit),
        MeasurementKind::Bucket => (1, None, Shape::Bucket { length }),
        MeasurementKind::OneHot => (1, Some(1), Shape::Bits { length, weight: 1 }),
        MeasurementKind::Bits => {
            let weight = sweep.max_weight.unwrap_or(1);
            (1, Some(weight), Shape::Bits { length, weight })
        }
        MeasurementKind::Number => {
            let max = largest(sweep)?;
            (max, None, Shape::Number { max })
        }
        MeasurementKind::Numbers => {
            let max = largest(sweep)?;
            (max, None, Shape::Numbers { length, max })
        }
        MeasurementKind::BoundedSum => {
            let max = largest(sweep)?;
            (max, None, Shape::BoundedSum { length, max })
        }
    };
    let rows = distribution.measurements(&shape, sweep.seed.unwrap_or_default())?;
    Ok(CellData { length, max_measurement, weight, rows })
}

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
            return Ok(CsvTable::new(SHIPPED, shipped())?.with_missing(missing));
        };
        let path = self.sweep.folder.join(file);
        let bytes = (self.open)(&path.to_string_lossy()).map_err(SweepError::Open)?;
        let table = match &source.delimiter {
            Some(text) => CsvTable::delimited(file, bytes, parsed(text, "data.delimiter")?)?,
            None => CsvTable::new(file, bytes)?,
        };
        Ok(table.with_missing(missing))
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
    fn indicators(&self, is_vector: bool) -> Result<LabelledMeasurements, SweepError> {
        let (yes, no) = (&self.source.yes, &self.source.no);
        let (yes, no) = (yes.as_deref().unwrap_or("1"), no.as_deref().unwrap_or("0,2"));
        let yes_codes = Category::list("data.yes", yes)?;
        let no_codes = Category::list("data.no", no)?;
        if yes_codes.iter().any(|code| no_codes.contains(code)) {
            let accepted = "a code that is not one of data.no";
            return Err(ParameterError::new("data.yes", yes, accepted).into());
        }
        Ok(indicators(self.table()?, &self.columns(is_vector)?, &yes_codes, &no_codes)?)
    }

    fn integers(
        &self,
        is_vector: bool,
        max: u128,
        clamp: bool,
    ) -> Result<LabelledMeasurements, SweepError> {
        let beyond = if clamp { OutOfRange::Clamp } else { OutOfRange::Refuse };
        Ok(integers(self.table()?, &self.columns(is_vector)?, max, beyond)?)
    }

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

    fn one_hot(&self, choice: usize) -> Result<LabelledMeasurements, SweepError> {
        let data = self.buckets(choice)?;
        let measurements = data.measurements.one_hot(data.labels.len())?;
        Ok(LabelledMeasurements { measurements, ..data })
    }

    fn read(&self, kind: MeasurementKind, choice: usize) -> Result<CellData, SweepError> {
        let clamp = self.source.clamp;
        let (mut data, max_measurement, weight) = match (kind, self.sweep.max_measurement) {
            (MeasurementKind::Bit, _) => (self.indicators(false)?, 1, None),
            (MeasurementKind::Number, _) => {
                let max = largest(self.sweep)?;
                (self.integers(false, max, clamp)?, max, None)
            }
            (MeasurementKind::Bucket, _) => (self.buckets(choice)?, 1, None),
            (MeasurementKind::OneHot, _) => (self.one_hot(choice)?, 1, Some(1)),
            (MeasurementKind::Bits, _) if self.source.columns.is_empty() => {
                (self.one_hot(choice)?, 1, Some(self.sweep.max_weight.unwrap_or(1)))
            }
            (MeasurementKind::Bits, _) => {
                let data = self.indicators(true)?;
                let weight = self.sweep.max_weight.unwrap_or(data.labels.len());
                (data, 1, Some(weight))
            }
            (MeasurementKind::Numbers, Some(max)) => (self.integers(true, max, clamp)?, max, None),
            // No vector is the nearest whose sum is in range.
            (MeasurementKind::BoundedSum, Some(max)) => {
                (self.integers(true, max, false)?, max, None)
            }
            (MeasurementKind::Numbers | MeasurementKind::BoundedSum, None) => {
                let mut data = self.indicators(true)?;
                data.measurements = data.measurements.as_integers();
                let max = if kind == MeasurementKind::Numbers { 1 } else { data.labels.len() };
                (data, u128::try_from(max).unwrap_or(u128::MAX), None)
            }
        };
        if !kind.has_length() {
            data.measurements = data.measurements.single();
        }
        if self.sweep.cumulative.is_some() {
            BucketAxis::of(&data.labels).map_err(|error| error.renamed("data.bins"))?;
        }
        let length = data.labels.len();
        Ok(CellData { length, max_measurement, weight, rows: data.measurements })
    }
}

/// A value of this key, from its text.
fn parsed<T: FromStr<Err = ParameterError>>(
    text: &str,
    key: &'static str,
) -> Result<T, ParameterError> {
    text.parse().map_err(|error: ParameterError| error.renamed(key))
}
