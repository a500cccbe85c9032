//! The pairs of laws that an accountant composes: one that dominates every dataset, and that of one.

use dp_calibration::privacy_loss::{DominatingPair, Outcomes};
use dp_calibration::{Adjacency, Error};
use dp_exact::Refusal;

use super::Hedged;
use super::curves::Curves;
use super::joint::Joint;
use super::parts::Changed;
use crate::aggregated_rappor::outcomes::{ACCOUNTANT_DEPTH, of_count, of_curve};

impl Hedged {
    /// What an accountant composes: replacing a client changes the law of two counts, deleting one that of one
    /// count. Computed here, which takes a while for many clients. From above it dominates every dataset of the
    /// others; from below it is that of one where all others hold the value that is removed.
    ///
    /// Where the joint law takes too long, the pair keeps that refusal: then the bits or the noise can be composed
    /// by themselves, as either promise holds ([`Parts`](super::Parts)).
    #[must_use]
    pub fn dominating_pair(&self, adjacency: Adjacency) -> DominatingPair {
        let changed = Changed::Adjacent(adjacency).coordinates();
        let counts = u32::try_from(changed).unwrap_or(u32::MAX);
        // The largest loss is that of the client's own bit, less what Laplace noise hides of it at any place.
        let own = || self.rappor.epsilon0().value().clone();
        let largest = self.pure(1).map_or_else(|_| own(), |(_, largest)| largest);
        let outcomes = || {
            let joint = self.joint();
            let found = composable(&joint);
            found.unwrap_or_else(|| Err(Self::too_long().into()))
        };
        DominatingPair::new(counts, largest, outcomes)
    }

    fn too_long() -> Refusal {
        let change =
            "take fewer clients, or compose the bits or the noise alone: either promise holds";
        Refusal::too_costly("the losses of noise at both ends", change)
    }
}

/// Those of one count, from above and from below; `None` where that takes too long.
fn composable(joint: &Joint<'_>) -> Option<Result<[Outcomes; 2], Error>> {
    let curve = Curves::new(joint, ACCOUNTANT_DEPTH)?.curve()?;
    let hidden = joint.hiding(ACCOUNTANT_DEPTH)?.count(0, joint.others)?;
    let both = || Ok([of_curve(&curve)?, of_count(&hidden.count, hidden.missing)?]);
    Some(both())
}
