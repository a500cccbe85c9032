//! A thousand releases together.

use criterion::{Criterion, criterion_group, criterion_main};
use dp_accounting::kov15;
use dp_accounting::{Accountant, Release};
use dp_calibration::{Corner, NoiseLaw};

fn optimal(criterion: &mut Criterion) {
    let (step, slack) = ("0.1".parse().expect("positive"), "1e-12".parse().expect("in range"));
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
    for variance in ["1", "900"] {
        let mut accountant = Accountant::new();
        let law = NoiseLaw::DiscreteGaussian { variance: variance.parse().expect("a number") };
        let corner = Corner::one_hot();
        let release = Release::Noise { law, corner };
        accountant.add(release, 1000).expect("accepted");
        group.bench_function(format!("Gaussian pair, variance {variance}"), |bencher| {
            bencher.iter(|| accountant.epsilon(&target));
        });
    }
    group.finish();
}

criterion_group!(benches, optimal, accountant);
criterion_main!(benches);
