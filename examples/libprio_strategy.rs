//! A server that is built on libprio and generic over its noise strategy, as Janus is, with ours in
//! its place. Nothing else changes but the collector, which reads negative totals as such. The
//! README of `dp-libprio` has percentiles.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_libprio::{Budget, Strategy, signed_totals};
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
    let mut buckets = Vec::new();
    for height in examples::column("height_cm")? {
        let height: f64 = height.parse()?;
        buckets.push((150..200).step_by(10).filter(|end| height >= f64::from(*end)).count());
    }
    let budget = Budget::approximate("0.906".parse()?, "1e-9".parse()?);
    let strategy = Strategy::discrete_gaussian(budget)?;
    let result = aggregate(&Prio3::new_histogram(2, BUCKETS, 3)?, &strategy, &buckets)?;
    println!("{} people", buckets.len());
    for (bucket, total) in signed_totals::<Field128>(&result).into_iter().enumerate() {
        let truth = buckets.iter().filter(|of| **of == bucket).count();
        println!("from {} cm: {total:>4}, in truth {truth}", 140 + 10 * bucket);
    }
    Ok(())
}
