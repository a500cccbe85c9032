//! Choices without branches, and the points at which a value is declassified.
//!
//! A condition on a secret must not become a jump. `x & -i16::from(a == b)` does at some levels of
//! optimization; the functions here are arithmetic alone. `.ci/constant-time` looks for
//! jumps and addresses in compiled code.

/// All ones if the numbers are equal, else 0. Both are from 0 to 2^15 − 1.
#[inline(always)]
pub(crate) fn equal(one: i16, other: i16) -> i16 {
    (one ^ other).wrapping_sub(1) >> 15
}

/// All ones if the lowest bit is 1, else 0.
#[inline(always)]
pub(crate) fn lowest_bit(number: u16) -> u16 {
    ((number << 15).cast_signed() >> 15).cast_unsigned()
}

/// 1 if `one` < `other`, else 0.
#[inline(always)]
pub(crate) fn less(one: u64, other: u64) -> u64 {
    ((!one & other) | ((!one | other) & one.wrapping_sub(other))) >> 63
}

/// Whether a flag of 0 or 1 is set, at a point where it is declassified: accept or reject, and the
/// exceptional path. Under Memcheck the flag is marked as known; elsewhere this does nothing.
#[inline(always)]
#[must_use]
pub fn declassify(flag: u64) -> bool {
    #[cfg(memcheck)]
    let flag = {
        use core::hint::black_box;

        let flag = black_box(flag);
        let place = (&raw const flag).cast();
        // Outside of valgrind there is nothing to mark.
        let _ = crabgrind::memcheck::mark_memory(
            place,
            size_of::<u64>(),
            crabgrind::memcheck::MemState::Defined,
        );
        black_box(flag)
    };
    flag != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_what_comparisons_say() {
        assert_eq!([0, 1, 6, 0x8001].map(lowest_bit), [0, u16::MAX, 0, u16::MAX]);
        let small = [0, 1, 2, 255, 256, 32766, 32767];
        for (one, other) in small.iter().flat_map(|one| small.map(|other| (*one, other))) {
            assert_eq!(equal(one, other), -i16::from(one == other));
        }
        let wide = [0, 1, 5, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX - 1, u64::MAX];
        for (one, other) in wide.iter().flat_map(|one| wide.map(|other| (*one, other))) {
            assert_eq!(less(one, other), u64::from(one < other));
        }
    }
}
