//! Draws of noise, a thousand at a time.

use divan::{Bencher, black_box};
use dp_samplers::{DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, os_rng};

fn main() {
    divan::main();
}

/// Draws of a call.
const DRAWS: usize = 1000;

#[divan::bench(args = ["1", "20", "1e6"])]
fn laplace(bencher: Bencher<'_, '_>, scale: &str) {
    let noise = DiscreteLaplace::new(&scale.parse().expect("a scale")).expect("in range");
    let (mut rng, mut out) = (os_rng().expect("a seed"), [0_i64; DRAWS]);
    bencher.bench_local(|| noise.fill(&mut rng, black_box(&mut out)));
}

#[divan::bench(args = ["1", "400", "1e12"])]
fn gaussian(bencher: Bencher<'_, '_>, variance: &str) {
    let noise = DiscreteGaussian::new(&variance.parse().expect("a variance")).expect("in range");
    let (mut rng, mut out) = (os_rng().expect("a seed"), [0_i64; DRAWS]);
    bencher.bench_local(|| noise.fill(&mut rng, black_box(&mut out)));
}

#[divan::bench(args = ["20", "1e6"])]
fn k_norm(bencher: Bencher<'_, '_>, scale: &str) {
    let noise = DiscreteKNorm::new(&scale.parse().expect("a scale"), DRAWS).expect("in range");
    let (mut rng, mut out) = (os_rng().expect("a seed"), [0_i64; DRAWS]);
    bencher.bench_local(|| noise.fill(&mut rng, black_box(&mut out)));
}
