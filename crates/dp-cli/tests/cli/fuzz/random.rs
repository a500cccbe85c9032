//! Numbers that follow from a seed (SplitMix64: Steele, Lea, Flood 2014), the same in every version.

#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of line `number`, whatever lines were drawn before.
    pub(crate) fn of(seed: u64, number: u64) -> Self {
        let mut start = Self(seed);
        let mut own = Self(start.next() ^ number);
        own.next();
        own
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `bound`, and 0 if that is 0. Its bias is below bound/2^64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).expect("below a usize")
    }

    /// Whether something that happens in so many of a hundred cases does.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them.
    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}
