//! A simulation beside a bare loop over the same prio calls, on the same threads: what the
//! parties' checks, encoded messages, noise and statistics cost.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_prio3::types::Histogram;
use dp_prio3::{Budget, HistogramGaussian};
use dp_simulation::{Population, Simulation};
use prio::vdaf::prio3::{Prio3Histogram, optimal_chunk_length};
use prio::vdaf::{
    Aggregatable, AggregateShare, Aggregator as _, Client as _, Collector as _, VerifyTransition,
};
use rayon::prelude::*;

const CLIENTS: usize = 10_000;
const BUCKETS: usize = 100;
const CONTEXT: &[u8] = b"end to end";

fn policy() -> HistogramGaussian {
    let budget = Budget::approximate(
        "0.906".parse().expect("positive"),
        "1e-9".parse().expect("in range"),
    );
    let buckets = Histogram::new(2, BUCKETS).expect("valid");
    HistogramGaussian::new(buckets, budget).expect("calibrated")
}

type Shares = Vec<AggregateShare<prio::field::Field128>>;

/// Shards, verifies and accumulates one report at two aggregators.
fn bare_report(vdaf: &Prio3Histogram, client: usize, shares: &mut Shares) {
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&client.to_le_bytes());
    let (public_share, input_shares) = vdaf
        .shard(CONTEXT, &(client % BUCKETS), &nonce)
        .expect("a valid measurement");
    let (states, verifier_shares): (Vec<_>, Vec<_>) = input_shares
        .iter()
        .enumerate()
        .map(|(id, share)| {
            vdaf.verify_init(&[7; 32], CONTEXT, id, &(), &nonce, &public_share, share)
                .expect("a valid share")
        })
        .unzip();
    let message = vdaf
        .verifier_shares_to_message(CONTEXT, &(), verifier_shares)
        .expect("a valid proof");
    for (state, share) in states.into_iter().zip(shares) {
        match vdaf
            .verify_next(CONTEXT, state, message.clone())
            .expect("a valid message")
        {
            VerifyTransition::Finish(output) => share.accumulate(&output).expect("same length"),
            VerifyTransition::Continue(..) => unreachable!("Prio3 has one round"),
        }
    }
}

fn bare_loop(vdaf: &Prio3Histogram) -> Vec<u128> {
    let empty = || vec![vdaf.aggregate_init(&()); 2];
    let shares = (0..CLIENTS)
        .into_par_iter()
        .fold(empty, |mut shares, client| {
            bare_report(vdaf, client, &mut shares);
            shares
        })
        .reduce(empty, |mut one, other| {
            for (one, other) in one.iter_mut().zip(&other) {
                one.merge(other).expect("same length");
            }
            one
        });
    vdaf.unshard(&(), shares, CLIENTS).expect("two shares")
}

fn end_to_end(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("10000 clients, histogram of 100");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(15));

    let vdaf = Prio3Histogram::new_histogram(2, BUCKETS, optimal_chunk_length(BUCKETS));
    let vdaf = vdaf.expect("valid parameters");
    group.bench_function("bare loop over prio", |b| {
        b.iter(|| black_box(bare_loop(&vdaf)))
    });

    let rows: Vec<usize> = (0..CLIENTS).map(|client| client % BUCKETS).collect();
    let population = Population::each_once(rows).expect("some rows");
    let simulation = Simulation::new(Arc::new(policy()), population, 1, 1, 0).expect("valid");
    group.bench_function("simulation", |b| {
        b.iter(|| simulation.run(&|_| ()).expect("honest parties"));
    });
    group.finish();
}

criterion_group!(benches, end_to_end);
criterion_main!(benches);
