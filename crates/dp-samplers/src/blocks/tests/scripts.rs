//! Prescribed words that force every path, against draws made one by one.

use super::super::lanes::LANES;
use super::super::{SHORT, UNDECIDED};
use super::*;
use crate::Error;
use crate::alias::Remainder;
use crate::script::Script;
use crate::words::Direct;

/// The draws of a block, in the plainest way: undecided ones take the words of the second pass in
/// turn, down the columns of rows of 16, and what is still undecided takes more words.
fn one_by_one(
    blocks: &Blocks<impl First, impl Second>,
    lanes: &[u16],
    spares: &[u64],
    more: &mut Script,
) -> Vec<i64> {
    let mut draws: Vec<i64> = lanes
        .iter()
        .map(|&lane| blocks.outcome(lane).unwrap_or(i64::MAX))
        .collect();
    let mut spares = spares.iter();
    let down = (0..16).flat_map(|column| (column..lanes.len()).step_by(16));
    for lane in down
        .filter(|&lane| draws[lane] == i64::MAX)
        .collect::<Vec<_>>()
    {
        use rand_core::Rng;
        let word = spares.next().copied();
        let word = word.unwrap_or_else(|| more.next_u64());
        let magnitude = blocks
            .second
            .look_up(word)
            .unwrap_or_else(|| blocks.second.draw_undecided(&mut Direct(more)));
        let negative = blocks.signed != 0 && lanes[lane] >> 15 == 1;
        draws[lane] = if negative { -magnitude } else { magnitude };
    }
    draws
}

/// Words that the first pass does not decide, and as many as a block has that it decides.
struct Kinds {
    undecided: Vec<u16>,
    decided: Vec<u16>,
}

impl Kinds {
    fn new(blocks: &Blocks<impl First, impl Second>) -> Self {
        let all = (0..=u16::MAX).map(|place| place.wrapping_mul(0x9e37));
        let (undecided, mut decided): (Vec<u16>, Vec<u16>) =
            all.partition(|&word| blocks.outcome(word).is_none());
        decided.truncate(LANES);
        Self { undecided, decided }
    }

    /// Lanes of which these are undecided.
    fn lanes(&self, count: usize, undecided: &[usize]) -> Vec<u16> {
        let of = |words: &[u16], place: usize| words[place % words.len()];
        let lane = |lane: usize| match undecided.iter().position(|&other| other == lane) {
            Some(place) => of(&self.undecided, place * 7),
            None => of(&self.decided, lane),
        };
        (0..count).map(lane).collect()
    }
}

fn words(lanes: &[u16]) -> impl Iterator<Item = u64> {
    lanes.chunks(4).map(|four| {
        let lanes = (0..).zip(four);
        lanes.fold(0, |word, (lane, &short)| {
            word | (u64::from(short) << (16 * lane))
        })
    })
}

/// A word that the second pass does not decide.
fn undecided_word(second: &impl Second) -> u64 {
    let word = u64::MAX;
    assert_eq!(second.look_up(word), None);
    word
}

