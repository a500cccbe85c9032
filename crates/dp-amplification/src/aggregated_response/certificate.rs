//! Why the answers hold, in words.

use dp_exact::Delta;

use super::AggregatedResponse;
use crate::EpsilonBounds;

impl AggregatedResponse {
    /// Why the `bounds` that [`Self::epsilon`] gave at δ hold.
    #[must_use]
    pub fn certificate(&self, bounds: &EpsilonBounds, delta: &Delta) -> String {
        let others = &bounds.attained_by;
        format!(
            "Where all datasets of the other clients can be listed, both bounds are exact. Else an \
             adversary that is told which of the others answered truthfully is left with uniform \
             answers that hide the client, whatever the data: epsilon_upper is enough. Where {} other \
             clients hold the client's value, {} the value put in its place and {} one third value, \
             delta exceeds {delta} at every epsilon below epsilon_lower. Every rounding is outward.",
            others.removed, others.added, others.neither,
        )
    }
}
