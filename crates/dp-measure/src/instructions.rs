//! How many instructions the parties take for one report, beside the same prio calls without them.
//!
//! Callgrind counts, so that a figure does not depend on what else the machine does, and hardly on the
//! machine: [`counts`](crate::callgrind::counts) starts this very program under it, [`work`] is what that program then does.
//! Every [`Row`] is a Prio3 type with a policy, counted three times:
//!
//! | column | what is counted, for one report and two aggregators |
//! |---|---|
//! | parties | [`dp_prio3::Client::report`]; [`dp_prio3::verification::verify_into`] batches, with a memory of seen reports |
//! | bound | the bare calls, and the shares bound to their report and checked: [`dp_prio3::message::Report::bind`], [`dp_prio3::message::ReportShare::check`] |
//! | prio | the bare calls: `shard`; `verify_init`, `verifier_shares_to_message`, `verify_next`, `accumulate`; all messages as bytes |
//!
//! What the parties add to the second column is plumbing: mostly the checksum of a batch and the memory of
//! reports. What the second adds to the third is SHA-256, for which valgrind has no instructions of the
//! processor: where there are some, it costs a fraction.

mod bare;
mod cases;
mod row;
mod text;

pub use row::{Bounds, Columns, Exceeded, Row};
pub use text::{HEADER, Line};

use crate::Error;

/// Does everything that is counted.
///
/// # Errors
/// If a policy or a report is refused, which no policy or report here is.
pub fn work() -> Result<(), Error> {
    cases::all()?.iter().try_for_each(cases::Case::work)
}

/// The rows, from what [`counts`](crate::callgrind::counts) found.
///
/// # Errors
/// If these are not as many counts as [`work`] makes.
pub fn rows(counts: Vec<u64>) -> Result<Vec<Row>, Error> {
    let mut counts = counts.into_iter();
    let rows = cases::all()?
        .iter()
        .map(|case| case.row(&mut counts))
        .collect::<Option<Vec<_>>>();
    match (rows, counts.next()) {
        (Some(rows), None) => Ok(rows),
        _ => Err(Error::peer(
            "callgrind",
            "other calls were counted than made",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_counts_are_read_as_calls_are_made() {
        work().expect("valid reports");
        let all = cases::all().expect("valid policies").len();
        let counts: Vec<u64> = (1..=u64::try_from(all * 30).expect("few")).collect();
        let found = rows(counts.clone()).expect("all counts");
        assert_eq!(found.len(), all);
        // The medians of 1 to 5, of 6 to 10, and so on.
        let client = Columns {
            parties: 3,
            bound: 8,
            prio: 13,
        };
        assert_eq!(found[0].client, client);
        assert_eq!(found[0].aggregators.parties, 18);
        assert_eq!(found[1].client.parties, 33);
        assert!(rows(counts[1..].to_vec()).is_err());
        assert!(rows([counts, vec![1]].concat()).is_err());
    }
}
