//! How far C·x changes when one person's measurement is replaced or deleted: exact norms of C(eᵢ −
//! eⱼ) and of C·eᵢ, each the largest over all buckets i and j.

use super::{StrategyFamily, StrategyMatrix};
use crate::{Adjacency, Sensitivity};

/// The largest norms of the vectors added so far. Entries have at most 18 bits and vectors at most
/// 2^14 entries, so that sums of squares have at most 50 bits.
#[derive(Default)]
struct Norms {
    l1: u64,
    l2_squared: u64,
    linf: u64,
}

impl Norms {
    fn add_vector(&mut self, difference: impl Iterator<Item = i64>) {
        let (mut l1, mut l2_squared, mut linf) = (0, 0, 0);
        for entry in difference.map(i64::unsigned_abs) {
            l1 += entry;
            l2_squared += entry * entry;
            linf = linf.max(entry);
        }
        self.l1 = self.l1.max(l1);
        self.l2_squared = self.l2_squared.max(l2_squared);
        self.linf = self.linf.max(linf);
    }
}

impl StrategyMatrix {
    /// The largest norms of the change of C·x: of C(eᵢ − eⱼ) when a measurement is replaced, of
    /// C·eᵢ when it is deleted. The time grows with the square of the number of buckets: 20 ms for
    /// 4096.
    #[must_use]
    pub fn sensitivity(&self, adjacency: Adjacency) -> Sensitivity {
        let is_replaced = adjacency == Adjacency::Replacement;
        let norms = match (self.family, is_replaced) {
            (StrategyFamily::Toeplitz, true) => self.toeplitz_pairs(),
            (StrategyFamily::Circulant, true) => self.circulant_pairs(),
            (StrategyFamily::FoldedTree, true) => self.tree_norms(true),
            // No Toeplitz column has larger norms than the first; circulant columns are rotations.
            (StrategyFamily::Toeplitz | StrategyFamily::Circulant, false) => {
                let mut norms = Norms::default();
                norms.add_vector(self.column.iter().copied());
                norms
            }
            (StrategyFamily::FoldedTree, false) => self.tree_norms(false),
        };
        Sensitivity {
            l1: norms.l1.into(),
            l2_squared: norms.l2_squared.into(),
            linf: norms.linf.into(),
        }
    }

    /// The largest norms of the difference of two columns i and j = i + d of a Toeplitz matrix. It
    /// is c_k for k < d, and c_k − c_(k−d) for d ≤ k < n − i, c the first of n columns. So i = 0
    /// has the largest norms of each distance d.
    fn toeplitz_pairs(&self) -> Norms {
        let mut norms = Norms::default();
        for lag in 1..self.length {
            let later = self.column[lag..].iter().zip(&self.column).map(|(one, other)| one - other);
            norms.add_vector(self.column[..lag].iter().copied().chain(later));
        }
        norms
    }

    /// The largest norms of the difference of two columns of a circulant matrix. Their distance is
    /// 1, …, n/2: every other pair is one of these, rotated.
    fn circulant_pairs(&self) -> Norms {
        let mut norms = Norms::default();
        for lag in 1..=self.length / 2 {
            let rotated = self.column[lag..].iter().chain(&self.column[..lag]);
            let change = self.column.iter().zip(rotated).map(|(one, other)| one - other);
            norms.add_vector(change);
        }
        norms
    }

    /// The largest norms of a column of a tree's matrix, or of a difference of two if
    /// `is_replaced`. Columns of one block change no row of another: the worst pair lies in the two
    /// blocks with the largest columns, or in one block. Every block but the last is like the
    /// first.
    fn tree_norms(&self, is_replaced: bool) -> Norms {
        let blocks: Vec<_> = self.blocks().collect();
        let kinds = [Some(0), blocks.len().checked_sub(2), blocks.len().checked_sub(1)];
        let mut kinds: Vec<usize> = kinds.into_iter().flatten().collect();
        kinds.dedup();
        let buckets: Vec<usize> = kinds
            .iter()
            .flat_map(|kind| {
                let block = blocks[*kind];
                let (first, middle) = (block.start, block.start + block.middle());
                // Buckets beside the middle one have permuted columns: two of them stand for all.
                [first, middle, block.end - 1, (first + 1).min(block.end - 1)]
            })
            .collect();
        let mut norms = Norms::default();
        let column = |bucket: usize| {
            let mut unit = vec![0; self.length];
            unit[bucket] = 1;
            self.multiply(&unit)
        };
        let columns: Vec<Vec<i64>> = buckets.iter().map(|bucket| column(*bucket)).collect();
        for (place, one) in columns.iter().enumerate() {
            if is_replaced {
                for other in &columns[..place] {
                    norms.add_vector(one.iter().zip(other).map(|(one, other)| one - other));
                }
            } else {
                norms.add_vector(one.iter().copied());
            }
        }
        norms
    }
}
