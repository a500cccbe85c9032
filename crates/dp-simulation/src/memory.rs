//! The memory of a run, estimated before it starts and bounded.
//!
//! With A aggregators, field elements of f bytes, measurements of m encoded elements and aggregates of n totals:
//!
//! - Each thread makes and verifies one report, for which prio holds about 12·m·f bytes. It holds
//!   the output shares and the batches of all aggregators, 2·A·n·f bytes, and the truth, 16·n
//!   bytes.
//! - At the end every aggregator's batch is encoded and its share decoded and added up, 3·A·n·f
//!   bytes. Each total becomes an estimate beside the truth, in about 160 bytes.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_prio3::{DpPolicy, FieldOf};

/// The most memory that the parties of a run take together, in bytes: 640 MiB.
pub(crate) const MAX_MEMORY: usize = 640 << 20;

/// Field elements that prio holds for each encoded element while a report is made and verified.
const REPORT: usize = 12;

/// Bytes of memory for each total at the end: its sum, estimate and truth.
const TOTAL: usize = 160;

/// The sizes on which the memory of a run depends.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Bytes of a field element.
    element: usize,
    /// Field elements that encode a measurement.
    encoded: usize,
    /// Totals of the aggregate.
    totals: usize,
}

impl Size {
    /// The sizes for this policy.
    fn of<P: DpPolicy>(policy: &P) -> Self {
        let totals = policy.vdaf().output_len();
        Self {
            element: size_of::<FieldOf<P>>(),
            encoded: totals.saturating_mul(bits(&policy.query())),
            totals,
        }
    }

    /// Bytes that each thread takes while it works on reports.
    const fn of_thread(&self, aggregators: usize) -> usize {
        let report = self.encoded.saturating_mul(REPORT);
        let shares = self.totals.saturating_mul(2).saturating_mul(aggregators);
        let truth = self.totals.saturating_mul(size_of::<i128>());
        let parties = report.saturating_add(shares).saturating_mul(self.element);
        parties.saturating_add(truth)
    }

    /// Bytes that a run on one thread takes, at its largest.
    fn of_run(&self, aggregators: usize) -> usize {
        let shares = self.totals.saturating_mul(3).saturating_mul(aggregators);
        let totals = self.totals.saturating_mul(TOTAL);
        let end = shares.saturating_mul(self.element).saturating_add(totals);
        self.of_thread(aggregators).max(end)
    }
}

/// The largest number of threads, at most `threads`, for which the parties of this policy fit in [`MAX_MEMORY`].
///
/// # Errors
/// If they do not fit on one thread.
pub(crate) fn threads_with_room<P: DpPolicy>(
    policy: &P,
    threads: usize,
) -> Result<usize, ParameterError> {
    let (size, aggregators) = (Size::of(policy), policy.aggregators());
    if size.of_run(aggregators) <= MAX_MEMORY {
        let room = MAX_MEMORY.checked_div(size.of_thread(aggregators));
        return Ok(threads.min(room.unwrap_or(threads)).max(1));
    }
    let Size { encoded, totals, .. } = size;
    let accepted = format!(
        "a shorter vector, fewer bins, fewer aggregators than {aggregators} or a smaller max-measurement: {encoded} encoded \
         numbers take more than {MAX_MEMORY} bytes"
    );
    Err(ParameterError::new("length", totals, accepted))
}

/// The number of field elements that encode a measurement of a policy.
pub(crate) fn encoded_length<P: DpPolicy>(policy: &P) -> usize {
    Size::of(policy).encoded
}

/// The number of field elements that encode one entry of a measurement.
fn bits(query: &Query) -> usize {
    let bits = query.max_entry().checked_ilog2();
    bits.map_or(1, |bits| usize::try_from(bits).unwrap_or(usize::MAX).saturating_add(1))
}
