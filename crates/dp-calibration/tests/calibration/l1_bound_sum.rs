//! An L1BoundSum: the whole total moved from one entry to another is the worst, by enumeration of
//! all differences.

use crate::common::{distribution, hockey_stick};

/// All differences of two measurements of three entries, of sums up to `largest`, up to order.
fn differences(largest: i64) -> Vec<[i64; 3]> {
    let range = || -largest..=largest;
    let all = range().flat_map(move |a| range().flat_map(move |b| range().map(move |c| [a, b, c])));
    let total = |d: &[i64; 3], sign: i64| d.iter().map(|x| (sign * x).max(0)).sum::<i64>();
    all.filter(|d| d[0] >= d[1] && d[1] >= d[2])
        .filter(|d| total(d, 1) <= largest && total(d, -1) <= largest)
        .collect()
}

#[test]
fn no_difference_of_an_l1_bounded_sum_is_worse_than_the_whole_total_moved() {
    let largest = 3;
    for bell in [
        distribution(30, |x| (-x * x / (2.0 * 0.3)).exp()),
        distribution(30, |x| (-x * x / (2.0 * 6.0)).exp()),
        distribution(30, |x| (-x.abs() / 1.3).exp()),
    ] {
        for epsilon in [0.1, 1.0, 4.0] {
            let worst = hockey_stick(&bell, &[largest, -largest], epsilon);
            // Planted fault: the decrease alone, and not the increase of another entry.
            assert!(worst > hockey_stick(&bell, &[largest], epsilon) * (1.0 + 1e-9) + 1e-15);
            for moved in differences(largest) {
                let delta = hockey_stick(&bell, &moved, epsilon);
                assert!(delta <= worst * (1.0 + 1e-9) + 1e-15, "{moved:?} {epsilon}");
            }
        }
    }
}
