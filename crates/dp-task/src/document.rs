//! The task document as a tree of types. Nothing in it is calibrated yet. `docs/document.md` has
//! the schema. Whether sections fit each other is checked when it becomes a [`Task`](crate::Task).

/// Defines a section with a `type`, which is written among its fields: an enum of the fields of
/// each type, and an enum of the types. A field of another type is refused.
macro_rules! section {
    (
        $(#[$section_doc:meta])* $section:ident
        $(#[$kind_doc:meta])* $kind:ident {
            $($(#[$variant_doc:meta])* $variant:ident = $name:literal {
                $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
            },)+
        }
    ) => {
        $(#[$section_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "type")]
        pub enum $section {
            $(
                $(#[$variant_doc])*
                #[serde(rename = $name)]
                $variant { $($(#[$field_doc])* $field: $type,)* },
            )+
        }

        impl $section {
            /// The type of the section.
            #[must_use]
            pub const fn kind(&self) -> $kind {
                match self {
                    $(Self::$variant { .. } => $kind::$variant,)+
                }
            }
        }

        impl crate::read::FromField for $section {
            fn read(field: crate::read::DocumentField) -> Result<Self, dp_exact::ParameterError> {
                let mut table = field.table()?;
                match table.tag(&[$($name),+])? {
                    $($name => {
                        table.check_fields($kind::$variant.fields(), concat!("with ", $name))?;
                        Ok(Self::$variant { $($field: table.take(stringify!($field))?,)* })
                    })+
                    other => unreachable!("{other} is no type of a section"),
                }
            }
        }

        $(#[$kind_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $kind {
            /// All types.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name of the type in a document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The names of the fields beside `type`.
            #[must_use]
            pub const fn fields(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$(stringify!($field)),*],)+
                }
            }
        }
    };
}

mod noise;
mod vdaf;

use std::fmt::Display;

use dp_exact::{Delta, ParameterError, check_name};
use dp_prio3::TrustModel;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use noise::{AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType};
pub use vdaf::{MeasurementRange, Vdaf, VdafSize, VdafType};

use crate::read::{DocumentField, FromField, MAX_RELEASES};

/// The version of the schema that is read and written.
pub const VERSION: u64 = 2;

/// The names of the fields and sections at the top of a document.
const FIELDS: &[&str] =
    &["version", "name", "vdaf", "client_noise", "aggregator_noise", "trust", "batch"];

/// A task as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskDocument {
    /// The version of the schema.
    pub version: SchemaVersion,
    /// The name of the task, by the [rule for names](dp_exact::check_name).
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

/// The version of a document: [`VERSION`], the only one that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaVersion;

impl Serialize for SchemaVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(VERSION)
    }
}

impl FromField for SchemaVersion {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        let refused = field.refused("2");
        match Option::read(field)? {
            Some(VERSION) => Ok(Self),
            Some(1_u64) => {
                let accepted = "2: version 1 of the schema is no longer read, write the document anew by \
                                docs/document.md of dp-task";
                Err(ParameterError::new("version", 1, accepted))
            }
            _ => Err(refused),
        }
    }
}

impl TaskDocument {
    /// The document in a tree of values; `Err` names the first wrong field.
    pub(crate) fn read(document: DocumentField) -> Result<Self, ParameterError> {
        let mut table = document.table()?;
        // First: all other errors are about this version.
        let version = table.take("version")?;
        table.check_fields(FIELDS, "here")?;
        let accepted = "a text of 1 to 256 bytes without control characters or invisible ones";
        let name = table.field("name").text(accepted)?;
        check_name("name", &name)?;
        Ok(Self {
            version,
            name,
            vdaf: table.take("vdaf")?,
            client_noise: table.take("client_noise")?,
            aggregator_noise: table.take("aggregator_noise")?,
            trust: table.take("trust")?,
            batch: table.take("batch")?,
        })
    }
}

impl<'de> Deserialize<'de> for TaskDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(DocumentField::document(toml::Value::deserialize(deserializer)?))
            .map_err(D::Error::custom)
    }
}

/// The trust model of a task and its circumstances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trust {
    /// The trust model in which the task needs a guarantee.
    pub model: TrustModel,
    /// Number of honest clients of a batch, in the models that count on them.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub honest_clients: Option<u64>,
    /// The δ at which guarantees are reported. Default: the δ of the noise, or 1e-9. Required where
    /// clients hide each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Number of releases in which one person takes part. Default: 1.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub releases: Option<u64>,
    /// Whether the parties accept a guarantee that protects nobody.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
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
            accept_weak_guarantee: false,
        }
    }
}

