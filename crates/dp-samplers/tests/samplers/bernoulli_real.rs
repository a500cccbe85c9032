//! Bernoulli(p) for real p: the law, and ties of every depth.

use dp_exact::{Dyadic, Interval, Rational, Real};
use dp_samplers::{BernoulliReal, Error};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::chi_square::{FALSE_ALARM, p_value_of_coin, rng};
use crate::laws::{power_of_two, rational};
use crate::script::Script;

/// 1/(e^x + 1), the probability that symmetric randomized response flips a bit.
struct Logistic(Rational);

impl Real for Logistic {
    fn enclose(&self, precision: u32) -> Interval {
        let one = Interval::integer(1, precision);
        let power = Interval::rational(&self.0, precision)
            .exp()
            .expect("modest");
        one.checked_div(&(power + &one)).expect("above 1")
    }
}

/// A fraction whose enclosures never have it as an end point, though they shrink to it.
struct Straddled(Rational);

impl Real for Straddled {
    fn enclose(&self, precision: u32) -> Interval {
        let exact = Interval::rational(&self.0, 2 * precision);
        let unit = Interval::hull_of(Dyadic::new(-1, 0), Dyadic::new(1, 0), precision);
        exact + unit.shifted(-i64::from(precision))
    }
}

/// The first `count` words of the binary expansion, from an enclosure far narrower than that.
fn words(number: &dyn Real, count: u32) -> Vec<u64> {
    let digits = number
        .enclose(64 * count + 256)
        .lower()
        .floor_shifted(64 * u64::from(count));
    let word = |index: u32| (&digits >> (64 * (count - 1 - index))) & BigInt::from(u64::MAX);
    (0..count)
        .map(|index| word(index).to_u64().expect("one word"))
        .collect()
}

/// Draws from a script that must be used up exactly.
fn draw<P: Real>(coin: &BernoulliReal<P>, script: &[u64]) -> bool {
    let mut script = Script::new(script.iter().copied());
    let outcome = coin.sample(&mut script);
    assert_eq!(
        script.left(),
        0,
        "fewer words were drawn than the tie is deep"
    );
    outcome
}

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
fn transcendental_ties_are_resolved_at_every_depth() {
    for exponent in ["1", "0.317", "2.5", "8"] {
        resolves_ties(Logistic(rational(exponent)));
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
fn a_dyadic_probability_that_is_known_exactly_has_no_ties() {
    let coin = BernoulliReal::new(rational("1/2")).unwrap();
    assert!(draw(&coin, &[(1 << 63) - 1]));
    assert!(!draw(&coin, &[1 << 63]));
}

#[test]
fn a_dyadic_probability_inside_its_enclosures_has_ties_on_both_sides() {
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

#[test]
fn a_tie_resolved_without_refinement_is_caught() {
    // What a single threshold of 64 bits would do: `word < floor` and nothing after it.
    let truncated = |script: &[u64], floor: u64| script[0] < floor;
    let number = Logistic(rational("1"));
    let expansion = words(&number, 2);
    let coin = BernoulliReal::new(number).unwrap();
    let (below, above) = ([expansion[0], 0], [expansion[0], u64::MAX]);
    assert_ne!(draw(&coin, &below), draw(&coin, &above));
    assert_eq!(
        truncated(&below, expansion[0]),
        truncated(&above, expansion[0])
    );
}

#[test]
fn probabilities_within_a_word_of_the_ends_are_kept_apart_from_them() {
    // 2^−100: below it only after a whole word of zeros.
    let coin = BernoulliReal::new(power_of_two(-100)).unwrap();
    assert!(!draw(&coin, &[1]));
    assert!(draw(&coin, &[0, (1 << 28) - 1]));
    assert!(!draw(&coin, &[0, 1 << 28]));
    let coin = BernoulliReal::new(Rational::one() - power_of_two(-100)).unwrap();
    assert!(draw(&coin, &[u64::MAX - 1]));
    assert!(draw(&coin, &[u64::MAX, u64::MAX - (1 << 28)]));
    assert!(!draw(&coin, &[u64::MAX, u64::MAX - (1 << 28) + 1]));
}

#[test]
fn zero_and_one_are_certain() {
    let mut flips = [true; 500];
    BernoulliReal::new(Rational::zero())
        .unwrap()
        .fill(&mut rng(1), &mut flips);
    assert!(!flips.contains(&true));
    assert!(!draw(
        &BernoulliReal::new(Rational::zero()).unwrap(),
        &[0, 0]
    ));
    BernoulliReal::new(Rational::one())
        .unwrap()
        .fill(&mut rng(1), &mut flips);
    assert!(!flips.contains(&false));
    assert!(draw(
        &BernoulliReal::new(Rational::one()).unwrap(),
        &[u64::MAX, u64::MAX]
    ));
}

#[test]
fn bernoulli_real_is_true_with_its_probability() {
    for (seed, exponent) in (800..).zip(["1e-9", "0.1", "0.317", "1", "3/2", "2.5", "4", "5"]) {
        let number = Logistic(rational(exponent));
        let probability = number.enclose(96).midpoint();
        let coin = BernoulliReal::new(number).unwrap();
        let mut rng = rng(seed);
        let p_value = p_value_of_coin(probability, || coin.sample(&mut rng));
        assert!(p_value > FALSE_ALARM, "{exponent}: {p_value}");
    }
}

#[test]
fn numbers_outside_the_unit_interval_are_refused() {
    for text in ["-0.1", "1.5", "-1e-300", "1e300"] {
        let error = BernoulliReal::new(rational(text)).unwrap_err();
        let Error::Parameter(parameter) = &error else {
            panic!("{error}");
        };
        assert_eq!(parameter.name(), "probability");
        assert_eq!(parameter.accepted(), "a number from 0 to 1");
    }
}

/// Says nothing at any precision.
#[derive(Debug)]
struct Unknown;

impl Real for Unknown {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::hull_of(Dyadic::new(0, 0), Dyadic::new(1, 0), precision)
    }
}

#[test]
fn enclosures_that_do_not_narrow_are_refused() {
    assert!(matches!(
        BernoulliReal::new(Unknown),
        Err(Error::Precision(_))
    ));
}
