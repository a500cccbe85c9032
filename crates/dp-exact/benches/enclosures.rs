//! Certified enclosures beside the two directed roundings that a correctly rounded library needs.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dashu_float::Context;
use dashu_float::FBig;
use dashu_float::round::mode::{Down, Up};
use dp_exact::{Dyadic, Interval};

fn enclosures(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("enclosure");
    for precision in [128u32, 256, 1024] {
        let point = Dyadic::new(-0x1234_5678_9abc_def1i64, -60);
        let x = Interval::hull_of(point.clone(), point.clone(), precision);
        let y = -&x;
        let id = |name| BenchmarkId::new(name, precision);
        group.bench_function(id("exp"), |b| b.iter(|| black_box(&x).exp()));
        group.bench_function(id("ln"), |b| b.iter(|| black_box(&y).ln()));
        group.bench_function(id("normal_tail"), |b| b.iter(|| black_box(&y).normal_tail()));

        let digits = usize::try_from(precision).unwrap_or(usize::MAX);
        let (down, up) = (Context::<Down>::new(digits), Context::<Up>::new(digits));
        let number = FBig::<Down, 2>::from_parts((-0x1234_5678_9abc_def1i64).into(), -60);
        group.bench_function(id("exp, dashu-float, both sides"), |b| {
            b.iter(|| {
                let number = black_box(&number).repr();
                (down.exp(number, None), up.exp(number, None))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, enclosures);
criterion_main!(benches);
