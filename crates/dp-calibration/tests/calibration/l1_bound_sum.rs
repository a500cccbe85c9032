//! An L1BoundSum: the whole total moved from one entry to another is the worst, by enumeration of
//! all differences; and every query has its calibration.

use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::{Query, WorstCaseDifference, discrete_gaussian, discrete_laplace};

/// The largest noise that is enumerated.
const REACH: i32 = 30;

/// The distribution on −2·REACH, …, 2·REACH in proportion to `bell`.
fn table(bell: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (-2 * REACH..=2 * REACH).map(|x| bell(f64::from(x))).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The probability of x; 0 outside of the table.
fn at(law: &[f64], x: i32) -> f64 {
    usize::try_from(x + 2 * REACH).ok().and_then(|index| law.get(index).copied()).unwrap_or(0.0)
}

/// δ at ε of a difference `moved` of three entries, from its definition.
fn hockey_stick(law: &[f64], moved: [i32; 3], epsilon: f64) -> f64 {
    let growth = epsilon.exp();
    let range = || -REACH..=REACH;
    let mut sum = 0.0;
    for x in range() {
        let first = (at(law, x), growth * at(law, x + moved[0]));
        for y in range() {
            let second = (first.0 * at(law, y), first.1 * at(law, y + moved[1]));
            if moved[2] == 0 {
                sum += (second.0 - second.1).max(0.0);
                continue;
            }
            for z in range() {
                let last = (second.0 * at(law, z), second.1 * at(law, z + moved[2]));
                sum += (last.0 - last.1).max(0.0);
            }
        }
    }
    sum
}

/// All differences of two measurements of three entries with a sum of at most `largest`, up to
/// order.
fn differences(largest: i32) -> Vec<[i32; 3]> {
    let range = || -largest..=largest;
    let all = range().flat_map(move |a| range().flat_map(move |b| range().map(move |c| [a, b, c])));
    let total = |d: &[i32; 3], sign: i32| d.iter().map(|x| (sign * x).max(0)).sum::<i32>();
    all.filter(|d| d[0] >= d[1] && d[1] >= d[2])
        .filter(|d| total(d, 1) <= largest && total(d, -1) <= largest)
        // The zero last, where there is one: it costs nothing then.
        .map(|d| {
            let mut d = d;
            d.sort_by_key(|x| std::cmp::Reverse(x.abs()));
            d
        })
        .collect()
}

#[test]
fn no_difference_of_an_l1_bounded_sum_is_worse_than_the_whole_total_moved() {
    let largest = 3;
    for bell in [
        table(|x| (-x * x / (2.0 * 0.3)).exp()),
        table(|x| (-x * x / (2.0 * 6.0)).exp()),
        table(|x| (-x.abs() / 1.3).exp()),
    ] {
        for epsilon in [0.1, 1.0, 4.0] {
            let worst = hockey_stick(&bell, [largest, -largest, 0], epsilon);
            for moved in differences(largest) {
                let delta = hockey_stick(&bell, moved, epsilon);
                assert!(delta <= worst * (1.0 + 1e-9) + 1e-15, "{moved:?} {epsilon}");
            }
        }
    }
}

#[test]
fn the_enumeration_would_catch_the_total_taken_for_one_entry() {
    // Planted fault: only the decrease, and not the increase on another entry.
    let law = table(|x| (-x * x / 12.0).exp());
    let planted = hockey_stick(&law, [3, 0, 0], 1.0);
    assert!(differences(3).into_iter().any(|d| hockey_stick(&law, d, 1.0) > planted));
}

#[test]
fn a_histogram_of_one_bucket_needs_no_noise_and_every_calibration_says_so() {
    let query = Query::Histogram { length: 1 };
    let (epsilon, delta) = ("1".parse().unwrap(), "1e-9".parse().unwrap());
    let pure = "0".parse().unwrap();
    let gaussian = discrete_gaussian::calibrate_query(&query, Replacement, &epsilon, &delta);
    let laplace = discrete_laplace::calibrate_query(&query, Replacement, &epsilon, &delta);
    let exact = discrete_laplace::calibrate_query(&query, Replacement, &epsilon, &pure);
    for error in [gaussian.unwrap_err(), laplace.unwrap_err(), exact.unwrap_err()] {
        assert!(error.to_string().starts_with("length is 1"), "{error}");
    }
    // With nothing for reference its bucket counts.
    let noise = discrete_gaussian::calibrate_query(&query, Deletion, &epsilon, &delta).unwrap();
    let of_one = WorstCaseDifference::one();
    let one = discrete_gaussian::calibrate(&epsilon, &delta, &of_one).unwrap();
    assert_eq!(noise.variance, one.variance);
}
