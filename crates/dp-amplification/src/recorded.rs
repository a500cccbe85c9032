//! Floating-point bounds on record, to the last bit.
//!
//! That a bound is on its side of a number is what the other tests compare. A rounding that is dropped, or turned
//! the other way, moves a bound by less than they can see where nothing knows the number so well. It is seen here:
//! who changes a line on record says why what is on record now is still on its side.

use std::fmt::Write;

/// Lines of what was computed: a name, how many numbers, one of them, and a hash of the bits of all.
#[derive(Debug, Default)]
pub(crate) struct Record(String);

impl Record {
    /// Numbers as they are, bit for bit.
    pub(crate) fn add(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        let values: Vec<f64> = values.into_iter().collect();
        let bytes = values
            .iter()
            .flat_map(|value| value.to_bits().to_le_bytes());
        let (number, hash) = (values.len(), hash(bytes));
        let middle = values.get(number / 2).copied().unwrap_or_default();
        writeln!(self.0, "{name}: {number}, {middle:e}, {hash:016x}").expect("a line");
    }

    /// An answer: how it begins, and a hash of it.
    pub(crate) fn add_answer(&mut self, name: &str, answer: &impl std::fmt::Debug) {
        let text = format!("{answer:?}");
        let hash = hash(text.bytes());
        writeln!(self.0, "{name}: {text:.40}, {hash:016x}").expect("a line");
    }

    /// What differs from the lines on record; `SNAPSHOT=write` puts these in their place.
    pub(crate) fn assert_is(&self, recorded: &str, path: &str) {
        if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
            let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &self.0).expect("written");
            return;
        }
        let pairs = recorded.lines().zip(self.0.lines());
        let differing: Vec<String> = pairs
            .filter(|(recorded, actual)| recorded != actual)
            .map(|(recorded, actual)| format!("- {recorded}\n+ {actual}"))
            .collect();
        assert!(
            differing.is_empty(),
            "{path}, {} lines:\n{}",
            differing.len(),
            differing.join("\n")
        );
        assert_eq!(recorded.lines().count(), self.0.lines().count(), "{path}");
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
