//! Prio3Count: each measurement is a bit; the total counts the ones.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field64;
use prio::flp;
use prio::vdaf::prio3::Prio3Count;

use super::{MeasurementType, check_aggregators, refused_by_prio};
use crate::vdaf::{Vdaf, VdafKind};

/// The parameters of Prio3Count, checked.
#[derive(Clone, Debug)]
pub struct Count {
    vdaf: Prio3Count,
    aggregators: usize,
}

impl Count {
    /// A count.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators.
    pub fn new(aggregators: usize) -> Result<Self, ParameterError> {
        let vdaf = Prio3Count::new_count(check_aggregators(aggregators)?)
            .map_err(|error| refused_by_prio(Self::KIND, error))?;
        Ok(Self { vdaf, aggregators })
    }
}

impl MeasurementType for Count {
    type Flp = flp::types::Count<Field64>;
    /// Whether to count this client.
    type Measurement = bool;

    const KIND: VdafKind = VdafKind::Count;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::Count
    }

    fn squared_norm(&self, measurement: &bool) -> Option<BigUint> {
        Some(BigUint::from(u8::from(*measurement)))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("aggregators", self.aggregators.to_string())]
    }

    fn check(&self, measurement: &bool) -> Result<bool, ParameterError> {
        Ok(*measurement)
    }
}
