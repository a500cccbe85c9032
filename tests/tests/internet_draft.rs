//! The page on the Internet-Draft draft-wang-ppm-differential-privacy: the names in it exist, its
//! remarks on classical claims hold, and every `DIFFERENCE` is marked in
//! the code that makes it.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{
    NoiseDistribution, WorstCaseDifference, analytic_gaussian, discrete_gaussian, discrete_laplace,
};
use dp_exact::{Epsilon, Interval, Rational, Rounding};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const PAGE: &str = include_str!("../../docs/draft-wang-ppm-differential-privacy.md");

/// The text of every Rust file in a folder and below it.
fn sources(folder: &Path) -> String {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(end) if end == "rs" => fs::read_to_string(&path).expect("UTF-8"),
        _ => String::new(),
    };
    paths.map(text).collect()
}

/// Whether code outside of comments has the identifier `name`.
fn has(source: &str, name: &str) -> bool {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.flat_map(|line| line.split(|c| !is_name(c))).any(|word| word == name)
}

#[test]
fn every_item_and_test_that_the_page_names_exists() {
    let root = Path::new(ROOT);
    let tests = sources(&root.join("crates")) + &sources(&root.join("tests"));
    let mut named = 0;
    for name in PAGE.split('`').skip(1).step_by(2) {
        if let Some((krate, path)) = name.split_once("::") {
            let source = sources(&root.join("crates").join(krate.replace('_', "-")).join("src"));
            let item = path.rsplit("::").next().expect("a name");
            assert!(has(&source, item), "{name}");
        } else if name.matches('_').count() > 2 && !name.contains(' ') {
            assert!(tests.contains(&format!("fn {name}(")), "no test {name}");
        } else {
            continue;
        }
        named += 1;
    }
    assert!(named > 60, "{named}");
}

#[test]
fn every_difference_is_marked_where_it_is_made() {
    const MARK: &str = "DIFFERENCE from draft-wang §";
    let code = sources(&Path::new(ROOT).join("crates"));
    let section = |text: &str| text.split([':', ' ']).next().unwrap_or_default().to_owned();
    let marked: BTreeSet<String> = code.split(MARK).skip(1).map(section).collect();
    let rows = PAGE.lines().filter(|line| line.starts_with('|') && line.contains("DIFFERENCE"));
    let listed: BTreeSet<String> =
        rows.map(|row| row.split('|').nth(1).expect("a cell").trim().to_owned()).collect();
    assert_eq!(listed, marked);
}

fn parse<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().expect("a literal")
}

/// √(ln(1/δ))/ε, rounded up: an upper bound on the standard deviation that is claimed to suffice at
/// sensitivity 1.
fn claimed_sigma(epsilon: &str, delta: &str) -> Rational {
    let delta = Interval::rational(&parse(delta), 192);
    let root = (-delta.ln().expect("positive")).sqrt().expect("above 0");
    let sigma = root.checked_div(&Interval::rational(&parse(epsilon), 192)).expect("positive");
    sigma.upper().to_rational().expect("small").round_to_digits(20, Rounding::Up)
}

/// Gaussian noise for one integer that changes by 1; Laplace noise for two counts of a histogram
/// that change by 1 each.
#[test]
fn classical_claims_are_false_as_written() {
    let one = WorstCaseDifference::one();
    for (epsilon, delta, least) in [("0.5", "1e-6", "4.1e-6"), ("0.9", "1e-9", "1.65e-7")] {
        let sigma = claimed_sigma(epsilon, delta);
        let epsilon: Epsilon = parse(epsilon);
        let continuous = analytic_gaussian::delta(&epsilon, &sigma, &1_u32.into()).unwrap();
        let discrete = discrete_gaussian::delta(&sigma.pow(2), &epsilon, &one).unwrap();
        for bound in [continuous, discrete] {
            assert!(bound.lower().cmp_rational(&parse(least)).is_ge(), "{bound}");
        }
    }
    let histogram = WorstCaseDifference::one_hot();
    let at = |epsilon: &str| {
        let delta = discrete_laplace::delta(&Rational::one(), &parse(epsilon), &histogram).unwrap();
        delta.lower().cmp_rational(&parse("0.1"))
    };
    assert!(at("1").is_gt() && at("2").is_lt());
    let bound = |scale: &str| {
        let distribution = NoiseDistribution::DiscreteLaplace { scale: parse(scale) };
        let total = NoisyTotal::of_aggregators(distribution, 1);
        total.margin_of_all(0, 10_000, &parse("0.05")).unwrap()
    };
    assert_eq!((bound("1"), bound("2")), (12.0, 24.0));
}
