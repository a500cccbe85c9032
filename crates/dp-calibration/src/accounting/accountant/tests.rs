use dp_exact::Dyadic;

use super::*;
use crate::number;

#[test]
fn the_probability_of_an_infinite_loss_is_enclosed_to_128_bits_however_small_it_is() {
    for slacks in [["1e-40", "1e-30"], ["0.1", "1e-9"], ["0.5", "0.25"], ["0", "1e-3"]] {
        let mut releases = Accountant::new();
        for (epsilon, delta, times) in [("1", slacks[0], 3), ("2", slacks[1], 2)] {
            let (epsilon, delta) = (epsilon.parse().expect("valid"), delta.parse().expect("valid"));
            let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
            releases.add(release, times).expect("accepted");
        }
        let kept = |slack: &str, times| (Rational::one() - number(slack)).pow(times);
        let exact = Rational::one() - kept(slacks[0], 3) * kept(slacks[1], 2);
        for found in [false, true].map(|is_cut| releases.infinite(PRECISION, is_cut)) {
            assert!(found.contains(&exact), "{slacks:?} {found}");
            let number = |end: &Dyadic| end.to_rational().expect("short");
            let width = number(found.upper()) - number(found.lower());
            assert!(width <= &exact * &crate::number("1e-30"), "{slacks:?} {found}");
        }
    }
}

#[test]
fn a_sum_of_few_fractions_is_exact_and_of_many_is_on_its_side_to_the_last_digits() {
    let fractions = |count: u64| -> Vec<Rational> {
        let one = |place| Rational::new(place, 2 * place + 1).expect("a fraction");
        (1..=count).map(|place: u64| one(place)).collect()
    };
    let exact = |count| fractions(count).iter().fold(Rational::zero(), |sum, one| sum + one);
    for rounding in [Rounding::Up, Rounding::Down] {
        assert_eq!(added(&fractions(32), rounding), exact(32));
    }
    for count in [33, 200] {
        let (up, down) =
            (added(&fractions(count), Rounding::Up), added(&fractions(count), Rounding::Down));
        let exact = exact(count);
        assert!(down < exact && exact < up, "{count}");
        assert!(&up - &down < &exact * &number("1e-36"), "{count}");
        assert!(up.bits() < 300, "a short number: {up}");
    }
}
