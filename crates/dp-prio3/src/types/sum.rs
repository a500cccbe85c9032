//! Prio3Sum: each measurement is an integer in [0, `max_measurement`]; the total is their sum.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.2. The integer is encoded
//! in ⌊log₂ `max_measurement`⌋ + 1 bits, the last of which has the weight that makes
//! `max_measurement` the largest value, and the proof shows that all are 0 or 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field64;
use prio::flp;
use prio::vdaf::prio3::Prio3Sum;

use super::{MeasurementType, bits_of, check_aggregators, refused_by_prio, sum_of_squares};
use crate::error::admits;
use crate::vdaf::{Vdaf, VdafKind};

/// The parameters of Prio3Sum, checked.
#[derive(Clone, Debug)]
pub struct Sum {
    vdaf: Prio3Sum,
    aggregators: usize,
    max_measurement: u64,
}

impl Sum {
    /// A sum of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 64-bit field.
    pub fn new(aggregators: usize, max_measurement: u64) -> Result<Self, ParameterError> {
        let shares = check_aggregators(aggregators)?;
        bits_of::<Field64>(max_measurement.into())?;
        let vdaf = Prio3Sum::new_sum(shares, max_measurement)
            .map_err(|error| refused_by_prio(Self::KIND, error))?;
        Ok(Self { vdaf, aggregators, max_measurement })
    }
}

impl MeasurementType for Sum {
    type Flp = flp::types::Sum<Field64>;
    /// The summand.
    type Measurement = u64;

    const KIND: VdafKind = VdafKind::Sum;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::Sum { max_measurement: self.max_measurement.into() }
    }

    fn squared_norm(&self, measurement: &u64) -> Option<BigUint> {
        Some(sum_of_squares([&u128::from(*measurement)]))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("aggregators", self.aggregators.to_string()),
            ("max_measurement", self.max_measurement.to_string()),
        ]
    }

    fn check(&self, measurement: &u64) -> Result<u64, ParameterError> {
        admits("measurement", measurement, 0..=self.max_measurement)?;
        Ok(*measurement)
    }
}
