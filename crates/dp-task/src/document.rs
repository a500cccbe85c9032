//! The task document as a tree of types. Nothing in it is calibrated yet. `docs/document.md` has
//! the schema. Whether sections fit each other is checked when it becomes a [`Task`](crate::Task).

/// Defines the fields of all sections: the type and the meaning of each, by its name.
macro_rules! fields {
    ($($name:ident: $type:ty = $doc:literal,)+) => {
        macro_rules! field {
            $((type $name) => { $type }; (doc $name) => { $doc };)+
        }
    };
}

fields! {
    aggregators: usize = "Number of aggregators, 2 to 254.",
    length: usize = "Number of entries of a vector, or of buckets.",
    range: MeasurementRange = "The accepted values of every number.",
    max_measurement: u128 = "The largest sum of a vector.",
    max_weight: Option<usize> =
        "Largest number of ones in a shared vector; determined by RAPPOR if clients use it.",
    chunk_length: Option<usize> =
        "Number of entries per gadget call of the proof. Default: the shortest proof.",
    epsilon: Epsilon = "ε of one report under replacement.",
    epsilon0: Epsilon = "The parameter of one bit.",
    input_weight: usize = "Largest number of ones in a measurement, before it is randomized.",
    false_positive_rate: Rational =
        "Fraction of honest reports that the bound on the randomized weight may drop.",
    budget: Budget = "The budget that the noise of one aggregator keeps.",
    target_honest_clients: u64 =
        "H: the number of honest clients up to which a batch is filled, 1 to 10^10.",
    assumed_malicious_clients: u64 = "f: the number of clients of a batch that may be malicious.",
}

/// Defines a section with a `type`, which is written among its [`fields`]: an enum of the fields of
/// each type, and an enum of the types. A field of another type is refused.
macro_rules! section {
    (
        $(#[$section_doc:meta])* $section:ident
        $(#[$kind_doc:meta])* $kind:ident {
            $($(#[$variant_doc:meta])* $variant:ident = $name:literal { $($field:ident),* },)+
        }
    ) => {
        $(#[$section_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "type")]
        pub enum $section {
            $(
                $(#[$variant_doc])*
                #[serde(rename = $name)]
                $variant {
                    $(
                        #[doc = field!(doc $field)]
                        #[serde(skip_serializing_if = "Field::is_absent")]
                        #[serde(serialize_with = "Field::write")]
                        $field: field!(type $field),
                    )*
                },
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

        impl Field for $section {
            fn read(field: DocumentField) -> Result<Self, ParameterError> {
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

/// Defines a table of the document: a struct, each of whose fields is read and written by [`Field`].
macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$doc])*
        pub struct $name {
            $(
                $(#[$field_doc])*
                #[serde(skip_serializing_if = "Field::is_absent", serialize_with = "Field::write")]
                pub $field: $type,
            )+
        }

        impl Field for $name {
            fn read(field: DocumentField) -> Result<Self, ParameterError> {
                let mut table = field.fields(&[$(stringify!($field)),+])?;
                Ok(Self { $($field: table.take(stringify!($field))?),+ })
            }
        }
    };
}

mod noise;
mod vdaf;

use std::fmt::Display;

use dp_calibration::check_name;
use dp_exact::{Delta, ParameterError};
use dp_prio3::TrustModel;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use noise::{AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType};
pub use vdaf::{MeasurementRange, Vdaf, VdafSize, VdafType};

use crate::read::{DocumentField, Field, MAX_RELEASES};

/// The version of the schema that is read and written.
pub const VERSION: u64 = 2;

const FIELDS: &[&str] =
    &["version", "name", "vdaf", "client_noise", "aggregator_noise", "trust", "batch"];

/// A task as a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskDocument {
    /// The version of the schema.
    pub version: SchemaVersion,
    /// The name of the task, by the [rule for names](dp_calibration::check_name).
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

impl Field for SchemaVersion {
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

table! {
    /// The trust model of a task and its circumstances.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    Trust {
        /// The trust model in which the task needs a guarantee.
        model: TrustModel,
        /// Number of honest clients of a batch, in the models that count on them.
        honest_clients: Option<u64>,
        /// The δ at which guarantees are reported. Default: the δ of the noise, or 1e-9. Required
        /// where clients hide each other.
        delta: Option<Delta>,
        /// Number of releases in which one person takes part. Default: 1.
        releases: Option<u64>,
        /// Whether the parties accept a guarantee that protects nobody.
        accept_weak_guarantee: bool,
    }
}

table! {
    /// The number of reports in a batch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    BatchLimits {
        /// The smallest number, at least 1.
        min_reports: u64,
        /// The largest number. Default: 2^32, or fewer if totals of more wrap around the field.
        max_reports: Option<u64>,
    }
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

impl TaskDocument {
    /// Number of clients of a batch that are assumed to be malicious; 0 without compensation.
    #[must_use]
    pub const fn assumed_malicious_clients(&self) -> u64 {
        match self.aggregator_noise {
            Some(AggregatorNoise::Compensation { assumed_malicious_clients, .. }) => {
                assumed_malicious_clients
            }
            _ => 0,
        }
    }

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
        let malicious = self.assumed_malicious_clients();
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
