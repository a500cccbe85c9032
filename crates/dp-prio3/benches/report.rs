//! One report from the client through two aggregators: what the parties spend on it, and how much of that
//! on binding it.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::message::Report;
use dp_prio3::types::{Count, Histogram, MeasurementType};
use dp_prio3::verification::verify;
use dp_prio3::{Aggregator, AggregatorNoise, Client, Epsilon, VerifyKey};

const CONTEXT: &[u8] = b"one report";

fn report<V: MeasurementType>(
    criterion: &mut Criterion,
    name: &str,
    measurement_type: V,
    measurement: &V::Measurement,
) {
    let epsilon: Epsilon = "1".parse().expect("positive");
    let policy = AggregatorNoise::<V, DiscreteLaplace>::new(measurement_type, epsilon);
    let policy = Arc::new(policy.expect("calibrated"));
    let client = Client::new(Arc::clone(&policy), CONTEXT).expect("a short context");
    let key = VerifyKey::from_bytes([7; 32]);
    let aggregators = [0, 1].map(|id| {
        Aggregator::new(Arc::clone(&policy), id, key.clone(), CONTEXT)
            .expect("two aggregators")
            .without_replay_defence()
    });

    let mut group = criterion.benchmark_group(name);
    group.bench_function("client", |b| {
        b.iter(|| client.report(black_box(measurement)));
    });
    let shares = client.report(measurement).expect("valid").into_shares();
    group.bench_function("two aggregators", |b| {
        b.iter(|| verify(&aggregators, black_box(&shares)));
    });
    group.bench_function("of that, checking that it is bound", |b| {
        b.iter(|| {
            for (id, share) in (0..).zip(&shares) {
                black_box(share).check(client.task(), id, 2).expect("bound");
            }
        });
    });
    let public = &shares[0].public;
    let inputs = shares.iter().map(|share| share.private.input_share.clone());
    let inputs: Vec<Vec<u8>> = inputs.collect();
    group.bench_function("of that, binding it, with a generator of its own", |b| {
        b.iter(|| {
            let public_share = public.public_share.clone();
            let inputs = black_box(&inputs).clone();
            Report::bind(
                client.task(),
                public.nonce,
                public.window,
                public_share,
                inputs,
            )
        });
    });
    group.finish();
}

fn reports(criterion: &mut Criterion) {
    report(criterion, "count", Count::new(2).expect("valid"), &true);
    let buckets = Histogram::new(2, 1000).expect("valid");
    report(criterion, "histogram of 1000", buckets, &17);
}

criterion_group!(benches, reports);
criterion_main!(benches);
