//! Which reports are dropped, and what is seen of that.

use dp_calibration::{Adjacency, Error};

/// A bound on the weight of an accepted report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimit {
    /// The length d of the reports.
    pub length: u64,
    /// The largest weight m that is accepted.
    pub max_weight: u64,
}

/// What the adversary sees of the decisions which reports are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// Each of them, as an aggregator does.
    Each,
    /// The number of accepted reports, as one does who sees only the result.
    Counted,
}

/// The number of coordinates that change.
pub(super) fn changed(adjacency: Adjacency, limit: WeightLimit) -> Result<u64, Error> {
    let changed: u64 = match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    };
    if limit.length < changed || limit.length > 1 << 40 {
        let accepted = "an integer from the number of changed coordinates to 2^40";
        return Err(Error::parameter("length", limit.length, accepted));
    }
    Ok(changed)
}
