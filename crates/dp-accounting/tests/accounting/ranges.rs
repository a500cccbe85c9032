//! The ends of every range: the last number that is accepted, and the first one that is not.

use dp_accounting::schedule::{Line, Mechanism, Shares, schedule};
use dp_accounting::{Accountant, Budget, Corner, NoiseLaw, Release, kov15};
use dp_exact::{Delta, Rational};

use crate::common::{gaussian_one, laplace_one, number};

fn noise(law: NoiseLaw, coordinates: u64, step: u64) -> Release {
    let corner = Corner::new(coordinates, step).expect("a corner");
    Release::Noise { law, corner }
}

fn response(epsilon: &str) -> Release {
    Release::RandomizedResponse {
        epsilon: epsilon.parse().expect("positive"),
        delta: "0".parse().expect("small"),
    }
}

/// What an accountant says of one release: `None` if it takes it.
fn refusal(release: Release) -> Option<String> {
    let added = Accountant::new().add(release, 1);
    added.err().map(|error| error.to_string())
}

/// About `whole`, with a denominator of so many bits.
fn long(whole: u64, bits: u32) -> Rational {
    let denominator = Rational::integer(2).pow(bits - 1);
    let numerator = &denominator * &Rational::from(whole) + Rational::one();
    numerator.checked_div(&denominator).expect("positive")
}

#[test]
fn noise_is_accepted_from_end_to_end_of_its_range_and_no_farther() {
    let gaussian =
        |variance: Rational| refusal(noise(NoiseLaw::DiscreteGaussian { variance }, 1, 10));
    for (variance, accepted) in [
        (number("0.01"), true),
        (number("0.009999999999"), false),
        (number("1e21"), true),
        (number("1000000000000000000001"), false),
        (long(1, 511), true),
        (long(1, 512), true),
        (long(1, 513), false),
    ] {
        let found = gaussian(variance.clone());
        assert_eq!(found.is_none(), accepted, "{variance}: {found:?}");
        assert!(found.is_none_or(|found| found.starts_with("variance is ")));
    }
    let laplace = |scale: Rational| refusal(noise(NoiseLaw::DiscreteLaplace { scale }, 1, 10));
    for (scale, accepted) in [
        (number("0.001"), true),
        (number("0.000999999999"), false),
        (number("1e10"), true),
        (number("10000000001"), false),
        (long(1, 512), true),
        (long(1, 513), false),
    ] {
        let found = laplace(scale.clone());
        assert_eq!(found.is_none(), accepted, "{scale}: {found:?}");
        assert!(found.is_none_or(|found| found.starts_with("scale is ")));
    }
    for (epsilon, accepted) in [
        ("1e-9", true),
        ("9.99e-10", false),
        ("100", true),
        ("100.1", false),
    ] {
        assert_eq!(refusal(response(epsilon)).is_none(), accepted, "{epsilon}");
        let kary = |answers| Release::KaryResponse {
            epsilon: epsilon.parse().expect("positive"),
            answers,
        };
        assert_eq!(refusal(kary(2)).is_none(), accepted, "{epsilon}");
        assert!(refusal(kary(1)).is_some() && refusal(kary(0)).is_some());
    }
}

#[test]
fn as_many_releases_and_coordinates_are_accepted_as_are_promised() {
    let mut accountant = Accountant::new();
    accountant
        .add(gaussian_one(number("25")), 1 << 19)
        .expect("half");
    accountant
        .add(laplace_one(number("25")), 1 << 19)
        .expect("all");
    assert!(accountant.add(laplace_one(number("25")), 1).is_err());
    assert!(Accountant::check_times(1 << 20).is_ok());
    assert!(Accountant::check_times((1 << 20) + 1).is_err());
    let wide = |coordinates| {
        let scale = number("20");
        noise(NoiseLaw::DiscreteLaplace { scale }, coordinates, 1)
    };
    assert_eq!(refusal(wide(1 << 24)), None);
    let mut accountant = Accountant::new();
    accountant.add(wide(1 << 24), 100).expect("accepted");
    accountant
        .add(wide(1 << 23), 56)
        .expect("2^31 coordinates in all");
    let refused = accountant
        .add(wide(1), 1)
        .expect_err("too many")
        .to_string();
    assert!(
        refused.starts_with("coordinates is 2147483649"),
        "{refused}"
    );
}

#[test]
fn no_times_at_all_is_nothing_released() {
    let mut accountant = Accountant::new();
    accountant
        .add(gaussian_one(number("1")), 0)
        .expect("accepted");
    accountant.add(response("1"), 0).expect("accepted");
    let bounds = accountant.epsilon(&"0".parse().expect("a delta"));
    let bounds = bounds.expect("nothing is spent");
    assert!(bounds.upper.is_zero() && bounds.lower.is_zero());
    // But what is wrong is wrong without being released.
    assert!(accountant.add(gaussian_one(number("1e-5")), 0).is_err());
}

