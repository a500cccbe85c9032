//! The error bounds of both comparisons, their ties, and that −0 is rejected.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use dp_exact::Interval;
use num_traits::One;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::laws::Binomial;
use crate::script::Script;

/// 2^`exponent`
fn power(exponent: u32) -> Rational {
    Rational::integer(BigInt::one() << exponent)
}

/// Gaussian, geometric and Laplace samplers at both ends of a bucket width, with places of 1 to 104
/// bits.
fn continuous() -> Vec<Rounds> {
    let mut laws = Vec::new();
    for variance in [244, 832, 833, 1 << 20, 208 << 14, 208 << 22].map(Rational::integer) {
        laws.push(Rounds::gaussian(&variance).expect("in range"));
    }
    for exponent in [38, 41, 88, 89, 136, 138, 215] {
        laws.push(Rounds::gaussian(&power(exponent)).expect("in range"));
    }
    for (scale, is_signed) in [(33, true), (64, false), (65, true), (65_535_000, true)] {
        laws.push(Rounds::by_scale(&Rational::integer(scale), is_signed).expect("in range"));
    }
    for exponent in [20, 44, 67, 68, 106] {
        laws.push(Rounds::by_scale(&power(exponent), exponent % 2 == 0).expect("in range"));
    }
    laws
}

/// Binomial samplers with standard deviations from 35 to 500 000, symmetric and skewed to both
/// sides.
pub(super) fn binomials() -> Vec<Rounds> {
    [
        (5000, "1/2"),
        (1_300_000, "1/1000"),
        (1_300_000, "999/1000"),
        (60_000, "3/10"),
        (49_000_001, "1/2"),
        (1_000_000_000, "1/3"),
        (1_000_000_000_000, "0.2689414213699951"),
    ]
    .map(|(trials, probability)| {
        let law = Binomial {
            trials,
            likely: probability == "999/1000",
            probability: Arc::new(probability.parse::<Rational>().expect("a fraction")),
            lost_bits: 64,
        };
        let envelope = Envelope::new(&law, law.variance_bound()).expect("wide");
        Rounds::binomial(envelope).expect("few slots")
    })
    .into()
}

/// Samplers of every kind.
pub(super) fn all() -> Vec<Rounds> {
    [continuous(), binomials()].concat()
}

/// e^−γ, the probability of accepting `proposal`, enclosed.
pub(super) fn acceptance(law: &Rounds, proposal: Proposal) -> Interval {
    let start = BigInt::from(proposal.bucket) << law.width_bits;
    let y = &start + law.offset(proposal.place);
    law.fall.acceptance(proposal, &start, &y).enclose(256)
}

/// The draw that a proposal stands for; `None` for −0, which is rejected.
pub(super) fn value(law: &Rounds, proposal: Proposal) -> Option<BigInt> {
    let y = (BigInt::from(proposal.bucket) << law.width_bits) + law.offset(proposal.place);
    match (proposal.side, law.is_fair) {
        (0, _) => Some(y + law.base),
        (_, false) => Some(-y - 1 + law.base),
        _ => (y != BigInt::ZERO).then(|| -y),
    }
}

/// 30 proposals in buckets that are not far; the last bucket and the ends of buckets are among
/// them.
fn proposals(law: &Rounds, rng: &mut ChaCha20Rng) -> Vec<Proposal> {
    let last = i64::from(law.last).min(300);
    let mut proposals = Vec::new();
    for step in 0..30 {
        let bucket = [last, 0, i64::from(rng.next_u32()) % (last + 1)][step.min(2)];
        let upper = [u64::MAX, 0, rng.next_u64()][step / 2 % 3];
        proposals.push(Proposal {
            side: -i64::from(step % 2 == 1),
            bucket,
            place: law.place(upper, rng.next_u64()),
        });
    }
    proposals
}

