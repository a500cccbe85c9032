#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dp_fuzz::strategy(data));
