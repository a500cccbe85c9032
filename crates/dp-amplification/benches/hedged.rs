//! The guarantee of bits and noise together, by the width of both.

use criterion::{Criterion, criterion_group, criterion_main};
use dp_amplification::hedged::Hedged;
use dp_calibration::Adjacency;
use dp_calibration::NoiseLaw;

fn epsilon(criterion: &mut Criterion) {
    let delta = "1e-9".parse().expect("in range");
    let mut group = criterion.benchmark_group("hedged::epsilon");
    group.sample_size(10);
    let gaussian = |variance: &str| NoiseLaw::DiscreteGaussian {
        variance: variance.parse().expect("a number"),
    };
    let laplace = NoiseLaw::DiscreteLaplace {
        scale: "10".parse().expect("a number"),
    };
    for (name, clients, noise) in [
        ("one client, variance 547", 1, gaussian("547")),
        ("100 000 clients, variance 547", 100_000, gaussian("547")),
        ("100 000 clients, scale 10", 100_000, laplace),
        ("10^7 clients, variance 10^5", 10_000_000, gaussian("1e5")),
    ] {
        let epsilon0 = "5".parse().expect("positive");
        let policy = Hedged::new(epsilon0, clients, noise, 1).expect("accepted");
        group.bench_function(name, |bencher| {
            bencher.iter(|| policy.epsilon(&delta, Adjacency::Replacement));
        });
    }
    group.finish();
}

criterion_group!(benches, epsilon);
criterion_main!(benches);
