//! The memory of a run, estimated before it starts and bounded.
//!
//! With A aggregators, field elements of f bytes, measurements of m encoded elements and aggregates
//! of n totals, each thread holds about 12·m·f bytes for a report, 2·A·n·f bytes for output shares
//! and batches, and 16·n bytes for the truth. At the end batches are encoded, and shares decoded
//! and added up, in 3·A·n·f bytes; each total becomes an estimate, in about 160 bytes.

use dp_exact::ParameterError;
use dp_prio3::Policy;

/// The most memory that the parties of a run take together, in bytes: 640 MiB.
pub(crate) const MAX_MEMORY: usize = 640 << 20;

/// Field elements that prio holds for each encoded element while a report is made and verified.
const REPORT: usize = 12;

/// Bytes of memory for each total at the end: its sum, estimate and truth.
const TOTAL: usize = 160;

/// The largest number of threads, at most `threads`, for which the parties of this policy fit in
/// [`MAX_MEMORY`]; `Err` if they do not fit on one thread.
pub(crate) fn threads_with_room(policy: &Policy, threads: usize) -> Result<usize, ParameterError> {
    let bits = u128::BITS - policy.parts().vdaf.modulus().leading_zeros();
    let element = (bits / 8) as usize;
    let (aggregators, totals) = (policy.aggregators(), policy.query().totals());
    // The field elements of a measurement: for each total as many as the largest entry has bits.
    let bits_of_entry = policy.query().max_entry().checked_ilog2().unwrap_or(0) + 1;
    let encoded = totals.saturating_mul(bits_of_entry as usize);
    let shares = totals.saturating_mul(element).saturating_mul(aggregators);
    let of_thread = encoded
        .saturating_mul(REPORT)
        .saturating_mul(element)
        .saturating_add(shares.saturating_mul(2))
        .saturating_add(totals.saturating_mul(size_of::<i128>()));
    let at_end = shares.saturating_mul(3).saturating_add(totals.saturating_mul(TOTAL));
    if of_thread.max(at_end) <= MAX_MEMORY {
        return Ok(threads.min(MAX_MEMORY / of_thread.max(1)).max(1));
    }
    let accepted = format!(
        "a shorter vector, fewer bins, fewer aggregators than {aggregators} or a smaller \
         max-measurement: {encoded} encoded numbers take more than {MAX_MEMORY} bytes"
    );
    Err(ParameterError::new("length", totals, accepted))
}
