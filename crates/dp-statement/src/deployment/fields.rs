//! The fields of a deployment.

/// A field that has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Where it stands: `product.name`.
    pub path: &'static str,
    /// What it says, in words.
    pub what: &'static str,
}

impl Field {
    /// The path with what it says.
    pub(crate) fn described(&self) -> String {
        format!("{} ({})", self.path, self.what)
    }
}

const fn field(path: &'static str, what: &'static str) -> Field {
    Field { path, what }
}

/// Every field of a deployment. All are needed; `aggregators` is a list of tables.
#[rustfmt::skip]
pub const FIELDS: &[Field] = &[
    field("version", "1"),
    field("product.name", "what the statistics are called"),
    field("product.description", "what they show"),
    field("product.purpose", "what they are for"),
    field("product.collected", "what a person's device sends, in plain words"),
    field("product.schedule", "when results are made, and when it ends"),
    field("product.region", "where the people live"),
    field("product.sector", "Technology, Healthcare, Education, Government, Energy or Finance"),
    field("product.data_source", "Dynamic if new data come in over time, else Static"),
    field("product.first_published", "YYYY-MM-DD"),
    field("curator.name", "who publishes the statistics"),
    field("curator.type", "Government, Industry or Nonprofit"),
    field("aggregators.operator", "who runs the aggregator, of each"),
    field("aggregators.trust", "why it does not work together with the others, of each"),
    field("collector.operator", "who receives the results"),
    field("collector.audience", "to whom the results are shown"),
    field("retention.reports", "how long the operators keep reports"),
    field("retention.results", "how long results are kept"),
    field("contact.name", "whom to ask"),
    field("contact.address", "where to ask"),
    field("contact.opt_out", "how to stop taking part"),
    field("choices.tuning", "whether the data were looked at before the parameters were chosen"),
    field("choices.justification", "why these parameters"),
    field("choices.post_processing", "what is done with the results before they are shown"),
    field("record.authors", "a list: who wrote the record"),
    field("record.people", "about how many people take part"),
];

/// The sectors of the registry.
pub(super) const SECTORS: &[&str] = &[
    "Technology",
    "Healthcare",
    "Education",
    "Government",
    "Energy",
    "Finance",
];

/// The data sources of the registry.
pub(super) const SOURCES: &[&str] = &["Static", "Dynamic"];

/// The curators of the registry.
pub(super) const KINDS: &[&str] = &["Government", "Industry", "Nonprofit"];
