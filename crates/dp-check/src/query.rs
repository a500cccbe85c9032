//! Queries, and the worst-case difference of one client: k numbers change by Δ each.

use serde_json::Value;

use crate::json::Fields;
use crate::number::{BigInt, One, ToPrimitive, Zero, digits};
use crate::statement::{Refusal, ensure, outside, unreadable};

/// The worst-case difference of a query between neighbouring datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorstCaseDifference {
    /// k: how many released numbers change.
    pub(crate) numbers: BigInt,
    /// Δ: the largest change of each number that changes.
    pub(crate) change: BigInt,
    /// Whether Δ bounds the sum of all changes, not each change by itself.
    pub(crate) is_sum: bool,
    /// Behind a matrix, where Δ is the L1 norm: the change's squared L2 norm, and the rows' number.
    pub(crate) rows: Option<(BigInt, u64)>,
}

impl WorstCaseDifference {
    /// The worst-case difference by docs/certificates.md. A strategy matrix is read from `fields`.
    pub(crate) fn of(query: &str, is_replaced: bool, fields: &mut Fields) -> Result<Self, Refusal> {
        let mut words = query.split(':');
        let name = words.next().expect("a text has a first part, however it is split");
        // Positive integers of at most forty digits.
        let is_positive = |word: &str, number: &BigInt| word.len() <= 40 && !number.is_zero();
        let positive = |word: &str| digits(word).filter(|number| is_positive(word, number));
        let bounds = words.map(positive).collect::<Option<Vec<BigInt>>>();
        let refused = || unreadable("a query is none of those in the README");
        let bounds = bounds.ok_or_else(refused)?;
        let (one, two) = (BigInt::one(), BigInt::from(2));
        let (numbers, change) = match (name, bounds.as_slice()) {
            ("count", []) => (one, BigInt::one()),
            ("sum" | "average", [max]) => (one, max.clone()),
            ("sumvec", [length, max]) => (length.clone(), max.clone()),
            ("histogram", [length]) if is_replaced && length.is_one() => {
                return Err(outside("a histogram of one bucket, replaced: it does not change"));
            }
            ("histogram", [] | [_]) if is_replaced => (two, one),
            ("histogram", [] | [_]) => (one, BigInt::one()),
            ("multihot", [length, weight]) if weight > length => return Err(refused()),
            ("multihot", [length, weight]) if is_replaced => {
                (length.min(&(weight * two)).clone(), one)
            }
            ("multihot", [_, weight]) => (weight.clone(), one),
            ("l1boundsum", [length, max]) if is_replaced && !length.is_one() => (two, max.clone()),
            ("l1boundsum", [_, max]) => (one, max.clone()),
            ("percentiles" | "ranges", [length]) => {
                let length = length.to_u16().ok_or_else(refused)?;
                return Self::of_matrix(name == "ranges", length, is_replaced, fields);
            }
            _ => return Err(refused()),
        };
        Ok(Self { numbers, change, is_sum: name == "l1boundsum", rows: None })
    }

    /// The largest change of C·x by one client: its L1 norm and, unless C is a tree, squared L2
    /// norm. C is circulant or lower triangular Toeplitz with the first column `column`, or a
    /// folded tree of blocks of `block` buckets.
    fn of_matrix(
        is_circulant: bool, length: u16, is_replaced: bool, fields: &mut Fields,
    ) -> Result<Self, Refusal> {
        let (mut l1, mut l2_squared, mut rows, n) = (0, 0, None, usize::from(length));
        let entry = |value: Value| i32::try_from(value.as_i64()?).ok().map(i128::from);
        let column = fields.list("column", n, entry)?;
        if is_circulant && column.is_empty() {
            // A bucket changes its row and its block's sum by B − 1 each, the middle one no more.
            let (block, length) = (fields.integer("block", length.into())?, u64::from(length));
            let rows = if is_replaced { 2 + (length - block).min(2) } else { 2 };
            l1 = i128::from((block - 1) * rows);
        } else if column.len() == n && n <= 1 << 14 {
            // Of each two columns at a distance, the first ones change most rows; or one, and 0.
            for lag in if is_replaced { 1..n } else { n..n + 1 } {
                let other = |row: usize| match row.checked_sub(lag) {
                    Some(row) => column[row],
                    None if is_circulant && is_replaced => column[n + row - lag],
                    None => 0,
                };
                let change = (0..n).map(|row| column[row] - other(row));
                l1 = change.clone().map(i128::abs).sum::<i128>().max(l1);
                l2_squared = change.map(|entry| entry * entry).sum::<i128>().max(l2_squared);
            }
            rows = Some((l2_squared.into(), length.into()));
        }
        ensure(l1 > 0, unreadable, "a matrix has neither a column of its length nor blocks")?;
        let (numbers, change) = (BigInt::one(), l1.into());
        Ok(Self { numbers, change, is_sum: true, rows })
    }
}
