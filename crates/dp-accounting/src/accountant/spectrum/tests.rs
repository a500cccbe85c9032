//! A planted fault in a spectrum; `tests/accounting/contours.rs` compares it with an inverse Laplace transform.

use dp_exact::{Interval, Rational};

use super::{Factor, Spectrum, spectrum};
use dp_calibration::privacy_loss::response;

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
    cut.nodes.values.truncate(20);
    cut.nodes.beyond = Interval::integer(0, 128);
    let cut = at(&cut, "1.5");
    assert!(cut.upper() < found.lower() || cut.lower() > found.upper(), "{cut} {found}");
}
