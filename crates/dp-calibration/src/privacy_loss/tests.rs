//! Distributions of sums of losses, on lattices and on grids.

use dp_exact::convolution::BITS;
use dp_exact::{Interval, Rational, fixed};

use super::gaussian::discrete_gaussian;
use super::regrid::PlacedOutcome;
use super::tilted::in_units;
use super::tilting::PRECISION;
use super::*;
use crate::number;

fn tilting(side: BoundSide) -> Tilting {
    let tilt = Rational::new(3, 2).unwrap();
    Tilting { tilt, side }
}

/// The loss of two releases of randomized response with e^ε = 3, about: −2ε, 0, 2ε; and ε.
fn two_responses() -> (TiltedLoss, f64) {
    let epsilon = 3.0f64.ln();
    let tilting = tilting(BoundSide::Upper);
    let one = response(&Rational::from_f64(epsilon).unwrap(), 2, &tilting.tilt).unwrap();
    (one.times(2, &tilting).unwrap(), epsilon)
}

/// δ at ε = `at`.
fn delta(law: &TiltedLoss, at: f64) -> Interval {
    let at = Rational::from_f64(at).unwrap();
    law.delta(&at, &tilting(BoundSide::Upper).tilt).unwrap()
}

#[test]
fn mass_that_is_cut_off_comes_back_in_the_upper_bound() {
    // A planted fault would be to forget it: what is kept alone is then below the truth.
    let (law, epsilon) = two_responses();
    let whole = delta(&law, epsilon);
    let mut cut = law;
    let last = cut.weights.len() - 1;
    cut.weights[last] -= 1 << 50;
    let with_bound = delta(&cut, epsilon);
    assert!(with_bound.lower() < whole.lower());
    assert!(with_bound.upper() >= whole.upper());
    let kept: u64 = cut.weights.iter().sum();
    cut.total = Interval::integer(kept, PRECISION).shifted(-62);
    assert!(delta(&cut, epsilon).upper() < whole.lower());
}

/// The loss of `times` releases of Gaussian noise with σ = 20 on a count.
fn noise(times: u32, tilting: &Tilting) -> TiltedLoss {
    let one = discrete_gaussian(&Rational::from(400u64), &1u32.into(), &tilting.tilt).unwrap();
    one.times(times, tilting).unwrap()
}

#[test]
fn a_grid_moves_delta_to_the_side_it_says_and_no_other() {
    // A rounding direction flipped, upward for downward or back, fails one of these.
    let exact = noise(8, &tilting(BoundSide::Upper));
    for part in [3, 10, 21] {
        let step = &exact.step * &Rational::new(31, part).unwrap();
        for at in [0.0, 0.1, 0.3, 0.8] {
            let truth = delta(&exact, at);
            let upward = exact.on(&step, &tilting(BoundSide::Upper)).unwrap();
            let downward = exact.on(&step, &tilting(BoundSide::Lower)).unwrap();
            assert!(!upward.exact && !downward.exact);
            assert!(delta(&upward, at).lower() > truth.upper(), "{part} {at}");
            assert!(delta(&downward, at).lower() < truth.lower(), "{part} {at}");
            // Nothing much is lost, either.
            let ratio = delta(&downward, at).lower().to_f64() / truth.midpoint();
            assert!(ratio > 0.9, "{part} {at} {ratio}");
            let ratio = delta(&upward, at).upper().to_f64() / truth.midpoint();
            assert!(ratio < 1.2, "{part} {at} {ratio}");
        }
    }
}

#[test]
fn moments_are_those_of_the_renyi_divergence() {
    // D_α = ln E[e^(λℓ)]/λ for α = 1 + λ, against independently computed values.
    let table = include_str!("../../tests/data/rdp_discrete_gaussian.csv");
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<Rational>().unwrap();
        let tilt = number(2) - Rational::one();
        let law = match cells[0] {
            "discrete_gaussian" => discrete_gaussian(&number(1).pow(2), &1u32.into(), &tilt),
            _ => response(&number(1), 2, &tilt),
        };
        let law = law.unwrap();
        let divergence = number(3) * &tilt;
        // The total is in units of what the atoms that are kept add up to.
        let moment = &law.log_moment + &law.total.ln().unwrap();
        let error = (Interval::rational(&divergence, PRECISION) - moment).midpoint().abs();
        assert!(error < 1e-17 + 1e-18 * divergence.to_f64(), "{line} {error}");
    }
}

