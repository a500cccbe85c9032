use super::*;
use crate::Dyadic;

#[test]
fn products_are_those_of_big_integers_rounded_down() {
    let values = [
        0,
        1,
        ONE - 1,
        ONE,
        u128::MAX,
        u128::MAX - 1,
        1 << 127,
        0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978,
    ];
    for a in values {
        for b in values {
            let exact = (BigInt::from(a) * BigInt::from(b)) >> 128;
            assert_eq!(BigInt::from(product(a, b)), exact);
        }
    }
}

/// `number` in units of 2^−64, as an interval.
fn units(number: u128) -> Interval {
    Interval::integer(number, 512).shifted(-64)
}

/// Whether the bounds are on their sides of `exact`, as far as its enclosure decides, and at most
/// 1.
fn holds(bounds: UnitBounds, exact: &Interval) -> bool {
    let order = |end: u128| units(end).compare(exact);
    order(bounds.lower).is_none_or(core::cmp::Ordering::is_le)
        && order(bounds.upper).is_none_or(core::cmp::Ordering::is_ge)
        && bounds.upper <= ONE
}

/// Rates up to a quarter and distances up to thousands, for any loss of the rate when it was
/// rounded down.
#[test]
fn bounds_hold_the_exponential_function_to_the_last_unit() {
    let rates = [0, 1, 1 << 40, (1 << 61) + 12_345, 3 << 60, (1 << 62) - 1];
    let parts = [0, 1, ONE / 3, ONE / 2, ONE - 1];
    for rate in rates {
        for whole in [0, 1, 2, 3, 5, 40, 200, 3000] {
            for distance in parts.map(|part| (whole << 64) + part) {
                let (power, mean) = (decay(rate, distance), mean_decay(rate, distance));
                for lost in ["0", "1/2", "0.999999999999"] {
                    let lost = Interval::rational(&lost.parse().unwrap(), 512).shifted(-64);
                    let t = (units(rate.into()) + lost) * units(distance);
                    let case = (rate, distance);
                    assert!(holds(power, &(-&t).exp().unwrap()), "{case:?} {power:?}");
                    let exact = (-(-&t).exp_m1().unwrap()).checked_div(&t);
                    let exact = exact.unwrap_or_else(|| Interval::integer(1, 512));
                    assert!(holds(mean, &exact), "{case:?} {mean:?}");
                }
                // As narrow as the slack for the rate allows, times a few squarings.
                let slack = (distance >> 64) + 2;
                assert!(power.upper - power.lower <= 100 * slack, "{power:?}");
                assert!(mean.upper - mean.lower <= 100 * slack, "{mean:?}");
            }
        }
    }
}

#[test]
fn ends_are_cut_to_units_outward_and_what_does_not_fit_is_refused() {
    let third = Interval::rational(&Rational::new(1, 3).unwrap(), 200);
    assert_eq!(floor(&third, 4), Some(5));
    assert_eq!(ceil(&third, 4), Some(6));
    let between =
        |low: i64, high: i64| Interval::hull_of(Dyadic::new(low, -1), Dyadic::new(high, -1), 64);
    assert_eq!(floor(&between(-3, 5), 1), Some(0));
    assert_eq!(ceil(&between(-3, 5), 1), Some(6));
    assert_eq!(ceil(&between(-5, -3), 1), Some(1));
    let one = Interval::integer(1, 64);
    assert_eq!(floor(&one, 127), Some(1 << 127));
    assert_eq!((floor(&one, 128), ceil(&one, 128)), (None, None));
}

#[test]
fn small_numbers_are_below_a_quarter() {
    let small = |text: &str| small(&text.parse().unwrap());
    assert_eq!(small("0"), Some(0));
    assert_eq!(small("1/8"), Some(1 << 61));
    assert_eq!(small("1/3000000000"), Some(6_148_914_691));
    assert_eq!((small("1/4"), small("1"), small("-1/8")), (None, None, None));
    assert!(small("0.2499999999999999999").is_some_and(|units| units < 1 << 62));
}
