//! A budget refuses, and changes nothing else.

use std::panic::catch_unwind;

use dp_exact::work::{self, Refused};
use dp_exact::{Interval, PrecisionError, Rational, Refusal, convolution, refine};

fn refusal() -> Refusal {
    Refusal::too_costly("this", "take less")
}

fn of_precision(_: PrecisionError) -> Refusal {
    Refusal::not_available("a number", "take another")
}

/// e^(1/3) with 4000 bits.
fn exponential() -> Result<String, Refusal> {
    work::bounded(refusal, || {
        let answer = refine(|precision| {
            let third = Interval::rational(&Rational::new(1, 3).ok()?, precision);
            (precision >= 4000).then(|| third.exp())?
        });
        answer
            .map(|answer| answer.to_string())
            .map_err(of_precision)
    })
}

/// A product of long fractions and a convolution, neither of which can be refused by itself.
fn swallowed() -> Result<String, Refusal> {
    work::bounded(refusal, || {
        let mut product = Rational::one();
        for prime in [3u64, 5, 7, 11, 13, 17, 19, 23] {
            product = product
                * Rational::new(prime + 1, prime)
                    .map_err(|_| refusal())?
                    .pow(40);
        }
        let weights = convolution::convolve(&[1 << 40; 500], &[1 << 40; 700]);
        Ok(format!(
            "{product} {:?}",
            weights.unwrap_or_default().first()
        ))
    })
}

#[test]
fn every_budget_gives_the_whole_answer_or_the_refusal() {
    for question in [exponential, swallowed] {
        let whole = question().expect("the default budget is enough");
        let mut refused = 0;
        let mut units = 1u64;
        loop {
            let before = work::spent();
            match work::limited(units, question) {
                Ok(answer) => {
                    assert_eq!(answer, whole);
                    break;
                }
                Err(error) => assert_eq!(error, refusal(), "{units}"),
            }
            let beyond = work::spent() - before - units;
            assert!(beyond < 1_000_000, "{units} units, and {beyond} more");
            refused += 1;
            units *= 2;
        }
        assert!(refused > 10, "{refused}");
    }
}

#[test]
fn a_question_costs_the_same_every_time() {
    let cost = |question: fn() -> Result<String, Refusal>| {
        let before = work::spent();
        question().expect("an answer");
        work::spent() - before
    };
    for question in [exponential, swallowed] {
        let first = cost(question);
        assert!(first > 1000);
        assert_eq!(cost(question), first);
        let elsewhere = std::thread::spawn(move || cost(question));
        assert_eq!(elsewhere.join().expect("a cost"), first);
    }
}

#[test]
fn a_refusal_that_is_swallowed_is_still_one() {
    let looser = || -> Result<&str, Refusal> {
        work::bounded(refusal, || Ok(exponential().map_or("looser", |_| "exact")))
    };
    assert_eq!(looser(), Ok("exact"));
    assert_eq!(work::limited(5000, looser), Err(refusal()));
}

#[test]
fn the_innermost_refusal_is_the_one_that_is_told() {
    let outer = || Refusal::too_costly("all of it", "take less");
    let both = || work::bounded(outer, exponential);
    assert_eq!(work::limited(5000, both), Err(refusal()));
    // Another error that was made of it is not.
    let hidden = || {
        work::bounded(outer, || {
            exponential().map_err(|_| Refusal::missing("epsilon", "a number"))
        })
    };
    assert_eq!(work::limited(5000, hidden), Err(outer()));
}

#[test]
fn a_limit_within_another_takes_from_its_rest_only() {
    let raised = || work::limited(u64::MAX, exponential);
    let refused = work::limited(5000, raised).expect_err("5000 units are too few");
    assert!(refused.is_too_costly());
    // After it, nothing is limited.
    assert!(!work::is_used_up());
    assert!(raised().is_ok());
    let lowered = || -> Result<bool, Refusal> { Ok(work::limited(5000, exponential).is_err()) };
    assert_eq!(work::limited(u64::MAX, lowered), Ok(true));
}

#[test]
fn after_a_panic_the_outer_limit_holds_again() {
    let panics = || {
        work::limited(10, || -> Result<(), Refusal> {
            work::charge(100);
            panic!("on purpose")
        })
    };
    assert!(catch_unwind(panics).is_err());
    assert!(!work::is_used_up());
    assert!(exponential().is_ok());
}

#[test]
fn a_generic_limit_says_so_itself() {
    let charged = || -> Result<(), Refusal> {
        work::charge(100);
        Ok(())
    };
    let refused = work::limited(10, charged).expect_err("100 units are too many");
    assert_eq!(
        refused.to_string(),
        "the answer costs more than 10 units of work, which takes too long: allow more units"
    );
}

