//! Prio3Average: each measurement is an integer in [0, `max_measurement`]; the aggregate is their
//! mean.
//!
//! libprio's type: a sum, as in Prio3Sum, that is divided by the number of reports. That number is
//! public, so noise and guarantee are those of the sum, and the mean's error is the sum's error
//! divided by it.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp;
use prio::vdaf::prio3::Prio3Average;

use super::{MeasurementType, bits_of, check_aggregators, refused_by_prio, sum_of_squares};
use crate::error::admits;
use crate::vdaf::{Vdaf, VdafKind};

/// The parameters of Prio3Average, checked.
#[derive(Clone, Debug)]
pub struct Average {
    vdaf: Prio3Average,
    aggregators: usize,
    max_measurement: u128,
}

impl Average {
    /// A mean of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 128-bit field.
    pub fn new(aggregators: usize, max_measurement: u128) -> Result<Self, ParameterError> {
        let shares = check_aggregators(aggregators)?;
        bits_of::<Field128>(max_measurement)?;
        let vdaf = Prio3Average::new_average(shares, max_measurement)
            .map_err(|error| refused_by_prio(Self::KIND, error))?;
        Ok(Self { vdaf, aggregators, max_measurement })
    }
}

impl MeasurementType for Average {
    type Flp = flp::types::Average<Field128>;
    /// The number to average.
    type Measurement = u128;

    const KIND: VdafKind = VdafKind::Average;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::Average { max_measurement: self.max_measurement }
    }

    fn divisor(&self, reports: u64) -> u64 {
        reports
    }

    fn squared_norm(&self, measurement: &u128) -> Option<BigUint> {
        Some(sum_of_squares([measurement]))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("aggregators", self.aggregators.to_string()),
            ("max_measurement", self.max_measurement.to_string()),
        ]
    }

    fn check(&self, measurement: &u128) -> Result<u128, ParameterError> {
        admits("measurement", measurement, 0..=self.max_measurement)?;
        Ok(*measurement)
    }
}
