//! The document as a tree of types: what is written down of a task, none of it calibrated yet.
//!
//! The schema is in this crate's README. A section that has a `type` is an enum, whose variants have
//! the fields that go with it; whether the sections go with each other is checked when the document
//! becomes a [`Task`](crate::Task).

/// A section of a document with a `type`: an enum of what each type has for fields, and a plain one of
/// the types by name.
///
/// It is written with `type` among the fields, and read from a [`Table`](crate::read::Table), in which
/// a field that another type has is refused.
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
            /// The type.
            #[must_use]
            pub const fn kind(&self) -> $kind {
                match self {
                    $(Self::$variant { .. } => $kind::$variant,)+
                }
            }
        }

        impl crate::read::Read for $section {
            fn read(field: crate::read::Field) -> Result<Self, dp_exact::ParameterError> {
                let mut table = field.table("a table")?;
                match table.tag(&[$($name),+])? {
                    $($name => {
                        table.only($kind::$variant.fields(), concat!("with ", $name))?;
                        Ok(Self::$variant { $($field: table.take(stringify!($field))?,)* })
                    })+
                    other => unreachable!("{other} is no type of a section"),
                }
            }
        }

        $(#[$kind_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name in a document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The fields beside the type.
            #[must_use]
            pub const fn fields(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$(stringify!($field)),*],)+
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }
    };
}

mod noise;
mod vdaf;

use dp_exact::{Delta, ParameterError, check_name};
use dp_prio3::TrustModel;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use noise::{AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType};
pub use vdaf::{MeasurementRange, Vdaf, VdafSize, VdafType};

use crate::read::{Field, Read, Value};

/// The version of the schema that is read and written.
pub const VERSION: u64 = 2;

/// The sections of a document, and its fields outside of any.
const FIELDS: &[&str] =
    &["version", "name", "vdaf", "client_noise", "aggregator_noise", "trust", "batch"];

/// A task, as a document.
///
/// ```
/// use dp_task::{AggregatorNoise, BatchLimits, TaskDocument, Trust, Vdaf, SchemaVersion};
///
/// let document = TaskDocument {
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
pub struct TaskDocument {
    /// The version of the schema.
    pub version: SchemaVersion,
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

impl Read for SchemaVersion {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let refused = field.refused("2");
        match Option::read(field)? {
            Some(VERSION) => Ok(Self),
            Some(1_u64) => {
                let accepted = "2: version 1 of the schema is read no more, write the document anew by the \
                                README of dp-task";
                Err(ParameterError::new("version", 1, accepted))
            }
            _ => Err(refused),
        }
    }
}

impl TaskDocument {
    pub(crate) fn read(value: Value) -> Result<Self, ParameterError> {
        let mut table = Field::document(value).table("a table")?;
        // First: all other errors are about this version.
        let version = table.take("version")?;
        table.only(FIELDS, "here")?;
        let accepted = "a text of 1 to 256 bytes without control characters or invisible ones";
        let name = table.field("name").text(accepted)?;
        check_name("name", &name)?;
        let vdaf: Option<Vdaf> = table.take("vdaf")?;
        let missing = || ParameterError::new("vdaf", "missing", "a section of this name");
        Ok(Self {
            version,
            name,
            vdaf: vdaf.ok_or_else(missing)?,
            client_noise: table.take("client_noise")?,
            aggregator_noise: table.take("aggregator_noise")?,
            trust: table.take("trust")?,
            batch: table.take("batch")?,
        })
    }
}

impl<'de> Deserialize<'de> for TaskDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Who is relied upon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trust {
    /// The trust model in which the task needs a guarantee.
    pub model: TrustModel,
    /// How many clients of a batch are honest, in the models that count on them.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub honest_clients: Option<u64>,
    /// The δ at which guarantees are stated; by default the one of the noise, or 1e-9. Needed where
    /// clients hide each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// In how many releases one person takes part, at least 1; by default 1.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub releases: Option<u64>,
    /// Whether the parties accept a guarantee that protects nobody.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub accept_weak_guarantee: bool,
}

impl Trust {
    /// In a model that counts on no other clients.
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

/// How many reports are aggregated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BatchLimits {
    /// The fewest, at least 1.
    #[serde(serialize_with = "integer")]
    pub min_reports: u64,
    /// The most; by default 2^32, or fewer if no more have room in the field.
    #[serde(serialize_with = "integer_option", skip_serializing_if = "Option::is_none")]
    pub max_reports: Option<u64>,
}

impl Read for Trust {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let mut table = field.fields(&[
            "model",
            "honest_clients",
            "delta",
            "releases",
            "accept_weak_guarantee",
        ])?;
        Ok(Self {
            model: table.take("model")?,
            honest_clients: table.take("honest_clients")?,
            delta: table.take("delta")?,
            releases: table.take("releases")?,
            accept_weak_guarantee: table.take("accept_weak_guarantee")?,
        })
    }
}

