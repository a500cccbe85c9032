//! How many cycles of the processor a nanosecond has.
//!
//! Safe Rust reads no counter of cycles. So a chain is timed of which each step waits for the one before
//! it: a multiplication of 64 bits and an exclusive or, which take 3 and 1 cycles on x86-64 (Intel since
//! 2008, AMD since 2017) and on the larger 64-bit Arm cores. The fastest of many short chains counts: what
//! else the machine does only ever adds time.

use std::hint::black_box;
use std::time::Instant;

/// Steps of a chain, some ten microseconds.
const STEPS: u32 = 10_000;

/// Cycles of a step.
const CYCLES: u32 = 4;

/// Chains.
const CHAINS: u32 = 1000;

/// Cycles in a nanosecond, of the processor that this runs on now.
#[must_use]
pub fn cycles_per_nanosecond() -> f64 {
    // Unknown to the compiler, which would make two multiplications one.
    let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let fastest = (0..CHAINS).map(|_| {
        let start = Instant::now();
        let mut state = factor;
        for _ in 0..STEPS {
            state = state.wrapping_mul(factor) ^ factor;
        }
        black_box(state);
        start.elapsed()
    });
    let fastest = fastest.min().unwrap_or_default().as_secs_f64() * 1e9;
    f64::from(STEPS) * f64::from(CYCLES) / fastest.max(1.0)
}
