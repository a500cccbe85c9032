//! The digest of a task: SHA-256 over what its document means.
//!
//! A task is a list of fields (path, value) in a fixed order, without those that do not occur. A
//! value is a text: of a rational number the reduced fraction, of an integer its decimal digits.
//! What the document may leave open and all parties must share (chunk length, weight bound, most
//! reports, the largest measurement of a grid) is as the policy fills it in. The digest is
//!
//! ```text
//! SHA-256( "dp-task 1\n" ‖ Σ_fields len(path) ‖ path ‖ len(value) ‖ value )
//! ```
//!
//! with lengths in bytes as four octets, the most significant first.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_grid::Grid;
use sha2::{Digest as _, Sha256};

use crate::Task;

/// The digest of a task, 32 bytes. It prints in hexadecimal digits.
///
/// It serves as the application context of the VDAF: reports of parties that do not agree on the
/// task are then refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Display for Digest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

pub(crate) fn of(task: &Task) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"dp-task 1\n");
    for (path, value) in fields(task) {
        for text in [path, &value] {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            hash.update(length.to_be_bytes());
            hash.update(text);
        }
    }
    Digest(hash.finalize().into())
}

/// The fields of a task, exactly and in one notation.
fn fields(task: &Task) -> Vec<(&'static str, String)> {
    let document = task.document();
    let vdaf = &document.vdaf;
    let filled_in = |name| task.parameter(name).map(str::to_owned);
    let client = document.client_noise.as_ref();
    let aggregator = document.aggregator_noise.as_ref();
    let circumstances = task.circumstances();
    let trust = &document.trust;
    let candidates = [
        ("name", document.name.clone()),
        ("vdaf.type", text(vdaf.r#type.as_ref())),
        ("vdaf.aggregators", text(vdaf.aggregators.as_ref())),
        ("vdaf.length", text(vdaf.length.as_ref())),
        (
            "vdaf.max_measurement",
            text(task.max_measurement().as_ref()),
        ),
        ("vdaf.max_weight", filled_in("max_weight")),
        ("vdaf.chunk_length", filled_in("chunk_length")),
        ("grid.low", fraction(task.grid(), Grid::low)),
        ("grid.high", fraction(task.grid(), Grid::high)),
        ("grid.granularity", fraction(task.grid(), Grid::granularity)),
        (
            "client_noise.mechanism",
            client.and_then(|noise| text(noise.mechanism.as_ref())),
        ),
        (
            "client_noise.epsilon",
            client.and_then(|noise| fraction(noise.epsilon.as_ref(), Epsilon::value)),
        ),
        (
            "client_noise.epsilon0",
            client.and_then(|noise| fraction(noise.epsilon0.as_ref(), Epsilon::value)),
        ),
        (
            "client_noise.input_weight",
            client.and_then(|noise| text(noise.input_weight.as_ref())),
        ),
        (
            "client_noise.false_positive_rate",
            client.and_then(|noise| fraction(noise.false_positive_rate.as_ref(), |rate| rate)),
        ),
        (
            "aggregator_noise.mechanism",
            aggregator.and_then(|noise| text(noise.mechanism.as_ref())),
        ),
        (
            "aggregator_noise.budget",
            aggregator.and_then(|noise| text(noise.budget.as_ref())),
        ),
        (
            "aggregator_noise.epsilon",
            aggregator.and_then(|noise| fraction(noise.epsilon.as_ref(), Epsilon::value)),
        ),
        (
            "aggregator_noise.delta",
            aggregator.and_then(|noise| fraction(noise.delta.as_ref(), Delta::value)),
        ),
        (
            "aggregator_noise.rho",
            aggregator.and_then(|noise| fraction(noise.rho.as_ref(), Rho::value)),
        ),
        (
            "aggregator_noise.wanted_honest_clients",
            aggregator.and_then(|noise| text(noise.wanted_honest_clients.as_ref())),
        ),
        (
            "aggregator_noise.assumed_malicious_clients",
            aggregator.and_then(|noise| text(noise.assumed_malicious_clients.as_ref())),
        ),
        (
            "trust.model",
            Some(task.trust_model().abbreviation().to_owned()),
        ),
        (
            "trust.honest_clients",
            Some(circumstances.honest_clients().to_string()),
        ),
        ("trust.delta", fraction(trust.delta.as_ref(), Delta::value)),
        (
            "trust.accept_weak_promise",
            trust
                .accept_weak_promise
                .filter(|accept| *accept)
                .map(|_| "true".to_owned()),
        ),
        ("batch.min_reports", Some(task.min_reports().to_string())),
        ("batch.max_reports", Some(task.max_reports().to_string())),
    ];
    let occurs = |(path, value): (&'static str, Option<String>)| Some((path, value?));
    candidates.into_iter().filter_map(occurs).collect()
}

fn text(value: Option<&impl Display>) -> Option<String> {
    value.map(ToString::to_string)
}

fn fraction<T>(value: Option<&T>, exact: fn(&T) -> &Rational) -> Option<String> {
    let exact = exact(value?);
    Some(format!("{}/{}", exact.numerator(), exact.denominator()))
}
