//! What is known of an ε or of a δ, from above and from below.

use dp_exact::Rational;

use crate::aggregated_rappor::OthersHold;

/// What is known of an ε, or of a δ.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// It holds for every dataset; `None` where that takes too long to compute.
    pub(crate) upper: Option<Rational>,
    /// Below it, the guarantee fails for `attained_by`; 0 where nothing is known.
    pub(crate) lower: Rational,
    pub(crate) attained_by: OthersHold,
    /// Whether a dataset was evaluated.
    pub(super) is_resolved: bool,
}

impl Answer {
    /// The best of the datasets' lower bounds.
    pub(super) fn new(
        upper: Option<Rational>,
        datasets: &[OthersHold],
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) -> Self {
        let mut answer = Self {
            upper,
            lower: Rational::zero(),
            attained_by: datasets[0],
            is_resolved: false,
        };
        for &others in datasets {
            answer.try_dataset(others, &lower);
        }
        answer
    }

    /// Whether this dataset attains more.
    pub(super) fn try_dataset(
        &mut self,
        others: OthersHold,
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) -> bool {
        let Some(lower) = lower(others) else {
            return false;
        };
        self.is_resolved = true;
        let is_more = lower > self.lower;
        if is_more {
            self.lower = lower;
            self.attained_by = others;
        }
        is_more
    }
}
