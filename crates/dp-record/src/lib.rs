#![doc = include_str!("../README.md")]

/// Lines of what was computed: a name, how many numbers, one of them, and a hash of the bits of all.
#[derive(Debug, Default)]
pub struct Record(Vec<String>);

impl Record {
    /// Numbers as they are, bit for bit.
    pub fn add(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        let values: Vec<f64> = values.into_iter().collect();
        let bytes = values
            .iter()
            .flat_map(|value| value.to_bits().to_le_bytes());
        let (number, hash) = (values.len(), hash(bytes));
        let middle = values.get(number / 2).copied().unwrap_or_default();
        self.0
            .push(format!("{name}: {number}, {middle:e}, {hash:016x}"));
    }

    /// An answer: how it begins, and a hash of it.
    pub fn add_answer(&mut self, name: &str, answer: &impl std::fmt::Debug) {
        let text = format!("{answer:?}");
        let hash = hash(text.bytes());
        self.0.push(format!("{name}: {text:.40}, {hash:016x}"));
    }

    /// Compares with what is on record in `file` of the crate in `folder`, which is `env!("CARGO_MANIFEST_DIR")`;
    /// `SNAPSHOT=write` puts these lines in their place.
    ///
    /// # Panics
    /// If a line differs, or the file cannot be read.
    pub fn assert_is(&self, folder: &str, file: &str) {
        let path = format!("{folder}/{file}");
        if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
            std::fs::write(path, self.0.join("\n") + "\n").expect("written");
            return;
        }
        let recorded = std::fs::read_to_string(&path).expect(file);
        let pairs = recorded.lines().zip(&self.0);
        let differing: Vec<String> = pairs
            .filter(|(recorded, actual)| recorded != actual)
            .map(|(recorded, actual)| format!("- {recorded}\n+ {actual}"))
            .collect();
        assert!(
            differing.is_empty(),
            "{file}, {} lines:\n{}",
            differing.len(),
            differing.join("\n")
        );
        assert_eq!(recorded.lines().count(), self.0.len(), "{file}");
    }
}

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
