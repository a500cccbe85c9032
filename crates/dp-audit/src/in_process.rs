//! The parties of `dp-prio3` in one process, as a deployment to audit.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_prio3::message::ReportShare;
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, BatchError, BatchName, Client, Collection, Collector, Policy, Stage, Stores,
    VerifyKey,
};
use rand_chacha::rand_core::SeedableRng as _;

use crate::Error;
use crate::audit::Generator;
use crate::binomial::signed;
use crate::submissions::{CollectionAnswer, CollectionRequest, StatedTerms};

/// The application context that all parties of Prio3 share.
const CONTEXT: &[u8] = b"dp-audit";

/// The client, the aggregators and the collector of `dp-prio3` in one process, with proofs and
/// encoded messages. All randomness follows from a seed.
#[derive(Debug)]
pub struct InProcessDeployment {
    query: Query,
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
            query: policy.query().clone(),
            client: Client::new(policy.clone(), CONTEXT)?,
            aggregators: (0..).zip(of_aggregators).map(aggregator).collect::<Result<_, _>>()?,
            // A release is the noisy totals: corrected by a known sum they depend on each other.
            collector: Collector::new(policy.clone().with_raw_totals(), CONTEXT)?,
            generator,
        })
    }

    /// Verifies and aggregates the reports, adds noise and collects the batch `name`; `None` if an
    /// aggregator refuses this number of reports.
    fn aggregate(
        &mut self,
        name: &BatchName,
        reports: &[Vec<ReportShare>],
    ) -> Result<Option<Collection>, Error> {
        let aggregators = self.aggregators.iter();
        let mut batches: Vec<_> =
            aggregators.map(|aggregator| aggregator.new_batch(name)).collect();
        for shares in reports {
            match verify_into(&self.aggregators, &mut batches, shares) {
                Err(rejection) if rejection.stage == Stage::BatchFull => return Ok(None),
                verified => verified.map_err(failed)?,
            }
        }
        let shares = batches.into_iter().map(|batch| batch.finish_seeded(&mut self.generator));
        match shares.collect::<Result<Vec<_>, _>>() {
            Err(BatchError::TooFewReports { .. }) => Ok(None),
            shares => self.collector.collect(&shares.map_err(failed)?).map(Some).map_err(failed),
        }
    }

    /// The answers of all attempts at a request; none if an aggregator refuses the number of
    /// reports.
    ///
    /// # Errors
    /// If a party refuses a report, or fails.
    pub fn answers(&mut self, request: &CollectionRequest) -> Result<Vec<CollectionAnswer>, Error> {
        let batch: BatchName = request.batch.parse().map_err(failed)?;
        let mut reports = Vec::new();
        for measurement in &request.measurements {
            let measurement = measurement.measurement(&self.query);
            let report = self.client.report_seeded(measurement, &mut self.generator)?;
            reports.push(report.into_shares());
        }
        let mut answers = Vec::new();
        for attempt in 1..=request.attempts {
            if let Some(collection) = self.aggregate(&batch, &reports)? {
                let Collection { reports, totals, estimates, .. } = collection;
                let released = match self.query.strategy_matrix() {
                    // Totals beyond 64 bits are as wrong as the largest one.
                    Some(_) => totals
                        .into_iter()
                        .map(|total| i64::try_from(total).map_or(f64::MAX, signed))
                        .collect(),
                    None => estimates.iter().map(|estimate| estimate.value).collect(),
                };
                let stated = StatedTerms::default();
                answers.push(CollectionAnswer { attempt, reports, released, stated });
            }
        }
        Ok(answers)
    }
}

/// [`Error::Run`] with the text of `error`.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::Run(error.to_string())
}
