//! Prio3Sum: each measurement is an integer in [0, `max_measurement`]; the total is their sum.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.2. The integer is encoded
//! in ⌊log₂ `max_measurement`⌋ + 1 bits. The last bit has the weight that makes
//! `max_measurement` the largest value, and the proof shows that all are 0 or 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field64;
use prio::flp::types;

use super::{Prio3Type, bits_of};

/// Prio3Sum. A measurement is a `u64`.
pub type Sum = Prio3Type<types::Sum<Field64>>;

impl Sum {
    /// A sum of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 64-bit field.
    pub fn new(aggregators: usize, max_measurement: u64) -> Result<Self, ParameterError> {
        bits_of::<Field64>(max_measurement.into())?;
        let query = Query::Sum { max_measurement: max_measurement.into() };
        Self::whole(query, 2, aggregators, types::Sum::new(max_measurement))
    }
}
