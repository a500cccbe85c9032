//! The digest of a task: SHA-256 over the meaning of its document.
//!
//! A task is a list of fields (path, value) in a fixed order, without absent fields. A value is a
//! text: the reduced fraction of a rational number, the decimal digits of an integer. Values that a
//! document may leave open are taken from the policy. The digest is
//!
//! ```text
//! SHA-256( "dp-task 2\n" ‖ Σ_fields len(path) ‖ path ‖ len(value) ‖ value )
//! ```
//!
//! with lengths in bytes as four octets, the most significant first. A test changes every field of
//! every policy's document and checks that the digest changes.

use std::fmt::{self, Display, Formatter};

use dp_exact::Rational;
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::document::TaskDocument;

/// The digest of a task: 32 bytes, printed in hexadecimal digits. As the application context of the
/// VDAF it makes parties refuse reports of other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskDigest([u8; 32]);

impl TaskDigest {
    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Display for TaskDigest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The form in which a field of the document enters the digest.
#[derive(Clone, Copy)]
enum FieldValue {
    /// The text, integer or flag, as the document has it.
    AsWritten,
    /// The rational number as a reduced fraction.
    Fraction,
    /// The parameter of the built policy, since a document may leave the field open.
    FilledIn,
}

use FieldValue::{AsWritten, FilledIn, Fraction};

/// The paths of all fields and their forms, in the order of the digest.
const FIELDS: &[(&str, FieldValue)] = &[
    ("name", AsWritten),
    ("vdaf.type", AsWritten),
    ("vdaf.aggregators", AsWritten),
    ("vdaf.length", AsWritten),
    ("vdaf.chunk_length", FilledIn),
    ("vdaf.max_weight", FilledIn),
    ("vdaf.max_measurement", AsWritten),
    ("vdaf.range.max_measurement", AsWritten),
    ("vdaf.range.grid.low", Fraction),
    ("vdaf.range.grid.high", Fraction),
    ("vdaf.range.grid.granularity", Fraction),
    ("client_noise.type", AsWritten),
    ("client_noise.epsilon", Fraction),
    ("client_noise.epsilon0", Fraction),
    ("client_noise.input_weight", AsWritten),
    ("client_noise.false_positive_rate", Fraction),
    ("aggregator_noise.type", AsWritten),
    ("aggregator_noise.budget.pure.epsilon", Fraction),
    ("aggregator_noise.budget.approximate.epsilon", Fraction),
    ("aggregator_noise.budget.approximate.delta", Fraction),
    ("aggregator_noise.budget.zero_concentrated.rho", Fraction),
    ("aggregator_noise.target_honest_clients", AsWritten),
    ("aggregator_noise.assumed_malicious_clients", AsWritten),
    ("trust.model", AsWritten),
    ("trust.honest_clients", AsWritten),
    ("trust.delta", Fraction),
    ("trust.releases", AsWritten),
    ("trust.accept_weak_guarantee", AsWritten),
    ("batch.min_reports", AsWritten),
];

/// The digest of a document. `parameters` are the names and values of its policy's parameters; the
/// policy takes at most `max_reports` reports.
pub(crate) fn of(
    document: &TaskDocument,
    parameters: &[(&'static str, String)],
    max_reports: u64,
) -> Result<TaskDigest, Error> {
    let syntax = |error: serde_json::Error| Error::syntax("JSON", error);
    let document = serde_json::to_value(document).map_err(syntax)?;
    let mut hash = Sha256::new_with_prefix(b"dp-task 2\n");
    let mut add = |path: &str, value: &str| {
        for text in [path, value] {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            hash.update(length.to_be_bytes());
            hash.update(text);
        }
    };
    for (path, field_value) in FIELDS {
        let written = document.pointer(&format!("/{}", path.replace('.', "/")));
        let text = written.map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
        let value = match field_value {
            AsWritten => text,
            Fraction => {
                let number = text.map(|text| text.parse::<Rational>()).transpose()?;
                number.map(|number| format!("{}/{}", number.numerator(), number.denominator()))
            }
            FilledIn => {
                let known = |(name, _): &&(&str, String)| path.ends_with(&format!(".{name}"));
                parameters.iter().find(known).map(|(_, value)| value.clone())
            }
        };
        if let Some(value) = value {
            add(path, &value);
        }
    }
    add("batch.max_reports", &max_reports.to_string());
    Ok(TaskDigest(hash.finalize().into()))
}
