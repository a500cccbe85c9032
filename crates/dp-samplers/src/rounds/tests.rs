//! The error bounds of both comparisons, their ties, and that −0 is rejected.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use dp_exact::Interval;
use num_traits::One;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::distributions::Binomial;
use crate::scripted_rng::ScriptedRng;
use crate::word_counts::Distribution as _;

/// 2^`exponent`
fn power(exponent: u32) -> Rational {
    Rational::integer(BigInt::one() << exponent)
}

/// Gaussian and Laplace samplers at both ends of a bucket width, with offsets of 1 to 104 bits.
fn continuous() -> Vec<Rounds> {
    let mut distributions = Vec::new();
    for variance in [244, 832, 833, 1 << 20, 208 << 14, 208 << 22].map(Rational::integer) {
        distributions.push(Rounds::gaussian(&variance).expect("in range"));
    }
    for exponent in [38, 41, 88, 89, 136, 138, 215] {
        distributions.push(Rounds::gaussian(&power(exponent)).expect("in range"));
    }
    let scales = [33, 64, 65, 65_535_000].map(Rational::integer).into_iter();
    for scale in scales.chain([20, 44, 67, 68, 106].map(power)) {
        distributions.push(Rounds::laplace(&scale).expect("in range"));
    }
    distributions
}

/// Binomial samplers with standard deviations from 35 to 500 000, symmetric and skewed.
pub(super) fn binomials() -> Vec<Rounds> {
    [
        (5000, "1/2"),
        (1_300_000, "999/1000"),
        (60_000, "3/10"),
        (1_000_000_000_000, "0.2689414213699951"),
    ]
    .map(|(trials, probability)| {
        let distribution = Binomial {
            trials,
            probability: Arc::new(probability.parse::<Rational>().expect("a fraction")),
            lost_bits: 64,
        };
        let envelope = Envelope::new(&distribution, distribution.variance_bound()).expect("wide");
        Rounds::binomial(envelope).expect("few slots")
    })
    .into()
}

/// Samplers of every kind.
pub(super) fn all() -> Vec<Rounds> {
    [continuous(), binomials()].concat()
}

/// e^−γ, the probability of accepting `proposal`, enclosed.
pub(super) fn acceptance(distribution: &Rounds, proposal: Proposal) -> Interval {
    let start = BigInt::from(proposal.bucket) << distribution.width_bits;
    let y = distribution.magnitude_integer(proposal);
    distribution.exponent.acceptance(distribution.width_bits, proposal, &start, &y).enclose(256)
}

/// The draw that a proposal stands for; `None` for −0, which is rejected.
pub(super) fn value(distribution: &Rounds, proposal: Proposal) -> Option<BigInt> {
    let y = distribution.magnitude_integer(proposal);
    match (proposal.side, distribution.is_fair) {
        (0, _) => Some(y + distribution.base),
        (_, false) => Some(-y - 1 + distribution.base),
        _ => (y != BigInt::ZERO).then(|| -y),
    }
}

/// 30 proposals in buckets that are not far; the last bucket and the ends of buckets are among
/// them.
fn proposals(distribution: &Rounds, rng: &mut ChaCha20Rng) -> Vec<Proposal> {
    let last = i64::from(distribution.last).min(300);
    let mut proposals = Vec::new();
    for step in 0..30 {
        let bucket = [last, 0, i64::from(rng.next_u32()) % (last + 1)][step.min(2)];
        let upper = [u64::MAX, 0, rng.next_u64()][step / 2 % 3];
        proposals.push(Proposal {
            side: -i64::from(step % 2 == 1),
            bucket,
            offset: distribution.offset_from_bits(upper, rng.next_u64()),
        });
    }
    proposals
}

