//! The exchange of one report's messages among aggregators in one process, for tests and
//! simulations.

use super::aggregator::Aggregator;
use super::batch::{Batch, VerifiedOutput};
use super::message::ReportShare;
use super::rejection::{Rejection, Stage};

/// Verifies one report at all `aggregators`, in their order, and returns their output
/// shares. All aggregators accept the report, or none.
///
/// # Errors
/// The first rejection.
pub fn verify(
    aggregators: &[Aggregator],
    report: &[ReportShare],
) -> Result<Vec<VerifiedOutput>, Rejection> {
    if report.is_empty() || report.len() != aggregators.len() {
        return Err(Rejection::new(
            Stage::Upload,
            format_args!("{} input shares for {} aggregators", report.len(), aggregators.len()),
        ));
    }
    let (mut pending, mut shares) = (Vec::new(), Vec::new());
    for (aggregator, report_share) in aggregators.iter().zip(report) {
        let (state, share) = aggregator.verify_init(report_share)?;
        pending.push(state);
        shares.push(share);
    }
    let message = aggregators[0].combine(&pending[0], &shares)?;
    let finish = |(aggregator, state): (&Aggregator, _)| aggregator.verify_next(state, &message);
    aggregators.iter().zip(pending).map(finish).collect()
}

/// Verifies one report as [`verify`] does and adds the shares to the aggregators' batches, or
/// counts it as rejected in all of them.
///
/// # Errors
/// The rejection, already counted.
pub fn verify_into(
    aggregators: &[Aggregator],
    batches: &mut [Batch],
    report: &[ReportShare],
) -> Result<(), Rejection> {
    let outputs = verify(aggregators, report).inspect_err(|rejection| {
        batches.iter_mut().for_each(|batch| batch.reject(rejection));
    })?;
    // Every batch takes or refuses the report: all hold the same number.
    let mut result = Ok(());
    for (batch, output) in batches.iter_mut().zip(outputs) {
        result = result.and(batch.accumulate(output));
    }
    result
}
