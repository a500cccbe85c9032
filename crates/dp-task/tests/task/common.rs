//! Documents from which tests start.

use dp_task::Task;

/// A histogram with Gaussian noise.
pub(crate) const HISTOGRAM: &str = r#"
version = 2
name = "heights"

[vdaf]
type = "Prio3Histogram"
aggregators = 2
length = 12

[aggregator_noise]
type = "discrete-gaussian"
budget = { approximate = { epsilon = "0.5", delta = "1e-9" } }

[trust]
model = "OAOC"

[batch]
min_reports = 100
max_reports = 1000
"#;

/// A vector of bits that clients randomize.
pub(crate) const RAPPOR: &str = r#"
version = 2
name = "diagnoses"

[vdaf]
type = "Prio3MultihotCountVec"
aggregators = 2
length = 10

[client_noise]
type = "symmetric-rappor"
epsilon0 = "3"
input_weight = 2
false_positive_rate = "1e-3"

[trust]
model = "OC"

[batch]
min_reports = 100
"#;

/// The task of a document in TOML.
pub(crate) fn task(text: &str) -> Task {
    Task::from_toml(text).expect(text)
}

/// The document with each first text of `edits` replaced by the second; the first occurs in it.
#[must_use]
pub(crate) fn edited(document: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(document.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old:?} is not in {text}");
        text.replacen(old, new, 1)
    })
}

/// A mean of real numbers on a grid.
pub(crate) const WEIGHTS: &str = r#"
version = 2
name = "weights"
aggregator_noise = { type = "discrete-laplace", budget = { pure = { epsilon = "0.5" } } }
trust = { model = "OAOC" }
batch = { min_reports = 100, max_reports = 1000 }

[vdaf]
type = "Prio3Average"
aggregators = 2
range = { grid = { low = "40", high = "140", granularity = "0.1" } }
"#;

/// RAPPOR with compensation for missing clients.
pub(crate) const COMPENSATED: &str = r#"
version = 2
name = "heights"
vdaf = { type = "Prio3MultihotCountVec", aggregators = 2, length = 12 }
client_noise = { type = "one-hot-rappor", epsilon0 = "3", false_positive_rate = "1e-12" }
trust = { model = "OAOC" }
batch = { min_reports = 100, max_reports = 1000 }

[aggregator_noise]
type = "compensation"
target_honest_clients = 5000
assumed_malicious_clients = 10
"#;