impl Read for BatchLimits {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let mut table = field.fields(&["min_reports", "max_reports"])?;
        Ok(Self {
            min_reports: table.take("min_reports")?,
            max_reports: table.take("max_reports")?,
        })
    }
}

/// The largest integer that is written as such, which every reader of JSON keeps exactly; beyond, it is a string.
const MAX: u64 = 1 << 53;

pub(crate) fn integer<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<u128>,
    S: Serializer,
{
    let value: u128 = (*value).into();
    match u64::try_from(value).ok().filter(|value| *value <= MAX) {
        Some(value) => serializer.serialize_u64(value),
        None => serializer.collect_str(&value),
    }
}

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

/// The most releases in which one person takes part.
const MAX_RELEASES: u64 = 1 << 20;

impl TaskDocument {
    /// Refuses contradictions that are seen before a policy is built.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        self.batch.check()?;
        self.check_malicious()?;
        self.trust.check_aggregators(self.vdaf.aggregators())?;
        self.trust.check_honest_clients(self.batch)?;
        self.trust.check_releases()?;
        self.trust.check_delta(self.client_noise.is_some())
    }

    /// A batch of the fewest reports has an honest one among them.
    fn check_malicious(&self) -> Result<(), ParameterError> {
        let noise = self.aggregator_noise.as_ref();
        let malicious = noise.map_or(0, |noise| noise.assumed_malicious_clients());
        let least = self.batch.min_reports;
        if malicious >= least {
            let accepted = format!("below batch.min_reports, {least}");
            let field = "aggregator_noise.assumed_malicious_clients";
            return Err(ParameterError::new(field, malicious, accepted));
        }
        Ok(())
    }
}

impl BatchLimits {
    fn check(self) -> Result<(), ParameterError> {
        let Self { min_reports, max_reports } = self;
        if min_reports == 0 {
            let accepted = "an integer of at least 1";
            return Err(ParameterError::new("batch.min_reports", 0, accepted));
        }
        match max_reports {
            Some(max) if max < min_reports => {
                let accepted = format!("at least batch.min_reports, {min_reports}");
                Err(ParameterError::new("batch.max_reports", max, accepted))
            }
            _ => Ok(()),
        }
    }
}

impl Trust {
    fn check_aggregators(&self, most: usize) -> Result<(), ParameterError> {
        if usize::from(self.model.honest_aggregators()) <= most {
            return Ok(());
        }
        let accepted = format!(
            "a trust model of at most {most} honest aggregators, the task's vdaf.aggregators"
        );
        let model = self.model.abbreviation();
        Err(ParameterError::new("trust.model", model, accepted))
    }

    fn check_honest_clients(&self, batch: BatchLimits) -> Result<(), ParameterError> {
        let least = batch.min_reports;
        let refused = |value: &str, accepted: String| {
            Err(ParameterError::new("trust.honest_clients", value, accepted))
        };
        match (self.model.needs_other_clients(), self.honest_clients) {
            (false, None) => Ok(()),
            (true, Some(honest)) if (1..=least).contains(&honest) => Ok(()),
            (false, Some(honest)) => {
                let model = self.model.abbreviation();
                let accepted =
                    format!("no such field in trust model {model}, which counts on none");
                refused(&honest.to_string(), accepted)
            }
            (true, stated) => {
                let value =
                    stated.map_or_else(|| "missing".to_owned(), |honest| honest.to_string());
                refused(&value, format!("an integer from 1 to batch.min_reports, {least}"))
            }
        }
    }

    fn check_releases(&self) -> Result<(), ParameterError> {
        match self.releases {
            Some(releases) if !(1..=MAX_RELEASES).contains(&releases) => {
                let accepted = format!("an integer from 1 to {MAX_RELEASES}");
                Err(ParameterError::new("trust.releases", releases, accepted))
            }
            _ => Ok(()),
        }
    }

    fn check_delta(&self, clients_add_noise: bool) -> Result<(), ParameterError> {
        let field = "trust.delta";
        let is_needed = clients_add_noise && self.model.needs_other_clients();
        match (is_needed, &self.delta) {
            (false, _) => Ok(()),
            (true, Some(delta)) if !delta.value().is_zero() => Ok(()),
            (true, Some(delta)) => {
                let accepted = "above 0: clients hide each other only but for some delta";
                Err(ParameterError::new(field, delta, accepted))
            }
            (true, None) => {
                let accepted = "a number above 0 and below 1, such as \"1e-9\"";
                Err(ParameterError::new(field, "missing", accepted))
            }
        }
    }
}
