//! The spectrum against laws on lattices.

use dp_exact::{Interval, Rational};

use super::{BITS, Factor, PRECISION, Spectrum, Tails, spectrum};
use crate::privacy_loss::{Side, TiltedLaw, View, discrete_gaussian, response, together};

const ALLOWED: u64 = 250_000_000;

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn gaussian(variance: &str, step: u32, times: u32) -> Factor {
    Factor::Gaussian {
        variance: number(variance),
        step: step.into(),
        times,
    }
}

fn responses(epsilon: &str, tilt: &Rational, times: u32) -> Factor {
    let law = Box::new(response(&number(epsilon), tilt).expect("a law"));
    Factor::Law { law, times }
}

fn at(spectrum: &Spectrum, epsilon: &str) -> Interval {
    spectrum.delta(&number(epsilon)).expect("an enclosure")
}

fn assert_meet(one: &Interval, other: &Interval, width: f64) {
    assert!(
        one.lower() <= other.upper() && other.lower() <= one.upper(),
        "{one} {other}"
    );
    let found = one.upper().to_f64() / one.lower().to_f64() - 1.0;
    assert!(found < width, "{found} {one}");
}

#[test]
fn equal_noise_is_that_of_the_lattice() {
    let tilt = number("7");
    let view = View {
        tilt: tilt.clone(),
        side: Side::Upward,
    };
    let one = discrete_gaussian(&number("400"), &3u32.into(), &tilt).expect("a law");
    let lattice = one.times(50, &view).expect("short");
    let found = spectrum(vec![gaussian("400", 3, 50)], &tilt, ALLOWED).expect("a spectrum");
    assert!(found.exact && lattice.exact);
    for epsilon in ["7", "8", "9", "10"] {
        let exact = lattice
            .delta(&number(epsilon), &tilt)
            .expect("an enclosure");
        assert_meet(&at(&found, epsilon), &exact, 0.3);
    }
}

#[test]
fn unlike_kinds_are_those_of_their_common_lattice() {
    let tilt = number("5");
    let view = View {
        tilt: tilt.clone(),
        side: Side::Upward,
    };
    let mut laws: Vec<TiltedLaw> = Vec::new();
    let mut factors = Vec::new();
    for (variance, times) in [("100", 4), ("200", 7), ("40", 2), ("50", 3)] {
        let law = discrete_gaussian(&number(variance), &1u32.into(), &tilt).expect("a law");
        laws.push(law.times(times, &view).expect("short"));
        factors.push(gaussian(variance, 1, times));
    }
    for (epsilon, times) in [("0.1", 20), ("0.25", 6)] {
        let law = response(&number(epsilon), &tilt).expect("a law");
        laws.push(law.times(times, &view).expect("short"));
        factors.push(responses(epsilon, &tilt, times));
    }
    let lattice = together(laws, 1.0, &view).expect("a common lattice");
    assert!(lattice.exact);
    let found = spectrum(factors, &tilt, ALLOWED).expect("a spectrum");
    for epsilon in ["0.5", "2", "4"] {
        let exact = lattice
            .delta(&number(epsilon), &tilt)
            .expect("an enclosure");
        assert_meet(&at(&found, epsilon), &exact, 0.2);
    }
}

#[test]
fn many_unlike_kinds_are_enclosed_closely() {
    let tilt = number("9");
    let kinds = |shift: &str| {
        let of = |kind: u64| {
            let variance = Rational::from(900 + kind) + number(shift);
            Factor::Gaussian {
                variance,
                step: 1u32.into(),
                times: 1,
            }
        };
        spectrum((0..300).map(of).collect(), &tilt, ALLOWED).expect("a spectrum")
    };
    let (one, other) = (kinds("0.1234567"), kinds("0.1234568"));
    let (one, other) = (at(&one, "2"), at(&other, "2"));
    assert_meet(&one, &other, 1e-4);
}

#[test]
fn what_is_left_out_comes_back_in_the_bounds() {
    // Planted faults: to forget the nodes beyond the last one, and to forget a whole node.
    let tilt = number("5");
    let build = || {
        let factors = vec![
            gaussian("20.5", 1, 2),
            responses("0.7", &tilt, 3),
            gaussian("37.1", 1, 1),
        ];
        spectrum(factors, &tilt, ALLOWED).expect("a spectrum")
    };
    let found = at(&build(), "1.5");
    let mut cut = build();
    cut.nodes.truncate(20);
    cut.beyond = Interval::integer(0, 128);
    let cut = at(&cut, "1.5");
    assert!(
        cut.upper() < found.lower() || cut.lower() > found.upper(),
        "{cut} {found}"
    );
}

#[test]
fn a_loss_counts_in_the_other_periods_from_half_a_period_below_and_a_whole_one_above() {
    // The law of one loss, whose moments are powers: Chernoff's bound is 1 where it begins to count.
    let (loss, period) = (number("0.7"), number("3"));
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let (up, down) = (number("40"), number("50"));
    let tails = Tails {
        most: real(&number("0.25")),
        far: real(&number("1e-30")),
        above: (up.clone(), real(&(&up * &loss))),
        below: (down.clone(), -real(&(&down * &loss))),
    };
    for edge in ["2.2", "-2.3"] {
        let outward = if edge == "2.2" { "1e-3" } else { "-1e-3" };
        let others = |at: Rational| tails.others(&at, &period).expect("sane").upper().to_f64();
        let at = others(number(edge));
        assert!((0.25..0.2501).contains(&at), "{edge} {at}");
        assert!(others(number(edge) + number(outward)) > 0.255, "{edge}");
        assert!(others(number(edge) - number(outward)) < 0.245, "{edge}");
    }
    let inside = tails.others(&number("0.2"), &period).expect("sane");
    assert!(
        (1e-30..2e-21).contains(&inside.upper().to_f64()),
        "{inside}"
    );
}

#[test]
fn every_unit_of_error_widens_delta_by_one_at_either_end() {
    let tilt = number("5");
    let factors = vec![gaussian("20.5", 1, 2), responses("0.7", &tilt, 3)];
    let width = |spectrum: &Spectrum| {
        let delta = at(spectrum, "1.5");
        delta.upper().to_f64() - delta.lower().to_f64()
    };
    let mut found = spectrum(factors, &tilt, 1_000_000).expect("a spectrum");
    // 1/(Lλ(1+λ))·M·e^(−λε) of a unit.
    let raised = (found.log_moment.midpoint() - 5.0 * 1.5).exp();
    let unit = found.scale.midpoint() * raised * 0.5f64.powi(i32::try_from(BITS).expect("small"));
    found.beyond = Interval::integer(0, PRECISION);
    let mut with = |error: u128| {
        found.error = error;
        width(&found)
    };
    let without = with(0);
    for error in [1u128 << 30, 1 << 36] {
        let more = (with(error) - without) / unit;
        let expected = 2.0 * Rational::from(u64::try_from(error).expect("small")).to_f64();
        assert!((more / expected - 1.0).abs() < 1e-6, "{more} {expected}");
    }
    // Each node loses a few units by itself, of either sign of j.
    let each = without / unit / f64::from(u32::try_from(found.nodes.len()).expect("small"));
    assert!((4.0..100.0).contains(&each), "{each}");
}
