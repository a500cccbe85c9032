//! Integers on a grid converted to the real numbers that they stand for.

use dp_prio3::Estimate;
use dp_task::Task;

use crate::outcome::{Coordinate, as_f64};

/// A grid on which integer y stands for `low` + `granularity`·y. A total of n reports is then
/// n·`low` + `granularity`·total; a mean adds `low` once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridUnits {
    /// The number that 0 stands for.
    pub low: f64,
    /// The distance between the numbers of two consecutive integers.
    pub granularity: f64,
    /// Whether estimates are means instead of totals.
    pub are_means: bool,
}

impl GridUnits {
    /// The units of the task's grid; `None` without a grid.
    #[must_use]
    pub fn of(task: &Task) -> Option<Self> {
        let (low, granularity) = task.grid().map(|grid| (grid.low(), grid.granularity()))?;
        // Of means alone the divisor is the number of reports.
        let are_means = task.policy().divisor(2) == 2;
        Some(Self { low: low.to_f64(), granularity: granularity.to_f64(), are_means })
    }

    /// An estimate from `reports` reports, and half the width of its interval, in these units
    /// instead of grid integers. The interval holds the truth as often.
    #[must_use]
    pub fn convert(&self, estimate: Estimate, margin: f64, reports: u64) -> (Estimate, f64) {
        let offset = self.offset(reports);
        let converted = Estimate {
            value: estimate.value.mul_add(self.granularity, offset),
            standard_error: estimate.standard_error * self.granularity,
        };
        // Wider by more than the estimate's rounding.
        let rounding = converted.value.abs() + offset.abs();
        (converted, (8.0 * f64::EPSILON).mul_add(rounding, margin * self.granularity))
    }

    /// The part of an estimate from `reports` reports that does not depend on the measurements.
    fn offset(&self, reports: u64) -> f64 {
        let times = if self.are_means { 1 } else { reports };
        self.low * as_f64(times.into())
    }

    /// Converts `coordinate` in place from grid integers. In a total, `low` counts once for each of
    /// `clients` in the truth and of `reports` in estimates.
    pub(crate) fn apply(&self, coordinate: &mut Coordinate, clients: u64, reports: u64) {
        let Coordinate { estimate: value, standard_error, margin_95, .. } = *coordinate;
        let (estimate, margin_95) =
            self.convert(Estimate { value, standard_error }, margin_95, reports);
        let number = |grid: f64, reports| grid.mul_add(self.granularity, self.offset(reports));
        *coordinate = Coordinate {
            truth: number(coordinate.truth, clients),
            estimate: estimate.value,
            standard_error: estimate.standard_error,
            margin_95,
            consistent: coordinate.consistent.map(|estimate| number(estimate, reports)),
        };
    }
}
