//! What clients measure: values that follow a law, or the rows of a table.

mod table;

use std::collections::BTreeMap;
use std::io::Read;

use crate::{Measurements, Population, Shape, ValueDistribution};
use dp_exact::{ParameterError, Refusal};
use dp_task::{ClientNoiseType, PolicyName, VdafType};
use sha2::{Digest as _, Sha256};

use crate::sweep::SweepError;
use crate::sweep::file::Sweep;
use crate::sweep::grid::CellGrid;

pub use table::CsvSource;

/// Opens the file that a sweep names.
pub type OpenFile<'a> =
    &'a dyn Fn(&str) -> Result<Box<dyn Read>, Box<dyn std::error::Error + Send + Sync>>;

/// Where measurements come from.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSource {
    /// Each client draws a value from this law.
    Synthetic(ValueDistribution),
    /// Each client draws a row of a table.
    Table(Box<CsvSource>),
}

/// What tells the data of a sweep from others, beside what its file says: a SHA-256 hash over all measurements of
/// a table. Synthetic data follow from the file.
///
/// # Errors
/// If the table cannot be read.
pub fn data_digest(
    sweep: &Sweep,
    grid: &CellGrid,
    open: OpenFile<'_>,
) -> Result<[u8; 32], SweepError> {
    match &sweep.data {
        DataSource::Synthetic(_) => Ok([0; 32]),
        DataSource::Table(_) => {
            let needed = grid.cells.iter().map(|cell| (cell.kind, cell.choice));
            Ok(Questions::read(sweep, needed, open)?.digest()?)
        }
    }
}

/// What a policy takes of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A yes or no.
    Bit,
    /// An integer.
    Number,
    /// A bucket.
    Bucket,
    /// A vector of bits of which one is set.
    OneHot,
    /// A vector of bits.
    Bits,
    /// A vector of integers.
    Numbers,
    /// A vector of integers of bounded sum.
    BoundedSum,
}

impl Kind {
    pub(crate) const fn of(policy: PolicyName) -> Self {
        match policy.vdaf {
            VdafType::Count => Self::Bit,
            VdafType::Sum | VdafType::Average => Self::Number,
            VdafType::Histogram => Self::Bucket,
            VdafType::MultihotCountVec => match policy.client_noise {
                Some(ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor) => Self::OneHot,
                _ => Self::Bits,
            },
            VdafType::SumVec => Self::Numbers,
            VdafType::L1BoundSum => Self::BoundedSum,
        }
    }

    /// Whether it is counted in bins of this table, of which there are some.
    pub(crate) fn has_bins(self, table: &CsvSource) -> bool {
        let is_counted = match self {
            Self::Bucket | Self::OneHot => true,
            Self::Bits => table.columns.is_empty(),
            Self::Bit | Self::Number | Self::Numbers | Self::BoundedSum => false,
        };
        is_counted && !table.bins.is_empty()
    }

    /// Whether it has a length of its own.
    pub(crate) const fn has_length(self) -> bool {
        !matches!(self, Self::Bit | Self::Number)
    }
}

/// Measurements, and what a task has to know of them.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) length: usize,
    pub(crate) max_measurement: u128,
    pub(crate) weight: Option<usize>,
    pub(crate) rows: Measurements,
}

impl DataSource {
    /// How many lengths or choices of bins there are for measurements of this kind.
    pub(crate) fn choices(&self, kind: Kind, lengths: &[usize]) -> usize {
        match self {
            Self::Synthetic(_) if kind.has_length() => lengths.len(),
            Self::Table(table) if kind.has_bins(table) => table.bins.len(),
            Self::Synthetic(_) | Self::Table(_) => 1,
        }
    }

    /// Its name in rows.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Synthetic(law) => law.name(),
            Self::Table(table) => table.name(),
        }
    }
}

/// The questions of all cells, by the kind of measurement and the number of the length or of the bins.
#[derive(Debug)]
pub(crate) struct Questions(BTreeMap<(Kind, usize), Question>);

impl Questions {
    /// Reads the data as often as differently placed values are needed.
    pub(crate) fn read(
        sweep: &Sweep,
        needed: impl Iterator<Item = (Kind, usize)>,
        open: OpenFile<'_>,
    ) -> Result<Self, SweepError> {
        let mut questions = BTreeMap::new();
        for (kind, choice) in needed {
            if questions.contains_key(&(kind, choice)) {
                continue;
            }
            let question = match &sweep.data {
                DataSource::Synthetic(law) => synthetic(sweep, *law, kind, choice)?,
                DataSource::Table(table) => table.question(sweep, kind, choice, open)?,
            };
            questions.insert((kind, choice), question);
        }
        Ok(Self(questions))
    }

    /// SHA-256 over what the rows of all questions measure.
    fn digest(&self) -> Result<[u8; 32], ParameterError> {
        let mut hash = Sha256::new();
        for question in self.0.values() {
            hash.update(Population::each_once(question.rows.clone())?.digest());
        }
        Ok(hash.finalize().into())
    }

    pub(crate) fn get(&self, kind: Kind, choice: usize) -> Result<&Question, ParameterError> {
        let unknown = || ParameterError::new("data", choice, "data that were read");
        self.0.get(&(kind, choice)).ok_or_else(unknown)
    }
}

/// Measurements of this kind that follow a law.
fn synthetic(
    sweep: &Sweep,
    law: ValueDistribution,
    kind: Kind,
    choice: usize,
) -> Result<Question, SweepError> {
    let length = match kind.has_length() {
        false => 1,
        true => sweep.lengths.get(choice).copied().ok_or_else(|| {
            Refusal::missing("lengths", "how long the vectors are, such as [12, 1000]")
        })?,
    };
    let (max, weight) = match kind {
        Kind::Bit | Kind::Bucket => (1, None),
        Kind::OneHot => (1, Some(1)),
        Kind::Bits => (1, Some(sweep.max_weight.unwrap_or(1))),
        Kind::Number | Kind::Numbers | Kind::BoundedSum => (largest(sweep)?, None),
    };
    let shape = match kind {
        Kind::Bit => Shape::Bit,
        Kind::Number => Shape::Number { max },
        Kind::Bucket => Shape::Bucket { length },
        Kind::OneHot | Kind::Bits => Shape::Bits { length, weight: weight.unwrap_or(1) },
        Kind::Numbers => Shape::Numbers { length, max },
        Kind::BoundedSum => Shape::BoundedSum { length, max },
    };
    Ok(Question {
        length,
        max_measurement: max,
        weight,
        rows: law.measurements(&shape, sweep.seed.unwrap_or_default())?,
    })
}

fn largest(sweep: &Sweep) -> Result<u128, Refusal> {
    let accepted = "the largest number that is measured, of policies that add numbers up";
    let max = sweep.max_measurement;
    max.ok_or_else(|| Refusal::missing("max_measurement", accepted))
}
