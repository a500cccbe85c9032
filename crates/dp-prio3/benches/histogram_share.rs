//! Noise on a share of 100 000 buckets: ours beside prio's, both on generators of their own.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dp_exact::Epsilon;
use dp_prio3::types::Histogram;
use dp_prio3::{DpPolicy, HistogramLaplace};
use prio::dp::distributions::PureDpDiscreteLaplace;
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget, Rational};
use prio::field::{Field128, FieldElement};
use prio::vdaf::{Aggregator, AggregatorWithNoise};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

const BUCKETS: usize = 100_000;

fn histogram_share(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("noise on a share of 100000 buckets, epsilon 1");
    group.sample_size(10);

    let buckets = Histogram::new(2, BUCKETS).expect("valid");
    let policy =
        HistogramLaplace::new(buckets, "1".parse::<Epsilon>().expect("positive")).expect("valid");
    let mut share = vec![Field128::zero(); BUCKETS];
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    group.bench_function("ours, ChaCha20", |b| {
        b.iter(|| policy.add_noise(black_box(&mut share), 1, &mut rng));
    });

    let one = Rational::from_unsigned(1u32, 1u32).expect("not 0");
    let budget = PureDpBudget::new(one).expect("positive");
    let strategy = PureDpDiscreteLaplace::from_budget(budget);
    let vdaf = policy.vdaf();
    let mut share = vdaf.aggregate_init(&());
    group.bench_function("prio", |b| {
        b.iter(|| vdaf.add_noise_to_agg_share(&strategy, &(), black_box(&mut share), 1));
    });
    group.finish();
}

criterion_group!(benches, histogram_share);
criterion_main!(benches);
