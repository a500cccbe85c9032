//! The digest of a task: SHA-256 over what its document means.
//!
//! A task is a list of fields (path, value) in a fixed order, without those that do not occur. A
//! value is a text: of a rational number the reduced fraction, of an integer its decimal digits.
//! What the document may leave open and all parties must share (chunk length, weight bound, most
//! reports) is as the policy fills it in. The digest is
//!
//! ```text
//! SHA-256( "dp-task 2\n" ‖ Σ_fields len(path) ‖ path ‖ len(value) ‖ value )
//! ```
//!
//! with lengths in bytes as four octets, the most significant first.
//!
//! Every section is taken apart without `..`, so that a field which is added is not forgotten here.

use std::fmt::{self, Display, Formatter};

use dp_calibration::Budget;
use dp_exact::{Delta, Rational};
use sha2::{Digest as _, Sha256};

use crate::document::{AggregatorNoise, Batch, ClientNoise, Document, Range, Trust, Vdaf, Version};

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

/// The digest of the task of this document, whose policy has these parameters and takes at most so many
/// reports.
pub(crate) fn of(document: &Document, parameters: &[(&'static str, String)], most: u64) -> Digest {
    let Document {
        version: Version,
        name,
        vdaf,
        client_noise,
        aggregator_noise,
        trust,
        batch,
    } = document;
    let mut fields = Fields {
        hash: Sha256::new_with_prefix(b"dp-task 2\n"),
        parameters,
    };
    fields.add("name", name);
    fields.vdaf(vdaf);
    if let Some(noise) = client_noise {
        fields.client_noise(noise);
    }
    if let Some(noise) = aggregator_noise {
        fields.aggregator_noise(noise);
    }
    fields.trust(trust);
    fields.batch(*batch, most);
    Digest(fields.hash.finalize().into())
}

/// The fields so far.
struct Fields<'a> {
    hash: Sha256,
    /// Those of the policy.
    parameters: &'a [(&'static str, String)],
}

