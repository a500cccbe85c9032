//! Draws of this crate beside its reference, by parameter. `dp-measure` has other libraries beside
//! them.
//!
//! Bulk figures are for slices of [`SLICE`] draws: divide by it for the time of a draw.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use dp_exact::{Interval, Rational, Real};
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, reference, simulation};
use num_bigint::BigUint;
use rand_chacha::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng};
use rand_core::SeedableRng;

/// Draws in a bulk call.
const SLICE: u32 = 1000;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn slice<T: Clone + Default>() -> Vec<T> {
    vec![T::default(); usize::try_from(SLICE).expect("small")]
}

fn number(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// `fill` with each generator.
macro_rules! bulk {
    ($group:expr, $name:literal, $law:expr) => {
        bulk!($group, $name, $law, ChaCha8Rng, ChaCha12Rng, ChaCha20Rng)
    };
    ($group:expr, $name:literal, $law:expr, $($generator:ty),*) => {$({
        let (mut rng, mut out) = (<$generator>::seed_from_u64(1), slice::<i64>());
        $group.bench_function(concat!($name, ", ", stringify!($generator)), |bencher| {
            bencher.iter(|| $law.fill(&mut rng, black_box(&mut out)).expect("fits"));
        });
    })*};
}

fn one<T>(group: &mut Group<'_>, name: &str, mut draw: impl FnMut(&mut ChaCha12Rng) -> T) {
    let mut rng = ChaCha12Rng::seed_from_u64(1);
    group.bench_function(name, |bencher| bencher.iter(|| draw(&mut rng)));
}

fn discrete_gaussian(criterion: &mut Criterion) {
    for sigma in ["1/2", "5.1904", "23.3903", "1000", "1e6", "1099511627776"] {
        let mut group = criterion.benchmark_group(format!("discrete Gaussian {sigma}"));
        let sigma = number(sigma);
        let variance = sigma.pow(2);
        let law = DiscreteGaussian::new(&variance).expect("positive");
        let short = simulation::DiscreteGaussian::new(&variance).expect("positive");
        let slow = reference::DiscreteGaussian::new(&variance).expect("positive");

        one(&mut group, "single", |rng| law.sample_as::<i64, _>(rng));
        one(&mut group, "reference", |rng| slow.sample(rng));
        group.throughput(Throughput::Elements(SLICE.into()));
        bulk!(group, "bulk", law);
        bulk!(group, "bulk, simulation", short);
        group.finish();
    }
}

fn discrete_laplace(criterion: &mut Criterion) {
    for scale in ["2/5", "2", "20", "65535000"] {
        let mut group = criterion.benchmark_group(format!("discrete Laplace {scale}"));
        let scale = number(scale);
        let law = DiscreteLaplace::new(&scale).expect("positive");
        let short = simulation::DiscreteLaplace::new(&scale).expect("positive");
        let slow = reference::DiscreteLaplace::new(&scale).expect("positive");

        one(&mut group, "single", |rng| law.sample_as::<i64, _>(rng));
        one(&mut group, "reference", |rng| slow.sample(rng));
        group.throughput(Throughput::Elements(SLICE.into()));
        bulk!(group, "bulk", law);
        bulk!(group, "bulk, simulation", short);
        group.finish();
    }
}

/// 1/(e^ε + 1)
#[derive(Clone, Debug)]
struct Flip(u32);

impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        let one = Interval::integer(1, precision);
        let power = Interval::integer(self.0, precision + 8).exp();
        one.checked_div(&(power.expect("modest") + &one))
            .expect("above 1")
    }
}

fn binomial(criterion: &mut Criterion) {
    for (name, trials, flip) in [
        ("binomial 1e9 1/(e^5+1)", 1_000_000_000, Flip(5)),
        ("binomial 1e12 1/(e+1)", 1_000_000_000_000, Flip(1)),
    ] {
        let mut group = criterion.benchmark_group(name);
        let law = Binomial::new(trials, flip.clone()).expect("valid");
        let short = simulation::Binomial::new(trials, flip.clone()).expect("valid");

        one(&mut group, "single", |rng| law.sample(rng));
        group.throughput(Throughput::Elements(SLICE.into()));
        bulk!(group, "bulk", law);
        bulk!(group, "bulk, simulation", short);
        group.finish();
    }
}

fn construction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("construction");
    for variance in ["1/4", "547.12623649", "1e6", "1e24"] {
        let variance = number(variance);
        group.bench_function(
            format!("discrete Gaussian, variance {variance}"),
            |bencher| {
                bencher.iter(|| DiscreteGaussian::new(black_box(&variance)));
            },
        );
    }
    let hostile = (BigUint::from(1_u8) << 4095_u16) + 1_u8;
    let hostile = Rational::new(hostile.clone(), hostile - 2_u8).expect("not zero");
    group.bench_function("discrete Gaussian, 4096 bits", |bencher| {
        bencher.iter(|| DiscreteGaussian::new(black_box(&hostile)));
    });
    group.bench_function("discrete Laplace, 4096 bits", |bencher| {
        bencher.iter(|| DiscreteLaplace::new(black_box(&hostile)));
    });
    for trials in [1_000_000_000, 1_000_000_000_000] {
        group.bench_function(format!("binomial {trials} 1/(e^5+1)"), |bencher| {
            bencher.iter(|| Binomial::new(black_box(trials), Flip(5)));
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    discrete_gaussian,
    discrete_laplace,
    binomial,
    construction
);
criterion_main!(benches);
