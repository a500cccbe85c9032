use alloc::sync::Arc;
use alloc::vec::Vec;

use dp_samplers::scripted_rng::ScriptedRng;
use num_bigint::BigUint;

use super::*;
use crate::flip::FlipProbability;

/// The probability of a flip: for an ε₀, or a fraction.
#[derive(Clone)]
struct Probability(Arc<dyn Real>);

impl Real for Probability {
    fn enclose(&self, precision: u32) -> Interval {
        self.0.enclose(precision)
    }
}

/// Values of ε₀, and probabilities. For the last two of ε₀, the first digits of p are the digits of
/// 1/2 and of 0.
const EPSILONS: [&str; 10] =
    ["1/100", "1", "5/2", "5", "8", "1e-9", "14", "p = 2/3", "p = 0.05", "p = 0.999999999"];

/// The flips for ε₀ or p, ⌊2^6·p⌋, and the next twelve digits of p as a number.
fn flips(text: &str) -> (Flips<Probability>, u64, u64) {
    let p: Arc<dyn Real> = match text.strip_prefix("p = ") {
        Some(fraction) => Arc::new(fraction.parse::<Rational>().unwrap()),
        None => Arc::new(FlipProbability::new(&text.parse().unwrap())),
    };
    let p = Probability(p);
    let number = digits(&p).unwrap();
    (Flips::new(&p).unwrap(), number >> 12, number & 0xfff)
}

/// One word for each digit, the highest first: bit i of a word is a digit of number i.
fn planes(numbers: &[u64], digits: u32) -> Vec<u64> {
    let plane = |digit: u32| {
        let bits = numbers.iter().enumerate();
        bits.fold(0, |word, (place, number)| word | (number >> digit & 1) << place)
    };
    (0..digits).rev().map(plane).collect()
}

/// The flips of `numbers.len()` coordinates, at most 64 and not few, whose first six digits are
/// `numbers`. The coins get the digits `coins`, then the words `last`. Also returns how many words
/// are left over.
fn drawn(flips: &Flips<Probability>, numbers: &[u64], coins: &[u64], last: &[u64]) -> (u64, usize) {
    let mut words = planes(numbers, 6);
    words.extend(planes(coins, 12));
    words.extend(last);
    let (mut script, mut masks) = (ScriptedRng::new(words), [u64::MAX]);
    flips.fill(&mut script, numbers.len(), &mut masks);
    (masks[0], script.left())
}

#[test]
fn every_first_six_digits_are_compared_with_those_of_the_probability() {
    let all: Vec<u64> = (0..64).collect();
    for epsilon0 in EPSILONS {
        let (flips, first, _) = flips(epsilon0);
        for (coins, heads) in [([0; 64], 1_u64), ([0xfff; 64], 0)] {
            // Where the digits of p are the same, all coins are undecided, and the words decide.
            let last = [(heads ^ 1).wrapping_neg(); 64];
            let (mask, _) = drawn(&flips, &all, &coins, &last);
            let expected = ((1_u64 << first) - 1) | (heads << first);
            assert_eq!(mask, expected, "{epsilon0}");
        }
    }
}

#[test]
fn every_coin_is_compared_with_the_digits_that_follow() {
    for epsilon0 in EPSILONS {
        let (flips, first, second) = flips(epsilon0);
        for begin in (0..1 << 12).step_by(64) {
            let coins: Vec<u64> = (begin..begin + 64).collect();
            for (word, heads) in [(0, 1), (u64::MAX, 0)] {
                let (mask, left) = drawn(&flips, &[first; 64], &coins, &[word; 6]);
                assert_eq!(left, 0);
                for (place, &coin) in coins.iter().enumerate() {
                    let flip = coin < second || coin == second && heads == 1;
                    assert_eq!(mask >> place & 1, u64::from(flip), "{epsilon0} {coin}");
                }
            }
        }
    }
}

#[test]
fn the_digits_are_certified_and_the_coins_have_what_is_left() {
    for epsilon0 in EPSILONS {
        let (flips, first, second) = flips(epsilon0);
        let p = flips.probability().clone();
        for (coin, bits, number) in [
            (&flips.whole, 0, 0),
            (&flips.after_first, 6, first),
            (&flips.after_second, 18, first << 12 | second),
        ] {
            let rest = coin.probability();
            assert_eq!((u32::from(rest.bits), rest.digits), (bits, number));
            // p lies between number/2^bits and (number + 1)/2^bits.
            let exact = p.enclose(256).shifted(i64::from(bits));
            let [below, above] = [number, number + 1].map(Rational::integer);
            assert!(exact.compare_rational(&below).unwrap().is_gt(), "{epsilon0}");
            assert!(exact.compare_rational(&above).unwrap().is_lt(), "{epsilon0}");
            let difference = exact - Interval::rational(&below, 256) - rest.enclose(256);
            assert!(difference.contains(&Rational::zero()), "{epsilon0}");
        }
    }
}

