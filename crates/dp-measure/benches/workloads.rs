//! The workloads of the speed table, for Criterion: `cargo bench -p dp-measure -- ChaCha12`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dp_measure::speed::{Generator, Workload};

fn workloads(criterion: &mut Criterion) {
    for workload in Workload::all() {
        let name = format!("{} {}", workload.work.name(), workload.parameter);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for generator in Generator::ALL {
            let mut contest = match workload.contest(generator) {
                Ok(contest) => contest,
                Err(error) => panic!("{workload:?}: {error}"),
            };
            for (column, contestant) in contest.contestants() {
                group.throughput(Throughput::Elements(contestant.items().into()));
                let id = BenchmarkId::new(column.name(), format!("{generator:?}"));
                group.bench_function(id, |bencher| bencher.iter(|| contestant.run()));
            }
        }
        group.finish();
    }
}

criterion_group!(benches, workloads);
criterion_main!(benches);