fn check(
    engine: &impl InBlocks,
    kinds: &Kinds,
    (count, undecided): (usize, &[usize]),
    spares: impl Fn(usize) -> u64,
) {
    let blocks = engine.blocks();
    let lanes = kinds.lanes(count, undecided);
    let spares: Vec<u64> = (0..blocks.spare.count).map(spares).collect();
    let more = |place: u64| (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let more: Vec<u64> = (0..400).map(more).collect();

    let mut rest = Script::new(more.iter().copied());
    let expected = one_by_one(blocks, &lanes, &spares, &mut rest);
    let script = words(&lanes).chain(spares).chain(more);
    let mut script = Script::new(script);
    let mut draws = vec![0_i64; count];
    engine.fill(&mut script, &mut draws).unwrap();
    assert_eq!(draws, expected, "{count} draws, {undecided:?} undecided");
    assert_eq!(script.left(), rest.left());
}

#[test]
fn undecided_draws_get_a_remainder_each_and_more_of_them_as_many_as_it_takes() {
    for_each_engine!(|engine, law, _bits| {
        if law.support().start() == law.support().end() {
            continue;
        }
        let (second, spare) = (&engine.blocks().second, engine.blocks().spare.count);
        let undecided = undecided_word(second);
        let kinds = &Kinds::new(engine.blocks());
        for count in [LANES, LANES - 1, 33, SHORT] {
            let stride = |many: usize| -> Vec<usize> {
                (0..many.min(count))
                    .map(|place| place * 37 % count)
                    .collect()
            };
            let odd = |place: usize| (place as u64 + 3).wrapping_mul(0x5851_f42d_4c95_7f2d);
            for many in [0, 1, 2, spare - 1, spare, spare + 1, spare + 5] {
                check(engine, kinds, (count, &stride(many)), odd);
            }
            if count != 33 {
                continue;
            }
            check(engine, kinds, (count, &stride(count)), odd);
            // One that is undecided itself: needed or not, the first or the last.
            for (many, place) in [(0, 0), (1, 0), (1, 1), (spare, spare - 1), (spare + 1, 1)] {
                let spares = |at| if at == place { undecided } else { odd(at) };
                check(engine, kinds, (count, &stride(many)), spares);
            }
            check(engine, kinds, (count, &stride(3)), |_| undecided);
        }
    });
}

#[test]
fn few_draws_at_the_end_are_made_one_by_one() {
    let law = || Gaussian::new(&rational("26.93942798")).unwrap();
    fn ends(engine: &impl InBlocks) {
        use rand_core::SeedableRng;
        for length in [1, SHORT - 1, LANES + 1, 2 * LANES + SHORT - 1] {
            let mut generators = [3; 2].map(rand_chacha::ChaCha20Rng::seed_from_u64);
            let [one, other] = &mut generators;
            let mut filled = vec![0_i64; length];
            engine.fill(one, &mut filled).unwrap();
            let mut expected = vec![0_i64; length / LANES * LANES];
            engine.fill(other, &mut expected).unwrap();
            while expected.len() < length {
                expected.push(engine.single(other).unwrap());
            }
            assert_eq!(filled, expected);
        }
    }
    ends(&Scan::symmetric(law()).unwrap());
    ends(&TwoPass::symmetric(law()).unwrap());
}

#[test]
fn a_draw_that_does_not_fit_is_found_where_it_is() {
    let engine = Scan::symmetric(Gaussian::new(&rational("26.93942798")).unwrap()).unwrap();
    for place in [0, 1, 255, 256, 299] {
        let lanes: Vec<u16> = (0..300)
            .map(|lane| {
                if lane == place {
                    1 << 15 | 20_000
                } else {
                    20_000
                }
            })
            .collect();
        let spares = vec![0; engine.blocks().spare.count];
        let (block, rest) = lanes.split_at(LANES);
        let script = words(block)
            .chain(spares.clone())
            .chain(words(rest))
            .chain(spares);
        let error = engine.fill(&mut Script::new(script), &mut [0_u8; 300]);
        let target = "u8";
        assert_eq!(
            error,
            Err(Error::Overflow {
                index: place,
                target
            })
        );
    }
}

#[test]
fn single_draws_by_two_words_take_the_second_where_the_first_does_not_decide() {
    for (_, signed) in symmetric() {
        let engine = TwoPass::symmetric(signed).unwrap();
        let blocks = engine.blocks();
        for lane in (0..=u16::MAX)
            .step_by(3)
            .chain(32_700..=32_767)
            .chain(65_500..=65_535)
        {
            for more in [0, 1 << 40, u64::MAX / 3] {
                let mut script = Script::new([0xabcd_ef01_2345_0000 | u64::from(lane), more]);
                let draw = engine.single::<i64, _>(&mut script);
                let expected = one_by_one(blocks, &[lane], &[more], &mut Script::new([]));
                assert_eq!(draw, Some(expected[0]));
                assert_eq!(script.left(), 0);
            }
        }
        // And what the second does not decide takes more.
        let lane = (0..1_u16 << 15)
            .find(|&lane| blocks.outcome(lane).is_none())
            .unwrap();
        let mut script = Script::new([lane.into(), u64::MAX, 5, 6, 7]);
        let mut rest = Script::new([5, 6, 7]);
        let expected = one_by_one(blocks, &[lane], &[u64::MAX], &mut rest);
        assert_eq!(engine.single::<i64, _>(&mut script), Some(expected[0]));
        assert_eq!(script.left(), rest.left());
    }
}

#[test]
fn the_second_pass_draws_from_the_remainder_of_the_first() {
    for (magnitude, signed) in symmetric() {
        let whole = split(&*magnitude, 15);
        let remainder = Remainder {
            law: magnitude,
            whole,
        };
        // What it draws at the ends of its words is likely there.
        let probability = remainder.at(128);
        let scan = Scan::symmetric(Arc::clone(&signed)).unwrap();
        for word in [0, 1 << 62, 1 << 63] {
            let outcome = scan.blocks().second.look_up(word).unwrap();
            assert!(probability(outcome).is_positive());
        }
        let mut positions = [0; 4];
        scan.blocks()
            .second
            .positions(&[0, u64::MAX, 1 << 63, u64::MAX], &mut positions);
        assert_eq!([positions[1], positions[3]], [UNDECIDED; 2]);
    }
}
