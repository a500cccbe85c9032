//! What a grid does to data that are known: the bias by clamping and by rounding.

use std::ops::AddAssign;

use dp_exact::Rational;

use crate::Grid;

/// By how much the sum of values on a grid differs from their true sum, and why.
///
/// It is computed from the values themselves: choose a range with it on public, past or simulated
/// data. About private data it must not be published, and no party of a deployment can compute it.
///
/// ```
/// use dp_grid::{Distortion, Grid};
///
/// let grid = Grid::new("0".parse()?, "10".parse()?, "1".parse()?)?;
/// let values = ["2.25", "7", "30"].map(|text| text.parse().expect("a number"));
/// let distortion = Distortion::of(&grid, &values);
/// assert_eq!((distortion.below, distortion.above), (0, 1));
/// assert_eq!(distortion.clamping, -20.0);
/// assert_eq!(distortion.rounding, -0.25);
/// assert_eq!(distortion.of_the_mean(), Some(-6.75));
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distortion {
    /// The number of values.
    pub values: u64,
    /// How many lie below the range.
    pub below: u64,
    /// How many lie above the range.
    pub above: u64,
    /// What clamping adds to the sum, in real units: Σ (clamp(x) − x). Not bounded by anything but
    /// the data. A utility figure in floating point.
    pub clamping: f64,
    /// What rounding to the nearest point then adds, in real units: Σ (value(cell(x)) − clamp(x)),
    /// at most [`Grid::sum_rounding_bound`] in absolute value. A utility figure in floating point.
    pub rounding: f64,
}

impl Distortion {
    /// Of these values on this grid.
    #[must_use]
    pub fn of<'a>(grid: &Grid, values: impl IntoIterator<Item = &'a Rational>) -> Self {
        let mut total = Self::default();
        for value in values {
            let clamped = grid.clamp(value);
            let rounded = grid.value(grid.cell(value));
            total.values += 1;
            total.below += u64::from(*value < clamped);
            total.above += u64::from(*value > clamped);
            // Each difference is exact; only their sum is not.
            total.clamping += (&clamped - value).to_f64();
            total.rounding += (&rounded - &clamped).to_f64();
        }
        total
    }

    /// That of so many times the values.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a utility figure: counts above 2^53 may be off by a part in 2^53"
    )]
    pub fn times(self, count: u64) -> Self {
        Self {
            values: self.values.saturating_mul(count),
            below: self.below.saturating_mul(count),
            above: self.above.saturating_mul(count),
            clamping: self.clamping * count as f64,
            rounding: self.rounding * count as f64,
        }
    }

    /// What both add to the mean, in real units; `None` without values.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a utility figure: counts above 2^53 may be off by a part in 2^53"
    )]
    pub fn of_the_mean(&self) -> Option<f64> {
        (self.values > 0).then(|| (self.clamping + self.rounding) / self.values as f64)
    }
}

/// That of the values of both.
impl AddAssign for Distortion {
    fn add_assign(&mut self, other: Self) {
        self.values += other.values;
        self.below += other.below;
        self.above += other.above;
        self.clamping += other.clamping;
        self.rounding += other.rounding;
    }
}
