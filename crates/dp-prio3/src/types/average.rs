//! Prio3Average: each measurement is an integer in [0, `max_measurement`]; the aggregate is their
//! mean.
//!
//! libprio's type: a sum, as in Prio3Sum, that is divided by the number of reports. That number is
//! public, so noise and guarantee are the sum's, and the mean's error is the sum's error
//! divided by it.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp::types;

use super::{Prio3Type, bits_of};

/// Prio3Average. A measurement is a `u128`.
pub type Average = Prio3Type<types::Average<Field128>>;

impl Average {
    /// A mean of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 128-bit field.
    pub fn new(aggregators: usize, max_measurement: u128) -> Result<Self, ParameterError> {
        bits_of::<Field128>(max_measurement)?;
        let query = Query::Average { max_measurement };
        Self::whole(query, 0xFFFF_0000, aggregators, types::Average::new(max_measurement))
    }
}
