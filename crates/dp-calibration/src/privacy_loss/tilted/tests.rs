//! Distributions of losses that are long, lie on unlike grids, or weigh next to nothing.

use super::*;
use crate::number;

pub(crate) fn tilting(side: BoundSide) -> Tilting {
    let tilt = number("1.5");
    Tilting { tilt, side }
}

/// Losses from −`start` on; every `every`-th has a weight, and all weights are equal.
pub(crate) fn comb(step: &str, start: &str, length: usize, every: usize) -> TiltedLoss {
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

/// δ at ε of the sum of these losses, term by term.
pub(crate) fn term_by_term(laws: &[&TiltedLoss], epsilon: f64) -> f64 {
    let tilt = 1.5;
    let mut all = vec![(0.0, 1.0)];
    for law in laws {
        let one = losses(law);
        let next = all.iter().flat_map(|&(loss, mass)| {
            one.iter().map(move |&(other, weight)| (loss + other, mass * weight))
        });
        all = next.collect();
    }
    let above = all.iter().filter(|(loss, _)| *loss > epsilon);
    above
        .map(|(loss, mass)| {
            let beyond = loss - epsilon;
            (-tilt * loss).exp() * mass * -f64::exp_m1(-beyond)
        })
        .sum()
}

/// How far the bound on δ is from `truth`, relatively; fails if it is not on its side.
pub(crate) fn off(law: &TiltedLoss, side: BoundSide, truth: f64, epsilon: &str) -> f64 {
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
