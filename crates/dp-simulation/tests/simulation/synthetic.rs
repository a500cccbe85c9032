//! Measurements that follow a distribution.

use dp_simulation::{Measurements, Population, Shape, ValueDistribution};

#[test]
fn one_value_has_a_row_for_each_that_counts_its_share() {
    let buckets = |counts: Vec<u64>| {
        let rows: Vec<usize> = (0..counts.len()).collect();
        Measurements::from(rows).counted(counts).expect("a count each")
    };
    let shape = Shape::Bucket { length: 5 };
    let of = |values: ValueDistribution| values.measurements(&shape, 1).expect("a length");
    assert_eq!(of(ValueDistribution::Uniform), buckets(vec![1; 5]));
    // ⌊5/(i + 1)⌋
    assert_eq!(of(ValueDistribution::Zipf), buckets(vec![5, 2, 1, 1, 1]));
    let one_hot = ValueDistribution::Zipf.measurements(&Shape::Bits { length: 5, weight: 1 }, 1);
    assert_eq!(
        one_hot.expect("a length"),
        of(ValueDistribution::Zipf).one_hot(5).expect("buckets")
    );
    let bits = ValueDistribution::Uniform.measurements(&Shape::Bit, 1).expect("bits");
    let both = Measurements::from(vec![false, true]);
    assert_eq!(bits, both.counted(vec![1, 1]).expect("a count each"));
    assert_eq!(of(ValueDistribution::Normal).len(), 5);
}

#[test]
fn a_range_of_any_size_has_its_ends_and_at_most_a_million_steps() {
    for max in [1, 80, 999_999, 1_000_000, u128::MAX >> 1] {
        let rows =
            ValueDistribution::Normal.measurements(&Shape::Number { max }, 1).expect("a range");
        let steps = usize::try_from(max).unwrap_or(usize::MAX);
        assert_eq!(rows.len(), steps.saturating_add(1).min(1_000_000), "{max}");
        assert!(Population::bootstrap(rows, 1_000_000_000, 1).is_ok());
    }
}

#[test]
fn vectors_are_those_of_their_seed_and_few() {
    for shape in [
        Shape::Bits { length: 20, weight: 3 },
        Shape::Numbers { length: 4, max: 80 },
        Shape::BoundedSum { length: 4, max: 80 },
    ] {
        for values in
            [ValueDistribution::Uniform, ValueDistribution::Zipf, ValueDistribution::Normal]
        {
            let of = |seed| values.measurements(&shape, seed).expect("a length");
            assert_eq!(of(7), of(7), "{shape}");
            assert_ne!(of(7), of(8), "{shape}");
            assert_eq!(of(7).len(), 4096);
        }
    }
    let long = Shape::Numbers { length: (1 << 22) + 1, max: 1 };
    for shape in [long, Shape::BoundedSum { length: 0, max: 1 }, Shape::Bucket { length: 0 }] {
        let error = ValueDistribution::Uniform.measurements(&shape, 1).expect_err("no length");
        assert!(error.to_string().starts_with("length is "), "{error}");
    }
}
