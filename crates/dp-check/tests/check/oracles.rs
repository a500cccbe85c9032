//! Values computed by other programs, in other arithmetic.

use num_bigint::BigInt;
use num_rational::Ratio;
use serde_json::json;

use crate::{certificate, holds};

/// The cells of each row of a CSV table, without its head.
fn rows(table: &str) -> impl Iterator<Item = Vec<String>> {
    table.lines().skip(1).map(|line| {
        // Names in quotation marks contain commas.
        let mut parts = line.split('"');
        let plain = parts.next().unwrap_or_default();
        let (named, rest) = match parts.next() {
            Some(name) => (vec![name.to_owned()], parts.next().unwrap_or_default()),
            None => (Vec::new(), plain),
        };
        let rest = rest.trim_start_matches(',').split(',').map(str::to_owned);
        named.into_iter().chain(rest).collect()
    })
}

/// A decimal number or a fraction.
pub(crate) fn exact(number: &str) -> Ratio<BigInt> {
    let integer = |text: &str| text.parse::<BigInt>().expect("digits");
    if let Some((above, below)) = number.split_once('/') {
        return Ratio::new(integer(above), integer(below));
    }
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i32 = exponent.parse().expect("an exponent");
    let places = i32::try_from(fraction.len()).expect("few digits");
    let digits = Ratio::from(integer(&format!("{whole}{fraction}")));
    digits * Ratio::from(BigInt::from(10)).pow(exponent - places)
}

/// `number`·(1 + `parts`·10^−9) as a fraction.
fn moved(number: &str, parts: i64) -> String {
    let part = Ratio::new(BigInt::from(1_000_000_000 + parts), BigInt::from(1_000_000_000));
    (exact(number) * part).to_string()
}

/// The square of a number as a fraction.
fn squared(number: &str) -> String {
    exact(number).pow(2).to_string()
}

#[test]
fn composed_epsilons_are_accepted_a_billionth_above_and_refused_below() {
    for row in rows(include_str!("../data/composition_oracle.csv")) {
        let [mechanism, parameter, times, delta, epsilon] = row.as_slice() else {
            panic!("{row:?}");
        };
        let times: u64 = times.parse().expect("an integer");
        let query = if mechanism.contains("pair") { "histogram" } else { "count" };
        let release = if mechanism.starts_with("dgauss") {
            json!({"mechanism": "gaussian", "query": query, "variance": squared(parameter), "times": times})
        } else {
            let factor = if mechanism.contains("pair") { 2 } else { 1 };
            let scale = (Ratio::from(BigInt::from(factor)) / exact(parameter)).to_string();
            json!({"mechanism": "laplace", "query": query, "scale": scale, "times": times})
        };
        for (parts, is_true) in [(1, true), (-1, false)] {
            let certificate =
                certificate(&moved(epsilon, parts), delta, json!([release]), json!({}));
            assert_eq!(holds(&certificate), is_true, "{row:?} {parts}");
        }
    }
}

#[test]
fn true_deltas_are_accepted_a_hundred_millionth_above_and_refused_below() {
    compare_deltas(3);
}

#[test]
#[ignore = "seconds: in release"]
fn all_true_deltas_are_accepted_a_hundred_millionth_above_and_refused_below() {
    compare_deltas(1);
}

/// Compares every row of the tables, or one in `every`.
fn compare_deltas(every: usize) {
    let one = |query: &str| if query == "pair" { "histogram" } else { "count" };
    let gaussian = |query: &str, sigma: &str| json!([{"mechanism": "gaussian", "query": one(query), "variance": squared(sigma)}]);
    for row in rows(include_str!("../data/discrete_gaussian_sigma.csv")).step_by(every) {
        let (epsilon, query, sigma, delta) = (&row[0], &row[2], &row[3], &row[7]);
        for (parts, is_true) in [(10, true), (-10, false)] {
            let certificate =
                certificate(epsilon, &moved(delta, parts), gaussian(query, sigma), json!({}));
            assert_eq!(holds(&certificate), is_true, "{row:?} {parts}");
        }
        let variance = squared(&moved(&row[4], 1));
        let release = json!([{"mechanism": "gaussian", "query": one(query), "variance": variance}]);
        assert!(holds(&certificate(epsilon, &row[1], release, json!({}))), "{row:?}");
    }
    for row in rows(include_str!("../data/dg_counterexamples_verified.csv")).step_by(every) {
        for (parts, is_true) in [(10, true), (-10, false)] {
            let certificate =
                certificate(&row[1], &moved(&row[5], parts), gaussian(&row[0], &row[3]), json!({}));
            assert_eq!(holds(&certificate), is_true, "{row:?} {parts}");
        }
    }
}

#[test]
fn the_optimal_composition_is_accepted_and_less_refused() {
    for row in rows(include_str!("../data/kov15_composition.csv")) {
        let [epsilon, delta, times, target, total] = row.as_slice() else {
            panic!("{row:?}");
        };
        let times: u64 = times.parse().expect("an integer");
        let release =
            json!([{"mechanism": "private", "epsilon": epsilon, "delta": delta, "times": times}]);
        if total == "infeasible" {
            // More infinite losses than the target allows; once, as many.
            let certificate = certificate("9999", target, release, json!({}));
            assert_eq!(holds(&certificate), times == 1, "{row:?}");
            continue;
        }
        for (parts, is_true) in [(1, true), (-1, false)] {
            let certificate = certificate(&moved(total, parts), target, release.clone(), json!({}));
            assert_eq!(holds(&certificate), is_true, "{row:?} {parts}");
        }
    }
}
