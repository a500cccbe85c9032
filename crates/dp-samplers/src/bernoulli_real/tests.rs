//! Comparisons of U with p that are undecided for any number of words.

use dp_exact::Dyadic;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::*;
use crate::scripted_rng::ScriptedRng;

fn rational(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// A fraction whose enclosures shrink to it but never have it as an end point.
struct Straddled(Rational);

impl Real for Straddled {
    fn enclose(&self, precision: u32) -> Interval {
        let exact = Interval::rational(&self.0, 2 * precision);
        let unit = Interval::hull_of(Dyadic::new(-1, 0), Dyadic::new(1, 0), precision);
        exact + unit.shifted(-i64::from(precision))
    }
}

/// The first `count` words of 64 bits of the binary expansion of `number`.
fn words(number: &dyn Real, count: u32) -> Vec<u64> {
    let digits = number.enclose(64 * count + 256).lower().floor_shifted(64 * u64::from(count));
    let word = |index: u32| (&digits >> (64 * (count - 1 - index))) & BigInt::from(u64::MAX);
    (0..count).map(|index| word(index).to_u64().expect("one word")).collect()
}

/// A draw of the coin; fails unless it uses up exactly the words of `script`.
fn draw<P: Real>(coin: &BernoulliReal<P>, script: &[u64]) -> bool {
    let mut script = ScriptedRng::new(script.iter().copied());
    let outcome = coin.sample(&mut script);
    assert_eq!(script.left(), 0, "fewer words were drawn than the tie is deep");
    outcome
}

/// How many words of U agree with p before one differs.
const DEPTHS: [u32; 6] = [1, 2, 3, 7, 20, 100];

/// Ties of every depth, resolved to both sides by the word after the last that agrees.
fn resolves_ties<P: Real>(number: P) {
    let expansion = words(&number, 101);
    let coin = BernoulliReal::new(number).expect("a probability");
    for depth in DEPTHS {
        let depth = usize::try_from(depth).expect("small");
        let (tie, next) = (&expansion[..depth], expansion[depth]);
        assert!(draw(&coin, &[tie, &[next - 2]].concat()), "{depth}");
        assert!(!draw(&coin, &[tie, &[next + 2]].concat()), "{depth}");
    }
}

#[test]
fn rational_ties_are_resolved_at_every_depth() {
    for probability in ["1/3", "0.1", "1/7", "0.906"] {
        resolves_ties(rational(probability));
        resolves_ties(Straddled(rational(probability)));
    }
}

#[test]
fn a_dyadic_probability_inside_its_enclosures_has_ties_on_both_sides() {
    // As an end point it has none.
    let coin = BernoulliReal::new(rational("1/2")).unwrap();
    assert!(draw(&coin, &[(1 << 63) - 1]));
    assert!(!draw(&coin, &[1 << 63]));
    let coin = BernoulliReal::new(Straddled(rational("1/2"))).unwrap();
    // 0.0111… and 0.1000… both tend to 1/2: undecided as long as they go on.
    for depth in DEPTHS {
        let rest = usize::try_from(depth).unwrap() - 1;
        let from_below = [vec![(1 << 63) - 1], vec![u64::MAX; rest]].concat();
        let from_above = [vec![1 << 63], vec![0; rest]].concat();
        assert!(draw(&coin, &[from_below, vec![u64::MAX - 2]].concat()));
        assert!(!draw(&coin, &[from_above, vec![2]].concat()));
    }
}

/// 2^−100
fn tiny() -> Rational {
    Rational::new(1, BigInt::from(1) << 100).expect("not zero")
}

#[test]
fn probabilities_within_a_word_of_the_ends_are_kept_apart_from_them() {
    // 2^−100: below it only after a whole word of zeros.
    let coin = BernoulliReal::new(tiny()).unwrap();
    assert!(!draw(&coin, &[1]));
    assert!(draw(&coin, &[0, (1 << 28) - 1]));
    assert!(!draw(&coin, &[0, 1 << 28]));
    let coin = BernoulliReal::new(Rational::one() - tiny()).unwrap();
    assert!(draw(&coin, &[u64::MAX - 1]));
    assert!(draw(&coin, &[u64::MAX, u64::MAX - (1 << 28)]));
    assert!(!draw(&coin, &[u64::MAX, u64::MAX - (1 << 28) + 1]));
}

#[test]
fn a_tie_with_zero_or_one_goes_on() {
    let [never, always] = ["0", "1"].map(|text| BernoulliReal::new(rational(text)).unwrap());
    assert!(!draw(&never, &[0, 0]));
    assert!(draw(&always, &[u64::MAX, u64::MAX]));
}
