//! The guarantee of aggregated RAPPOR, by the number of clients.

use criterion::{Criterion, criterion_group, criterion_main};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::Adjacency;

fn epsilon(criterion: &mut Criterion) {
    let delta = "1e-9".parse().expect("in range");
    let mut group = criterion.benchmark_group("aggregated_rappor::epsilon");
    group.sample_size(10);
    for (epsilon0, clients) in [
        ("1", 100_000),
        ("5", 100_000),
        ("7", 100_000),
        ("5", 10_000_000),
        ("5", 1_000_000_000),
        ("1", 1_000_000_000),
    ] {
        let epsilon0_parsed = epsilon0.parse().expect("positive");
        let sum = AggregatedRappor::new(epsilon0_parsed, clients).expect("accepted");
        group.bench_function(
            format!("epsilon0 {epsilon0}, {clients} clients"),
            |bencher| {
                bencher.iter(|| sum.epsilon(&delta, Adjacency::Replacement));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, epsilon);
criterion_main!(benches);
