//! The task document: a policy with a name and the trust that it rests on. `docs/document.md` has the schema.

use dp_exact::{Delta, ParameterError, check_name};
use dp_prio3::{AggregatorNoise, BatchLimits, ClientNoise, Parts, TrustModel, Vdaf};
use serde::de::{Error as _, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Table, Value};

use crate::Error;
use crate::tree::{Node, with_types};

/// The version of the schema that is written.
pub const VERSION: u64 = 2;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// A task as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskDocument {
    /// The version of the schema.
    #[serde(deserialize_with = "version")]
    pub version: u64,
    /// The name of the task, by the [rule for names](dp_exact::check_name).
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
    /// Number of honest clients of a batch, in the models that count on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub honest_clients: Option<u64>,
    /// The δ at which guarantees are reported. Default: the δ of the noise, or 1e-9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Number of releases in which one person takes part. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<u64>,
    /// Whether the parties accept a guarantee that protects nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_weak_guarantee: Option<bool>,
}

impl Trust {
    /// Trust in a model without further fields.
    #[must_use]
    pub const fn on(model: TrustModel) -> Self {
        Self { model, honest_clients: None, delta: None, releases: None, accept_weak_guarantee: None }
    }
}

impl TaskDocument {
    /// The document of a policy.
    #[must_use]
    pub fn new(name: &str, parts: Parts, trust: Trust) -> Self {
        let Parts { vdaf, client_noise, aggregator_noise, batch } = parts;
        let name = name.to_owned();
        Self { version: VERSION, name, vdaf, client_noise, aggregator_noise, trust, batch }
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], no TOML, or a field is wrong: its path, value and what is accepted.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let table = text.parse::<Table>().map_err(|error| Error::syntax("TOML", error.message()))?;
        Self::read(Value::Table(table))
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// As [`Self::from_toml`].
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::read(serde_json::from_str(text).map_err(|error| Error::syntax("JSON", error))?)
    }

    fn read(value: Value) -> Result<Self, Error> {
        Self::deserialize(Node(Some(value))).map_err(|error| error.into_parameter_error().into())
    }

    fn table(&self) -> Result<Table, Error> {
        let mut table = Table::try_from(self).map_err(|error| Error::syntax("TOML", error))?;
        with_types(&mut table, &["vdaf", "client_noise", "aggregator_noise"]);
        Ok(table)
    }

    /// The document as TOML.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(&self.table()?).map_err(|error| Error::syntax("TOML", error))
    }

    /// The document as JSON.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string_pretty(&self.table()?).map_err(|error| Error::syntax("JSON", error))
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
}

/// A text that a check accepts.
struct Text<T>(&'static str, fn(&str) -> Result<T, ParameterError>);

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).map_err(|_| E::invalid_value(Unexpected::Str(text), &self.0))
    }
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let accepted = "a text of 1 to 256 bytes without control characters or invisible ones";
    deserializer.deserialize_any(Text(accepted, |text| {
        check_name("name", text).map(|()| text.to_owned())
    }))
}

fn model<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrustModel, D::Error> {
    let accepted = "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";
    deserializer.deserialize_any(Text(accepted, str::parse))
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match u64::deserialize(deserializer)? {
        VERSION => Ok(VERSION),
        other => Err(D::Error::invalid_value(
            Unexpected::Unsigned(other),
            &"2: version 1 of the schema is no longer read, write the document anew by \
              docs/document.md of dp-task",
        )),
    }
}