/// The number of reports in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BatchLimits {
    /// The smallest number, at least 1.
    #[serde(serialize_with = "integer")]
    pub min_reports: u64,
    /// The largest number. Default: 2^32, or fewer if totals of more wrap around the field.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub max_reports: Option<u64>,
}

/// Implements [`FromField`] for a struct: a table with a field for each of its fields.
macro_rules! read_table {
    ($type:ident { $($field:ident),+ }) => {
        impl FromField for $type {
            fn read(field: DocumentField) -> Result<Self, ParameterError> {
                let mut table = field.fields(&[$(stringify!($field)),+])?;
                Ok(Self { $($field: table.take(stringify!($field))?),+ })
            }
        }
    };
}

read_table!(Trust { model, honest_clients, delta, releases, accept_weak_guarantee });
read_table!(BatchLimits { min_reports, max_reports });

/// The largest integer that is written as a number, since every JSON reader keeps it exactly.
/// Larger integers are written as strings.
const MAX_EXACT: u64 = 1 << 53;

/// Writes an integer as a number up to [`MAX_EXACT`], otherwise as a string.
pub(crate) fn integer<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<u128>,
    S: Serializer,
{
    let value: u128 = (*value).into();
    match u64::try_from(value).ok().filter(|value| *value <= MAX_EXACT) {
        Some(value) => serializer.serialize_u64(value),
        None => serializer.collect_str(&value),
    }
}

/// Writes an optional integer by [`integer`].
#[expect(clippy::ref_option, reason = "serde's interface")]
fn integer_option<S>(value: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error>
where
    S: Serializer,
{
    match value {
        Some(value) => integer(value, serializer),
        None => serializer.serialize_none(),
    }
}

impl TaskDocument {
    /// `Err`, with the field's name, for a contradiction that shows before a policy is built.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        let BatchLimits { min_reports, max_reports } = self.batch;
        let Trust { model, delta, .. } = &self.trust;
        let refuse_if = |is_wrong, field: &'static str, value: &dyn Display, accepted: String| {
            if is_wrong { Err(ParameterError::new(field, value, accepted)) } else { Ok(()) }
        };
        let accepted = "an integer of at least 1".to_owned();
        refuse_if(min_reports == 0, "batch.min_reports", &0, accepted)?;
        let most_reports = max_reports.unwrap_or(u64::MAX);
        let accepted = format!("at least batch.min_reports, {min_reports}");
        refuse_if(most_reports < min_reports, "batch.max_reports", &most_reports, accepted)?;
        let noise = self.aggregator_noise.as_ref();
        let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
        let field = "aggregator_noise.assumed_malicious_clients";
        let accepted = format!("below batch.min_reports, {min_reports}");
        refuse_if(malicious >= min_reports, field, &malicious, accepted)?;
        let most = self.vdaf.aggregators();
        let are_too_few = usize::from(model.honest_aggregators()) > most;
        let accepted = format!(
            "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
        );
        refuse_if(are_too_few, "trust.model", &model.abbreviation(), accepted)?;
        self.trust.check_honest_clients(min_reports)?;
        let releases = self.trust.releases.unwrap_or(1);
        let accepted = format!("an integer from 1 to {MAX_RELEASES}");
        let is_outside = !(1..=MAX_RELEASES).contains(&releases);
        refuse_if(is_outside, "trust.releases", &releases, accepted)?;
        if self.client_noise.is_none() || !model.needs_other_clients() {
            return Ok(());
        }
        let Some(delta) = delta else {
            let accepted = "a number above 0 and below 1, such as \"1e-9\"";
            return Err(ParameterError::new("trust.delta", "missing", accepted));
        };
        let accepted = "above 0: clients hide each other only except for some delta".to_owned();
        refuse_if(delta.value().is_zero(), "trust.delta", delta, accepted)
    }
}

impl Trust {
    /// `Err` unless the number of honest clients is from 1 to `most` where the trust model counts
    /// on them, and absent elsewhere.
    fn check_honest_clients(&self, most: u64) -> Result<(), ParameterError> {
        let accepted = match (self.model.needs_other_clients(), self.honest_clients) {
            (false, None) => return Ok(()),
            (true, Some(honest)) if (1..=most).contains(&honest) => return Ok(()),
            (true, _) => format!("an integer from 1 to batch.min_reports, {most}"),
            (false, Some(_)) => {
                let model = self.model.abbreviation();
                format!("no such field in trust model {model}, which counts on none")
            }
        };
        let value = self.honest_clients.map_or("missing".to_owned(), |honest| honest.to_string());
        Err(ParameterError::new("trust.honest_clients", value, accepted))
    }
}
