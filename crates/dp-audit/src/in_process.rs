//! The parties of `dp-prio3` in one process, as a deployment to audit.

use dp_exact::ParameterError;
use dp_prio3::message::ReportShare;
use dp_prio3::verification::verify_into;
use dp_prio3::{Aggregator, BatchName, Client, Collection, Collector, Policy, Stores, VerifyKey};
use rand_chacha::rand_core::SeedableRng as _;

use crate::Error;
use crate::audit::Generator;
use crate::conformance::Deployment;
use crate::submissions::{CollectionAnswer, CollectionRequest, StatedTerms};

/// The application context that all parties of Prio3 share.
const CONTEXT: &[u8] = b"dp-audit";

/// The client, the aggregators and the collector of `dp-prio3` in one process, with proofs and
/// encoded messages. All randomness follows from a seed.
#[derive(Debug)]
pub struct InProcessDeployment {
    client: Client,
    aggregators: Vec<Aggregator>,
    collector: Collector,
    generator: Generator,
}

impl InProcessDeployment {
    /// Parties in one process. The client and the collector have `policy`, the aggregators
    /// `of_aggregators`, which may deviate.
    ///
    /// # Errors
    /// If there are not as many policies as aggregators, or a party refuses its policy.
    pub fn new(policy: &Policy, of_aggregators: &[Policy], seed: u64) -> Result<Self, Error> {
        let count = policy.aggregators();
        if of_aggregators.len() != count {
            let accepted = format!("{count}, one for each aggregator");
            return Err(ParameterError::new("policies", of_aggregators.len(), accepted).into());
        }
        let mut generator = Generator::seed_from_u64(seed);
        let key = VerifyKey::seeded(&mut generator);
        let aggregator = |(number, policy): (usize, &Policy)| {
            // All attempts at a batch have the same reports.
            let stores = Stores::forgotten_at_restart().without_replay_defence();
            Aggregator::new(policy.clone(), number, key.clone(), CONTEXT, stores)
        };
        Ok(Self {
            client: Client::new(policy.clone(), CONTEXT)?,
            aggregators: (0..).zip(of_aggregators).map(aggregator).collect::<Result<_, _>>()?,
            // A release is the noisy totals: corrected by a known sum they depend on each other.
            collector: Collector::new(policy.clone().with_raw_totals(), CONTEXT)?,
            generator,
        })
    }

    /// Verifies and aggregates the reports, adds noise and collects the batch `name`.
    fn aggregate(
        &mut self,
        name: &BatchName,
        reports: &[Vec<ReportShare>],
    ) -> Result<Collection, Error> {
        let aggregators = self.aggregators.iter();
        let mut batches: Vec<_> =
            aggregators.map(|aggregator| aggregator.new_batch(name)).collect();
        for shares in reports {
            verify_into(&self.aggregators, &mut batches, shares).map_err(failed)?;
        }
        let shares = batches.into_iter().map(|batch| batch.finish_seeded(&mut self.generator));
        let shares: Vec<_> = shares.collect::<Result<_, _>>().map_err(failed)?;
        self.collector.collect(&shares).map_err(failed)
    }
}

impl Deployment for InProcessDeployment {
    fn answers(&mut self, request: &CollectionRequest) -> Result<Vec<CollectionAnswer>, Error> {
        let batch: BatchName = request.batch.parse().map_err(failed)?;
        let mut reports = Vec::new();
        for measurement in &request.measurements {
            match self.client.report_seeded(measurement.measurement(), &mut self.generator) {
                Ok(report) => reports.push(report.into_shares()),
                Err(dp_prio3::Error::Dropped { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut answer = |attempt| {
            let Collection { reports, estimates, .. } = self.aggregate(&batch, &reports)?;
            let released = estimates.iter().map(|estimate| estimate.value).collect();
            Ok(CollectionAnswer { attempt, reports, released, stated: StatedTerms::default() })
        };
        (1..=request.attempts).map(&mut answer).collect()
    }
}

/// [`Error::Run`] with the text of `error`.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::Run(error.to_string())
}
