//! What is asked of a program that submits measurements and collects, and what it answers.

use serde::{Deserialize, Serialize};

use crate::neighbours::OwnedMeasurement;

/// What a program reads from its standard input: one JSON object.
///
/// ```
/// use dp_audit::{OwnedMeasurement, CollectionRequest};
///
/// let request = CollectionRequest {
///     batch: "audit 7".to_owned(),
///     attempts: 1,
///     measurements: vec![Held::Bit(true), Held::Bit(false)],
/// };
/// let text = r#"{"batch":"audit 7","attempts":1,"measurements":[true,false]}"#;
/// assert_eq!(serde_json::to_string(&request)?, text);
/// assert_eq!(serde_json::from_str::<CollectionRequest>(text)?, request);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionRequest {
    /// A name that no other collection of this audit has.
    pub batch: String,
    /// How often the batch is to be collected: once, or again as by a collector that lost the first answer.
    pub attempts: u32,
    /// What the clients measure, one report each: `true` or `false`, an integer, a bucket from 0, or a list of bits or
    /// integers.
    pub measurements: Vec<OwnedMeasurement>,
}

/// What a program prints for each attempt that gave an answer: one JSON object on a line.
///
/// ```
/// use dp_audit::CollectionAnswer;
///
/// let answer: CollectionAnswer = serde_json::from_str(r#"{"attempt":1,"reports":2,"released":[2.0]}"#)?;
/// assert_eq!(answer.released, [2.0]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionAnswer {
    /// The how-manieth attempt gave it, from 1.
    pub attempt: u32,
    /// How many reports are in it.
    pub reports: u64,
    /// What was released: an estimate for each total.
    pub released: Vec<f64>,
}