#[test]
fn a_delta_is_accepted_where_the_losses_allow_it() {
    let small = |text: &str| -> Delta { text.parse().expect("a delta") };
    let long = |bits| Delta::new(long(1, bits) - number("0.5")).expect("a delta");
    let mut bounded = Accountant::new();
    bounded.add(response("0.5"), 1).expect("accepted");
    let mut unbounded = bounded.clone();
    unbounded
        .add(gaussian_one(number("100")), 1)
        .expect("accepted");
    for (delta, with_largest, without) in [
        (small("0"), true, false),
        (small("1e-41"), true, false),
        (small("1e-40"), true, true),
        (small("0.9"), true, true),
        (small("0.90000001"), false, false),
        (long(2049), false, false),
    ] {
        assert_eq!(bounded.epsilon(&delta).is_ok(), with_largest, "{delta}");
        assert_eq!(unbounded.epsilon(&delta).is_ok(), without, "{delta}");
        assert!(bounded.check_delta(&delta).is_ok());
        assert_eq!(unbounded.check_delta(&delta).is_ok(), without, "{delta}");
    }
    assert!(bounded.epsilon(&long(2048)).is_ok());
}

#[test]
fn the_optimal_composition_takes_as_many_releases_as_it_says() {
    let step = "9.99e-7".parse().expect("positive");
    let (none, half) = ("0".parse().expect("none"), "0.5".parse().expect("half"));
    assert!(kov15::epsilon(&step, &none, 1 << 20, &half).is_ok());
    for times in [0, (1 << 20) + 1] {
        let refused = kov15::epsilon(&step, &none, times, &half);
        let refused = refused.expect_err("out of range").to_string();
        assert!(
            refused.starts_with(&format!("releases is {times}")),
            "{refused}"
        );
    }
    let slack = |bits| Delta::new(long(1, bits) - Rational::one()).expect("a delta");
    assert!(kov15::epsilon(&step, &slack(2048), 1, &half).is_ok());
    assert!(kov15::epsilon(&step, &slack(2049), 1, &half).is_err());
    // A total ε out of its range.
    assert!(kov15::delta(&step, &none, 2, &"10001".parse().expect("positive")).is_err());
}

#[test]
fn a_schedule_takes_as_many_lines_and_such_shares_as_it_says() {
    let line = |times| Line {
        corner: Corner::one(),
        times,
    };
    let budget = Budget::ZeroConcentrated {
        rho: "1/2".parse().expect("positive"),
    };
    let refusal = |lines: &[Line], shares: &Shares| {
        let found = schedule(lines, Mechanism::Gaussian, shares, &budget);
        found.err().map(|error| error.to_string())
    };
    let equal = Shares::Weighted(Vec::new());
    assert_eq!(refusal(&vec![line(1); 1000], &equal), None);
    let refused = refusal(&vec![line(1); 1001], &equal).expect("too many");
    assert!(refused.starts_with("lines is 1001"), "{refused}");
    assert_eq!(refusal(&[line(1 << 19), line(1 << 19)], &equal), None);
    let refused = refusal(&[line(1 << 19), line((1 << 19) + 1)], &equal).expect("too many");
    assert!(refused.starts_with("times is 1048577"), "{refused}");
    let lines = [line(1), line(2)];
    let kinds: [fn(Vec<Rational>) -> Shares; 2] = [Shares::Given, Shares::Weighted];
    for (kind, name) in kinds.into_iter().zip(["shares", "weights"]) {
        for (value, accepted) in [
            (number("1e-12"), true),
            (number("0.999999e-12"), false),
            (number("1e12"), true),
            (number("1000000000001"), false),
            (number("0"), false),
            (number("-1"), false),
            (long(1, 512), true),
            (long(1, 513), false),
        ] {
            let found = refusal(&lines, &kind(vec![Rational::one(), value.clone()]));
            assert_eq!(found.is_none(), accepted, "{name} {value} {found:?}");
            assert!(found.is_none_or(|found| found.starts_with(&format!("{name} is "))));
        }
        for count in [1, 3] {
            let found = refusal(&lines, &kind(vec![Rational::one(); count]));
            let found = found.expect("not one for each line");
            assert!(
                found.starts_with(&format!("{name} is \"{count} of them\"")),
                "{found}"
            );
        }
    }
    assert_eq!(refusal(&lines, &equal), None);
    assert!(refusal(&lines, &Shares::Given(Vec::new())).is_some());
}
