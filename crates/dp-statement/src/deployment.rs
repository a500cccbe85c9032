//! What only the deployer knows: purpose, operators, retention, whom to ask.
//!
//! The document is TOML; `fields` lists what it has. Nothing has a default: what is missing is refused,
//! all of it at once.

mod fields;
mod read;
mod template;

pub use fields::{FIELDS, Field};
pub use template::template;

use crate::Error;
use read::Reader;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// A deployment, as its operator describes it. Every text is 1 to 1000 bytes of
/// [printable](dp_exact::is_printable) characters, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub(crate) product: Product,
    pub(crate) curator: Curator,
    /// One for each aggregator of the task.
    pub(crate) aggregators: Vec<Operator>,
    pub(crate) collector: Collector,
    pub(crate) retention: Retention,
    pub(crate) contact: Contact,
    pub(crate) choices: Choices,
    pub(crate) record: Record,
}

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) purpose: String,
    pub(crate) collected: String,
    pub(crate) schedule: String,
    pub(crate) region: String,
    pub(crate) sector: String,
    pub(crate) data_source: String,
    pub(crate) first_published: String,
}

/// Who publishes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Curator {
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// Who runs an aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    pub(crate) operator: String,
    pub(crate) trust: String,
}

/// Who gets the results, and to whom they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collector {
    pub(crate) operator: String,
    pub(crate) audience: String,
}

/// How long what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Retention {
    pub(crate) reports: String,
    pub(crate) results: String,
}

/// Whom to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contact {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) opt_out: String,
}

/// How parameters came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choices {
    pub(crate) tuning: String,
    pub(crate) justification: String,
    pub(crate) post_processing: String,
}

/// What the registry asks beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) authors: Vec<String>,
    pub(crate) people: u64,
}

impl Deployment {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], is not TOML, has a field that is unknown or of another kind; and
    /// [`Error::Missing`] with every field that is left out or left empty, in the order of [`FIELDS`].
    pub fn from_toml(document: impl AsRef<[u8]>) -> Result<Self, Error> {
        let mut reader = Reader::new(document.as_ref())?;
        let deployment = Self::read(&mut reader)?;
        reader.finish()?;
        Ok(deployment)
    }

    /// The error of a deployment that says nothing at all: the list of what is needed.
    #[must_use]
    pub fn nothing_said() -> Error {
        let fields = FIELDS.iter().map(|field| field.described()).collect();
        Error::Missing { fields }
    }

    fn read(reader: &mut Reader) -> Result<Self, Error> {
        reader.version()?;
        Ok(Self {
            product: Product {
                name: reader.text("product.name")?,
                description: reader.text("product.description")?,
                purpose: reader.text("product.purpose")?,
                collected: reader.text("product.collected")?,
                schedule: reader.text("product.schedule")?,
                region: reader.text("product.region")?,
                sector: reader.one_of("product.sector", fields::SECTORS)?,
                data_source: reader.one_of("product.data_source", fields::SOURCES)?,
                first_published: reader.date("product.first_published")?,
            },
            curator: Curator {
                name: reader.text("curator.name")?,
                kind: reader.one_of("curator.type", fields::KINDS)?,
            },
            aggregators: reader.operators()?,
            collector: Collector {
                operator: reader.text("collector.operator")?,
                audience: reader.text("collector.audience")?,
            },
            retention: Retention {
                reports: reader.text("retention.reports")?,
                results: reader.text("retention.results")?,
            },
            contact: Contact {
                name: reader.text("contact.name")?,
                address: reader.text("contact.address")?,
                opt_out: reader.text("contact.opt_out")?,
            },
            choices: Choices {
                tuning: reader.text("choices.tuning")?,
                justification: reader.text("choices.justification")?,
                post_processing: reader.text("choices.post_processing")?,
            },
            record: Record {
                authors: reader.texts("record.authors")?,
                people: reader.count("record.people")?,
            },
        })
    }
}
