//! The ends that a search returns are next to each other, and on either side of the threshold.

use dp_exact::search::{halved, middle, middle_of_digits, minimum, narrow, try_narrow};
use dp_exact::{Rational, Rounding};
use num_bigint::BigInt;
use proptest::prelude::*;

proptest! {
    #[test]
    fn integers_are_found_by_halving(
        low in -1_000_000i64..1_000_000,
        below in 0i64..1_000_000,
        above in 1i64..1_000_000,
    ) {
        let (threshold, high) = (low + below + 1, low + below + above);
        let threshold = BigInt::from(threshold.min(high));
        let (low, high) = (BigInt::from(low), BigInt::from(high));
        let mut tried = 0;
        let (last, first) = narrow(low, high, middle, |n| {
            tried += 1;
            *n >= threshold
        });
        prop_assert_eq!(&first, &threshold);
        prop_assert_eq!(last, first - 1);
        prop_assert!(tried <= 21, "{}", tried);
    }

    #[test]
    fn decimals_end_in_neighbours_of_their_digits(numerator in 1u32..1_000_000) {
        let threshold = Rational::new(numerator, 1_000_003).unwrap();
        let proposals = middle_of_digits(6, Rounding::Up);
        let (low, high) = narrow(Rational::zero(), Rational::one(), proposals, |value| {
            *value >= threshold
        });
        prop_assert!(low < threshold && threshold <= high);
        prop_assert_eq!(high, threshold.round_to_digits(6, Rounding::Up));
        prop_assert_eq!(low, threshold.round_to_digits(6, Rounding::Down));
    }

    #[test]
    fn halving_and_thirds_come_near(place in -10.0f64..10.0) {
        let (low, high) = halved((-16.0, 16.0), 40, |value| value >= place);
        prop_assert!(low < place && place <= high && high - low < 1e-10);
        let found = minimum((-14.0, 14.0), 80, |value| (value.ln() - place).abs());
        prop_assert!((found.ln() - place).abs() < 1e-9);
    }
}

#[test]
fn an_error_ends_the_search() {
    let found = try_narrow(0u32, 100, middle, |&n| {
        if n == 50 { Err("fifty") } else { Ok(true) }
    });
    assert_eq!(found, Err("fifty"));
}

#[test]
fn between_neighbours_of_so_many_digits_nothing_is_proposed() {
    let number = |text: &str| text.parse::<Rational>().unwrap();
    for rounding in [Rounding::Up, Rounding::Down, Rounding::Nearest] {
        let propose = middle_of_digits(2, rounding);
        for (low, high) in [("0.10", "0.11"), ("0.99", "1"), ("1", "1.1"), ("3", "3")] {
            assert_eq!(propose(&number(low), &number(high)), None, "{low} {high}");
        }
        assert_eq!(
            propose(&number("0.1"), &number("0.12")),
            Some(number("0.11"))
        );
    }
}
