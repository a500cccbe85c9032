//! A thousand releases together.

use criterion::{Criterion, criterion_group, criterion_main};
use dp_accounting::kov15;
use dp_accounting::schedule::{Line, Mechanism, Shares, schedule};
use dp_accounting::{Accountant, Budget, Rational, Release};
use dp_calibration::{Corner, NoiseLaw};

fn optimal(criterion: &mut Criterion) {
    let (step, slack) = (
        "0.1".parse().expect("positive"),
        "1e-12".parse().expect("in range"),
    );
    let target = "1e-6".parse().expect("in range");
    let total = "12".parse().expect("positive");
    criterion.bench_function("kov15::epsilon, 1000 releases", |bencher| {
        bencher.iter(|| kov15::epsilon(&step, &slack, 1000, &target));
    });
    criterion.bench_function("kov15::delta, 1000 releases", |bencher| {
        bencher.iter(|| kov15::delta(&step, &slack, 1000, &total));
    });
}

fn accountant(criterion: &mut Criterion) {
    let target = "1e-6".parse().expect("in range");
    let mut group = criterion.benchmark_group("accountant, 1000 releases");
    group.sample_size(10);
    for variance in ["1", "25", "900", "10000"] {
        let mut accountant = Accountant::new();
        let law = NoiseLaw::DiscreteGaussian {
            variance: variance.parse().expect("a number"),
        };
        let corner = Corner::one_hot();
        let release = Release::Noise { law, corner };
        accountant.add(release, 1000).expect("accepted");
        group.bench_function(format!("Gaussian pair, variance {variance}"), |bencher| {
            bencher.iter(|| accountant.epsilon(&target));
        });
    }
    group.finish();
}

/// Releases of which no two have the same parameter.
fn unlike(criterion: &mut Criterion) {
    let target = "1e-9".parse().expect("in range");
    let mut group = criterion.benchmark_group("accountant, 1000 unlike releases");
    group.sample_size(10);
    let odd = |whole: u64| Rational::new(whole * 1_000_003 + 7 * whole * whole, 1_000_000u64);
    for name in ["Gaussian", "Laplace", "half of each"] {
        let mut accountant = Accountant::new();
        for kind in 0..1000u64 {
            let is_gaussian = name == "Gaussian" || name != "Laplace" && kind % 2 == 0;
            let law = if is_gaussian {
                let variance = odd(900 + kind).expect("positive");
                NoiseLaw::DiscreteGaussian { variance }
            } else {
                let scale = odd(100 + kind).expect("positive");
                NoiseLaw::DiscreteLaplace { scale }
            };
            let corner = Corner::one_hot();
            let release = Release::Noise { law, corner };
            accountant.add(release, 1).expect("accepted");
        }
        group.bench_function(name, |bencher| bencher.iter(|| accountant.epsilon(&target)));
    }
    group.finish();
}

fn schedules(criterion: &mut Criterion) {
    let budget = Budget::Approximate {
        epsilon: "2".parse().expect("positive"),
        delta: "1e-8".parse().expect("in range"),
    };
    let lines = [
        (Corner::one_hot(), 365),
        (Corner::new(1, 80u32).expect("in range"), 12),
    ];
    let lines = lines.map(|(corner, times)| Line { corner, times });
    let equal = Shares::Weighted(Vec::new());
    for (name, lines) in [("one line", &lines[..1]), ("two lines", &lines[..])] {
        criterion.bench_function(&format!("schedule, Gaussian, {name}"), |bencher| {
            bencher.iter(|| schedule(lines, Mechanism::Gaussian, &equal, &budget));
        });
    }
}

criterion_group!(benches, optimal, accountant, unlike, schedules);
criterion_main!(benches);
