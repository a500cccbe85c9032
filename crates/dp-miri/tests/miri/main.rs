//! What Miri interprets: `cargo +nightly miri test --package dp-miri`.

mod bits;
mod draws;
mod messages;

/// One number for many: FNV-1a over their lowest 64 bits, byte by byte.
fn fingerprint(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
