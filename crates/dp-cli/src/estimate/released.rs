//! What was released of a batch: typed, or in the text of a collector's program.

use std::path::Path;

use dp_calibration::{BigInt, Query, Refusal};
use dp_exact::{ParameterError, parse_integer, parse_number, shown};
use dp_files::read_limited;
use dp_prio3::CollectedBatch;
use dp_task::Task;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Options;
use crate::failure::{Failure, SMALL, accepted};
use crate::values::required;

/// The longest text of a collector, in bytes.
const LONGEST: u64 = 1 << 30;

/// The elements of the field of `Prio3Sum` in libprio up to 0.16; after it, of a field of 2^64.
const FIELD_OF_OLD_SUMS: u128 = 340_282_366_920_938_462_946_865_773_367_900_766_209;

/// The noisy totals of a batch.
pub(super) struct Released {
    /// The name of a collected batch: its identifier, or its interval; `None` of typed totals.
    pub(super) batch: Option<String>,
    /// The beginning and the end of a collected batch.
    pub(super) interval: Option<[String; 2]>,
    pub(super) reports: u64,
    pub(super) totals: Vec<i128>,
}

/// The batches of the options: the typed one, or all of the texts of `--collected`. A failure
/// is returned for each collected batch that is not ready or has too few reports; `Err` is any
/// other failure.
pub(super) fn released(
    options: &Options,
    task: &Task,
) -> Result<(Vec<Released>, Vec<Failure>), Failure> {
    let least = task.policy().min_reports();
    if options.collected.is_empty() {
        if options.rows.is_some() {
            return Err(Refusal::missing("collected", accepted("collected")).into());
        }
        let reports = *required("reports", &options.reports)?;
        if reports < least {
            let task = shown(&options.task);
            let expected = format!("at least {least}, batch.min_reports of {task}: {SMALL}");
            return Err(ParameterError::new("reports", reports, expected).into());
        }
        let totals = typed_totals(required("totals", &options.totals)?, task)?;
        let typed = Released { batch: None, interval: None, reports, totals };
        return Ok((vec![typed], Vec::new()));
    }
    let (mut all, mut failures) = (Vec::new(), Vec::new());
    for path in &options.collected {
        let is_standard_input = path.as_os_str() == "-";
        let file = if is_standard_input { Path::new("/dev/stdin") } else { path };
        let text = read_limited(file, LONGEST)?;
        let text = String::from_utf8(text).map_err(|error| Failure::content(path, error))?;
        let results = CollectedBatch::read_all(&text);
        let is_one = results.len() == 1;
        for (number, result) in (1..).zip(results) {
            let path = shown(path);
            let path = if is_one { path } else { format!("{path}, text {number}") };
            let result = result.map_err(|reason| Failure::NoResult { path: path.clone(), reason });
            let batch = match result {
                Err(failure) if failure.status() != 2 => {
                    failures.push(failure);
                    continue;
                }
                read => read?,
            };
            // Another number of totals is of another task, which is said below.
            if batch.reports < least && batch.totals.len() == task.policy().query().totals() {
                let (task, reports) = (shown(&options.task), batch.reports);
                failures.push(Failure::SmallBatch { path, reports, least, task });
                continue;
            }
            let totals = batch.totals.iter().map(|total| signed_total(&total.to_string(), task));
            let totals = totals.collect::<Result<_, _>>();
            all.push(Released {
                totals: totals.map_err(|error| Failure::content(path, error))?,
                batch: Some(batch.batch.unwrap_or_else(|| batch.interval.join("/"))),
                interval: Some(batch.interval),
                reports: batch.reports,
            });
        }
    }
    Ok((all, failures))
}

/// A document of JSON with totals.
#[derive(Deserialize)]
struct TotalsDocument<'a> {
    #[serde(borrow)]
    totals: &'a RawValue,
}

/// The totals of `--totals`. `Err` names a total by its index, from 0, and has both readings of
/// commas that may group the digits of one number: brackets or spaces tell that they do not.
fn typed_totals(typed: &str, task: &Task) -> Result<Vec<i128>, ParameterError> {
    let refused = |accepted: String| ParameterError::new("totals", typed, accepted);
    let mut list = typed.trim();
    if list.starts_with('{') {
        let document = serde_json::from_str::<TotalsDocument<'_>>(list).map_err(|error| {
            refused(format!("a JSON object whose field totals is a list of integers ({error})"))
        })?;
        list = document.totals.get();
    }
    let inside = match list.strip_prefix('[').map(|rest| rest.strip_suffix(']')) {
        None => list,
        Some(inside) => inside.ok_or_else(|| refused("a bracket ] at the end".to_owned()))?,
    };
    let totals: Vec<&str> = inside.split(',').map(str::trim).collect();
    if let Some(number) = parse_number(list).filter(|_| totals.len() > 1) {
        let listed = totals.join(", ");
        let reason = "its comma may group digits or separate totals";
        return Err(refused(format!("{number} or \"{listed}\", as {reason}")));
    }
    let read = |(index, total): (usize, &&str)| {
        let unquoted = total.strip_prefix('"').and_then(|total| total.strip_suffix('"'));
        signed_total(unquoted.unwrap_or(total), task).map_err(|error| match totals.len() {
            1 => error,
            _ => error.renamed(format!("totals[{index}]")),
        })
    };
    totals.iter().enumerate().map(read).collect()
}

/// A signed total from an integer, which is the total itself or the element of the task's field
/// that represents it: elements above half of the modulus are negative totals. `Err` below minus
/// half of the modulus, and from the modulus on.
fn signed_total(text: &str, task: &Task) -> Result<i128, ParameterError> {
    let modulus = task.policy().parts().vdaf.modulus();
    let [half, modulus, old] = [modulus / 2, modulus, FIELD_OF_OLD_SUMS].map(BigInt::from);
    // Sums and noise of a task are below half of its field: of the larger one they are at its ends.
    let is_sum = matches!(task.query(), Query::Sum { .. } | Query::Average { .. });
    let of_old = parse_integer("totals", text, &old - &half..=&old - 1).ok().filter(|_| is_sum);
    let total = match of_old {
        Some(element) => element - old,
        None => match parse_integer("totals", text, -&half..=&modulus - 1)? {
            element if element > half => element - modulus,
            total => total,
        },
    };
    Ok(i128::try_from(total).expect("at most half of a modulus below 2^128"))
}
