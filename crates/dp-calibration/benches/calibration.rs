//! How long it takes to calibrate, and to ask for δ.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::{Corner, noise_sum};
use dp_exact::{Delta, Epsilon};

/// ε, δ: σ of a histogram is 8.5, 23, 433, 819, 7e5, and 5e7.
const BUDGETS: [(&str, &str); 6] = [
    ("0.906", "1e-9"),
    ("0.317", "1e-9"),
    ("0.01", "1e-6"),
    ("0.01", "1e-12"),
    ("6e-6", "1e-9"),
    ("1e-6", "1e-300"),
];

fn discrete_gaussian(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("discrete_gaussian");
    group.sample_size(20);
    let corners = [
        ("one", Corner::one()),
        ("one-hot", Corner::one_hot()),
        ("100 entries of 255", Corner::new(100, 255u32).expect("in range")),
    ];
    for (name, corner) in &corners {
        for (epsilon, target) in BUDGETS {
            let id = |what| BenchmarkId::new(what, format!("{name}, {epsilon}, {target}"));
            let epsilon: Epsilon = epsilon.parse().expect("an epsilon");
            let target: Delta = target.parse().expect("a delta");
            group.bench_function(id("calibrate"), |bencher| {
                bencher.iter(|| calibrate(black_box(&epsilon), &target, corner));
            });
            let noise = calibrate(&epsilon, &target, corner).expect("in range");
            group.bench_function(id("delta"), |bencher| {
                bencher.iter(|| delta(black_box(&noise.variance), &epsilon, corner));
            });
        }
    }
    group.finish();
}

/// A hundred counts with σ of 1.3, 0.51 and 0.23: every residue class has a weight of its own.
fn little_noise(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("little_noise");
    group.sample_size(10);
    let corner = Corner::new(100, 1u32).expect("in range");
    let target: Delta = "1e-9".parse().expect("a delta");
    for epsilon in ["75", "300", "1000"] {
        let id = |what| BenchmarkId::new(what, format!("100 entries of 1, {epsilon}, 1e-9"));
        let epsilon: Epsilon = epsilon.parse().expect("an epsilon");
        group.bench_function(id("calibrate"), |bencher| {
            bencher.iter(|| calibrate(black_box(&epsilon), &target, &corner));
        });
        let noise = calibrate(&epsilon, &target, &corner).expect("in range");
        group.bench_function(id("delta"), |bencher| {
            bencher.iter(|| delta(black_box(&noise.variance), &epsilon, &corner));
        });
    }
    group.finish();
}

/// Two honest aggregators.
fn honest_sums(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("honest, two");
    group.sample_size(10);
    let corner = Corner::one_hot();
    let target: Delta = "1e-9".parse().expect("a delta");
    for epsilon in ["0.1", "1", "20"] {
        let parsed: Epsilon = epsilon.parse().expect("an epsilon");
        group.bench_function(BenchmarkId::new("Gaussian", epsilon), |bencher| {
            bencher.iter(|| noise_sum::calibrate_gaussian(&corner, 2, &parsed, &target));
        });
        group.bench_function(BenchmarkId::new("Laplace", epsilon), |bencher| {
            bencher.iter(|| noise_sum::calibrate_laplace(&corner, &parsed, &target));
        });
    }
    group.finish();
}

criterion_group!(benches, discrete_gaussian, little_noise, honest_sums);
criterion_main!(benches);
