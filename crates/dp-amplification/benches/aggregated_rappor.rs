//! The guarantees of aggregated RAPPOR and of bits with noise, by the number of clients.

use criterion::{Criterion, criterion_group, criterion_main};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, NoiseLaw};

fn epsilon(criterion: &mut Criterion) {
    let delta = "1e-9".parse().expect("in range");
    let mut group = criterion.benchmark_group("epsilon");
    group.sample_size(10);
    for (epsilon0, clients) in [("5", 100_000), ("5", 10_000_000), ("1", 1_000_000_000)] {
        let sum = AggregatedRappor::new(epsilon0.parse().expect("positive"), clients);
        let sum = sum.expect("accepted");
        group.bench_function(format!("epsilon0 {epsilon0}, {clients} clients"), |bencher| {
            bencher.iter(|| sum.epsilon(&delta, Adjacency::Replacement));
        });
    }
    let noise = NoiseLaw::DiscreteGaussian { variance: "547".parse().expect("a number") };
    let policy = Hedged::new("5".parse().expect("positive"), 100_000, noise, 1).expect("accepted");
    group.bench_function("100000 clients with variance 547", |bencher| {
        bencher.iter(|| policy.epsilon(&delta, Adjacency::Replacement));
    });
    group.finish();
}

criterion_group!(benches, epsilon);
criterion_main!(benches);
