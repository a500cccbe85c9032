//! Why the answers hold, in words.

use dp_exact::Delta;

use super::{AggregatedRappor, DroppingBounds, Inverse};
use crate::EpsilonBounds;

impl AggregatedRappor {
    /// Why the `bounds` that [`Self::epsilon`] gave at δ hold.
    #[must_use]
    pub fn certificate(&self, bounds: &EpsilonBounds, delta: &Delta) -> String {
        let others = &bounds.attained_by;
        format!(
            "The counts of the other clients are bounded by one pair of laws that dominates those of \
             every dataset, with every rounding outward: epsilon_upper is enough. Where {} other \
             clients hold the client's value, {} the value put in its place and {} any other, delta \
             exceeds {delta} at every epsilon below epsilon_lower.",
            others.removed, others.added, others.neither,
        )
    }
}

impl DroppingBounds {
    /// Why the bound holds, and the lower one of
    /// [`AggregatedRappor::attained_epsilon_with_verdicts`].
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "Where all cases can be listed, both bounds are exact. Else as without dropping, and in \
         addition: clients whose reports may be so heavy that they are dropped are not counted on, \
         the probability that there are more of them is charged to delta, and so is the weight of \
         the client's own report. The lower bound is then that of a sum without dropping, less the \
         logarithm of the probability that nothing is dropped; 0 where drops are to be expected."
    }
}

impl<T> Inverse<T> {
    /// Why it meets the target.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "More clients, and a smaller epsilon0, are post-processing of fewer and of a larger one, so \
         that the search may halve. The answer was proved for every dataset of the other clients; what \
         misses the target does so for some dataset."
    }
}
