//! How much memory a run takes, estimated before it starts: it has a bound, whatever the parameters.
//!
//! With A aggregators, field elements of f bytes, measurements that are encoded in m of them and
//! aggregates of n totals,
//!
//! - each thread makes and verifies one report, for which prio holds about 12·m·f bytes, and holds the
//!   output shares of all aggregators and the batch of each, 2·A·n·f, and the truth, 16·n;
//! - then every aggregator's batch is encoded, its share is decoded and added up, 3·A·n·f, and each
//!   total becomes an estimate beside its truth, with about 160 bytes.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_prio3::{DpPolicy, FieldOf};

/// The most memory that the parties of a run take together, in bytes: 640 MiB.
pub(crate) const MAX_MEMORY: usize = 640 << 20;

/// Field elements that prio holds for a report, for each one of its encoded measurement.
const REPORT: usize = 12;

/// Bytes of a total: as a sum, as an estimate and as the truth.
const TOTAL: usize = 160;

/// What a run takes memory for.
#[derive(Clone, Copy, Debug)]
struct Size {
    element: usize,
    encoded: usize,
    totals: usize,
}

impl Size {
    fn of<P: DpPolicy>(policy: &P) -> Self {
        let totals = policy.vdaf().output_len();
        Self {
            element: size_of::<FieldOf<P>>(),
            encoded: totals.saturating_mul(bits(&policy.query())),
            totals,
        }
    }

    /// The bytes that each thread takes.
    const fn of_thread(&self, aggregators: usize) -> usize {
        let report = self.encoded.saturating_mul(REPORT);
        let shares = self.totals.saturating_mul(2).saturating_mul(aggregators);
        let truth = self.totals.saturating_mul(size_of::<i128>());
        let parties = report.saturating_add(shares).saturating_mul(self.element);
        parties.saturating_add(truth)
    }

    /// The bytes that a run on one thread takes.
    fn of_run(&self, aggregators: usize) -> usize {
        let shares = self.totals.saturating_mul(3).saturating_mul(aggregators);
        let totals = self.totals.saturating_mul(TOTAL);
        let end = shares.saturating_mul(self.element).saturating_add(totals);
        self.of_thread(aggregators).max(end)
    }
}

/// On how many threads the parties of this policy have room, if that is fewer than `threads`.
///
/// # Errors
/// If they have no room on one.
pub(crate) fn threads_with_room<P: DpPolicy>(
    policy: &P,
    threads: usize,
) -> Result<usize, ParameterError> {
    let (size, aggregators) = (Size::of(policy), policy.aggregators());
    if size.of_run(aggregators) <= MAX_MEMORY {
        let room = MAX_MEMORY.checked_div(size.of_thread(aggregators));
        return Ok(threads.min(room.unwrap_or(threads)).max(1));
    }
    let fewer = (2..aggregators).rev();
    let fewer = fewer.into_iter().find(|fewer| size.of_run(*fewer) <= MAX_MEMORY);
    let Size { encoded, totals, .. } = size;
    Err(match fewer {
        Some(fewer) => {
            let accepted = format!(
                "at most {fewer} in a simulation of {totals} totals: more take more than {MAX_MEMORY} bytes"
            );
            ParameterError::new("aggregators", aggregators, accepted)
        }
        None => {
            let accepted = format!(
                "a shorter vector, fewer bins or a smaller max-measurement: a simulation of {encoded} \
                 encoded numbers takes more than {MAX_MEMORY} bytes"
            );
            ParameterError::new("length", totals, accepted)
        }
    })
}

/// In how many field elements a measurement of a policy is encoded.
pub(crate) fn encoded_length<P: DpPolicy>(policy: &P) -> usize {
    Size::of(policy).encoded
}

/// How many field elements an entry of a measurement is encoded in.
fn bits(query: &Query) -> usize {
    match query {
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec { max_measurement, .. }
        | Query::L1BoundSum { max_measurement, .. } => max_measurement
            .checked_ilog2()
            .map_or(1, |bits| usize::try_from(bits).unwrap_or(usize::MAX).saturating_add(1)),
        _ => 1,
    }
}
