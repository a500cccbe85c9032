//! Deployments that are asked for collections: the parties of `dp-prio3` in one process, and whoever implements
//! [`Deployment`].

use std::sync::Arc;

use dp_exact::ParameterError;
use dp_prio3::releases::MemoryReleases;
use dp_prio3::simulation::{Seeded, verify_key};
use dp_prio3::verification::verify_into;
use dp_prio3::{Aggregator, BatchName, Client, Collector, DpPolicy};
use dp_task::Measured;
use rand_chacha::rand_core::SeedableRng as _;

use crate::Error;
use crate::conformance::{Collected, Conformance, Conformity, Expected};
use crate::neighbours::Held;
use crate::views::Generator;

/// What the parties' messages are bound to.
const CONTEXT: &[u8] = b"dp-audit";

/// A deployment to which known measurements can be submitted.
pub trait Deployment {
    /// Submits the measurements and collects.
    ///
    /// # Errors
    /// If it does not answer.
    fn collect(&mut self) -> Result<Collected, Error>;
}

impl Conformance {
    /// Collects until something is found and explained, every fault is excluded, or `most` collections are made.
    ///
    /// # Errors
    /// If the deployment does not answer, or its answers are none to what was submitted; as [`Conformance::new`].
    pub fn of(
        deployment: &mut dyn Deployment,
        expected: Expected,
        error: f64,
        most: u64,
    ) -> Result<Conformity, Error> {
        let mut test = Self::new(expected, error)?;
        for _ in 0..most {
            test.observe(&deployment.collect()?)?;
            let result = test.result();
            if result.is_explained() || result.conforms() {
                return Ok(result);
            }
        }
        Ok(test.result())
    }
}

/// The client, the aggregators and the collector of `dp-prio3`, with proofs and encoded messages, all in one process.
///
/// Their randomness follows from a seed.
#[derive(Debug)]
pub struct Parties<P> {
    client: Client<P>,
    aggregators: Vec<Aggregator<P>>,
    collector: Collector<P>,
    measurements: Vec<Held>,
    totals: usize,
    generator: Generator,
    collections: u64,
}

impl<P> Parties<P>
where
    P: DpPolicy<Measurement: Measured> + 'static,
{
    /// Of these policies, which the parties believe to be the same: the client's and the collector's, and that of each
    /// aggregator. In each collection the clients send these measurements.
    ///
    /// # Errors
    /// If there are not as many policies as aggregators, or a party refuses its policy.
    pub fn new(
        policy: &Arc<P>,
        of_aggregators: &[Arc<P>],
        measurements: Vec<Held>,
        seed: u64,
    ) -> Result<Self, Error> {
        let count = policy.aggregators();
        if of_aggregators.len() != count {
            let accepted = format!("{count}, one for each aggregator");
            return Err(ParameterError::new("policies", of_aggregators.len(), accepted).into());
        }
        let mut generator = Generator::seed_from_u64(seed);
        let key = verify_key(&mut generator);
        let aggregator = |(number, policy): (usize, &Arc<P>)| {
            let aggregator = Aggregator::new(Arc::clone(policy), number, key.clone(), CONTEXT)?;
            let releases = Arc::new(MemoryReleases::default());
            Ok(aggregator.without_replay_defence().with_releases(releases))
        };
        Ok(Self {
            client: Client::new(Arc::clone(policy), CONTEXT)?,
            aggregators: (0..)
                .zip(of_aggregators)
                .map(aggregator)
                .collect::<Result<_, Error>>()?,
            collector: Collector::new(Arc::clone(policy), CONTEXT)?,
            measurements,
            totals: policy.vdaf().output_len(),
            generator,
            collections: 0,
        })
    }
}

impl<P> Deployment for Parties<P>
where
    P: DpPolicy<Measurement: Measured> + 'static,
{
    fn collect(&mut self) -> Result<Collected, Error> {
        self.collections += 1;
        let name = format!("collection {}", self.collections);
        let batch = BatchName::new(&name).map_err(failed)?;
        let batches = self
            .aggregators
            .iter()
            .map(|aggregator| aggregator.new_batch(&batch));
        let mut batches: Vec<_> = batches.collect();
        let mut truths = vec![0; self.totals];
        for held in &self.measurements {
            let measurement = P::Measurement::of(held.measurement())?;
            let report = match Seeded::new(&self.client).report(&measurement, &mut self.generator) {
                Ok(report) => report,
                Err(dp_prio3::Error::Dropped { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let shares = report.into_shares();
            verify_into(&self.aggregators, &mut batches, &shares).map_err(failed)?;
            held.add_to(&mut truths)?;
        }
        let shares = batches
            .into_iter()
            .map(|batch| Seeded::new(batch).finish(&mut self.generator));
        let shares: Vec<_> = shares.collect::<Result<_, _>>().map_err(failed)?;
        let collection = self.collector.collect(&shares).map_err(failed)?;
        Ok(Collected {
            batch: name,
            attempt: 1,
            reports: collection.reports,
            truths,
            released: collection
                .estimates
                .iter()
                .map(|estimate| estimate.value)
                .collect(),
        })
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Run(error.to_string())
}