#[test]
fn thresholds_are_within_the_margin_and_the_first_comparison_within_its_lanes() {
    let holds = |fault: fn(&mut Rounds)| {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        all().into_iter().all(|mut law| {
            fault(&mut law);
            proposals(&law, &mut rng).into_iter().all(|proposal| {
                let exact = acceptance(&law, proposal);
                let gamma = law.fall.gamma(law.width_bits, proposal);
                let computed = BigInt::from(exp_minus(gamma));
                let distance = exact.lower().floor_shifted(63) - computed;
                let lane = u16::try_from(proposal.place.upper >> 48).unwrap();
                let bucket = u16::try_from(proposal.bucket).unwrap();
                let [below, above] = law.slope.bounds(bucket, lane).map(Rational::integer);
                let exact = exact.shifted(16);
                let lanes = bucket > law.slope.core()
                    || (exact.compare_rational(&below) == Some(Ordering::Greater)
                        && exact.compare_rational(&above) == Some(Ordering::Less));
                distance.magnitude() <= &law.margin.into() && lanes
            })
        })
    };
    assert!(holds(|_| {}));
    assert!(!holds(|law| law.slope.whole += 1));
    assert!(!holds(|law| law.margin /= 8));
    assert!(!holds(|law| law.width_bits += 1));
}

#[test]
fn comparisons_are_decided_by_the_exact_exponential_however_deep_the_tie() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    for law in all() {
        for proposal in proposals(&law, &mut rng).into_iter().skip(2).take(4) {
            let exact = acceptance(&law, proposal);
            for (bits, depth) in [(47, 0), (63, 0), (63, 1), (64, 0), (64, 2)] {
                let known = u64::from(bits) + 64 * depth;
                let whole = exact.lower().floor_shifted(known);
                if whole.bits() > known - 1 || exact.upper().floor_shifted(known) != whole {
                    // e^−γ is 1, or closer to it than 256 bits tell.
                    continue;
                }
                for (digits, expected) in [(&whole - 1, true), (&whole + 1, false)] {
                    let first = u64::try_from(&digits >> (64 * depth)).unwrap();
                    let words = (0..depth).rev().map(|word| {
                        let word: BigInt = (&digits >> (64 * word)) & BigInt::from(u64::MAX);
                        u64::try_from(word).unwrap()
                    });
                    let mut script = Script::new(words.chain([1 << 62; 2]));
                    let uniform = (first, bits);
                    let decided = law.accept_exactly(proposal, uniform, &mut script);
                    assert_eq!(decided, expected);
                    if bits < 64 {
                        // Whatever the second comparison decides is right.
                        let (accepted, undecided) = law.compare(proposal, uniform);
                        assert!(undecided == 1 || (accepted == 1) == expected);
                        assert!(depth == 0 || undecided == 1);
                    }
                }
            }
        }
    }
}

/// The draws that `words` give by exact acceptance. A round takes one or two words for the bucket,
/// then one with the place in its uppermost k bits. Up to k = 16 that word has a fair side in its
/// last bit and U between; above, one more word has them.
fn drawn_exactly(law: &Rounds, words: &[u64]) -> Vec<BigInt> {
    let bits = law.width_bits;
    let mut script = Script::new(words.iter().copied());
    let mut draws = Vec::new();
    while script.left() > 0 {
        let outcome = law.table.draw(&mut script);
        let (upper, below) = (script.next_u64(), if bits > 64 { script.next_u64() } else { 0 });
        let (last, known) = if bits > 16 { (script.next_u64(), 63) } else { (upper, 63 - bits) };
        let proposal = Proposal {
            side: if law.is_fair { -i64::from(last & 1 == 1) } else { outcome >> 63 },
            bucket: outcome ^ (outcome >> 63),
            place: law.place(upper, below),
        };
        let uniform = BigInt::from(last << (63 - known) >> (64 - known));
        let threshold = acceptance(law, proposal).lower().floor_shifted(known.into());
        assert_ne!(uniform, threshold, "more words would be needed");
        if uniform < threshold {
            draws.extend(value(law, proposal));
        }
    }
    draws
}

#[test]
fn single_draws_are_what_exact_acceptance_makes_of_their_words() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let mut rejected = 0;
    for law in all() {
        let rounds = 30;
        let digits = if matches!(law.fall, Fall::Line { .. }) { 2 } else { 1 };
        let words =
            digits + 1 + usize::from(law.width_bits > 16) + usize::from(law.width_bits > 64);
        let words: Vec<u64> = (0..rounds * words).map(|_| rng.next_u64()).collect();
        let expected = drawn_exactly(&law, &words);
        let mut script = Script::new(words);
        for draw in &expected {
            assert_eq!(law.draw::<BigInt, _>(&mut script).as_ref(), Some(draw));
        }
        rejected += rounds - expected.len();
    }
    // Up to one in 17 of 800, and zeros.
    assert!((10..80).contains(&rejected), "{rejected}");
}

