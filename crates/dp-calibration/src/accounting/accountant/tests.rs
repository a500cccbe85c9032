use crate::{NoiseDistribution, WorstCaseDifference};
use dp_exact::{Dyadic, Epsilon};

use super::*;
use crate::number;

fn response(epsilon: &str, delta: &str) -> AccountedMechanism {
    AccountedMechanism::RandomizedResponse {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("small"),
    }
}

fn kary(epsilon: &str, answers: u64) -> AccountedMechanism {
    let epsilon: Epsilon = epsilon.parse().expect("positive");
    AccountedMechanism::KaryResponse { epsilon, answers }
}

fn noise(law: NoiseDistribution, step: u32) -> AccountedMechanism {
    let difference = WorstCaseDifference::new(1, step).expect("a worst-case difference");
    AccountedMechanism::Noise { law, difference }
}

fn gaussian(variance: &str, step: u32) -> AccountedMechanism {
    let variance = number(variance);
    noise(NoiseDistribution::DiscreteGaussian { variance }, step)
}

fn laplace(scale: &str, step: u32) -> AccountedMechanism {
    let scale = number(scale);
    noise(NoiseDistribution::DiscreteLaplace { scale }, step)
}

fn accountant(releases: &[(AccountedMechanism, u32)]) -> Accountant {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release.clone(), *times).expect("accepted");
    }
    accountant
}

#[test]
fn the_largest_losses_answer_where_delta_has_room_for_infinite_ones() {
    let releases = accountant(&[
        (response("0.7", "1e-3"), 2),
        (response("0.4", "1e-4"), 1),
        (laplace("2", 1), 1),
    ]);
    let kappa = number("1") - number("0.999").pow(2) * number("0.9999");
    let at = |releases: &Accountant, delta: Rational| {
        let delta = Delta::new(delta).expect("a delta");
        releases.by_largest(delta.value())
    };
    let found = at(&releases, &kappa + &number("1e-30")).expect("as much as is infinite");
    assert_eq!((&found.upper, found.by), (&number("2.3"), Theorem::LargestLosses));
    assert!(at(&releases, &kappa - &number("1e-30")).is_none());
    let found = at(&releases, kappa.clone()).expect("exactly as much as is infinite");
    assert_eq!((&found.upper, &found.lower), (&number("2.3"), &number("2.3")));
    // No largest loss.
    let none = accountant(&[(response("0.7", "0"), 1), (gaussian("9", 1), 1)]);
    assert!(at(&none, number("0.1")).is_none());
    let some = accountant(&[(response("0.7", "0"), 1), (kary("0.3", 4), 2)]);
    for (delta, lower) in [("0", "1.3"), ("0.1", "0")] {
        let found = at(&some, number(delta)).expect("an answer");
        assert_eq!((found.upper, found.lower), (number("1.3"), number(lower)));
    }
}

#[test]
fn the_probability_of_an_infinite_loss_is_enclosed_to_128_bits_however_small_it_is() {
    for slacks in [["1e-40", "1e-30"], ["0.1", "1e-9"], ["0.5", "0.25"], ["0", "1e-3"]] {
        let releases = accountant(&[(response("1", slacks[0]), 3), (response("2", slacks[1]), 2)]);
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

/// tanh(ε/2) for a response; everything that is disclosed counts in full.
#[test]
fn the_total_variation_of_responses_is_the_sum_over_their_outcomes() {
    let disclosed = AccountedMechanism::PureDelta { delta: "0.1".parse().expect("small") };
    for (releases, exact) in [
        (vec![(response("0.5", "0"), 1)], 0.25_f64.tanh()),
        (vec![(response("0.5", "0"), 1), (disclosed.clone(), 1)], 0.1 + 0.9 * 0.25_f64.tanh()),
        (vec![(disclosed, 2)], 0.19),
    ] {
        let found = accountant(&releases).total_variation().expect("a distance");
        let [lower, upper] = [found.lower(), found.upper()].map(Dyadic::to_f64);
        assert!(lower <= exact * (1.0 + 1e-12) && exact <= upper * (1.0 + 1e-12), "{found}");
        assert!(upper - lower <= 1e-9 * exact, "{found}");
    }
}
