//! Queries, and the worst-case difference of one client: k numbers change by Δ each.

use crate::number::{BigInt, One, Zero, digits};
use crate::statement::{Refusal, outside, unreadable};

/// The worst-case difference of a query between neighbouring datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorstCaseDifference {
    /// k: the number of numbers that change.
    pub(crate) numbers: BigInt,
    /// Δ: the change of each of them.
    pub(crate) change: BigInt,
    /// Whether one number falls, another one grows, and no others change.
    pub(crate) is_exchanged: bool,
}

impl WorstCaseDifference {
    /// The worst-case difference by the table in docs/certificates.md, under replacement or else deletion.
    pub(crate) fn of(query: &str, is_replaced: bool) -> Result<Self, Refusal> {
        let mut words = query.split(':');
        let name = words.next().unwrap_or_default();
        // Positive integers of at most forty digits.
        let positive = |word: &str| digits(word).filter(|number| word.len() <= 40 && !number.is_zero());
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
            ("multihot", [length, weight]) if is_replaced => (length.min(&(weight * two)).clone(), one),
            ("multihot", [_, weight]) => (weight.clone(), one),
            ("l1boundsum", [length, max]) if is_replaced && !length.is_one() => (two, max.clone()),
            ("l1boundsum", [_, max]) => (one, max.clone()),
            _ => return Err(refused()),
        };
        let is_exchanged = name == "histogram" && is_replaced;
        Ok(Self { numbers, change, is_exchanged })
    }
}