#[test]
fn what_does_not_count_is_done_in_full_within_a_budget_that_is_used_up() {
    let whole = exponential().expect("the default budget is enough");
    let before = work::spent();
    let mut read = None;
    let refused = work::limited(10, || -> Result<(), Refusal> {
        work::charge(100);
        read = Some(work::uncounted(exponential));
        // After it, the question has still spent what it had, and no more.
        assert!(work::is_used_up());
        Ok(())
    });
    assert!(refused.is_err_and(|error| error.is_too_costly()));
    assert_eq!(read, Some(Ok(whole)));
    assert_eq!(work::spent() - before, 100);
    // Also after a panic, that the question survives.
    let survived = work::limited(1000, || -> Result<bool, Refusal> {
        let panics = || work::uncounted(|| panic!("on purpose"));
        let is_err = catch_unwind(panics).is_err();
        work::charge(2000);
        Ok(is_err)
    });
    assert!(survived.is_err_and(|error| error.is_too_costly()));
}

#[test]
fn constants_that_are_kept_are_not_those_of_a_budget_that_is_used_up() {
    // Longer than any other test asks for: they are computed here.
    let constants = |precision| {
        (
            dp_exact::pi(precision).to_string(),
            dp_exact::ln_2(precision).to_string(),
            dp_exact::gaussian_sum(&Rational::integer(3), dp_exact::Shift::Zero, 128)
                .map(|sum| sum.to_string()),
        )
    };
    let mut short = None;
    let refused = work::limited(1, || -> Result<(), Refusal> {
        work::charge(2);
        short = Some(constants(9000));
        Ok(())
    });
    assert!(refused.is_err_and(|error| error.is_too_costly()));
    let whole = constants(9000);
    assert_ne!(short, Some(whole.clone()));
    let elsewhere = std::thread::spawn(move || constants(9000));
    assert_eq!(elsewhere.join().expect("constants"), whole);
    // To the last digit of a shorter one: π in units of 10^−40.
    let digits = "3.1415926535897932384626433832795028841971";
    let ten = Rational::integer(10).pow(40);
    let known: Rational = digits.parse().expect("a decimal");
    let pi = dp_exact::pi(9000).lower().to_rational().expect("a number");
    assert_eq!((&pi * &ten).floor(), (known * ten).floor());
}

/// What a function that cannot be refused has cost.
fn cost<T>(question: impl FnOnce() -> T) -> u64 {
    let before = work::spent();
    question();
    work::spent() - before
}

#[test]
fn work_on_elements_counts_each_of_them() {
    for (elements, units) in [(0, 7), (1, 7), (1000, 7), (7, 1000)] {
        let product = u64::try_from(elements).expect("small") * units;
        assert_eq!(cost(|| work::charge_each(elements, units)), product);
        assert_eq!(cost(|| work::spend_each(elements, units)), product);
        assert_eq!(cost(|| work::spend(product)), product);
    }
    assert_eq!(cost(|| work::charge_each(usize::MAX, 0)), 0);
    let within = |units: u64| {
        work::limited(units, || {
            Ok::<_, Refusal>(work::spend_each(10, 10).is_some())
        })
    };
    assert_eq!(within(100), Ok(true));
    assert!(within(99).is_err_and(|error| error.is_too_costly()));
}

#[test]
fn fractions_cost_their_lowest_terms_and_factors_of_two_next_to_nothing() {
    let power = |base: i64| {
        Rational::integer(base)
            .pow(2000)
            .reciprocal()
            .expect("positive")
    };
    let (odd, even) = (power(3), power(2));
    let other = power(5);
    for operation in [
        |one: &Rational, other: &Rational| one + other,
        |one: &Rational, other: &Rational| one - other,
        |one: &Rational, other: &Rational| one * other,
        |one: &Rational, other: &Rational| one.checked_div(other).expect("not 0"),
    ] {
        let (long, short) = (
            cost(|| operation(&odd, &other)),
            cost(|| operation(&even, &even)),
        );
        // A bit of the longer terms costs a step of Euclid's algorithm.
        assert!(long >= 10_000, "{long}");
        assert!(short <= 3_000, "{short}");
    }
}

#[test]
fn a_convolution_counts_what_it_does() {
    let terms = |length: usize| vec![1u64 << 20; length];
    let of = |one: usize, other: usize| cost(|| convolution::convolve(&terms(one), &terms(other)));
    // A few terms directly: two units for each product. Many by transforms: n·log n.
    let few = of(10, 10_000);
    assert!((2 * 100_000..4 * 100_000).contains(&few), "{few}");
    assert_eq!(of(10_000, 10), few);
    let many = of(10_000, 20_000);
    let butterflies = 32_768 * 15;
    assert!(
        (10 * butterflies..20 * butterflies).contains(&many),
        "{many}"
    );
    // Zeros are no terms.
    let mut sparse = vec![0; 10_000];
    sparse[17] = 1;
    sparse[9_999] = 1;
    let sparse = cost(|| convolution::convolve(&sparse, &terms(10_000)));
    assert!(sparse <= 4 * 60_000, "{sparse}");
}