#[test]
fn far_buckets_and_tails_are_accepted_exactly() {
    for law in [Rounds::gaussian(&power(160)).unwrap(), Rounds::gaussian(&power(21)).unwrap()] {
        let proposal =
            Proposal { side: -1, bucket: i64::from(law.last) + 1, place: law.place(1 << 63, 0) };
        let lane = acceptance(&law, proposal).lower().floor_shifted(16);
        let lane = u64::try_from(lane).unwrap();
        for (lane, accepted) in [(lane - 1, true), (lane + 1, false)] {
            let mut script = Script::new([0; 2]);
            let draw = law.draw_far::<BigInt, _>(proposal, (lane, 16), &mut script);
            let expected = accepted.then(|| Some(value(&law, proposal).unwrap()));
            assert_eq!(draw, expected);
        }
    }
    // A word of ones is undecided; the end of the row is the deep tail, which is refused by a word of ones and taken
    // by one of zeros.
    let law = Rounds::gaussian(&power(160)).unwrap();
    let mut script = Script::new([[u64::MAX; 3].as_slice(), &[0; 12]].concat());
    assert!(law.draw::<i128, _>(&mut script).unwrap().unsigned_abs() > 12 << 80);
    // The tails of a binomial law: accepted, or refused where the trials are fewer.
    for law in binomials() {
        let Fall::Binomial(envelope) = &law.fall else { panic!("a binomial law") };
        for outcome in [*envelope.support().start(), *envelope.support().end()] {
            let mut rng = ChaCha20Rng::seed_from_u64(9);
            let side = outcome >> 63;
            let proposal = Proposal { side, bucket: outcome ^ side, place: Place::default() };
            let drawn = (0..50).filter_map(|_| {
                let draw = law.draw_far::<i64, _>(proposal, (0, 16), &mut rng);
                draw.map(|draw| draw.expect("64 bits") - law.base)
            });
            let drawn: Vec<i64> = drawn.collect();
            let start = (proposal.bucket << law.width_bits) ^ side;
            let beyond = |x: &i64| (x ^ side) >= (start ^ side) && (x ^ side) >> 63 == 0;
            assert!(drawn.len() > 10 && drawn.iter().all(beyond));
        }
    }
}

use crate::law::Law as _;

#[test]
fn zero_has_one_sign() {
    let law = Rounds::gaussian(&power(21)).unwrap();
    let of = |place: u64, side: u64| [0, place | side];
    // Bucket 0, place, comparison and side: 0 is taken, −0 is not, and the next round begins.
    assert_eq!(law.draw::<i64, _>(&mut Script::new(of(0, 0))), Some(0));
    let mut script = Script::new([of(0, 1), of(1 << (64 - law.width_bits), 1)].concat());
    assert_eq!(law.draw::<i64, _>(&mut script), Some(-1));
    assert_eq!(script.left(), 0);
    // The two sides of a Laplace distribution begin at 0 and −1.
    let law = Rounds::by_scale(&power(21), true).unwrap();
    assert_eq!(
        law.draw::<i64, _>(&mut Script::new([0; 4])).map(|draw| draw >> law.width_bits),
        Some(-16)
    );
}

#[test]
fn the_exceptional_path_is_as_rare_as_stated() {
    for law in all() {
        // How many U of 63 bits are undecided: units of 2^−63; a word is two units.
        let proposal = Proposal { side: 0, bucket: 3, place: law.place(1 << 63, 0) };
        let threshold = exp_minus(law.fall.gamma(law.width_bits, proposal));
        let around = law.margin + 2;
        let undecided = |uniform: u64| law.compare(proposal, (uniform, 63)).1;
        let ends = [threshold - around, threshold + around].map(undecided);
        assert_eq!(ends, [0, 0]);
        let inside = [threshold - law.margin + 1, threshold + law.margin - 1].map(undecided);
        assert_eq!(inside, [1, 1]);
        let single = 4 * law.margin;
        assert!(law.undecided() > single && law.undecided() >= 256 * single);
    }
}
