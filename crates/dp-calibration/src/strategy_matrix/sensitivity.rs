//! How far C·x changes when one person's measurement is replaced or deleted: exact norms of C(eᵢ −
//! eⱼ) and of C·eᵢ, each the largest over all buckets i and j.

use super::{StrategyFamily, StrategyMatrix};
use crate::{Adjacency, Sensitivity};

/// The L1 norm, the squared L2 norm and the largest modulus of an entry of a vector, in this order.
/// Entries have at most 18 bits and vectors at most 2^14 entries, so that sums of squares have at
/// most 50 bits.
fn norms(change: impl Iterator<Item = i64>) -> [u64; 3] {
    change.map(i64::unsigned_abs).fold([0; 3], |[sum, squares, largest], entry| {
        [sum + entry, squares + entry * entry, largest.max(entry)]
    })
}

impl StrategyMatrix {
    /// The largest norms of the change of C·x: of C(eᵢ − eⱼ) when a measurement is replaced, of
    /// C·eᵢ when it is deleted, or one entry of x changes by 1. The time grows with the square of the number of buckets: 20 ms for
    /// 4096.
    #[must_use]
    pub fn sensitivity(&self, adjacency: Adjacency) -> Sensitivity {
        let mut changes = Vec::new();
        let buckets = self.largest_columns();
        let columns: Vec<Vec<i64>> = buckets.iter().map(|bucket| self.column(*bucket)).collect();
        for (place, one) in columns.iter().enumerate() {
            if adjacency != Adjacency::Replacement {
                changes.push(norms(one.iter().copied()));
                continue;
            }
            let mut add = |other: &[i64]| {
                changes.push(norms(one.iter().zip(other).map(|(one, other)| one - other)));
            };
            columns[..place].iter().for_each(|other| add(other));
            // Column j less column i < j of a Toeplitz matrix is c_k for k < j − i, and then c_k −
            // c_(k−j+i) for fewer k the larger i: i = 0 has the largest norms of each distance.
            // Every pair of columns of a circulant matrix is one of distance 1, …, n/2, rotated.
            let farthest = match self.family {
                StrategyFamily::Toeplitz => self.length - 1,
                StrategyFamily::Circulant => self.length / 2,
                StrategyFamily::FoldedTree => 0,
            };
            (1..=farthest).for_each(|other| add(&self.column(other)));
        }
        let largest = |norm: usize| changes.iter().map(|norms| norms[norm]).fold(0, u64::max);
        let [l1, l2_squared, linf] = [0, 1, 2].map(|norm| largest(norm).into());
        Sensitivity { l1, l2_squared, linf }
    }

    /// Buckets among which the largest columns are: the first one of a Toeplitz matrix, and of a
    /// circulant matrix, whose columns are rotations. Columns of one block of a tree change no row
    /// of another: the worst pair lies in the two blocks with the largest columns, or in one block.
    /// Every block but the last is like the first. Of each kind of block the first, middle, last
    /// and second bucket are returned.
    fn largest_columns(&self) -> Vec<usize> {
        if self.family != StrategyFamily::FoldedTree {
            return vec![0];
        }
        let blocks: Vec<_> = self.blocks().collect();
        let kinds = [Some(0), blocks.len().checked_sub(2), blocks.len().checked_sub(1)];
        let mut kinds: Vec<usize> = kinds.into_iter().flatten().collect();
        kinds.dedup();
        let of_block = |kind: usize| {
            let block = &blocks[kind];
            let (first, middle) = (block.start, block.start + block.len() / 2);
            // Buckets beside the middle one have permuted columns: two of them stand for all.
            [first, middle, block.end - 1, (first + 1).min(block.end - 1)]
        };
        kinds.into_iter().flat_map(of_block).collect()
    }

    /// One column of the matrix.
    fn column(&self, bucket: usize) -> Vec<i64> {
        match self.family {
            StrategyFamily::Toeplitz => {
                let zeros = std::iter::repeat_n(0, bucket);
                zeros.chain(self.column.iter().copied()).take(self.length).collect()
            }
            StrategyFamily::Circulant => {
                let (start, end) = self.column.split_at(self.length - bucket);
                [end, start].concat()
            }
            StrategyFamily::FoldedTree => {
                let mut unit = vec![0; self.length];
                unit[bucket] = 1;
                self.multiply(&unit)
            }
        }
    }
}
