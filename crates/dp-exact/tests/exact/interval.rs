//! Interval arithmetic: the exact result of every operation lies inside, whatever the precision.

use std::cmp::Ordering;

use dp_exact::{Dyadic, Interval, Rational, refine};

#[test]
fn domains_are_respected() {
    let around_zero = Interval::integer(-1, 64).hull(&Interval::integer(1, 64));
    assert!(around_zero.ln().is_none());
    assert!(around_zero.sqrt().is_none());
    assert!(around_zero.checked_div(&around_zero).is_none());
    assert!(Interval::integer(0, 64).ln().is_none());
    assert!(Interval::integer(0, 64).sqrt().is_some());
    assert!(Interval::integer(1, 64).ln().expect("positive").contains(&Rational::zero()));
}

#[test]
fn refinement_ends_even_if_no_precision_decides() {
    let half = Rational::new(1, 2).expect("a half");
    let third = Rational::new(1, 3).expect("a third");
    let undecidable = refine(|precision| {
        let sixth = Interval::rational(&half, precision) * Interval::rational(&third, precision);
        sixth.compare_rational(&(&half * &third)).filter(|order| order.is_ne())
    });
    assert!(undecidable.is_err());
}

#[test]
fn intervals_that_touch_or_overlap_are_not_ordered_and_the_same_numbers_are_equal() {
    let between =
        |low: i64, high: i64| Interval::hull_of(Dyadic::new(low, 0), Dyadic::new(high, 0), 64);
    let order = |one: &Interval, other: &Interval| (one.compare(other), other.compare(one));
    let (less, greater) = (Some(Ordering::Less), Some(Ordering::Greater));
    assert_eq!(order(&between(1, 2), &between(3, 4)), (less, greater));
    assert_eq!(order(&between(1, 2), &between(3, 3)), (less, greater));
    for (one, other) in [
        (between(1, 2), between(2, 3)),
        (between(1, 2), between(2, 2)),
        (between(1, 2), between(1, 1)),
        (between(1, 3), between(2, 4)),
        (between(1, 4), between(2, 3)),
        (between(1, 2), between(1, 2)),
    ] {
        assert_eq!(order(&one, &other), (None, None), "{one} {other}");
    }
    let equal = Some(Ordering::Equal);
    assert_eq!(order(&between(2, 2), &between(2, 2)), (equal, equal));
}