#[test]
fn outcomes_are_composed_between_bounds_that_hold_the_sum_over_all_of_them() {
    // Three outcomes with Σ P·e^−ℓ = 1: losses that lie on no common lattice.
    let losses = [-0.9, 0.111, 0.735];
    let (p, q) = (0.25, 0.3);
    let scale = 1.0 - (p * f64::exp(0.9) + q * f64::exp(-0.111));
    let third = scale / f64::exp(-0.735);
    let total = p + q + third;
    let shares = [p / total, q / total, third / total];
    let one: Vec<(Rational, Rational)> = losses
        .iter()
        .zip(shares)
        .map(|(loss, share)| {
            let number = |value| Rational::from_f64(value).unwrap();
            (number(*loss), number(share))
        })
        .collect();
    for times in [1, 2, 3, 5] {
        for at in [0.05, 0.4, 1.3] {
            let each = losses.into_iter().zip(shares).collect();
            let truth = term_by_term(&vec![each; times], 0.0, at);
            let on = |side| {
                let tilting = tilting(side);
                let count = u32::try_from(times).unwrap();
                let law = outcomes(&one, count, 0.7, &tilting).unwrap();
                assert!(!law.exact);
                delta(&law, at)
            };
            let (above, below) = (on(BoundSide::Upper), on(BoundSide::Lower));
            let (upper, lower) = (above.upper().to_f64(), below.lower().to_f64());
            let slack = 1e-12;
            assert!(upper >= truth * (1.0 - slack), "{times} {at} {truth} {above}");
            assert!(lower <= truth * (1.0 + slack), "{times} {at} {truth} {below}");
            let close = truth * 1e-3 + 1e-12;
            assert!(upper < truth + close && lower > truth - close, "{times} {at} {truth}");
        }
    }
}

#[test]
fn likelihood_ratios_become_losses_on_their_side_and_far_ones_infinite_from_above() {
    let ratio = |a: i64, b: i64| Rational::new(a, b).unwrap();
    let (half, huge) = (ratio(1, 2), ratio(1, 10).pow(12));
    let outcomes = vec![
        (ratio(7, 3), ratio(1, 5)),
        (ratio(1, 4), ratio(3, 10) - &huge),
        (ratio(9, 8), half),
        // More than forty deviations out: infinite from above.
        (Rational::integer(10).pow(40), huge.clone()),
    ];
    let both = [outcomes.clone(), outcomes];
    let pair = DominatingPair::new(1, Rational::integer(93), || Ok(both));
    let known = pair.losses().unwrap();
    let ratios = [ratio(1, 4), ratio(9, 8), ratio(7, 3)];
    let bit = ratio(1, 2).pow(95);
    assert_eq!(known.infinite, huge);
    assert_eq!(known.on(BoundSide::Upper).len() + 1, known.on(BoundSide::Lower).len());
    for (place, ratio) in ratios.iter().enumerate() {
        let exact = Interval::rational(ratio, 256).ln().unwrap();
        let end = |end: &dp_exact::Dyadic| end.to_rational().unwrap();
        let (above, below) =
            (&known.on(BoundSide::Upper)[place].0, &known.on(BoundSide::Lower)[place].0);
        assert!(end(exact.upper()) <= *above && above - &end(exact.lower()) < bit, "{ratio}");
        assert!(end(exact.lower()) >= *below && &end(exact.upper()) - below < bit, "{ratio}");
    }
    let square = 0.2 * (7.0f64 / 3.0).ln().powi(2)
        + 0.3 * 4.0f64.ln().powi(2)
        + 0.5 * (9.0f64 / 8.0).ln().powi(2);
    assert!((known.deviation() - square.sqrt()).abs() < 1e-11);
}

/// Losses from −`start` on; every `every`-th has a weight, and all weights are equal.
fn comb(step: &str, start: &str, length: usize, every: usize) -> TiltedLoss {
    let count = u64::try_from(length.div_ceil(every)).expect("small");
    let weight = |place: usize| {
        if place.is_multiple_of(every) { (1 << BITS) / count } else { 0 }
    };
    TiltedLoss {
        step: number(step),
        offset: -number(start),
        weights: (0..length).map(weight).collect(),
        total: Interval::integer(1, PRECISION),
        log_moment: Interval::integer(0, PRECISION),
        exact: true,
    }
}

