//! How tall are people? A histogram with discrete Laplace noise at each of two aggregators,
//! party by party. No aggregator sees a height, and the collector sees only noisy totals.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_prio3::{
    Aggregator, AggregatorNoise, BatchName, Budget, Circumstances, Client, Collector, Measurement,
    Policy, Stores, TrustModel, Vdaf, VerifyKey,
};

/// Bins of 10 cm from 140 to 200.
const BINS: usize = 6;

fn main() -> Result<(), Box<dyn Error>> {
    // The task, known to all parties.
    let histogram = Vdaf::Histogram { aggregators: 2, length: BINS, chunk_length: None };
    let budget = Budget::Pure { epsilon: "0.906".parse()? };
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget })?;
    let context = b"heights";
    let circumstances = Circumstances::new(1629, "1e-9".parse()?);
    println!("{}\n", policy.guarantee(TrustModel::OneAggregatorOneClient, &circumstances));

    // The parties. Only the aggregators know the verification key. What they remember here is
    // forgotten when the process ends; `two_aggregators.rs` has stores on the disk.
    let key = VerifyKey::random()?;
    let client = Client::new(policy.clone(), context)?;
    let stores = Stores::forgotten_at_restart;
    let leader = Aggregator::new(policy.clone(), 0, key.clone(), context, stores())?;
    let helper = Aggregator::new(policy.clone(), 1, key, context, stores())?;
    let batch = BatchName::new("all of them")?;
    let (mut leader_batch, mut helper_batch) = (leader.new_batch(&batch), helper.new_batch(&batch));

    let mut truth = [0; BINS];
    for height in examples::column("height_cm")? {
        let height: f64 = height.parse()?;
        let bin = (0..BINS).rfind(|&bin| height >= lower_end(bin)).unwrap_or(0);
        truth[bin] += 1;

        // The client's report: one share for each aggregator.
        let mut shares = client.report(Measurement::Bucket(bin))?.into_shares().into_iter();
        let (first, second) = (shares.next(), shares.next());
        let (first, second) = first.zip(second).ok_or("a share is missing")?;

        // The aggregators verify it together, and each adds up its own shares.
        let (leader_state, leader_share) = leader.verify_init(&first)?;
        let (helper_state, helper_share) = helper.verify_init(&second)?;
        let message = leader.combine(&leader_state, &[leader_share, helper_share])?;
        leader_batch.accumulate(leader.verify_next(leader_state, &message)?)?;
        helper_batch.accumulate(helper.verify_next(helper_state, &message)?)?;
    }

    // Each adds its noise and lets go; the collector puts the shares together.
    let shares = [leader_batch.finish()?, helper_batch.finish()?];
    let collection = Collector::new(policy, context)?.collect(&shares)?;
    println!("{} people", collection.reports);
    let estimates = collection.estimates.iter().zip(&collection.margins_95);
    for (bin, ((estimate, margin), truth)) in estimates.zip(truth).enumerate() {
        let (low, high) = (lower_end(bin), lower_end(bin + 1));
        let value = estimate.value;
        println!("{low} to {high} cm: {value:>4} ± {margin}, in truth {truth}");
    }
    Ok(())
}

/// The lower end of a bin, in cm.
fn lower_end(bin: usize) -> f64 {
    u32::try_from(bin).map_or(f64::INFINITY, |bin| 140.0 + 10.0 * f64::from(bin))
}
