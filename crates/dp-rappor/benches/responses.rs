//! Exact randomized responses beside inexact floats, on the same generator.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dp_rappor::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

fn binary(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a yes or no");
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let exact = RandomizedResponse::new("1".parse().expect("positive")).expect("valid");
    let p = exact.probability(false, true, 64).midpoint();
    group.bench_function("one float, inexact", |b| {
        b.iter(|| black_box(true) ^ (float(&mut rng) < p));
    });
    group.bench_function("randomized response", |b| {
        b.iter(|| exact.randomize(&mut rng, black_box(true)));
    });
    group.bench_function("coin flips", |b| {
        b.iter(|| CoinFlip.randomize(&mut rng, black_box(true)));
    });
    group.finish();
}

fn kary(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one of k answers");
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    for answers in [2, 10, 1000, 1 << 24] {
        let id = |name| BenchmarkId::new(name, answers);
        let exact = KaryRandomizedResponse::new("1".parse().expect("positive"), answers);
        let exact = exact.expect("valid");
        let truth = exact.probability(0, 0, 64).midpoint();
        group.bench_function(id("two floats, inexact"), |b| {
            b.iter(|| inexact(&mut rng, truth, answers, black_box(1)));
        });
        group.bench_function(id("k-ary randomized response"), |b| {
            b.iter(|| exact.randomize(&mut rng, black_box(1)));
        });
    }
    group.finish();
}

/// The truth with probability about `truth`, else another answer, in time that tells which.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the whole part is meant"
)]
fn inexact(rng: &mut ChaCha12Rng, truth: f64, answers: u32, answer: u32) -> u32 {
    if float(rng) < truth {
        return answer;
    }
    let other = (float(rng) * f64::from(answers - 1)) as u32;
    other + u32::from(other >= answer)
}

/// A float in [0, 1) with 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn float(rng: &mut ChaCha12Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

criterion_group!(benches, binary, kary);
criterion_main!(benches);
