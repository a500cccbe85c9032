//! Tables of data, and the bins that their numbers fall into.

use dp_simulation::Rational;
use dp_simulation::data::{self, Bins, Table};

use crate::{check_refusal, text};

/// A table that is read has as many cells in each row as names in its header, and its columns become
/// measurements or are refused.
pub fn table(data: &[u8]) {
    let table = match Table::parse("data", data) {
        Ok(table) => table,
        Err(error) => return check_refusal(&error),
    };
    assert!(!table.is_empty() && !table.header().is_empty());
    let columns: Vec<String> = table.header().iter().take(3).cloned().collect();
    match data::numbers(&table, &columns) {
        Ok(numbers) => {
            assert_eq!(numbers.rows.len(), table.len());
            assert!(numbers.rows.iter().all(|row| row.len() == columns.len()));
        }
        Err(error) => check_refusal(&error),
    }
    let (yes, no) = (Rational::one(), [Rational::zero()]);
    if let Ok(bits) = data::indicators(&table, &columns, &yes, &no) {
        assert_eq!(bits.rows.len(), table.len());
    }
    if let Ok(integers) = data::integers(&table, &columns, 100) {
        assert!(integers.rows.iter().flatten().all(|value| *value <= 100));
    }
    if let Ok(buckets) = Bins::Distinct.apply(&table, &columns[0]) {
        assert!(
            buckets
                .rows
                .iter()
                .all(|bucket| *bucket < buckets.labels.len())
        );
    }
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
    let table = Table::parse("data", b"x\n0\n1\n1/2\n-3\n1e9\n").expect("a table");
    if let Ok(found) = bins.apply(&table, "x") {
        assert!(found.rows.iter().all(|bucket| *bucket < found.labels.len()));
    }
}
