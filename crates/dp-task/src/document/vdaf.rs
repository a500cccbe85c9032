//! The VDAF of a task.

use dp_exact::ParameterError;
use dp_prio3::grid::Grid;
use serde::Serialize;

use crate::read::{DocumentField, Field};

section! {
    /// A VDAF and its parameters.
    Vdaf
    /// The VDAFs, by the names in their specifications.
    VdafType {
        /// A bit.
        Count = "Prio3Count" { aggregators },
        /// An integer.
        Sum = "Prio3Sum" { aggregators, range },
        /// An integer whose mean is estimated.
        Average = "Prio3Average" { aggregators, range },
        /// A vector of integers.
        SumVec = "Prio3SumVec" { aggregators, length, range, chunk_length },
        /// A bucket.
        Histogram = "Prio3Histogram" { aggregators, length, chunk_length },
        /// A vector of bits.
        MultihotCountVec =
            "Prio3MultihotCountVec" { aggregators, length, max_weight, chunk_length },
        /// A vector of integers of bounded sum.
        L1BoundSum = "Prio3L1BoundSum" { aggregators, length, max_measurement, chunk_length },
    }
}

/// The dimensions of a measurement. Each VDAF uses the fields that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct VdafSize {
    /// Number of entries of a vector or of buckets; 1 for a single number.
    pub length: usize,
    /// Largest integer of a measurement; for Prio3L1BoundSum the largest sum of a vector.
    pub max_measurement: u128,
    /// Largest number of ones in a vector of bits; `None` if a randomizer determines it.
    pub max_weight: Option<usize>,
    /// Grid of real measurements, which replaces `max_measurement`.
    pub grid: Option<Grid>,
}

impl VdafType {
    /// The VDAF of this type and size, with the chunk length that makes the proof shortest.
    #[must_use]
    pub fn of_size(self, aggregators: usize, size: &VdafSize) -> Vdaf {
        let VdafSize { length, max_measurement, max_weight, .. } = *size;
        let range = match &size.grid {
            Some(grid) => MeasurementRange::Grid(Box::new(grid.clone())),
            None => MeasurementRange::MaxMeasurement(max_measurement),
        };
        let chunk_length = None;
        match self {
            Self::Count => Vdaf::Count { aggregators },
            Self::Sum => Vdaf::Sum { aggregators, range },
            Self::Average => Vdaf::Average { aggregators, range },
            Self::SumVec => Vdaf::SumVec { aggregators, length, range, chunk_length },
            Self::Histogram => Vdaf::Histogram { aggregators, length, chunk_length },
            Self::MultihotCountVec => {
                Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length }
            }
            Self::L1BoundSum => {
                Vdaf::L1BoundSum { aggregators, length, max_measurement, chunk_length }
            }
        }
    }
}

/// The accepted values of a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasurementRange {
    /// Integers from 0 to this one.
    #[serde(serialize_with = "Field::write")]
    MaxMeasurement(u128),
    /// Real numbers, rounded to the cells of a grid.
    Grid(Box<Grid>),
}

impl MeasurementRange {
    /// The largest integer that a client shares.
    #[must_use]
    pub fn max_measurement(&self) -> u128 {
        match self {
            Self::MaxMeasurement(max) => *max,
            Self::Grid(grid) => grid.max_measurement(),
        }
    }
}

impl Field for MeasurementRange {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        let (name, field) = field.choice(&["max_measurement", "grid"])?;
        Ok(match name {
            "grid" => Self::Grid(Box::new(Grid::read(field)?)),
            _ => Self::MaxMeasurement(u128::read(field)?),
        })
    }
}

impl Vdaf {
    /// Number of aggregators.
    #[must_use]
    pub const fn aggregators(&self) -> usize {
        match self {
            Self::Count { aggregators }
            | Self::Sum { aggregators, .. }
            | Self::Average { aggregators, .. }
            | Self::SumVec { aggregators, .. }
            | Self::Histogram { aggregators, .. }
            | Self::MultihotCountVec { aggregators, .. }
            | Self::L1BoundSum { aggregators, .. } => *aggregators,
        }
    }

    /// Number of entries of a vector or of buckets; `None` for a single number.
    #[must_use]
    pub const fn length(&self) -> Option<usize> {
        match self {
            Self::Count { .. } | Self::Sum { .. } | Self::Average { .. } => None,
            Self::SumVec { length, .. }
            | Self::Histogram { length, .. }
            | Self::MultihotCountVec { length, .. }
            | Self::L1BoundSum { length, .. } => Some(*length),
        }
    }

    /// The accepted values of each number; `None` if the type determines them.
    #[must_use]
    pub const fn range(&self) -> Option<&MeasurementRange> {
        match self {
            Self::Sum { range, .. } | Self::Average { range, .. } | Self::SumVec { range, .. } => {
                Some(range)
            }
            _ => None,
        }
    }
}
