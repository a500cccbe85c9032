//! All parties of a task in one process. The README of the repository has the same party by
//! party.

use std::error::Error;

use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, Batch, BatchName, Client, Collection, Collector, Measurement, Policy, Stores,
    VerifyKey,
};

/// Reports every measurement, aggregates and collects.
///
/// # Errors
/// If the policy does not admit a measurement.
pub fn run<'a>(
    policy: &Policy,
    measurements: impl IntoIterator<Item = Measurement<'a>>,
) -> Result<Collection, Box<dyn Error>> {
    let context = b"an example";
    let key = VerifyKey::random()?;
    let client = Client::new(policy.clone(), context)?;
    let aggregator = |id| {
        let stores = Stores::forgotten_at_restart();
        Aggregator::new(policy.clone(), id, key.clone(), context, stores)
    };
    let aggregators = (0..policy.aggregators()).map(aggregator).collect::<Result<Vec<_>, _>>()?;
    let name: BatchName = "the only one".parse()?;
    let new_batch = |aggregator: &Aggregator| aggregator.new_batch(&name);
    let mut batches: Vec<Batch> = aggregators.iter().map(new_batch).collect();
    for measurement in measurements {
        match client.report(measurement) {
            Ok(report) => verify_into(&aggregators, &mut batches, &report.into_shares())?,
            // Above the weight bound after its flips: not sent, and not drawn again.
            Err(dp_prio3::Error::Dropped { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let shares = batches.into_iter().map(Batch::finish).collect::<Result<Vec<_>, _>>()?;
    Ok(Collector::new(policy.clone(), context)?.collect(&shares)?)
}
