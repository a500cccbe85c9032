//! The least noise for one histogram.

use divan::{Bencher, black_box};
use dp_calibration::{Adjacency, Budget, NoiseKind, Query};

fn main() {
    divan::main();
}

/// The kind of noise, and the releases that share the budget.
const KINDS: [(NoiseKind, u32); 3] = [
    (NoiseKind::DiscreteLaplace, 1),
    (NoiseKind::DiscreteGaussian, 1),
    (NoiseKind::DiscreteGaussian, 30),
];

#[divan::bench(args = KINDS)]
fn histogram(bencher: Bencher<'_, '_>, (kind, releases): (NoiseKind, u32)) {
    let query = Query::Histogram { length: 40 };
    let (epsilon, delta) = ("1".parse().expect("an epsilon"), "1e-8".parse().expect("a delta"));
    let budget = Budget::Approximate { epsilon, delta };
    let contribution = query.contribution(Adjacency::Replacement, 1, releases).expect("in range");
    bencher.bench_local(|| kind.calibrate(black_box(&contribution), &budget));
}
