//! What a grid does to values.

use dp_exact::Rational;
use dp_prio3::grid::Grid;
use num_traits::ToPrimitive as _;

/// The difference between the sum of values on a grid and their true sum, by its causes.
///
/// Computed from the values themselves: choose a range with it on public, past or simulated data.
/// It must not be published for private data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distortion {
    /// The number of values.
    pub values: u64,
    /// The number of values below the range.
    pub below: u64,
    /// The number of values above the range.
    pub above: u64,
    /// The change of the sum by clamping, in real units: Σ (clamp(x) − x).
    pub clamping: f64,
    /// The change of the clamped sum by rounding to the nearest point, in real units: Σ
    /// (value(cell(x)) − clamp(x)), at most half a granularity for each value.
    pub rounding: f64,
}

impl Distortion {
    /// The distortion of one value on this grid.
    pub(super) fn of(grid: &Grid, value: &Rational) -> Self {
        let clamped = grid.clamp(value);
        let rounded = grid.value(grid.cell(value));
        Self {
            values: 1,
            below: u64::from(*value < clamped),
            above: u64::from(*value > clamped),
            // Each difference is exact; only sums of them are not.
            clamping: (&clamped - value).to_f64(),
            rounding: (&rounded - &clamped).to_f64(),
        }
    }

    /// Adds the distortion of further values, `times` times.
    pub(super) fn add(&mut self, other: &Self, times: u64) {
        let sum = |one: u64, other: u64| one.saturating_add(other.saturating_mul(times));
        self.values = sum(self.values, other.values);
        self.below = sum(self.below, other.below);
        self.above = sum(self.above, other.above);
        let times = as_float(times);
        self.clamping += other.clamping * times;
        self.rounding += other.rounding * times;
    }

    /// The change of the mean by both, in real units; `None` without values.
    #[must_use]
    pub fn of_the_mean(&self) -> Option<f64> {
        (self.values > 0).then(|| (self.clamping + self.rounding) / as_float(self.values))
    }
}

fn as_float(count: u64) -> f64 {
    count.to_f64().expect("an integer has a nearest float")
}
