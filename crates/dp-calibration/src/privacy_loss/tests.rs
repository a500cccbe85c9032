//! Laws of sums, and what a grid does to them.

use dp_exact::{Interval, Rational};

use super::tilted::TiltedLaw;
use super::view::{PRECISION, Side, View};
use super::{discrete_gaussian, response};

fn view(side: Side) -> View {
    let tilt = Rational::new(3, 2).unwrap();
    View { tilt, side }
}

/// Two releases of randomized response with e^ε = 3, about: losses −2ε, 0, 2ε.
fn two_responses() -> (TiltedLaw, f64) {
    let epsilon = 3.0f64.ln();
    let view = view(Side::Upward);
    let one = response(&Rational::from_f64(epsilon).unwrap(), &view.tilt).unwrap();
    (one.times(2, &view).unwrap(), epsilon)
}

fn delta(law: &TiltedLaw, at: f64) -> Interval {
    let at = Rational::from_f64(at).unwrap();
    law.delta(&at, &view(Side::Upward).tilt).unwrap()
}

#[test]
fn two_randomized_responses_have_the_delta_of_the_closed_form() {
    let (law, epsilon) = two_responses();
    // 9/16·(1 − e^(ε' − 2ε)) for ε' between 0 and 2ε.
    let exact = 9.0 / 16.0 * (1.0 - (epsilon - 2.0 * epsilon).exp());
    let found = delta(&law, epsilon);
    assert!((found.midpoint() - exact).abs() < 1e-12);
    assert!(law.exact && law.weights.len() == 3);
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

#[test]
fn no_epsilon_is_too_large_or_too_small_to_look_up() {
    let (law, _) = two_responses();
    assert!(delta(&law, 1e4).upper().to_f64() < 1e-15);
    assert!(delta(&law, -1e3).lower().to_f64() > 0.99);
}

fn noise(times: u32, view: &View) -> TiltedLaw {
    let one = discrete_gaussian(&Rational::from(400u64), &1u32.into(), &view.tilt).unwrap();
    one.times(times, view).unwrap()
}

#[test]
fn a_grid_moves_delta_to_the_side_it_says_and_no_other() {
    // A rounding direction flipped, upward for downward or back, fails one of these.
    let exact = noise(8, &view(Side::Upward));
    for part in [3, 10, 21] {
        let step = &exact.step * &Rational::new(31, part).unwrap();
        for at in [0.0, 0.1, 0.3, 0.8] {
            let truth = delta(&exact, at);
            let upward = exact.on(&step, &view(Side::Upward)).unwrap();
            let downward = exact.on(&step, &view(Side::Downward)).unwrap();
            assert!(!upward.exact && !downward.exact);
            assert!(delta(&upward, at).lower() > truth.upper(), "{part} {at}");
            assert!(delta(&downward, at).lower() < truth.lower(), "{part} {at}");
            // Nothing much is lost, either.
            let ratio = delta(&downward, at).lower().to_f64() / truth.midpoint();
            assert!(ratio > 0.9, "{part} {at} {ratio}");
        }
    }
}

#[test]
fn the_sides_approach_each_other_with_the_square_of_the_step() {
    let exact = noise(8, &view(Side::Upward));
    let gap = |numerator: i64| {
        let step = &exact.step * &Rational::new(numerator, 10).unwrap();
        let at = |side| delta(&exact.on(&step, &view(side)).unwrap(), 0.3);
        at(Side::Upward).upper().to_f64() / at(Side::Downward).lower().to_f64() - 1.0
    };
    let (coarse, fine) = (gap(129), gap(43));
    assert!(fine > 0.0 && coarse / fine > 6.0, "{coarse} {fine}");
}

#[test]
fn a_finer_lattice_that_holds_all_losses_moves_none() {
    let exact = noise(3, &view(Side::Downward));
    let step = &exact.step * &Rational::new(1, 3).unwrap();
    let finer = exact.on(&step, &view(Side::Downward)).unwrap();
    assert!(finer.exact && finer.weights.len() == 3 * exact.weights.len() - 2);
    let (one, other) = (delta(&exact, 0.2), delta(&finer, 0.2));
    assert!(one.lower() <= other.upper() && other.lower() <= one.upper());
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
            _ => response(&number(1), &tilt),
        };
        let law = law.unwrap();
        let divergence = number(3) * &tilt;
        // The total is in units of what the atoms that are kept add up to.
        let moment = &law.log_moment + &law.total.ln().unwrap();
        let error = (Interval::rational(&divergence, PRECISION) - moment)
            .midpoint()
            .abs();
        assert!(
            error < 1e-17 + 1e-18 * divergence.to_f64(),
            "{line} {error}"
        );
    }
}
