//! Who is relied upon, and how many reports make a batch.

use std::fmt::{self, Formatter};

use dp_exact::Delta;
use dp_prio3::TrustModel;
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::integer;

/// Who is relied upon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Trust {
    /// The trust model in which the task needs a guarantee.
    #[serde(deserialize_with = "trust_model")]
    pub model: TrustModel,
    /// How many clients of a batch are honest, in the models that count on them.
    #[serde(
        serialize_with = "integer::serialize_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub honest_clients: Option<u64>,
    /// The δ at which guarantees are stated; by default the one of the noise, or 1e-9. Needed where
    /// clients hide each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// In how many releases one person takes part, at least 1; by default 1.
    #[serde(
        default,
        serialize_with = "integer::serialize_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub releases: Option<u64>,
    /// Whether the parties accept a promise that protects nobody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accept_weak_promise: bool,
}

dp_exact::named_fields!(Trust: Serialize, Deserialize);

impl Trust {
    /// In a model that counts on no other clients.
    #[must_use]
    pub const fn on(model: TrustModel) -> Self {
        Self {
            model,
            honest_clients: None,
            delta: None,
            releases: None,
            accept_weak_promise: false,
        }
    }
}

fn trust_model<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrustModel, D::Error> {
    deserializer.deserialize_str(Abbreviation)
}

/// Reads a trust model by its abbreviation.
struct Abbreviation;

impl Visitor<'_> for Abbreviation {
    type Value = TrustModel;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TrustModel, E> {
        let refused = |_| E::invalid_value(Unexpected::Other(text), &self);
        text.parse().map_err(refused)
    }
}

/// How many reports are aggregated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Batch {
    /// The fewest, at least 1.
    #[serde(serialize_with = "integer::serialize")]
    pub min_reports: u64,
    /// The most; by default 2^32, or fewer if no more have room in the field.
    #[serde(
        serialize_with = "integer::serialize_option",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_reports: Option<u64>,
}

dp_exact::named_fields!(Batch: Serialize, Deserialize);
