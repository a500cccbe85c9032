//! The measurements of the cells: synthetic ones, or the rows of a table as `simulate` reads it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

use dp_calibration::{Query, Refusal};
use dp_exact::ParameterError;
use dp_task::{VdafSize, VdafType};
use sha2::{Digest as _, Sha256};

use crate::data::{Bins, Category, CsvTable, OutOfRange, SHIPPED, indicators, integers, shipped};
use crate::sweep::SweepError;
use crate::sweep::cells::{Cell, CellGrid};
use crate::sweep::file::{CsvSource, DataSource, Sweep, has_length, is_one_hot};
use crate::{BucketAxis, Measurements, Population};

/// Opens the file of data of a sweep.
pub type OpenFile<'a> =
    &'a dyn Fn(&str) -> Result<Box<dyn Read>, Box<dyn std::error::Error + Send + Sync>>;

/// SHA-256 over all measurements of a table; zeros for synthetic data.
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
    let mut hash = Sha256::new();
    for data in SweepData::read(sweep, &grid.cells, open)?.0.into_values() {
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

/// What the data of a cell depend on: the VDAF, whether vectors have exactly one one, and the place
/// of the length or the bins in its list.
type DataKey = (VdafType, bool, usize);

fn key(cell: &Cell) -> DataKey {
    (cell.policy.vdaf, is_one_hot(&cell.policy), cell.choice)
}

#[derive(Debug)]
pub(crate) struct SweepData(BTreeMap<DataKey, CellData>);

impl SweepData {
    /// Reads the data of these cells, each data once.
    pub(crate) fn read(
        sweep: &Sweep,
        cells: &[Cell],
        open: OpenFile<'_>,
    ) -> Result<Self, SweepError> {
        let mut all = BTreeMap::new();
        for key in cells.iter().map(key) {
            if let Entry::Vacant(entry) = all.entry(key) {
                entry.insert(CellData::read(sweep, key, open)?);
            }
        }
        Ok(Self(all))
    }

    pub(crate) fn of(&self, cell: &Cell) -> Result<&CellData, ParameterError> {
        let unknown = || ParameterError::new("data", cell.number, "a cell whose data were read");
        self.0.get(&key(cell)).ok_or_else(unknown)
    }
}

impl CellData {
    fn read(
        sweep: &Sweep,
        (vdaf, is_one_hot, choice): DataKey,
        open: OpenFile<'_>,
    ) -> Result<Self, SweepError> {
        let is_bits =
            matches!(vdaf, VdafType::Count | VdafType::Histogram | VdafType::MultihotCountVec);
        let max = sweep.max_measurement.filter(|_| !is_bits);
        let is_synthetic = matches!(sweep.data, DataSource::Synthetic(_));
        if max.is_none() && !is_bits && (is_synthetic || !has_length(vdaf)) {
            let accepted = "the largest number that is measured, of policies that add numbers up";
            return Err(Refusal::missing("max_measurement", accepted).into());
        }
        let size = |length: usize, default_weight| {
            let weight = if is_one_hot { 1 } else { sweep.max_weight.unwrap_or(default_weight) };
            let sum = if vdaf == VdafType::L1BoundSum { length } else { 1 };
            let default = u128::try_from(sum).unwrap_or(u128::MAX);
            VdafSize {
                length,
                max_measurement: max.unwrap_or(default),
                max_weight: (vdaf == VdafType::MultihotCountVec).then_some(weight),
                grid: None,
            }
        };
        let source = match &sweep.data {
            DataSource::Csv(source) => source,
            DataSource::Synthetic(distribution) => {
                let length = sweep.lengths.get(choice).filter(|_| has_length(vdaf));
                let size = size(length.copied().unwrap_or(1), 1);
                let seed = sweep.seed.unwrap_or_default();
                let rows = distribution.measurements(&query(vdaf, &size), seed)?;
                return Ok(Self { size, rows });
            }
        };
        let table = match &source.file {
            None => CsvTable::new(SHIPPED, shipped(), None)?,
            Some(file) => {
                let path = sweep.folder.join(file);
                let bytes = open(&path.to_string_lossy()).map_err(SweepError::Open)?;
                CsvTable::new(file, bytes, None)?
            }
        };
        let are_bins = source.is_binned(vdaf, is_one_hot);
        let data = match max {
            _ if are_bins => {
                let accepted = "LOW..HIGH/WIDTH, or values such as 0,1,2 or ios,android";
                let bins = source.bins.get(choice);
                let bins = bins.ok_or_else(|| Refusal::missing("data.bins", accepted))?;
                let bins = bins.parse::<Bins>().map_err(|error| error.renamed("data.bins"))?;
                bins.apply(table, &column(source)?, OutOfRange::Refuse)?
            }
            None => {
                let [yes, no] = ["1", "0,2"].map(|codes| Category::list("data", codes));
                indicators(table, &columns(source, vdaf)?, &yes?, &no?)?
            }
            Some(max) => integers(table, &columns(source, vdaf)?, max, OutOfRange::Refuse)?,
        };
        if sweep.percentiles.is_some() {
            BucketAxis::of(&data.labels).map_err(|error| error.renamed("data.bins"))?;
        }
        let (length, rows) = (data.labels.len(), data.measurements);
        let rows = match vdaf {
            VdafType::Count | VdafType::Sum | VdafType::Average => rows.single(),
            VdafType::Histogram => rows,
            VdafType::MultihotCountVec => rows.one_hot(length)?,
            VdafType::SumVec | VdafType::L1BoundSum => rows.as_integers(),
        };
        Ok(Self { size: size(length, if are_bins { 1 } else { length }), rows })
    }
}

fn query(vdaf: VdafType, size: &VdafSize) -> Query {
    let VdafSize { length, max_measurement, max_weight, .. } = *size;
    match vdaf {
        VdafType::Count => Query::Count,
        VdafType::Sum => Query::Sum { max_measurement },
        VdafType::Average => Query::Average { max_measurement },
        VdafType::SumVec => Query::SumVec { length, max_measurement },
        VdafType::Histogram => Query::Histogram { length },
        VdafType::MultihotCountVec => {
            Query::MultihotCountVec { length, max_weight: max_weight.unwrap_or(1) }
        }
        VdafType::L1BoundSum => Query::L1BoundSum { length, max_measurement },
    }
}

/// The column of a table that has one measurement for each row.
fn column(source: &CsvSource) -> Result<String, Refusal> {
    let column = source.column.clone();
    column.ok_or_else(|| Refusal::missing("data.column", "the name of a column"))
}

fn columns(source: &CsvSource, vdaf: VdafType) -> Result<Vec<String>, Refusal> {
    if !has_length(vdaf) {
        return Ok(vec![column(source)?]);
    }
    if source.columns.is_empty() {
        return Err(Refusal::missing("data.columns", "the names of the columns of a vector"));
    }
    Ok(source.columns.clone())
}
