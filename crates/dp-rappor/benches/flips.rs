//! Exact flips of 1000 bits beside one inexact float a bit, on the same generator.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dp_rappor::{PackedBits, SymmetricRappor, simulation};
use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

const BITS: usize = 1000;

fn flips(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flips of 1000 bits");
    group.throughput(Throughput::Elements(1000));
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    let mut bools = vec![false; BITS];
    let mut packed = PackedBits::zeros(BITS);
    for epsilon0 in ["1", "5/2", "5", "8"] {
        let id = |name| BenchmarkId::new(name, epsilon0);
        let exact = SymmetricRappor::new(epsilon0.parse().expect("positive")).expect("valid");
        let gaps = simulation::SymmetricRappor::new(exact.epsilon0()).expect("valid");
        let p = exact.flip_probability(64).midpoint();
        group.bench_function(id("one float a bit, inexact"), |b| {
            b.iter(|| {
                for bit in black_box(&mut bools) {
                    *bit ^= float(&mut rng) < p;
                }
            });
        });
        group.bench_function(id("bools"), |b| {
            b.iter(|| exact.randomize(&mut rng, black_box(&mut bools)));
        });
        group.bench_function(id("packed"), |b| {
            b.iter(|| exact.randomize_packed(&mut rng, black_box(&mut packed)));
        });
        group.bench_function(id("simulation mode, packed"), |b| {
            b.iter(|| gaps.randomize_packed(&mut rng, black_box(&mut packed)));
        });
    }
    group.finish();
}

/// A float in [0, 1) with 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
fn float(rng: &mut ChaCha12Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

criterion_group!(benches, flips);
criterion_main!(benches);
