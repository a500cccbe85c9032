//! The spectrum against distributions on lattices.

use dp_exact::{Interval, Rational};

use super::{Factor, Spectrum, spectrum};
use dp_calibration::privacy_loss::{
    BoundSide, TiltedLoss, Tilting, discrete_gaussian, response, together,
};

const ALLOWED: u64 = 250_000_000;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn gaussian(variance: &str, step: u32, times: u32) -> Factor {
    Factor::Gaussian { variance: number(variance), step: step.into(), times }
}

fn responses(epsilon: &str, tilt: &Rational, times: u32) -> Factor {
    let law = Box::new(response(&number(epsilon), tilt).expect("a law"));
    Factor::Law { law, times }
}

fn at(spectrum: &Spectrum, epsilon: &str) -> Interval {
    spectrum.delta(&number(epsilon)).expect("an enclosure")
}

fn assert_meet(one: &Interval, other: &Interval, width: f64) {
    assert!(one.lower() <= other.upper() && other.lower() <= one.upper(), "{one} {other}");
    let found = one.upper().to_f64() / one.lower().to_f64() - 1.0;
    assert!(found < width, "{found} {one}");
}

#[test]
fn equal_noise_is_that_of_the_lattice() {
    let tilt = number("7");
    let tilting = Tilting { tilt: tilt.clone(), side: BoundSide::Upper };
    let one = discrete_gaussian(&number("400"), &3u32.into(), &tilt).expect("a law");
    let lattice = one.times(50, &tilting).expect("short");
    let found = spectrum(vec![gaussian("400", 3, 50)], &tilt, ALLOWED).expect("a spectrum");
    assert!(found.exact && lattice.exact);
    for epsilon in ["7", "8", "9", "10"] {
        let exact = lattice.delta(&number(epsilon), &tilt).expect("an enclosure");
        assert_meet(&at(&found, epsilon), &exact, 0.3);
    }
}

#[test]
fn unlike_kinds_are_those_of_their_common_lattice() {
    let tilt = number("5");
    let tilting = Tilting { tilt: tilt.clone(), side: BoundSide::Upper };
    let mut laws: Vec<TiltedLoss> = Vec::new();
    let mut factors = Vec::new();
    for (variance, times) in [("100", 4), ("200", 7), ("40", 2), ("50", 3)] {
        let law = discrete_gaussian(&number(variance), &1u32.into(), &tilt).expect("a law");
        laws.push(law.times(times, &tilting).expect("short"));
        factors.push(gaussian(variance, 1, times));
    }
    for (epsilon, times) in [("0.1", 20), ("0.25", 6)] {
        let law = response(&number(epsilon), &tilt).expect("a law");
        laws.push(law.times(times, &tilting).expect("short"));
        factors.push(responses(epsilon, &tilt, times));
    }
    let lattice = together(laws, 1.0, &tilting).expect("a common lattice");
    assert!(lattice.exact);
    let found = spectrum(factors, &tilt, ALLOWED).expect("a spectrum");
    for epsilon in ["0.5", "2", "4"] {
        let exact = lattice.delta(&number(epsilon), &tilt).expect("an enclosure");
        assert_meet(&at(&found, epsilon), &exact, 0.2);
    }
}

#[test]
fn what_is_left_out_comes_back_in_the_bounds() {
    // Planted faults: to forget the nodes beyond the last one, and to forget a whole node.
    let tilt = number("5");
    let build = || {
        let factors =
            vec![gaussian("20.5", 1, 2), responses("0.7", &tilt, 3), gaussian("37.1", 1, 1)];
        spectrum(factors, &tilt, ALLOWED).expect("a spectrum")
    };
    let found = at(&build(), "1.5");
    let mut cut = build();
    cut.nodes.truncate(20);
    cut.beyond = Interval::integer(0, 128);
    let cut = at(&cut, "1.5");
    assert!(cut.upper() < found.lower() || cut.lower() > found.upper(), "{cut} {found}");
}
