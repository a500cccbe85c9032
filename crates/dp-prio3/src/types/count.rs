//! Prio3Count: each measurement is a bit; the total counts the ones.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field64;
use prio::flp::types;

use super::Prio3Type;

/// Prio3Count. A measurement is a `bool`: whether to count this client.
pub type Count = Prio3Type<types::Count<Field64>>;

impl Count {
    /// A count.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators.
    pub fn new(aggregators: usize) -> Result<Self, ParameterError> {
        Self::whole(Query::Count, 1, aggregators, Ok(types::Count::new()))
    }
}
