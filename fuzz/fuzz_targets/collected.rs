//! `dp_fuzz::collected` on the bytes that libFuzzer makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dp_fuzz::collected(data));
