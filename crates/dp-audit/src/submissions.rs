//! Which known measurements are submitted to a deployment.

use dp_exact::ParameterError;
use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, PolicyVisitor, Task};

use crate::Error;
use crate::neighbours::{Neighbours, OwnedMeasurement};

/// How many clients hold the one of two measurements.
const FEW: u64 = 3;

/// The fewest clients, unless fewer are asked for.
const CLIENTS: u64 = 10;

/// The most clients of a collection.
const MOST_CLIENTS: u64 = 1 << 20;

/// The measurements of each collection of a deployment, and their true totals.
///
/// All are the two of [`Neighbours::farthest`]: by turns three clients hold the one and all others the other, and the other
/// way round. So some totals are near 0, where noise makes estimates negative, and each bit is randomized both ways.
#[derive(Clone, Debug)]
pub struct Submissions {
    pair: Neighbours,
    clients: u64,
    totals: usize,
}

impl Submissions {
    /// To a deployment of this policy, by so many clients: by as many as a batch needs and at least 10, if nothing is said.
    ///
    /// # Errors
    /// If there are fewer clients than a batch of the policy needs, or more than it admits or 2^20; if no measurement can
    /// be replaced by another.
    pub fn of(policy: &(impl DpPolicy + ?Sized), clients: Option<u64>) -> Result<Self, Error> {
        let least = policy.min_reports().max(1);
        let most = policy.max_reports().min(MOST_CLIENTS);
        let clients = clients.unwrap_or_else(|| least.max(CLIENTS).min(most));
        if !(least..=most).contains(&clients) {
            let accepted =
                format!("an integer from {least} to {most}, as a batch of the policy needs");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        Ok(Self {
            pair: Neighbours::farthest(&policy.query())?,
            clients,
            totals: policy.vdaf().output_len(),
        })
    }

    /// To a deployment of this task.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_task(task: &Task, clients: Option<u64>) -> Result<Self, Error> {
        task.with_policy(OfPolicy(clients))
    }

    /// The clients of each collection.
    #[must_use]
    pub const fn clients(&self) -> u64 {
        self.clients
    }

    /// The measurements of a collection, by its number, and their true totals.
    ///
    /// # Errors
    /// If a total has more than 63 bits.
    pub fn of_collection(&self, number: u64) -> Result<(Vec<OwnedMeasurement>, Vec<i64>), Error> {
        let (few, others) = if number.is_multiple_of(2) {
            (&self.pair.first, &self.pair.second)
        } else {
            (&self.pair.second, &self.pair.first)
        };
        let few_clients = FEW.min(self.clients.div_ceil(2));
        let of_client = |client| if client < few_clients { few } else { others };
        let held: Vec<OwnedMeasurement> = (0..self.clients).map(of_client).cloned().collect();
        let mut truths = vec![0; self.totals];
        held.iter().try_for_each(|held| held.add_to(&mut truths))?;
        Ok((held, truths))
    }
}

struct OfPolicy(Option<u64>);

impl PolicyVisitor for OfPolicy {
    type Output = Result<Submissions, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        Submissions::of(&policy, self.0)
    }
}
