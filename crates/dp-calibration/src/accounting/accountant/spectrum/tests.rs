//! The parts of a spectrum against sums in floating point, and a planted fault;
//! `tests/calibration/accounting/contours.rs` compares it with an inverse Laplace transform.

use super::decay::Decay;
use super::factor::Atoms;
use super::*;
use crate::number;
use crate::privacy_loss::tests::losses;
use crate::privacy_loss::{TiltedLoss, discrete_gaussian, response};

#[test]
fn what_is_left_out_comes_back_in_the_bounds() {
    // Planted faults: to forget the nodes beyond the last one, and to forget a whole node.
    let (tilt, epsilon) = (number("5"), number("1.5"));
    let build = || {
        let mut kinds = ReleaseKinds::new(&tilt);
        kinds.add_gaussian(number("20.5"), number("1"), 2).expect("noise");
        kinds.add_gaussian(number("37.1"), number("1"), 1).expect("noise");
        kinds.add_law(response(&number("0.7"), 2, &tilt).expect("a law"), 3).expect("losses");
        kinds.spectrum(250_000_000).expect("a spectrum")
    };
    let found = build().delta(&epsilon).expect("an enclosure");
    let mut cut = build();
    cut.nodes.values.truncate(20);
    cut.nodes.beyond = Interval::integer(0, 128);
    let cut = cut.delta(&epsilon).expect("an enclosure");
    assert!(cut.upper() < found.lower() || cut.lower() > found.upper(), "{cut} {found}");
}

/// Forty losses of unlike weights, 0.37 apart.
fn law() -> TiltedLoss {
    let weight = |place: u64| (1 << 53) * (1 + place * place % 23);
    let weights: Vec<u64> = (0..40).map(weight).collect();
    let all: u64 = weights.iter().sum();
    TiltedLoss {
        step: number("0.37"),
        offset: number("-4.1"),
        weights,
        total: Interval::integer(all, PRECISION).shifted(-62),
        log_moment: Interval::integer(0, PRECISION),
        exact: true,
    }
}

/// Σ w·e^(2πi·jℓ/L)
fn wave(law: &TiltedLoss, node: u32, period: f64) -> (f64, f64) {
    let terms = losses(law).into_iter();
    terms.fold((0.0, 0.0), |(re, im), (loss, share)| {
        let angle = std::f64::consts::TAU * f64::from(node) * loss / period;
        (re + share * angle.cos(), im + share * angle.sin())
    })
}

#[test]
fn moduli_have_fallen_at_least_as_far_as_is_said() {
    let period = number("37.3");
    let units = |value: u128| Rational::integer(value).to_f64() / 65536.0;
    // For a lattice distribution, and for noise, whose bound is nearly attained between its waves.
    let atoms = Atoms::new(law(), 5, &period).expect("a phase");
    let mut of_law = Decay::default();
    of_law.add_atoms(&atoms, &period).expect("a wave");
    let mut of_noise = Decay::default();
    let three = number("3");
    of_noise.add_gaussian(&number("40.5"), &three, 2, &period).expect("a wave");
    let noise = discrete_gaussian(&number("40.5"), &3u32.into(), &number("0.75")).expect("a law");
    let mut ratios = (0.0f64, 0.0f64);
    for node in 1..300 {
        let fallen = |law: &TiltedLoss, times: f64| {
            let (re, im) = wave(law, node, 37.3);
            -times * re.hypot(im).ln()
        };
        let (one, other) = (units(of_law.at(node)), units(of_noise.at(node)));
        let (exact, gaussian) = (fallen(&law(), 5.0), fallen(&noise, 2.0));
        assert!(one <= exact + 1e-9, "{node} {one} {exact}");
        // What is left beyond e^−30 is lost to rounding here.
        if gaussian < 60.0 {
            assert!(other <= gaussian + 1e-9, "{node} {other} {gaussian}");
            ratios.1 = ratios.1.max(other / gaussian);
        }
        ratios.0 = ratios.0.max(one / exact);
        for decay in [&of_law, &of_noise] {
            let here = decay.at(node);
            let wanted = here / 2;
            let count = u32::try_from(decay.nodes_above(here, wanted).min(500)).expect("small");
            let after = (node..=node + count).map(|node| decay.at(node));
            assert!(after.min() >= Some(wanted), "{node}");
        }
    }
    // Most of the time it is far from attained.
    assert!(ratios.0 > 0.12 && ratios.1 > 0.45, "{ratios:?}");
}
