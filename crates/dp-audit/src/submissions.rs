//! Known measurements that are submitted to a deployment.

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
    /// bits or integers.
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
}

dp_exact::as_map!(CollectionRequest, CollectionAnswer);

/// The measurements of each collection of a deployment, and their true totals.
///
/// For a task they are the two of [`OwnedMeasurement::farthest_pair`]: by turns at most three clients have the
/// first and all others the second, or the reverse. So some totals are near 0, where noise
/// makes estimates negative, and each bit is randomized both ways.
#[derive(Clone, Debug)]
pub struct Submissions {
    /// The text with which the name of every batch begins.
    name: String,
    /// The measurements of the collections, by turns.
    rounds: Vec<Vec<OwnedMeasurement>>,
    /// Number of totals of a collection.
    totals: usize,
}

impl Submissions {
    /// Submissions of the same measurements in each collection, which have this number of totals.
    /// Batches are called `name` and a number.
    #[must_use]
    pub fn of(name: &str, measurements: Vec<OwnedMeasurement>, totals: usize) -> Self {
        Self { name: name.to_owned(), rounds: vec![measurements], totals }
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
        Ok(Self { name: name.to_owned(), rounds, totals: task.query().totals() })
    }

    /// Number of clients of each collection.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.rounds.first().map_or(0, |measurements| measurements.len() as u64)
    }

    /// The request for collection `number`, from 0, and the true totals of its measurements. If
    /// measurements change, every other pair of collections asks for two attempts.
    ///
    /// # Errors
    /// If a total has more than 63 bits.
    pub fn of_collection(&self, number: u64) -> Result<(CollectionRequest, Vec<i64>), Error> {
        let turn = number % (2 * self.rounds.len() as u64);
        let measurements = self.rounds[to_index(turn) % self.rounds.len()].clone();
        let mut truths = vec![0; self.totals];
        measurements.iter().try_for_each(|measurement| measurement.add_to(&mut truths))?;
        let attempts = if turn < 2 { 1 } else { 2 };
        let batch = format!("{} {number}", self.name);
        Ok((CollectionRequest { batch, attempts, measurements }, truths))
    }
}
