//! Many unlike releases: against the definition, against lattices, and in all their numbers.

use dp_accounting::{Accountant, AccountedMechanism, ComposedEpsilon, compose};
use dp_exact::Rational;

use crate::common::{gaussian, kary, laplace, number, relative, small};

/// A number near `whole` with no short common multiple.
fn odd(whole: u64) -> Rational {
    Rational::new(whole * 1_000_003 + 7 * whole * whole, 1_000_000u64).expect("positive")
}

fn accountant(releases: impl IntoIterator<Item = AccountedMechanism>) -> Accountant {
    let mut accountant = Accountant::new();
    for release in releases {
        accountant.add(release, 1).expect("accepted");
    }
    accountant
}

fn bounds(releases: impl IntoIterator<Item = AccountedMechanism>, delta: &str) -> ComposedEpsilon {
    let bounds = accountant(releases).epsilon(&small(delta)).expect("bounds");
    assert!(bounds.lower <= bounds.upper, "{bounds:?}");
    bounds
}

/// δ of unlike randomized responses, by all 2^n outcomes.
fn enumerated(steps: &[f64], epsilon: f64) -> f64 {
    let outcomes = (0..1u32 << steps.len()).map(|outcome| {
        let of_bit = |(place, step): (usize, &f64)| {
            let growth = step.exp();
            if outcome >> place & 1 == 1 {
                (growth / (1.0 + growth), *step)
            } else {
                (1.0 / (1.0 + growth), -step)
            }
        };
        let (chance, loss) = steps
            .iter()
            .enumerate()
            .map(of_bit)
            .fold((1.0, 0.0), |(chance, loss), (each, step)| (chance * each, loss + step));
        chance * (1.0 - (epsilon - loss).exp()).max(0.0)
    });
    outcomes.sum()
}

#[test]
fn unlike_responses_agree_with_all_their_outcomes() {
    let scales = [3u64, 5, 7, 8, 11, 13, 17, 19, 20, 23, 29, 31, 37, 40];
    let steps: Vec<f64> = scales.iter().map(|&scale| odd(scale).to_f64().recip()).collect();
    let accountant = accountant(scales.map(|scale| laplace(odd(scale), 1, 1)));
    for epsilon in ["0.3", "0.8", "1.2"] {
        let exact = enumerated(&steps, epsilon.parse().expect("a number"));
        let found = accountant.delta(&epsilon.parse().expect("positive")).expect("bounds");
        let (lower, upper) = (found.lower().to_f64(), found.upper().to_f64());
        assert!(
            lower <= exact * (1.0 + 1e-12) && upper >= exact * (1.0 - 1e-12),
            "{found} {exact}"
        );
        assert!(upper < lower * 1.02, "{found} {exact}");
    }
}

/// Outcomes and losses of discrete Gaussian noise between neighbouring integers.
fn outcomes_of_gaussian(variance: f64) -> Vec<(f64, f64)> {
    let weight = |k: i32| (-0.5 * f64::from(k * k) / variance).exp();
    let all: f64 = (-9..=9).map(weight).sum();
    let each = (-7..=7).map(|k| (weight(k) / all, (0.5 - f64::from(k)) / variance));
    each.collect()
}

#[test]
fn narrow_noise_agrees_with_all_its_outcomes() {
    let variances = ["0.313", "0.477", "0.601", "0.919", "1.337"];
    let releases = variances.map(|variance| gaussian(number(variance), 1, 1));
    let accountant = accountant(releases);
    let mut sums = vec![(1.0, 0.0)];
    for variance in variances {
        let more = outcomes_of_gaussian(variance.parse().expect("a number"));
        let pairs = sums.iter().flat_map(|&(chance, loss)| {
            more.iter().map(move |&(each, step)| (chance * each, loss + step))
        });
        sums = pairs.collect();
    }
    for epsilon in [1.0f64, 4.0, 8.0] {
        let terms = sums.iter().filter(|&&(_, loss)| loss > epsilon);
        let exact: f64 = terms.map(|(chance, loss)| chance * -(epsilon - loss).exp_m1()).sum();
        let found = accountant.delta(&epsilon.to_string().parse().expect("positive"));
        let found = found.expect("bounds");
        let (lower, upper) = (found.lower().to_f64(), found.upper().to_f64());
        assert!(lower <= exact * (1.0 + 1e-9) && upper >= exact * (1.0 - 1e-9), "{found} {exact}");
        assert!(upper < lower * 1.02, "{found} {exact}");
    }
}

