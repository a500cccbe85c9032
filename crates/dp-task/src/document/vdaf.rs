//! What is aggregated.

use dp_exact::ParameterError;
use dp_prio3::grid::Grid;
use serde::Serialize;

use crate::read::{Field, Read};

section! {
    /// What is aggregated: the VDAF and its parameters.
    Vdaf
    /// The VDAFs, by the names in their specifications.
    VdafType {
        /// A bit.
        Count = "Prio3Count" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
        },
        /// An integer.
        Sum = "Prio3Sum" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// What is measured.
            range: MeasurementRange,
        },
        /// An integer, of which the mean is estimated.
        Average = "Prio3Average" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// What is measured.
            range: MeasurementRange,
        },
        /// A vector of integers.
        SumVec = "Prio3SumVec" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// How many entries a measurement has.
            length: usize,
            /// What is measured, in every coordinate.
            range: MeasurementRange,
            /// How many entries the proof takes at a time; by default as many as make it shortest.
            #[serde(skip_serializing_if = "Option::is_none")]
            chunk_length: Option<usize>,
        },
        /// A bucket.
        Histogram = "Prio3Histogram" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// How many buckets there are.
            length: usize,
            /// How many entries the proof takes at a time; by default as many as make it shortest.
            #[serde(skip_serializing_if = "Option::is_none")]
            chunk_length: Option<usize>,
        },
        /// A vector of bits.
        MultihotCountVec = "Prio3MultihotCountVec" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// How many bits a measurement has.
            length: usize,
            /// The most ones in a vector that is shared; with RAPPOR it follows.
            #[serde(skip_serializing_if = "Option::is_none")]
            max_weight: Option<usize>,
            /// How many entries the proof takes at a time; by default as many as make it shortest.
            #[serde(skip_serializing_if = "Option::is_none")]
            chunk_length: Option<usize>,
        },
        /// A vector of integers of bounded sum.
        L1BoundSum = "Prio3L1BoundSum" {
            /// How many aggregators there are, 2 to 254.
            aggregators: usize,
            /// How many entries a measurement has.
            length: usize,
            /// The largest sum of a measurement.
            #[serde(serialize_with = "super::integer")]
            max_measurement: u128,
            /// How many entries the proof takes at a time; by default as many as make it shortest.
            #[serde(skip_serializing_if = "Option::is_none")]
            chunk_length: Option<usize>,
        },
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

/// Which numbers are measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasurementRange {
    /// Integers from 0 to this.
    #[serde(serialize_with = "super::integer")]
    MaxMeasurement(u128),
    /// Real numbers, in the cells of a grid.
    Grid(Box<Grid>),
}

impl MeasurementRange {
    /// The largest integer that is shared.
    #[must_use]
    pub fn max_measurement(&self) -> u128 {
        match self {
            Self::MaxMeasurement(max) => *max,
            Self::Grid(grid) => grid.max_measurement(),
        }
    }
}

impl Read for MeasurementRange {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let (name, field) = field.choice(&["max_measurement", "grid"])?;
        Ok(match name {
            "grid" => Self::Grid(Box::new(Grid::read(field)?)),
            _ => Self::MaxMeasurement(u128::read(field)?),
        })
    }
}

impl Vdaf {
    /// How many aggregators there are.
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

    /// How many entries a vector has, or how many buckets a histogram; `None` if a single number is
    /// measured.
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

    /// Which numbers are measured, where each of them has a range of its own.
    #[must_use]
    pub const fn range(&self) -> Option<&MeasurementRange> {
        match self {
            Self::Sum { range, .. } | Self::Average { range, .. } | Self::SumVec { range, .. } => {
                Some(range)
            }
            Self::Count { .. }
            | Self::Histogram { .. }
            | Self::MultihotCountVec { .. }
            | Self::L1BoundSum { .. } => None,
        }
    }
}
