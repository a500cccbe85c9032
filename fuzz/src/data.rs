//! Tables of data, and the bins that their numbers fall into.

use std::collections::HashSet;

use dp_exact::is_printable;
use dp_simulation::Rational;
use dp_simulation::data::{self, Bins, Table};

use crate::{check_refusal, text};

/// A table that is read has names of columns that are seen and differ, and its columns become
/// measurements, as many for each question, or are refused.
pub fn table(data: &[u8]) {
    let read = || Table::new("data", data);
    let header = match read() {
        Ok(table) => table.header().to_vec(),
        Err(error) => return check_refusal(&error),
    };
    let different: HashSet<&String> = header.iter().collect();
    assert!(!header.is_empty() && different.len() == header.len());
    assert!(
        header
            .iter()
            .flat_map(|name| name.chars())
            .all(is_printable)
    );
    let columns: Vec<String> = header.iter().take(3).cloned().collect();
    let (yes, no) = (Rational::one(), [Rational::zero()]);
    let bits = read().and_then(|table| data::indicators(table, &columns, &yes, &no));
    let integers = read().and_then(|table| data::integers(table, &columns, 100));
    let cells = read().and_then(|table| data::cells(table, &columns, |_| 7, |seven| seven));
    let buckets = read().and_then(|table| Bins::Distinct.apply(table, &columns[0]));
    let mut lengths = HashSet::new();
    for result in [bits, integers, cells, buckets] {
        match result {
            Ok(data) => {
                lengths.insert(data.measurements.len());
            }
            Err(error) => check_refusal(&error),
        }
    }
    assert!(lengths.len() <= 1 && !lengths.contains(&0));
}

/// Bins that are read are at least two, and every number falls into one of them or is refused.
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
        Bins::Distinct => {}
    }
    let text = &b"x\n0\n1\n1/2\n-3\n1e9\n"[..];
    let table = Table::new("data", text).expect("a table");
    if let Ok(found) = bins.apply(table, "x") {
        let is_in_range = found.measurements.one_hot(found.labels.len()).is_ok();
        assert!(is_in_range);
    }
}