#[test]
fn a_thousand_different_releases_are_enclosed_to_one_in_ten_thousand() {
    let mixed = |kind: u64| match kind % 4 {
        0 => gaussian(odd(900 + kind), 2, 1),
        1 => laplace(odd(50 + kind), 1, 1),
        2 => laplace(odd(3000 + 10 * kind), 1, 80),
        _ => gaussian(odd(500_000 + 100 * kind), 1, 30),
    };
    for delta in ["1e-3", "1e-9", "1e-40"] {
        let found = bounds((0..1000).map(mixed), delta);
        assert!(relative(&found.upper, &found.lower) < 1e-4, "{delta} {found:?}");
    }
    // With what other theorems say beside it.
    let releases: Vec<(AccountedMechanism, u32)> = (0..1000).map(|kind| (mixed(kind), 1)).collect();
    let composed = compose(&releases, &small("1e-9")).expect("composed");
    assert!(composed.others.iter().all(|(_, epsilon)| *epsilon > composed.upper));
}

#[test]
fn noise_too_wide_for_its_lattice_is_that_of_any_other_scale() {
    // μ = d/σ is all that matters: one step at σ = 50, and a million at 5e7, are 1e-4 apart.
    let wide = bounds([gaussian(number("2.5e15"), 1, 1_000_000)], "1e-6");
    assert!(relative(&wide.upper, &wide.lower) < 1e-5, "{wide:?}");
    let narrow = bounds([gaussian(number("2500"), 1, 1)], "1e-6");
    assert!(relative(&wide.upper, &narrow.upper) < 1e-2);
    let one = bounds([gaussian(number("1e18"), 1, 1)], "1e-12");
    assert!(one.upper < number("1e-8"), "{one:?}");
}

#[test]
fn answers_of_one_client_agree_with_all_their_outcomes() {
    // Two releases with five answers each: 25 outcomes; the two true ones have losses.
    let (growth, others) = (0.8f64.exp(), 3.0f64);
    let all = growth + 1.0 + others;
    let of_one: [(f64, f64); 3] = [(growth / all, 0.8), (others / all, 0.0), (1.0 / all, -0.8)];
    let pairs = of_one.iter().flat_map(|one| of_one.iter().map(move |other| (one, other)));
    let exact: f64 = pairs
        .map(|((p, loss), (q, other))| p * q * (1.0 - (0.5 - loss - other).exp()).max(0.0))
        .sum();
    let mut accountant = Accountant::new();
    accountant.add(kary("0.8", 5), 2).expect("accepted");
    let found = accountant.delta(&"0.5".parse().expect("positive")).expect("bounds");
    assert!((found.midpoint() / exact - 1.0).abs() < 1e-12, "{found} {exact}");
    assert!(accountant.add(kary("0.8", 1), 1).is_err());
}

#[test]
fn one_way_to_add_up_losses_answers_where_the_other_does_not() {
    // Losses that lie a hundred apart: too far for a common grid.
    let releases = [
        gaussian(number("0.0101"), 1, 1),
        gaussian(number("0.5"), 1, 1),
        laplace(number("3.7"), 1, 2),
        laplace(number("1.41"), 1, 1),
        gaussian(number("1.33"), 1, 3),
    ];
    let found = bounds(releases, "1e-6");
    assert!(found.lower > number("60") && found.upper < number("80"));
    assert!(relative(&found.upper, &found.lower) < 1e-3, "{found:?}");
}

#[test]
fn a_delta_is_at_most_1() {
    let scales = ["0.31", "0.72", "0.43", "0.64", "1.25", "0.11"];
    let releases = scales.map(|scale| laplace(number(scale), 3, 2));
    let delta = accountant(releases).delta(&"0.01".parse().expect("positive"));
    let delta = delta.expect("an enclosure");
    assert!(delta.upper().cmp_rational(&Rational::one()).is_le(), "{delta}");
}