impl Fields<'_> {
    fn add(&mut self, path: &str, value: impl Display) {
        for text in [path, &value.to_string()] {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            self.hash.update(length.to_be_bytes());
            self.hash.update(text);
        }
    }

    fn number(&mut self, path: &str, value: &Rational) {
        let fraction = format!("{}/{}", value.numerator(), value.denominator());
        self.add(path, fraction);
    }

    fn vdaf(&mut self, vdaf: &Vdaf) {
        self.add("vdaf.type", vdaf.kind());
        match vdaf {
            Vdaf::Count { aggregators } => self.add("vdaf.aggregators", aggregators),
            Vdaf::Sum { aggregators, range } | Vdaf::Average { aggregators, range } => {
                self.add("vdaf.aggregators", aggregators);
                self.range(range);
            }
            Vdaf::SumVec {
                aggregators,
                length,
                range,
                chunk_length: _,
            } => {
                self.vector(*aggregators, *length);
                self.range(range);
            }
            Vdaf::Histogram {
                aggregators,
                length,
                chunk_length: _,
            } => self.vector(*aggregators, *length),
            Vdaf::MultihotCountVec {
                aggregators,
                length,
                max_weight: _,
                chunk_length: _,
            } => {
                self.vector(*aggregators, *length);
                self.filled_in("vdaf.max_weight", "max_weight");
            }
            Vdaf::L1BoundSum {
                aggregators,
                length,
                max_measurement,
                chunk_length: _,
            } => {
                self.vector(*aggregators, *length);
                self.add("vdaf.max_measurement", max_measurement);
            }
        }
    }

    fn vector(&mut self, aggregators: usize, length: usize) {
        self.add("vdaf.aggregators", aggregators);
        self.add("vdaf.length", length);
        self.filled_in("vdaf.chunk_length", "chunk_length");
    }

    /// A parameter that a document may leave open, as the policy has it.
    fn filled_in(&mut self, path: &str, name: &str) {
        let mut parameters = self.parameters.iter();
        if let Some((_, value)) = parameters.find(|(candidate, _)| *candidate == name) {
            self.add(path, value);
        }
    }

    fn range(&mut self, range: &Range) {
        match range {
            Range::MaxMeasurement(max) => self.add("vdaf.range.max_measurement", max),
            Range::Grid(grid) => {
                self.number("vdaf.range.grid.low", grid.low());
                self.number("vdaf.range.grid.high", grid.high());
                self.number("vdaf.range.grid.granularity", grid.granularity());
            }
        }
    }

    fn client_noise(&mut self, noise: &ClientNoise) {
        let epsilon = "client_noise.epsilon";
        let epsilon0 = "client_noise.epsilon0";
        let rate = "client_noise.false_positive_rate";
        self.add("client_noise.type", noise.kind());
        match noise {
            ClientNoise::CoinFlip {} => {}
            ClientNoise::RandomizedResponse { epsilon: value }
            | ClientNoise::KaryRandomizedResponse { epsilon: value } => {
                self.number(epsilon, value.value());
            }
            ClientNoise::SymmetricRappor {
                epsilon0: value,
                input_weight,
                false_positive_rate,
            } => {
                self.number(epsilon0, value.value());
                self.add("client_noise.input_weight", input_weight);
                self.number(rate, false_positive_rate);
            }
            ClientNoise::OneHotRappor {
                epsilon0: value,
                false_positive_rate,
            } => {
                self.number(epsilon0, value.value());
                self.number(rate, false_positive_rate);
            }
            ClientNoise::BasicRappor {
                epsilon: value,
                false_positive_rate,
            } => {
                self.number(epsilon, value.value());
                self.number(rate, false_positive_rate);
            }
        }
    }

    fn aggregator_noise(&mut self, noise: &AggregatorNoise) {
        self.add("aggregator_noise.type", noise.kind());
        match noise {
            AggregatorNoise::DiscreteLaplace { budget }
            | AggregatorNoise::DiscreteGaussian { budget } => self.budget(budget),
            AggregatorNoise::Compensation {
                wanted_honest_clients,
                assumed_malicious_clients,
            } => {
                let path = "aggregator_noise.wanted_honest_clients";
                self.add(path, wanted_honest_clients);
                let path = "aggregator_noise.assumed_malicious_clients";
                self.add(path, assumed_malicious_clients);
            }
        }
    }

    fn budget(&mut self, budget: &Budget) {
        match budget {
            Budget::Pure { epsilon } => {
                self.number("aggregator_noise.budget.pure.epsilon", epsilon.value());
            }
            Budget::Approximate { epsilon, delta } => {
                let path = "aggregator_noise.budget.approximate.epsilon";
                self.number(path, epsilon.value());
                let path = "aggregator_noise.budget.approximate.delta";
                self.number(path, delta.value());
            }
            Budget::ZeroConcentrated { rho } => {
                self.number("aggregator_noise.budget.zero_concentrated.rho", rho.value());
            }
            Budget::Renyi { alpha, tau } => {
                self.number("aggregator_noise.budget.renyi.alpha", alpha);
                self.number("aggregator_noise.budget.renyi.tau", tau);
            }
        }
    }

    fn trust(&mut self, trust: &Trust) {
        let Trust {
            model,
            honest_clients,
            delta,
            releases,
            accept_weak_promise,
        } = trust;
        self.add("trust.model", model.abbreviation());
        if let Some(honest_clients) = honest_clients {
            self.add("trust.honest_clients", honest_clients);
        }
        if let Some(delta) = delta.as_ref().map(Delta::value) {
            self.number("trust.delta", delta);
        }
        if let Some(releases) = releases {
            self.add("trust.releases", releases);
        }
        if *accept_weak_promise {
            self.add("trust.accept_weak_promise", true);
        }
    }

    fn batch(&mut self, batch: Batch, most: u64) {
        let Batch {
            min_reports,
            max_reports: _,
        } = batch;
        self.add("batch.min_reports", min_reports);
        self.add("batch.max_reports", most);
    }
}
