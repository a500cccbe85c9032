//! By how much one person can move all that is released.
//!
//! A person with r reports in a release moves a total by the sum of r differences. Noise of k equal
//! releases is independent, so that the difference of k releases is that of one, on k times as many
//! coordinates: the noise for a total over k releases is that of one release with k·c coordinates.
//! `docs/composition.md` of `dp-accounting` says why that holds for data that are chosen on the way.
//!
//! **r reports.** Where an entry may move by its bound whatever the others do (Count, Sum, Average,
//! SumVec) every entry moves by r times as much, a box, of which the corner is the worst. Elsewhere two
//! differences are known than which nothing is worse: the positive and the negative total, each on one
//! coordinate, and the corner of the smallest box. Both are bounds, and the better one counts.

use dp_calibration::{Adjacency, Corner, Query};
use num_bigint::BigUint;

use crate::{Error, Job};

/// What one person moves.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    /// Differences than each of which nothing is worse.
    pub(crate) corners: Vec<Corner>,
    /// Δ₁
    pub(crate) l1: BigUint,
    /// Δ₂²
    pub(crate) l2_squared: BigUint,
}

impl Job {
    /// What one person moves in so many releases.
    pub(crate) fn moves(&self, releases: u32) -> Result<Moves, Error> {
        let sensitivity = self.query.sensitivity(self.adjacency)?;
        let reports = BigUint::from(self.reports_per_client);
        let releases_long = BigUint::from(releases);
        let corners = self
            .differences()?
            .into_iter()
            .filter_map(|(entries, step)| {
                let entries = u64::try_from(entries * &releases_long).ok()?;
                Corner::new(entries, step).ok()
            });
        Ok(Moves {
            corners: corners.collect(),
            l1: &sensitivity.l1 * &reports * &releases_long,
            l2_squared: &sensitivity.l2_squared * &reports * &reports * &releases_long,
        })
    }

    /// (entries, step) of the differences of one release.
    fn differences(&self) -> Result<Vec<(BigUint, BigUint)>, Error> {
        let one = self.query.sensitivity(self.adjacency)?;
        let entries = &one.l1 / &one.linf;
        let reports = BigUint::from(self.reports_per_client);
        if self.reports_per_client == 1 {
            return Ok(vec![(entries, one.linf)]);
        }
        let signs: BigUint = match self.adjacency {
            Adjacency::Replacement => 2u32.into(),
            Adjacency::Deletion => 1u32.into(),
        };
        Ok(match &self.query {
            Query::Count | Query::Sum { .. } | Query::Average { .. } | Query::SumVec { .. } => {
                vec![(entries, one.linf * reports)]
            }
            Query::Histogram { .. } | Query::L1BoundSum { .. } => {
                vec![(signs.min(entries), one.linf * reports)]
            }
            Query::MultihotCountVec { length, max_weight } => {
                let length = BigUint::from(*length);
                let total = BigUint::from(*max_weight) * &reports;
                let box_entries = (entries * &reports).min(length.clone());
                vec![(signs.min(length), total), (box_entries, reports)]
            }
        })
    }
}
