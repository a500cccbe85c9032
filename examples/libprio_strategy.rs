//! A server that is built on libprio and generic over its noise strategy, as Janus is, with ours in
//! its place. Nothing else changes but the collector, which reads negative totals as such, and
//! solves for the median where the strategy has a matrix for percentiles.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example shows its answer")]

use std::error::Error;

use dp_calibration::strategy_matrix::Coverage;
use dp_libprio::{Budget, Query, Strategy, signed_totals};
use prio::dp::DifferentialPrivacyStrategy;
use prio::field::Field128;
use prio::flp::TypeWithNoise;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{
    Aggregatable, Aggregator, AggregatorWithNoise, Client, Collector, VerifyTransition,
};
use rand::Rng;

/// Bins of 10 cm from 140 to 200.
const BUCKETS: usize = 6;

/// Bins of 1 cm from 140 to 200.
const FINE: usize = 60;

/// The server's part: it knows no strategy by name.
fn aggregate<T, S>(
    vdaf: &Prio3<T, XofTurboShake128, 32>,
    strategy: &S,
    measurements: &[T::Measurement],
) -> Result<T::AggregateResult, Box<dyn Error>>
where
    T: TypeWithNoise<S>,
    S: DifferentialPrivacyStrategy,
{
    let (context, key) = (b"heights", rand::random::<[u8; 32]>());
    let mut totals = [vdaf.aggregate_init(&()), vdaf.aggregate_init(&())];
    for measurement in measurements {
        let mut nonce = [0; 16];
        rand::rng().fill_bytes(&mut nonce);
        // Prio draws from this generator: two forked processes would else make the same shares.
        rand::rng().reseed()?;
        let (public, inputs) = vdaf.shard(context, measurement, &nonce)?;
        rand::rng().reseed()?;
        let mut states = Vec::new();
        let mut shares = Vec::new();
        for (id, input) in inputs.iter().enumerate() {
            let started = vdaf.verify_init(&key, context, id, &(), &nonce, &public, input)?;
            states.push(started.0);
            shares.push(started.1);
        }
        let message = vdaf.verifier_shares_to_message(context, &(), shares)?;
        for (state, total) in states.into_iter().zip(&mut totals) {
            match vdaf.verify_next(context, state, message.clone())? {
                VerifyTransition::Finish(output) => total.accumulate(&output)?,
                VerifyTransition::Continue(..) => return Err("Prio3 has one round".into()),
            }
        }
    }
    // Each aggregator, once the batch is complete.
    for total in &mut totals {
        vdaf.add_noise_to_agg_share(strategy, &(), total, measurements.len())?;
    }
    Ok(vdaf.unshard(&(), totals, measurements.len())?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let heights = examples::column("height_cm")?;
    let heights = heights.iter().map(|height| Ok(height.parse::<f64>()?));
    let heights = heights.collect::<Result<Vec<f64>, Box<dyn Error>>>()?;
    let bins = |width: f64, count: usize| {
        let bin = move |height: &f64| {
            (1..count).take_while(|bin| *height >= 140.0 + width * *bin as f64).count()
        };
        heights.iter().map(bin).collect::<Vec<usize>>()
    };
    let budget = Budget::approximate("0.906".parse()?, "1e-9".parse()?);
    let strategy = Strategy::discrete_gaussian(budget)?;

    let buckets = bins(10.0, BUCKETS);
    let result = aggregate(&Prio3::new_histogram(2, BUCKETS, 3)?, &strategy, &buckets)?;
    println!("{} people", buckets.len());
    for (bucket, total) in signed_totals::<Field128>(&result).into_iter().enumerate() {
        let truth = buckets.iter().filter(|of| **of == bucket).count();
        println!("from {} cm: {total:>4}, in truth {truth}", 140 + 10 * bucket);
    }

    // The median from fine bins: a second release over the same people, with a budget of its own.
    let strategy = strategy.for_percentiles()?;
    let buckets = bins(1.0, FINE);
    let result = aggregate(&Prio3::new_histogram(2, FINE, 8)?, &strategy, &buckets)?;
    let totals = signed_totals::<Field128>(&result);
    let totals: Vec<f64> = totals.into_iter().map(|total| total as f64).collect();
    let noise = strategy.noise(&Query::Histogram { length: FINE })?;
    let estimator = noise.estimator().ok_or("a strategy with a matrix")?;
    // Of the noise of two aggregators.
    let variance = 2.0 * noise.standard_deviation().powf(2.0);
    let distribution = estimator.cumulative(&totals, buckets.len().try_into()?, variance, 0.0);
    let margins = distribution.margins(0.95, Coverage::Pointwise);
    let median = distribution.percentile(0.5, &margins);
    let [bucket, lowest, highest] =
        [median.bucket, median.lowest, median.highest + 1].map(|bucket| 140 + bucket);
    println!("median from {bucket} cm, between {lowest} and {highest} cm with 95 % confidence");
    Ok(())
}
