//! Measurements that follow a distribution.

use dp_calibration::Query;
use dp_simulation::{Measurements, Population, ValueDistribution};

#[test]
fn one_value_has_a_row_for_each_that_counts_its_share() {
    let buckets = |counts: Vec<u64>| {
        let rows: Vec<usize> = (0..counts.len()).collect();
        Measurements::from(rows).counted(counts).expect("a count each")
    };
    let query = Query::Histogram { length: 5 };
    let of = |values: ValueDistribution| values.measurements(&query, 1).expect("a length");
    assert_eq!(of(ValueDistribution::Uniform), buckets(vec![1; 5]));
    // ⌊5/(i + 1)⌋
    let zipf = || of(ValueDistribution::Zipf);
    assert_eq!(zipf(), buckets(vec![5, 2, 1, 1, 1]));
    let one_hot = Query::MultihotCountVec { length: 5, max_weight: 1 };
    let one_hot = ValueDistribution::Zipf.measurements(&one_hot, 1).expect("a length");
    assert_eq!(one_hot, zipf());
    let bits = ValueDistribution::Uniform.measurements(&Query::Count, 1).expect("bits");
    let both = Measurements::from(vec![false, true]);
    assert_eq!(bits, both.counted(vec![1, 1]).expect("a count each"));
}

#[test]
fn a_range_of_any_size_has_its_ends_and_at_most_a_million_steps() {
    for max_measurement in [80, 1_000_000, u128::MAX >> 1] {
        let query = Query::Sum { max_measurement };
        let rows = ValueDistribution::Normal.measurements(&query, 1).expect("a range");
        let steps = usize::try_from(max_measurement).unwrap_or(usize::MAX);
        assert_eq!(rows.len(), steps.saturating_add(1).min(1_000_000), "{query}");
        assert!(Population::bootstrap(rows, 1_000_000_000, 1).is_ok());
    }
}

#[test]
fn vectors_are_those_of_their_seed_and_few() {
    for query in [
        Query::MultihotCountVec { length: 20, max_weight: 3 },
        Query::SumVec { length: 4, max_measurement: 80 },
        Query::L1BoundSum { length: 4, max_measurement: 80 },
    ] {
        let of = |seed| ValueDistribution::Zipf.measurements(&query, seed).expect("a length");
        assert_eq!(of(7), of(7), "{query}");
        assert_ne!(of(7), of(8), "{query}");
        assert_eq!(of(7).len(), 4096);
    }
    for query in [
        Query::SumVec { length: (1 << 22) + 1, max_measurement: 1 },
        Query::L1BoundSum { length: 0, max_measurement: 1 },
        Query::Histogram { length: 0 },
    ] {
        let error = ValueDistribution::Uniform.measurements(&query, 1).expect_err("no length");
        assert!(error.to_string().starts_with("length is "), "{error}");
    }
}