/// Losses that have a weight, and their weights, as floats.
fn losses(law: &TiltedLoss) -> Vec<(f64, f64)> {
    let (step, offset) = (law.step.to_f64(), law.offset.to_f64());
    let places = (0u32..).map(f64::from).zip(&law.weights);
    let heavy = places.filter(|(_, weight)| **weight > 0);
    heavy
        .map(|(place, &weight)| {
            (offset + step * place, Rational::from(weight).to_f64() / 2f64.powi(62))
        })
        .collect()
}

/// δ at ε of the sum of one loss of each list of losses and tilted probabilities, term by term.
fn term_by_term(lists: &[Vec<(f64, f64)>], tilt: f64, epsilon: f64) -> f64 {
    let mut all = vec![(0.0, 1.0)];
    for list in lists {
        let next = all.iter().flat_map(|&(loss, mass)| {
            list.iter().map(move |&(other, weight)| (loss + other, mass * weight))
        });
        all = next.collect();
    }
    let above = all.iter().filter(|(loss, _)| *loss > epsilon);
    above.map(|(loss, mass)| (-tilt * loss).exp() * mass * -f64::exp_m1(epsilon - loss)).sum()
}

/// How far the bound on δ is from `truth`, relatively; fails if it is not on its side.
fn off(law: &TiltedLoss, side: BoundSide, truth: f64, epsilon: &str) -> f64 {
    let delta = law.delta(&number(epsilon), &number("1.5")).expect("an enclosure");
    let off = match side {
        BoundSide::Upper => delta.upper().to_f64() / truth - 1.0,
        BoundSide::Lower => 1.0 - delta.lower().to_f64() / truth,
    };
    assert!(off > -1e-10, "{side:?} {delta} {truth}");
    off
}

#[test]
fn what_a_grid_loses_of_tiny_weights_comes_back_in_the_upper_bound() {
    // Ten units each; splitting may lose three of them.
    let step = number("0.01");
    let half = fixed::ONE / 2;
    let places: Vec<PlacedOutcome> =
        (0..100).map(|place| (half + place * fixed::ONE, 10)).collect();
    let total = in_units(1000);
    let none = Interval::integer(0, PRECISION);
    let law = TiltedLoss::placed(&places, &step, &tilting(BoundSide::Upper), (&total, &none))
        .expect("fits");
    let unit = 2f64.powi(-62);
    for epsilon in ["0.005", "0.3", "0.8"] {
        let at = number(epsilon).to_f64();
        let each = (0..100).map(|place| f64::from(place) * 0.01 + 0.005);
        let each = each.filter(|loss| *loss > at);
        let truth: f64 =
            each.map(|loss| 10.0 * unit * (-1.5 * loss).exp() * -f64::exp_m1(at - loss)).sum();
        let off = off(&law, BoundSide::Upper, truth, epsilon);
        // At most 32 units of each, wherever they may have been.
        let heaviest = 3200.0 * unit * (-1.5 * at).exp() * 0.6f64.powf(1.5) / 2.5;
        assert!(off * truth < 1.05 * heaviest, "{epsilon} {off}");
    }
    // And what was missing before counts as it did, or more.
    let more = in_units(100_000);
    let known = (&more, &none);
    let law = TiltedLoss::placed(&places, &step, &tilting(BoundSide::Upper), known).expect("fits");
    let before = more.ln().expect("positive").midpoint();
    assert!((before..before + 0.1).contains(&law.log_moment.midpoint()));
}

#[test]
fn laws_without_a_common_lattice_are_added_up_closely_on_either_side() {
    // Two of some dozen losses; and two of losses far apart on very fine lattices.
    for (one, other, at) in [
        (comb("0.0123", "0.3", 60, 1), comb("0.00371234567", "0.1", 80, 1), "0.15"),
        (
            comb("1.234567e-6", "0.04", 70_000, 1999),
            comb("1.1234567e-6", "0.04", 70_000, 2013),
            "0.01",
        ),
    ] {
        let at_epsilon: f64 = at.parse().expect("a number");
        let truth = term_by_term(&[losses(&one), losses(&other)], 1.5, at_epsilon);
        for side in [BoundSide::Upper, BoundSide::Lower] {
            let tilting = tilting(side);
            let laws = vec![one.clone(), other.clone()];
            let sum = together(laws, &tilting).expect("fits");
            assert!(!sum.exact);
            let off = off(&sum, side, truth, at);
            let close = match side {
                BoundSide::Upper => 1e-10,
                BoundSide::Lower => 1e-5,
            };
            assert!(off < close, "{side:?} {off}");
        }
    }
}
