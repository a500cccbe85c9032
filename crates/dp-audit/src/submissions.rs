//! Known measurements that are submitted to a deployment.

use dp_exact::ParameterError;
use dp_task::Task;

use crate::Error;
use crate::neighbours::{Neighbours, OwnedMeasurement};

/// Number of clients with the rarer of the two measurements.
const FEW: u64 = 3;

/// Default number of clients of a collection, unless a batch needs more.
const CLIENTS: u64 = 10;

/// Largest number of clients of a collection.
const MAX_CLIENTS: u64 = 1 << 20;

/// The measurements of each collection of a deployment, and their true totals.
///
/// All measurements are from [`Neighbours::farthest`]. By turns three clients have its first
/// measurement and all others its second, or the reverse. So some totals are near 0, where noise
/// makes estimates negative, and each bit is randomized both ways.
#[derive(Clone, Debug)]
pub struct Submissions {
    pair: Neighbours,
    /// Number of clients of each collection.
    clients: u64,
    /// Number of totals of a collection.
    totals: usize,
}

impl Submissions {
    /// Submissions of `clients` clients to a deployment of a task; by default a batch's least, or
    /// 10.
    ///
    /// # Errors
    /// If a batch of the task needs more clients or admits fewer, or there are more than 2^20; if
    /// no measurement can be replaced by another.
    pub fn of_task(task: &Task, clients: Option<u64>) -> Result<Self, Error> {
        let least = task.policy().min_reports().max(1);
        let most = task.policy().max_reports().min(MAX_CLIENTS);
        let clients = clients.unwrap_or_else(|| least.max(CLIENTS).min(most));
        if !(least..=most).contains(&clients) {
            let accepted =
                format!("an integer from {least} to {most}, as a batch of the policy needs");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        let pair = Neighbours::farthest(task.query())?;
        Ok(Self { pair, clients, totals: task.query().totals() })
    }

    /// Number of clients of each collection.
    #[must_use]
    pub const fn clients(&self) -> u64 {
        self.clients
    }

    /// The measurements of collection `number`, from 0, and their true totals.
    ///
    /// # Errors
    /// If a total has more than 63 bits.
    pub fn of_collection(&self, number: u64) -> Result<(Vec<OwnedMeasurement>, Vec<i64>), Error> {
        let (few, others) = match number.is_multiple_of(2) {
            true => (&self.pair.first, &self.pair.second),
            false => (&self.pair.second, &self.pair.first),
        };
        let few_clients = FEW.min(self.clients.div_ceil(2));
        let of_client = |client| if client < few_clients { few } else { others };
        let measurements: Vec<_> = (0..self.clients).map(of_client).cloned().collect();
        let mut truths = vec![0; self.totals];
        measurements.iter().try_for_each(|measurement| measurement.add_to(&mut truths))?;
        Ok((measurements, truths))
    }
}
