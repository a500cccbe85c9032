//! The task document: a policy with a name and the trust that it rests on. `docs/document.md` has
//! the schema. Whether its fields fit each other is checked when it becomes a
//! [`Task`](crate::Task).

use std::fmt::{self, Formatter};

use dp_calibration::{Adjacency, check_name};
use dp_exact::Delta;
use dp_prio3::number::digits_or_none;
use dp_prio3::{AggregatorNoise, BatchLimits, ClientNoise, Parts, TrustModel, Vdaf};
use serde::de::Visitor;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::{Table, Value};

use crate::Error;
use crate::field_error::FieldError;
use crate::tree::{self, Node, SECTIONS};

/// The version of the schema that is read and written.
pub const VERSION: u64 = 2;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The largest number of releases in which one person takes part.
pub(crate) const MAX_RELEASES: u32 = 1 << 20;

/// The largest number of reports of one person in a release.
pub(crate) const MAX_REPORTS_PER_CLIENT: u32 = 1 << 20;

/// A task as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct TaskDocument {
    /// The name of the task, by the [rule for names](dp_calibration::check_name).
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The VDAF and its parameters.
    pub vdaf: Vdaf,
    /// The noise of the clients, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_noise: Option<ClientNoise>,
    /// The noise of each aggregator, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator_noise: Option<AggregatorNoise>,
    /// The trust model and its circumstances.
    pub trust: Trust,
    /// The number of reports in a batch.
    pub batch: BatchLimits,
}

/// The trust model of a task and its circumstances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    /// The trust model in which the task needs a guarantee.
    #[serde(deserialize_with = "model")]
    pub model: TrustModel,
    /// Number of honest clients of a batch. Required in the models that count on them; in another
    /// model it is what guarantees in these are stated for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
    pub honest_clients: Option<u64>,
    /// The δ at which guarantees are reported. Default: the δ of the noise, or 1e-9. Required
    /// where clients hide each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Number of releases in which one person takes part. Default: 1, as if none were stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<u32>,
    /// The largest number of reports of one person in a release. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports_per_client: Option<u32>,
    /// The neighbouring relation of the guarantees. Default: replacement.
    #[serde(deserialize_with = "adjacency", skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<Adjacency>,
    /// Whether the parties accept a guarantee that protects nobody.
    #[serde(deserialize_with = "flag", skip_serializing_if = "std::ops::Not::not")]
    pub accept_weak_guarantee: bool,
}

impl Trust {
    /// Trust in a model without further fields.
    #[must_use]
    pub const fn on(model: TrustModel) -> Self {
        Self {
            model,
            honest_clients: None,
            delta: None,
            releases: None,
            reports_per_client: None,
            adjacency: None,
            accept_weak_guarantee: false,
        }
    }
}

impl TaskDocument {
    /// The document of a policy.
    #[must_use]
    pub fn new(name: impl Into<String>, parts: Parts, trust: Trust) -> Self {
        let Parts { vdaf, client_noise, aggregator_noise, batch } = parts;
        Self { name: name.into(), vdaf, client_noise, aggregator_noise, trust, batch }
    }

    /// The policy, as it is written.
    #[must_use]
    pub fn parts(&self) -> Parts {
        Parts {
            vdaf: self.vdaf.clone(),
            client_noise: self.client_noise.clone(),
            aggregator_noise: self.aggregator_noise.clone(),
            batch: self.batch,
        }
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], no TOML, or a field is wrong.
    pub fn from_toml(bytes: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::read(tree::toml(bytes.as_ref())?)
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], no JSON, or a field is wrong.
    pub fn from_json(bytes: impl AsRef<[u8]>) -> Result<Self, Error> {
        Self::read(tree::json(bytes.as_ref())?)
    }

    /// The document in a tree of values. `Err` is the version, if it is wrong, else the first wrong
    /// field.
    fn read(document: Value) -> Result<Self, Error> {
        let Value::Table(mut table) = document else {
            return Err(FieldError::refused(Some(&document), "a table").into());
        };
        // First: all other errors are about this version.
        let version = table.remove("version");
        check_version(version.as_ref()).map_err(|error| error.within("version"))?;
        Ok(Self::deserialize(Node::field("", Some(Value::Table(table))))?)
    }

    /// The document as a tree of values; the type of a section is its field `type`, as in
    /// documents.
    fn written(&self) -> Result<Table, toml::ser::Error> {
        /// The derived form, in which the type of a section is the name of a table around its
        /// fields.
        struct Derived<'a>(&'a TaskDocument);

        impl Serialize for Derived<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                TaskDocument::serialize(self.0, serializer)
            }
        }

        let mut document = Table::new();
        document.insert("version".to_owned(), Value::try_from(VERSION)?);
        document.extend(Table::try_from(Derived(self))?);
        for name in SECTIONS {
            let Some(Value::Table(section)) = document.get_mut(name) else { continue };
            if let Some((kind, Value::Table(fields))) = std::mem::take(section).into_iter().next() {
                let kind = ("type".to_owned(), Value::String(kind));
                *section = std::iter::once(kind).chain(fields).collect();
            }
        }
        Ok(document)
    }
}

impl Serialize for TaskDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written().map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// `Err` unless the version of a document is 2, as a number or as text.
fn check_version(found: Option<&Value>) -> Result<(), FieldError> {
    let text = found.map(|found| found.as_str().map_or_else(|| found.to_string(), str::to_owned));
    let accepted = match text.as_deref().map(str::trim) {
        Some("2") => return Ok(()),
        Some("1") => {
            "2: version 1 of the schema is no longer read, write the document anew by \
             docs/document.md of dp-task"
        }
        _ => "2",
    };
    Err(FieldError::refused(found, accepted))
}

/// A text that a check accepts.
struct Text<T> {
    accepted: &'static str,
    read: fn(&str) -> Option<T>,
    /// The value of an absent field; `None` if the field is required.
    absent: Option<T>,
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.accepted)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<T, E> {
        self.absent.ok_or_else(|| E::custom(self.accepted))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text).ok_or_else(|| E::custom(self.accepted))
    }
}

/// Reads the name of a task; `Err` unless it has 1 to 256 bytes, without control characters or
/// invisible ones.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_any(Text {
        accepted: "a text of 1 to 256 bytes without control characters or invisible ones",
        read: |text| check_name("name", text).ok().map(|()| text.to_owned()),
        absent: None,
    })
}

/// Reads a trust model by its abbreviation.
fn model<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrustModel, D::Error> {
    deserializer.deserialize_any(Text {
        accepted: "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC",
        read: |text| text.parse().ok(),
        absent: None,
    })
}

/// Reads a neighbouring relation by its name; `None` if the field is absent.
fn adjacency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Adjacency>, D::Error> {
    deserializer.deserialize_any(Text {
        accepted: "replacement, deletion or one-coordinate",
        read: |text| text.parse().ok().map(Some),
        absent: Some(None),
    })
}

/// Reads a field of true or false; false if it is absent.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
