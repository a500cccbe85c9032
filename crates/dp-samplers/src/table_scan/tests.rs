//! Both passes of a block and single draws, word by word, against counts of the distribution.

use rand_core::Rng;

use super::*;
use crate::distributions::Magnitude;
use crate::scripted_rng::ScriptedRng;
use crate::word_counts::tests::{distributions, holds, rational};

/// Distributions and the scans that draw them.
fn scans() -> impl Iterator<Item = (Arc<dyn Distribution>, TableScan)> {
    distributions().into_iter().map(|distribution| {
        let scan = TableScan::new(Arc::clone(&distribution)).expect("few thresholds");
        (distribution, scan)
    })
}

/// The scan of the discrete Gaussian; `None` if it has too many outcomes.
fn gaussian(variance: &str) -> Option<TableScan> {
    TableScan::new(Arc::new(Magnitude::gaussian(&rational(variance), true)?))
}

/// The position that the first pass gives to `word`.
fn position(scan: &TableScan, word: u16) -> i16 {
    let (mut words, mut position) = ([0], [0]);
    magnitudes(&[word.to_le_bytes()], scan.signed, &mut words);
    scan.positions(&words, &mut position);
    position[0]
}

/// The draw that the first pass makes of `word`; `None` if the word is undecided.
fn drawn(scan: &TableScan, word: u16) -> Option<i64> {
    let position = position(scan, word);
    let magnitude = scan.origin + i64::from(position);
    let is_negative = scan.signed != 0 && word >> 15 == 1;
    (position != scan.full).then_some(if is_negative { -magnitude } else { magnitude })
}

/// Fails unless the words of both passes and of single draws are counts of the distribution that
/// the scan draws.
pub(crate) fn recount(scan: &TableScan) {
    let distribution = &scan.one.distribution;
    assert!(holds(&**distribution, &scan.one.counts()), "{distribution:?}");
    // Every word of 16 bits, counted by drawing with it.
    let mut masses = vec![0_u64; usize::from(scan.full.unsigned_abs()) + 1];
    for word in 0..=u16::MAX {
        masses[usize::from(position(scan, word).unsigned_abs())] += 1;
    }
    let halves = u32::from(scan.signed != 0);
    masses.iter_mut().for_each(|mass| *mass >>= halves);
    let undecided = masses.pop().unwrap();
    assert_eq!(undecided, scan.rest);
    let counts = WordCounts { word_bits: scan.word_bits, first: scan.origin, masses, undecided };
    let exact = distribution.probability(128);
    for (outcome, mass) in (counts.first..).zip(&counts.masses) {
        let words = exact(outcome).shifted(counts.word_bits.into());
        assert!(words.upper().floor_shifted(0) >= (*mass).into(), "{distribution:?}");
    }
    #[cfg(feature = "verification")]
    {
        let counted = zip(counts.first.., counts.masses.clone()).filter(|cell| cell.1 > 0);
        assert!(counted.eq(scan.passes()[0].1.iter().copied()));
    }
    drop(exact);
    let remainder = Remainder { distribution: Arc::clone(distribution), counts };
    assert!(holds(&remainder, &scan.second.counts()), "{distribution:?}");
}

#[test]
fn words_of_both_passes_and_of_single_draws_are_counts_of_the_distribution() {
    scans().for_each(|(_, scan)| recount(&scan));
}

#[test]
fn each_threshold_of_a_row_separates_its_outcomes() {
    for (_, scan) in scans() {
        for row in [&scan.one, &scan.second] {
            let counts = row.counts();
            let last = u64::MAX >> (64 - counts.word_bits);
            let mut end = 0;
            for (outcome, mass) in (counts.first..).zip(&counts.masses) {
                if *mass > 0 {
                    assert_eq!(row.look_up(end), (outcome, 0));
                    assert_eq!(row.look_up(end + mass - 1), (outcome, 0));
                }
                end += mass;
            }
            assert_eq!(last - end + 1, row.undecided);
            assert_eq!((row.look_up(end).1, row.look_up(last).1), (1, 1));
            let words = [0, last, end, end - 1];
            let mut positions = [0; 4];
            row.positions(&words, &mut positions);
            for (word, position) in zip(words, positions) {
                assert_eq!(row.look_up(word).1 == 1, position == UNDECIDED);
            }
        }
    }
}