#[test]
fn the_coins_of_another_parameter_are_caught() {
    let (flips, ..) = flips("5");
    let other = FlipProbability::new(&"5.000000000000001".parse().unwrap());
    let rest = flips.after_second.probability();
    let of_other = other.enclose(256).shifted(18) - Interval::integer(rest.digits, 256);
    assert!(!(of_other - rest.enclose(256)).contains(&Rational::zero()));
}

/// How many of 2^64 first words show heads, if all later words are `later`.
fn heads(coin: &BernoulliReal<Rest<Probability>>, later: u64) -> u64 {
    let shows = |word| {
        let words = [word].into_iter().chain([later; 8]);
        coin.sample(&mut ScriptedRng::new(words))
    };
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        (low, high) = if shows(middle) { (middle + 1, high) } else { (low, middle) };
    }
    low
}

#[test]
fn words_show_heads_as_often_as_is_left_up_to_the_undecided_ones() {
    for epsilon0 in EPSILONS {
        let (flips, ..) = flips(epsilon0);
        for coin in [&flips.whole, &flips.after_first, &flips.after_second] {
            let exact = coin.probability().enclose(256).shifted(64);
            let [fewest, most] = [u64::MAX, 0].map(|later| heads(coin, later));
            assert!(most - fewest <= 3, "{epsilon0}");
            let [fewest, most] = [fewest, most].map(Rational::integer);
            assert!(exact.compare_rational(&fewest).unwrap().is_ge(), "{epsilon0}");
            assert!(exact.compare_rational(&most).unwrap().is_le(), "{epsilon0}");
        }
    }
}

#[test]
fn coordinates_beyond_64_coins_take_words_of_their_own() {
    let (flips, first, _) = flips("1");
    // 130 undecided coordinates: 64 coins that show tails, and 66 words; the first and the last
    // show heads.
    let mut words: Vec<u64> =
        (0..6).rev().flat_map(|digit| [0_u64.wrapping_sub(first >> digit & 1); 3]).collect();
    words.extend([u64::MAX; 12 + 6]);
    words.extend([0]);
    words.extend([u64::MAX; 64]);
    words.extend([0]);
    let (mut script, mut masks) = (ScriptedRng::new(words), [0; 3]);
    flips.fill(&mut script, 130, &mut masks);
    assert_eq!(masks, [0, 1, 2]);
    assert_eq!(script.left(), 0);
}

#[test]
fn coins_beyond_six_undecided_ones_take_words_of_their_own() {
    let (flips, first, second) = flips("1");
    // Nine coins are undecided: the first, the seventh and the ninth of them show heads.
    let coins = [[0xfff; 20], [second; 20], [0xfff; 20]].concat();
    let undecided = [&coins[..20], &[second; 9], &[0xfff; 35]].concat();
    let heads = [0, 6, 8];
    let last: Vec<u64> =
        (0..9).map(|place| if heads.contains(&place) { 0 } else { u64::MAX }).collect();
    let (mask, left) = drawn(&flips, &[first; 64], &undecided, &last);
    assert_eq!(left, 0);
    assert_eq!(mask, heads.iter().fold(0, |mask, place| mask | 1 << (20 + place)));
}

#[test]
fn few_coordinates_take_a_word_each_and_the_bits_beyond_are_zeros() {
    let (flips, first, _) = flips("1");
    for coordinates in 1..FEW {
        let mut script =
            ScriptedRng::new((0..coordinates as u64).map(|place| (place % 2) * u64::MAX));
        let mut masks = [u64::MAX];
        flips.fill(&mut script, coordinates, &mut masks);
        assert_eq!(masks[0], 0x5555_5555_5555_5555 & ((1 << coordinates) - 1));
        assert_eq!(script.left(), 0);
    }
    for coordinates in FEW..64 {
        let numbers = vec![first; coordinates];
        let (mask, _) = drawn(&flips, &numbers, &[0; 64], &[0; 6]);
        assert_eq!(mask, (1 << coordinates) - 1);
    }
}

/// The number of subsets of `size` out of `n`.
fn choose(n: u32, size: u32) -> BigUint {
    (0..size).fold(BigUint::from(1_u32), |number, step| number * (n - step) / (step + 1))
}

/// P(Bin(n, 2^−`bits`) > `most`) in units of 2^−64, rounded up.
fn beyond(n: u32, bits: u32, most: u32) -> BigUint {
    let others = (BigUint::from(1_u32) << bits) - 1_u32;
    let terms = (most + 1..=n).map(|size| choose(n, size) * others.pow(n - size));
    let sum: BigUint = terms.sum();
    ((sum << 64_u32) >> (n * bits)) + 1_u32
}

#[test]
fn the_probability_of_taking_longer_is_as_stated() {
    let [coordinates, coins] = [4, 10].map(|power| BigUint::from(1_u32 << power));
    assert!(beyond(1024, 6, 64) <= coordinates && beyond(64, 12, 6) <= coins);
    // The words that each coin of the third step leaves undecided are at most three, as
    // `BernoulliReal` has it: 2^−53 in all.
    assert!(&coordinates + &coins + 3_u32 * 6 <= BigUint::from(1_u32 << 11));
    // One coordinate, or one coin, less would not do.
    assert!(beyond(1024, 6, 56) > coordinates && beyond(64, 12, 5) > coins);
}