#[test]
fn thresholds_are_within_the_margin_and_the_first_comparison_within_its_lanes() {
    let holds = |fault: fn(&mut Rounds)| {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        all().into_iter().all(|mut distribution| {
            fault(&mut distribution);
            proposals(&distribution, &mut rng).into_iter().all(|proposal| {
                let exact = acceptance(&distribution, proposal);
                let gamma = distribution.exponent.gamma(distribution.width_bits, proposal);
                let computed = BigInt::from(exp_minus(gamma));
                let distance = exact.lower().floor_shifted(63) - computed;
                let lane = u16::try_from(proposal.offset.upper >> 48).unwrap();
                let bucket = u16::try_from(proposal.bucket).unwrap();
                let [below, above] = distribution.slope.bounds(bucket, lane).map(Rational::integer);
                let exact = exact.shifted(16);
                let lanes = bucket > distribution.slope.core
                    || (exact.compare_rational(&below) == Some(Ordering::Greater)
                        && exact.compare_rational(&above) == Some(Ordering::Less));
                distance.magnitude() <= &distribution.margin.into() && lanes
            })
        })
    };
    assert!(holds(|_| {}));
    assert!(!holds(|distribution| distribution.slope.whole += 1));
    assert!(!holds(|distribution| distribution.margin /= 8));
    assert!(!holds(|distribution| distribution.width_bits += 1));
}

#[test]
fn comparisons_are_decided_by_the_exact_exponential() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    for distribution in all() {
        for proposal in proposals(&distribution, &mut rng).into_iter().skip(2).take(4) {
            let exact = acceptance(&distribution, proposal);
            for bits in [47, 63, 64] {
                let whole = exact.lower().floor_shifted(bits.into());
                if whole.bits() > u64::from(bits) - 1 {
                    // e^−γ is 1, or closer to it than `bits` bits tell.
                    continue;
                }
                let whole = u64::try_from(whole).unwrap();
                for (first, expected) in [(whole - 1, true), (whole + 1, false)] {
                    let (uniform, mut script) = ((first, bits), ScriptedRng::new([1 << 62; 2]));
                    let decided = distribution.accept_exactly(proposal, uniform, &mut script);
                    assert_eq!(decided, expected);
                    if bits < 64 {
                        // Whatever the second comparison decides is right.
                        let (accepted, undecided) = distribution.compare(proposal, uniform);
                        assert!(undecided == 1 || (accepted == 1) == expected);
                        assert_eq!(distribution.compare(proposal, (whole, bits)).1, 1);
                    }
                }
            }
        }
    }
}

/// The draws that `words` give by exact acceptance. A round takes one or two words for the bucket,
/// then one with the offset in its uppermost k bits. Up to k = 16 that word has a fair side in its
/// last bit and U between; above, one more word has them.
fn drawn_exactly(distribution: &Rounds, words: &[u64]) -> Vec<BigInt> {
    let bits = distribution.width_bits;
    let mut script = ScriptedRng::new(words.iter().copied());
    let mut draws = Vec::new();
    while script.left() > 0 {
        let outcome = distribution.table.draw(&mut script);
        let (upper, below) = (script.next_u64(), if bits > 64 { script.next_u64() } else { 0 });
        let (last, known) = if bits > 16 { (script.next_u64(), 63) } else { (upper, 63 - bits) };
        let proposal = Proposal {
            side: if distribution.is_fair { -i64::from(last & 1 == 1) } else { outcome >> 63 },
            bucket: outcome ^ (outcome >> 63),
            offset: distribution.offset_from_bits(upper, below),
        };
        let uniform = BigInt::from(last << (63 - known) >> (64 - known));
        let threshold = acceptance(distribution, proposal).lower().floor_shifted(known.into());
        assert_ne!(uniform, threshold, "more words would be needed");
        if uniform < threshold {
            draws.extend(value(distribution, proposal));
        }
    }
    draws
}

#[test]
fn single_draws_are_what_exact_acceptance_makes_of_their_words() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let mut rejected = 0;
    for distribution in all() {
        let rounds = 30;
        let digits = if matches!(distribution.exponent, Exponent::Line { .. }) { 2 } else { 1 };
        let words = digits
            + 1
            + usize::from(distribution.width_bits > 16)
            + usize::from(distribution.width_bits > 64);
        let words: Vec<u64> = (0..rounds * words).map(|_| rng.next_u64()).collect();
        let expected = drawn_exactly(&distribution, &words);
        let mut script = ScriptedRng::new(words);
        for draw in &expected {
            assert_eq!(distribution.draw::<BigInt, _>(&mut script).as_ref(), Some(draw));
        }
        rejected += rounds - expected.len();
    }
    // Up to one in 17 of 800, and zeros.
    assert!((10..80).contains(&rejected), "{rejected}");
}

