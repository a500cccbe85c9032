//! Tests short enough for Miri, which interprets every instruction: `cargo +nightly miri test
//! --package dp-tests --test miri`.

mod draws;
mod messages;
