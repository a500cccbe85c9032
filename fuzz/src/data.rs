//! Tables of data, and bins of their numbers.

use std::collections::HashSet;

use dp_simulation::data::{
    self, Bins, Category, CsvTable, DataError, LabelledMeasurements, MissingAction, MissingRule,
    OutOfRange,
};
use dp_simulation::dp_prio3::grid::Grid;

use crate::{check_refusal, text};

/// CSV: with every delimiter and every rule for missing values, it is refused, or every question
/// about a column is refused or keeps the same rows.
pub fn table(data: &[u8]) {
    let delimiters = [",", ";", "tab", "|"].map(|name| name.parse().ok());
    for delimiter in delimiters.into_iter().chain([None]) {
        let read = || CsvTable::new("data", data, delimiter);
        if let Err(error) = read() {
            check_refusal(&error);
            continue;
        }
        for values in [MissingAction::Refuse, MissingAction::Skip] {
            let missing =
                MissingRule { values, codes: vec![Category::of("-1"), Category::of("unknown")] };
            questions(|| read().map(|table| table.with_missing(missing.clone())));
        }
    }
}

/// Asserts that all answered questions about the first column keep equally many rows.
fn questions<'a>(read: impl Fn() -> Result<CsvTable<'a>, DataError>) {
    let header = read().map(|table| table.header().to_vec());
    let columns: Vec<String> = header.unwrap_or_default().into_iter().take(1).collect();
    let grid: Grid = "-10..10/0.5".parse().expect("a grid");
    let (yes, no) = ([Category::of("1"), Category::of("yes")], [Category::of("0")]);
    let ranges: Bins = "0..10/1".parse().expect("bins");
    let texts: Bins = "ios,android,1".parse().expect("bins");
    let mut answers = vec![read().and_then(|table| data::indicators(table, &columns, &yes, &no))];
    for beyond in [OutOfRange::Refuse, OutOfRange::Clamp] {
        answers.push(read().and_then(|table| data::integers(table, &columns, 100, beyond)));
        answers.push(read().and_then(|table| data::grid_cells(table, &columns, &grid, beyond)));
    }
    for outside in [OutOfRange::Refuse, OutOfRange::Clamp, OutOfRange::Count] {
        for bins in [&ranges, &texts] {
            answers.push(read().and_then(|table| bins.apply(table, &columns[0], outside)));
        }
    }
    let rows: HashSet<Option<u64>> = answers.into_iter().map(rows).collect();
    assert!(rows.iter().flatten().count() <= 1 && !rows.contains(&Some(0)));
}

/// The number of kept rows, all others being counted as skipped; `None` if the question is refused.
fn rows(answer: Result<LabelledMeasurements, DataError>) -> Option<u64> {
    match answer {
        Ok(data) => {
            let kept = u64::try_from(data.measurements.len()).expect("few");
            assert_eq!(kept + data.reading.rows_skipped, data.reading.rows);
            Some(kept)
        }
        Err(error) => {
            check_refusal(&error);
            None
        }
    }
}

/// Text of bins: it is refused, or has at least two bins, and a number is in one bin or refused.
pub fn bins(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let bins: Bins = match text.parse() {
        Ok(bins) => bins,
        Err(error) => return check_refusal(&error),
    };
    match &bins {
        Bins::Equal { width, count, .. } => {
            assert!(width.is_positive() && (2..=data::MAX_BINS).contains(count));
            if *count > 1_000 {
                return;
            }
        }
        Bins::Values(values) => assert!(values.len() >= 2),
    }
    let text = &b"x\n0\n1\n0.5\n-3\n1e9\n"[..];
    let table = CsvTable::new("data", text, None).expect("a table");
    if let Ok(found) = bins.apply(table, "x", OutOfRange::Count) {
        assert!(found.measurements.len() == 5 && found.labels.len() >= 2);
    }
}
