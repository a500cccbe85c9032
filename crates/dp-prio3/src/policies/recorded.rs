//! What a ledger records of a policy's noise.

use dp_calibration::{Adjacency, Query};
use dp_ledger::Noise;

use crate::mechanisms::NoiseMechanism;

/// The noise of one aggregator, and how far a replaced measurement of the query moves the totals;
/// `None` if the calibration has no name for the law.
pub(super) fn recorded_noise<N: NoiseMechanism>(mechanism: &N, query: &Query) -> Option<Noise> {
    let corner = query.corner(Adjacency::Replacement).ok()??;
    let law = mechanism.law()?;
    Some(Noise { law, corner })
}
