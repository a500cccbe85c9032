//! The margins of estimates, by the exact law of the noise in them.

use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::utility::Intervals;

use crate::estimate::{Estimate, as_float};
use crate::policy::CollectorPolicy;

/// The intervals of the last number of reports, which clones share.
#[derive(Clone, Debug, Default)]
pub(super) struct Margins(Arc<Mutex<Option<Found>>>);

/// What was found for so many reports.
#[derive(Clone, Debug)]
struct Found {
    reports: u64,
    intervals: Option<Arc<Intervals>>,
}

impl Margins {
    /// The intervals of totals over so many reports, if the law of the noise is known.
    pub(super) fn intervals<P: CollectorPolicy + ?Sized>(
        &self,
        policy: &P,
        reports: u64,
    ) -> Option<Arc<Intervals>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = last.as_ref().filter(|found| found.reports == reports) {
            return found.intervals.clone();
        }
        let total = policy.noisy_total(reports);
        let intervals = total.and_then(|total| Intervals::new(total).ok());
        let intervals = intervals.map(Arc::new);
        *last = Some(Found {
            reports,
            intervals: intervals.clone(),
        });
        intervals
    }

    /// The margin of each estimate, from the total that it is of.
    pub(super) fn of<P: CollectorPolicy + ?Sized>(
        &self,
        policy: &P,
        reports: u64,
        totals: &[i128],
        estimates: &[Estimate],
    ) -> Vec<f64> {
        let Some(intervals) = self.intervals(policy, reports) else {
            let chebyshev = |estimate: &Estimate| 20_f64.sqrt() * estimate.standard_error;
            return estimates.iter().map(chebyshev).collect();
        };
        let divisor = policy.divisor(reports);
        let pairs = totals.iter().zip(estimates);
        pairs
            .map(|(total, estimate)| {
                let margin = intervals.margin(*total);
                if divisor == 1 {
                    return margin;
                }
                let margin = margin / as_float(divisor);
                // Above the rounding of quotients.
                margin + 4.0 * f64::EPSILON * (estimate.value.abs() + margin)
            })
            .collect()
    }
}