/// The draws of a block with these words. Undecided draws take `spares` in turn, down the columns
/// of rows of 16, and draws that are still undecided take words of `more`.
fn expected(scan: &TableScan, words: &[u16], spares: &[u64], more: &mut ScriptedRng) -> Vec<i64> {
    let mut draws: Vec<Option<i64>> = words.iter().map(|word| drawn(scan, *word)).collect();
    let mut spares = spares.iter();
    for lane in (0..16).flat_map(|column| (column..words.len()).step_by(16)) {
        if draws[lane].is_some() {
            continue;
        }
        let word = spares.next().copied();
        let word = word.unwrap_or_else(|| more.next_u64());
        let magnitude = match scan.second.look_up(word) {
            (outcome, 0) => outcome,
            _ => scan.second.draw_remainder(more),
        };
        let negative = scan.signed != 0 && words[lane] >> 15 == 1;
        draws[lane] = Some(if negative { -magnitude } else { magnitude });
    }
    draws.into_iter().flatten().collect()
}

#[test]
fn undecided_draws_get_a_remainder_each_and_the_exceptional_path_draws_more() {
    for (distribution, scan) in scans().skip(1).step_by(4) {
        let all = (0..=u16::MAX).map(|place| place.wrapping_mul(0x9e37));
        let (undecided, decided): (Vec<u16>, Vec<u16>) =
            all.partition(|word| drawn(&scan, *word).is_none());
        let odd = |place: usize| (place as u64 + 3).wrapping_mul(0x5851_f42d_4c95_7f2d);
        let spare = usize::from(scan.spare);
        for count in [LANES, 33] {
            for many in [0, 1, spare, spare + 2] {
                // A remainder that is undecided itself: none, the first, the last, all.
                for blank in [usize::MAX, 0, spare - 1, usize::MAX - 1] {
                    let lane = |lane: usize| match lane * 37 % count < many {
                        true => undecided[lane * 7 % undecided.len()],
                        false => decided[lane],
                    };
                    let words: Vec<u16> = (0..count).map(lane).collect();
                    let is_blank = |at| at == blank || blank == usize::MAX - 1;
                    let spares = (0..spare).map(|at| if is_blank(at) { u64::MAX } else { odd(at) });
                    let spares: Vec<u64> = spares.collect();
                    let more: Vec<u64> = (9..700).map(odd).collect();
                    let mut rest = ScriptedRng::new(more.iter().copied());
                    let expected = expected(&scan, &words, &spares, &mut rest);
                    let packed = words.chunks(4).map(|four| {
                        let lanes = (0..).zip(four);
                        lanes.fold(0, |word, (lane, &short)| {
                            word | (u64::from(short) << (16 * lane))
                        })
                    });
                    let script = packed.chain(spares).chain(more);
                    let mut script = ScriptedRng::new(script);
                    let mut draws = vec![0_i64; count];
                    scan.fill(&mut script, &mut draws).unwrap();
                    assert_eq!(draws, expected, "{distribution:?} {count} {many} {blank}");
                    assert_eq!(script.left(), rest.left());
                }
            }
        }
    }
}

#[test]
fn a_single_draw_takes_a_word_whose_last_bit_is_its_sign() {
    let scan = gaussian("26.93942798").unwrap();
    for word in (0..1000_u64).map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
        let [positive, negative] = [word & !1, word | 1].map(|word| {
            let mut script = ScriptedRng::new([word]);
            let draw = scan.draw(&mut script);
            assert_eq!(script.left(), 0);
            draw
        });
        assert_eq!((positive, 0), scan.one.look_up(word >> 1));
        assert_eq!(negative, -positive);
    }
    // The last words are undecided: the outcome after them lies in the tail, with the sign too.
    assert!(scan.draw(&mut ScriptedRng::new([u64::MAX, u64::MAX, u64::MAX / 2])) < -50);
}

#[test]
fn distributions_of_too_many_outcomes_are_refused() {
    assert!(gaussian("20000").is_none());
}
