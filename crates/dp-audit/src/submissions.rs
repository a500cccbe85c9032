//! Known measurements that are submitted to a deployment.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_exact::directed::to_index;
use dp_task::Task;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::neighbours::OwnedMeasurement;

/// Number of clients with the rarer of the two measurements.
const FEW: u64 = 3;

/// Default number of clients of a collection, unless a batch needs more.
const CLIENTS: u64 = 10;

/// Largest number of clients of a collection.
const MAX_CLIENTS: u64 = 1 << 20;

/// The JSON object that a program reads from its standard input.
///
/// ```
/// use dp_audit::{CollectionRequest, OwnedMeasurement};
///
/// let request = CollectionRequest {
///     batch: "audit 7".to_owned(),
///     attempts: 1,
///     measurements: vec![OwnedMeasurement::Bit(true), OwnedMeasurement::Bit(false)],
/// };
/// let text = r#"{"batch":"audit 7","attempts":1,"measurements":[true,false]}"#;
/// assert_eq!(serde_json::to_string(&request)?, text);
/// assert_eq!(serde_json::from_str::<CollectionRequest>(text)?, request);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CollectionRequest {
    /// The name of the batch, which no other collection of this audit has.
    pub batch: String,
    /// Number of attempts to collect the batch: 2 as by a collector that lost the first answer.
    pub attempts: u32,
    /// One measurement of each client: `true` or `false`, an integer, a bucket from 0, or a list of
    /// bits or integers. No client is in another batch.
    pub measurements: Vec<OwnedMeasurement>,
}

/// What a program prints for each attempt that gave an answer: one JSON object on a line, such as
/// `{"attempt":1,"reports":2,"released":[2.0]}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CollectionAnswer {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Number of aggregated reports.
    pub reports: u64,
    /// The released estimate of each total.
    pub released: Vec<f64>,
    /// What the deployment says of the fields of its task, such as `{"aggregators":2}`.
    #[serde(default, skip_serializing_if = "StatedTerms::is_empty")]
    pub stated: StatedTerms,
}

/// What a deployment says of a collection, beside its values; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatedTerms {
    /// The name of the group of people who sent the reports. Without it nobody knows whether more
    /// batches than the task plans have the same people, and such a deployment does not conform.
    pub people: Option<String>,
    /// The largest number of reports of one person in the batch.
    pub reports_of_a_person: Option<u64>,
    /// Number of aggregators.
    pub aggregators: Option<u64>,
    /// The digest of the task, in hexadecimal digits.
    pub digest: Option<String>,
}

impl StatedTerms {
    /// Whether the deployment says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

dp_exact::as_map!(CollectionRequest, CollectionAnswer);

/// The measurements of each collection of a deployment, and their true totals.
///
/// For a task they are the two of [`OwnedMeasurement::farthest_pair`]: by turns at most three
/// clients have the first and all others the second, or the reverse. So some totals are near 0,
/// where noise makes estimates negative, and each bit is randomized both ways.
#[derive(Clone, Debug)]
pub struct Submissions {
    /// The text with which the name of every batch begins.
    name: String,
    /// The measurements of the collections, by turns.
    rounds: Vec<Vec<OwnedMeasurement>>,
    query: Query,
}

impl Submissions {
    /// Submissions of the same measurements in each collection of this query. Batches are called
    /// `name` and a number.
    #[must_use]
    pub fn of(name: &str, measurements: Vec<OwnedMeasurement>, query: &Query) -> Self {
        Self { name: name.to_owned(), rounds: vec![measurements], query: query.clone() }
    }

    /// Submissions of `clients` clients to a deployment of a task; by default a batch's least, or
    /// 10. Batches are called `name` and a number: under another name a deployment can be audited
    /// again.
    ///
    /// # Errors
    /// If a batch of the task does not admit this number of clients, or it is above 2^20; if no
    /// measurement can be replaced by another.
    pub fn of_task(name: &str, task: &Task, clients: Option<u64>) -> Result<Self, Error> {
        let least = task.policy().min_reports().max(1);
        let most = task.policy().max_reports().min(MAX_CLIENTS);
        let clients = clients.unwrap_or_else(|| least.max(CLIENTS).min(most));
        if !(least..=most).contains(&clients) {
            let accepted =
                format!("an integer from {least} to {most}, as a batch of the policy needs");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        let [first, second] = OwnedMeasurement::farthest_pair(task.query())?;
        let few_clients = FEW.min(clients.div_ceil(2));
        let round = |few: &OwnedMeasurement, others: &OwnedMeasurement| {
            let of_client = |client| if client < few_clients { few } else { others };
            (0..clients).map(of_client).cloned().collect()
        };
        let rounds = vec![round(&first, &second), round(&second, &first)];
        Ok(Self { name: name.to_owned(), rounds, query: task.query().clone() })
    }

    /// A request of this number of clients, in a batch of its own; `None` for no clients, and for
    /// more than 2^20.
    pub(crate) fn of_clients(&self, clients: u64) -> Option<CollectionRequest> {
        let round = self.rounds.first().filter(|_| (1..=MAX_CLIENTS).contains(&clients))?;
        let measurements = round.iter().cycle().take(to_index(clients)).cloned().collect();
        let batch = format!("{} of {clients}", self.name);
        Some(CollectionRequest { batch, attempts: 1, measurements })
    }

    /// The request for collection `number`, from 0, and the true totals of its measurements. If
    /// measurements change, every other pair of collections asks for two attempts.
    ///
    /// # Errors
    /// If a total has more than 63 bits.
    pub fn of_collection(&self, number: u64) -> Result<(CollectionRequest, Vec<i64>), Error> {
        let turn = number % (2 * self.rounds.len() as u64);
        let measurements = self.rounds[to_index(turn) % self.rounds.len()].clone();
        let mut truths = vec![0; self.query.totals()];
        for measurement in &measurements {
            measurement.add_to(&self.query, &mut truths)?;
        }
        let attempts = if turn < 2 { 1 } else { 2 };
        let batch = format!("{} {number}", self.name);
        Ok((CollectionRequest { batch, attempts, measurements }, truths))
    }
}