#[test]
fn far_buckets_and_tails_are_accepted_exactly() {
    for distribution in
        [Rounds::gaussian(&power(160)).unwrap(), Rounds::gaussian(&power(21)).unwrap()]
    {
        let proposal = Proposal {
            side: -1,
            bucket: i64::from(distribution.last) + 1,
            offset: distribution.offset_from_bits(1 << 63, 0),
        };
        let lane = acceptance(&distribution, proposal).lower().floor_shifted(16);
        let lane = u64::try_from(lane).unwrap();
        for (lane, accepted) in [(lane - 1, true), (lane + 1, false)] {
            let mut script = ScriptedRng::new([0; 2]);
            let draw = distribution.draw_far::<BigInt, _>(proposal, (lane, 16), &mut script);
            let expected = accepted.then(|| Some(value(&distribution, proposal).unwrap()));
            assert_eq!(draw, expected);
        }
    }
    // A word of ones is undecided; the end of the row is the deep tail, which is refused by a word
    // of ones and taken by one of zeros.
    let distribution = Rounds::gaussian(&power(160)).unwrap();
    let mut script = ScriptedRng::new([[u64::MAX; 3].as_slice(), &[0; 12]].concat());
    assert!(distribution.draw::<i128, _>(&mut script).unwrap().unsigned_abs() > 12 << 80);
    // The tails of a binomial distribution: accepted, or refused where the trials are fewer.
    for distribution in binomials() {
        let Exponent::Binomial(envelope) = &distribution.exponent else {
            panic!("a binomial distribution")
        };
        for outcome in [*envelope.support().start(), *envelope.support().end()] {
            let mut rng = ChaCha20Rng::seed_from_u64(9);
            let side = outcome >> 63;
            let proposal = Proposal { side, bucket: outcome ^ side, offset: Offset::default() };
            let drawn = (0..50).filter_map(|_| {
                let draw = distribution.draw_far::<i64, _>(proposal, (0, 16), &mut rng);
                draw.map(|draw| draw.expect("64 bits") - distribution.base)
            });
            let drawn: Vec<i64> = drawn.collect();
            let start = (proposal.bucket << distribution.width_bits) ^ side;
            let beyond = |x: &i64| (x ^ side) >= (start ^ side) && (x ^ side) >> 63 == 0;
            assert!(drawn.len() > 10 && drawn.iter().all(beyond));
        }
    }
}

#[test]
fn zero_has_one_sign() {
    let distribution = Rounds::gaussian(&power(21)).unwrap();
    let of = |offset: u64, side: u64| [0, offset | side];
    // Bucket 0, offset, comparison and side: 0 is taken, −0 is not, and the next round begins.
    assert_eq!(distribution.draw::<i64, _>(&mut ScriptedRng::new(of(0, 0))), Some(0));
    let mut script =
        ScriptedRng::new([of(0, 1), of(1 << (64 - distribution.width_bits), 1)].concat());
    assert_eq!(distribution.draw::<i64, _>(&mut script), Some(-1));
    assert_eq!(script.left(), 0);
    // The two sides of a Laplace distribution begin at 0 and −1.
    let distribution = Rounds::laplace(&power(21)).unwrap();
    assert_eq!(
        distribution
            .draw::<i64, _>(&mut ScriptedRng::new([0; 4]))
            .map(|draw| draw >> distribution.width_bits),
        Some(-16)
    );
}

#[test]
fn the_exceptional_path_is_as_rare_as_stated() {
    for distribution in all() {
        // How many U of 63 bits are undecided: units of 2^−63; a word is two units.
        let proposal =
            Proposal { side: 0, bucket: 3, offset: distribution.offset_from_bits(1 << 63, 0) };
        let threshold = exp_minus(distribution.exponent.gamma(distribution.width_bits, proposal));
        let around = distribution.margin + 2;
        let undecided = |uniform: u64| distribution.compare(proposal, (uniform, 63)).1;
        let ends = [threshold - around, threshold + around].map(undecided);
        assert_eq!(ends, [0, 0]);
        let inside = [threshold - distribution.margin + 1, threshold + distribution.margin - 1]
            .map(undecided);
        assert_eq!(inside, [1, 1]);
        let single = 4 * distribution.margin;
        assert!(distribution.undecided() > single && distribution.undecided() >= 256 * single);
    }
}
