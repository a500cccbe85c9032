//! A report of a histogram, randomized and shared by its client, and the noise of a batch.

use divan::Bencher;
use dp_prio3::{AggregatorNoise, Budget, Client, Measurement, Policy, Vdaf};

fn main() {
    divan::main();
}

/// A histogram of 256 buckets with Laplace noise.
fn policy() -> Policy {
    let vdaf = Vdaf::Histogram { aggregators: 2, length: 256, chunk_length: None };
    let budget = Budget::Pure { epsilon: "1".parse().expect("an epsilon") };
    Policy::with_noise(vdaf, AggregatorNoise::DiscreteLaplace { budget }).expect("calibrated")
}

#[divan::bench]
fn report(bencher: Bencher<'_, '_>) {
    let client = Client::new(policy(), b"a task").expect("a client");
    bencher.bench_local(|| client.report(Measurement::Bucket(3)));
}

#[divan::bench]
fn noise(bencher: Bencher<'_, '_>) {
    let (policy, mut rng) = (policy(), dp_samplers::os_rng().expect("a seed"));
    bencher.bench_local(|| policy.noise(1000, &mut rng));
}
