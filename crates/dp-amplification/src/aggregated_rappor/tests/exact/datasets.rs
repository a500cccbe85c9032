//! Every dataset of the others, and two counts of one.

use super::*;
use crate::aggregated_rappor::cover::{Cover, Covered, Resolution, cover, cover_known, lay};
use crate::aggregated_rappor::curve::Curve;

#[test]
fn blocks_cover_every_dataset_without_a_gap_and_each_of_theirs() {
    for (e, clients, slack) in [
        (2, 13, 0.12),
        (4, 20, 0.05),
        (3, 9, 0.0),
        (8, 1, 0.1),
        (2, 2, 0.5),
    ] {
        let flip = odds(e);
        let resolution = Resolution { depth: 60.0, slack };
        for own in [Own::Randomized, Own::Known] {
            if own == Own::Known && clients < 9 {
                continue;
            }
            let cover = Cover::new(&flip, clients, resolution, own, 1.0).unwrap();
            assert_eq!(cover.blocks[0].highest, clients - 1);
            assert_eq!(cover.blocks[0].lowest, clients - 1);
            let mut left = clients;
            for block in &cover.blocks {
                assert_eq!(block.highest + 1, left);
                left = block.lowest;
                for ones in block.lowest..=block.highest {
                    for (&alpha, &value) in cover.nodes.iter().zip(&block.values).step_by(29) {
                        let least = curve(&flip, own, clients - 1, ones, &exact(alpha));
                        assert!(exact(value) >= least, "{e} {clients} {ones} {alpha}");
                    }
                }
            }
            assert_eq!(left, 0);
            let widest = cover
                .blocks
                .iter()
                .map(|block| block.highest - block.lowest);
            assert_eq!(widest.max() > Some(1), slack > 0.0 && clients > 2);
        }
    }
}

#[test]
fn blocks_are_laid_without_a_gap_whatever_room_they_report() {
    for (fewest, most, tightest, widest, seed) in [
        (0u64, 40u64, 0u64, 7u64, 1u64),
        (5, 40, 2, 40, 2),
        (3, 4, 1, 1, 3),
        (7, 7, 0, 3, 4),
        (0, 100, 3, 30, 5),
    ] {
        let block = |low: u64, high: u64| {
            assert!(fewest <= low && low <= high && high < most);
            // From much too wide to much too narrow.
            let room = ((low * 31 + high * 17 + seed) % 23) as i32 - 11;
            Some((vec![f64::from(room)], f64::from(room)))
        };
        let blocks = lay(fewest..=most, &[1.0], tightest..=widest, block).unwrap();
        assert_eq!((blocks[0].lowest, blocks[0].highest), (most, most));
        let mut left = most + 1;
        for block in &blocks {
            assert_eq!(block.highest + 1, left);
            assert!(block.lowest <= block.highest);
            assert!(block.highest - block.lowest <= widest.max(tightest));
            left = block.lowest;
        }
        assert_eq!(left, fewest);
    }
}

#[test]
fn the_worst_of_a_group_is_that_of_all_its_blocks() {
    let flip = odds(4);
    let resolution = Resolution {
        depth: 60.0,
        slack: 0.03,
    };
    let cover = Cover::new(&flip, 24, resolution, Own::Randomized, 1.0).unwrap();
    assert!(cover.blocks.len() > 5);
    for (from, to) in [(0, 0), (0, 23), (3, 9), (9, 10), (22, 23), (23, 23)] {
        let highest = cover.highest(from, to);
        for (place, &highest) in highest.iter().enumerate() {
            let meets = |block: &&Covered| block.lowest <= to && block.highest >= from;
            let all = cover.blocks.iter().filter(meets);
            let values = all.map(|block| block.values[place]);
            assert_eq!(highest, values.fold(0.0, f64::max), "{from} {to} {place}");
        }
    }
}

#[test]
fn two_counts_of_a_client_alone_are_exact_and_those_of_a_few_are_bounded() {
    for (e, clients) in [(2, 1), (3, 1), (16, 1), (2, 3), (4, 5)] {
        let flip = odds(e);
        let resolution = Resolution {
            depth: 60.0,
            slack: 0.0,
        };
        let curve = cover(&flip, clients, resolution).unwrap();
        for eighths in 8..=8 * e * e {
            let alpha = f64::from(eighths) / 8.0;
            let upper = curve.two(alpha);
            let mut worst = Rational::zero();
            for b in 0..clients {
                for c in b..clients {
                    let value = two_counts(&flip, clients - 1, [b, c], &exact(alpha));
                    worst = worst.max(value);
                }
            }
            assert!(exact(upper) >= worst, "{e} {clients} {alpha}");
            if clients == 1 {
                let most = worst.to_f64() * (1.0 + 1e-12) + 1e-15;
                assert!(upper <= most, "{e} {alpha} {upper} {worst}");
            }
        }
    }
}

#[test]
fn far_tails_that_are_told_keep_the_bound() {
    // G of a client whose bit is known has no largest likelihood ratio but that of its last outcome.
    for (e, clients) in [(2, 6), (3, 8)] {
        let flip = odds(e);
        let resolution = Resolution {
            depth: 20.0,
            slack: 0.0,
        };
        let (curve, told) = cover_known(&flip, clients, resolution).unwrap();
        assert!(told > 0.0);
        let near = (8..=80).step_by(5).map(|eighths| f64::from(eighths) / 8.0);
        for alpha in near.chain([1e3, 1e9]) {
            let bound = exact(curve.two_or_told(told, alpha));
            for b in 0..clients {
                for c in b..clients {
                    let laws = [b, c].map(|b| pair(&flip, Own::Known, clients - 1, b));
                    let all = |side: usize| -> Vec<Rational> {
                        let pairs = laws[0][side].iter();
                        let second = &laws[1][side];
                        pairs
                            .flat_map(|p| second.iter().map(move |r| p * r))
                            .collect()
                    };
                    let value = divergence(all(0).iter().zip(&all(1)), &exact(alpha));
                    assert!(bound >= value, "{e} {clients} {alpha} {b} {c}");
                }
            }
        }
    }
}

#[test]
fn what_is_cut_off_a_curve_and_the_rest_are_not_below_it() {
    let nodes = vec![1.0, 1.5, 2.0, 4.0];
    for values in [
        [0.5, 0.375, 0.25, 0.125],
        [0.75, 0.625, 0.5, 0.25],
        [0.25, 0.125, 0.0, 0.0],
    ] {
        let (curve, told) = Curve::cut(nodes.clone(), &values).unwrap();
        assert!(exact(told) >= exact(values[3]));
        let kept = &Rational::one() - &exact(told);
        for (&alpha, &value) in nodes.iter().zip(&values) {
            let with = &exact(told) + &(&kept * &exact(curve.one(alpha)));
            // At 1 the chord from the mirror image of the next node is a bound as well.
            assert!(
                alpha == 1.0 || with >= exact(value),
                "{values:?} {alpha} {with}"
            );
            assert!(with.to_f64() <= value + 1e-15, "{values:?} {alpha} {with}");
        }
    }
}
