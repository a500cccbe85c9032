//! The document as a tree of types: what is written down of a task, none of it calibrated yet.
//!
//! The schema is in this crate's README. A section that has a `type` is an enum, whose variants have
//! the fields that go with it; whether the sections go with each other is checked when the document
//! becomes a [`Task`](crate::Task).

mod noise;
mod trust;
mod vdaf;

use dp_exact::{ParameterError, check_name};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use noise::{AggregatorNoise, ClientNoise, Mechanism, Randomizer};
pub use trust::{Batch, Trust};
pub use vdaf::{Range, Size, Vdaf, VdafType};

use crate::Error;
use crate::table::Table;
use crate::value::Value;

/// The version of the schema that is read and written.
pub const VERSION: u64 = 2;

/// The sections of a document, and its fields outside of any.
const FIELDS: &[&str] = &[
    "version",
    "name",
    "vdaf",
    "client_noise",
    "aggregator_noise",
    "trust",
    "batch",
];

/// A task, as a document.
///
/// ```
/// use dp_task::{AggregatorNoise, Batch, Document, Trust, Vdaf, Version};
///
/// let document = Document {
///     version: Version,
///     name: "asthma".to_owned(),
///     vdaf: Vdaf::Count { aggregators: 2 },
///     client_noise: None,
///     aggregator_noise: Some(AggregatorNoise::DiscreteLaplace {
///         budget: dp_calibration::Budget::Pure { epsilon: "0.5".parse()? },
///     }),
///     trust: Trust::on("OAOC".parse()?),
///     batch: Batch { min_reports: 1000, max_reports: None },
/// };
/// assert_eq!(dp_task::Task::new(document)?.policy_name().name, "count-laplace");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Document {
    /// That of this schema.
    pub version: Version,
    /// What the parties call the task: a text by the [rule for names](dp_exact::check_name).
    pub name: String,
    /// What is aggregated.
    pub vdaf: Vdaf,
    /// The noise of the clients, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_noise: Option<ClientNoise>,
    /// The noise of each aggregator, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator_noise: Option<AggregatorNoise>,
    /// Who is relied upon.
    pub trust: Trust,
    /// How many reports are aggregated together.
    pub batch: Batch,
}

/// The version of a document: [`VERSION`], the only one that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(VERSION)
    }
}

impl Version {
    fn read(table: &mut Table) -> Result<Self, Error> {
        let accepted = match table.take::<Option<u64>>("version")? {
            Some(VERSION) => return Ok(Self),
            Some(1) => {
                "2: version 1 of the schema is read no more, write the document anew by the README \
                 of dp-task"
            }
            Some(other) => return Err(ParameterError::new("version", other, "2").into()),
            None => return Err(ParameterError::new("version", "missing", "2").into()),
        };
        Err(ParameterError::new("version", 1, accepted).into())
    }
}

impl Document {
    pub(crate) fn read(value: Value) -> Result<Self, Error> {
        let mut table = Table::new(value)?;
        // First: all other errors are about this version.
        let version = Version::read(&mut table)?;
        table.only(FIELDS, "here")?;
        let accepted = "a text of 1 to 256 bytes without control characters or invisible ones";
        let name = table.text("name", accepted)?;
        check_name("name", &name)?;
        Ok(Self {
            version,
            name,
            vdaf: Vdaf::section(&mut table, "vdaf")?.ok_or_else(|| missing("vdaf"))?,
            client_noise: ClientNoise::section(&mut table, "client_noise")?,
            aggregator_noise: AggregatorNoise::section(&mut table, "aggregator_noise")?,
            trust: table.take("trust")?,
            batch: table.take("batch")?,
        })
    }
}

fn missing(section: &'static str) -> Error {
    ParameterError::new(section, "missing", "a section of this name").into()
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
