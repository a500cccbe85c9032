//! What the first comparison decides, as bounds.

use super::*;

impl Slope {
    /// The first lane value that is not accepted, and the first that is rejected: bounds on
    /// 2^16·e^−γ.
    pub(in crate::rounds) fn bounds(self, bucket: u16, offset: u16) -> [i64; 2] {
        let q = match self.flat {
            0 => self.rising_threshold(&INVERSE_FACTORIALS, bucket, offset),
            _ => self.flat_threshold(offset),
        };
        let low = i64::from(q) - i64::from(self.below);
        [low, low + i64::from(self.undecided)]
    }
}
