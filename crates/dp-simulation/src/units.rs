//! Integers on a grid converted to the real numbers that they stand for.

use crate::outcome::{Coordinate, as_f64};

/// A grid on which integer y stands for `low` + `granularity`·y. A total of n reports is then
/// n·`low` + `granularity`·total; a mean adds `low` once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridUnits {
    pub(crate) low: f64,
    pub(crate) granularity: f64,
    /// Whether estimates are means instead of totals.
    pub(crate) are_means: bool,
}

impl GridUnits {
    /// Converts `coordinate` in place from grid integers to the numbers that they stand for. In a
    /// total, `low` counts once for each of `clients` in the truth and of `reports` in estimates.
    pub(crate) fn apply(&self, coordinate: &mut Coordinate, clients: u64, reports: u64) {
        let offset = |reports: u64| {
            let times = if self.are_means { 1 } else { reports };
            self.low * as_f64(times.into())
        };
        coordinate.truth = coordinate.truth.mul_add(self.granularity, offset(clients));
        let processed = coordinate.consistent.as_mut();
        for estimate in processed.into_iter().chain([&mut coordinate.estimate]) {
            *estimate = estimate.mul_add(self.granularity, offset(reports));
        }
        coordinate.standard_error *= self.granularity;
        // By more than the estimate's rounding, so that the interval holds the truth as often.
        let rounding = coordinate.estimate.abs() + offset(reports).abs();
        coordinate.margin_95 =
            (8.0 * f64::EPSILON).mul_add(rounding, coordinate.margin_95 * self.granularity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_has_the_low_end_once_for_each_report_and_a_mean_once() {
        for (are_means, truth, estimate) in [(false, 175.0, 177.0), (true, 55.0, 57.0)] {
            let units = GridUnits { low: 40.0, granularity: 0.5, are_means };
            let mut row = Coordinate {
                truth: 30.0,
                estimate: 34.0,
                standard_error: 2.0,
                margin_95: 4.5,
                consistent: Some(32.0),
            };
            units.apply(&mut row, 4, 4);
            assert_eq!((row.truth, row.estimate), (truth, estimate));
            assert_eq!(row.consistent, Some(estimate - 1.0));
            assert_eq!(row.standard_error, 1.0);
            assert!(row.margin_95 > 2.25 && row.margin_95 < 2.25 + 1e-12);
        }
    }
}
