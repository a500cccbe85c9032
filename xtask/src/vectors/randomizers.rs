//! The group `randomizers`: probabilities, ε and debiasing of client randomizers.

use dp_calibration::Adjacency;
use dp_exact::{Epsilon, Interval, Rational};
use dp_rappor::{CoinFlip, KaryRandomizedResponse, SymmetricRappor};
use serde_json::json;

use super::model::{Figure, Outcome, Vector, lower, short};

/// Bits of precision of the enclosure of a probability.
const PRECISION: u32 = 192;

/// Reports, and the counts that arrive.
const REPORTS: u64 = 10_000;
const COUNTS: [i64; 5] = [0, 3141, 5000, 9999, -12];

/// The true holders of an answer in the standard errors of k-ary randomized response.
const HOLDING: [u64; 3] = [0, 4000, REPORTS];

/// Randomizer, ε or ε₀, the number of answers or bits, the largest weight of an input.
#[rustfmt::skip]
pub(super) const ROWS: &[(&str, &str, u32, u64)] = &[
    ("coin_flip", "", 1, 1), ("randomized_response", "1", 1, 1), ("randomized_response", "0.01", 1, 1),
    ("kary_randomized_response", "2", 5, 1), ("kary_randomized_response", "0.5", 100, 1), ("symmetric_rappor", "2.5", 10, 1),
    ("symmetric_rappor", "5", 3, 2), ("symmetric_rappor", "1", 9, 2), ("basic_rappor", "5", 10, 1), ("basic_rappor", "1/3", 100, 1),
];

/// The test vector of a row of [`ROWS`]: the figures of a client randomizer.
pub(super) fn vector(&(kind, parameter, size, weight): &(&str, &str, u32, u64)) -> Outcome<Vector> {
    let figures = match kind {
        "coin_flip" => coin_flip()?,
        "kary_randomized_response" => kary(&parameter.parse()?, size)?,
        _ => rappor(kind, &parameter.parse()?, size, weight)?,
    };
    let input = json!({
        "randomizer": kind, "parameter": parameter, "length": size, "max_weight": weight,
        "reports": REPORTS, "counts": COUNTS.map(|count| count.to_string()), "holding": HOLDING,
    });
    Ok(Vector { name: format!("{kind} {parameter} {size} {weight}"), input, figures })
}

/// The flip probability 1/4, ε = ln 3, and the estimates of a survey by coin flips.
fn coin_flip() -> Outcome<Vec<Figure>> {
    let estimates = COUNTS.map(|count| CoinFlip.estimate(count, REPORTS));
    Ok(vec![
        Figure::equal("flip_probability", &Rational::new(1, CoinFlip::RATIO + 1)?)
            .mistake("second_coin_ignored", &Rational::new(1, 2)?),
        Figure::number(
            "epsilon_replacement",
            &Interval::integer(3, PRECISION).ln().ok_or("ln 3")?,
        )?,
        Figure::floats("estimates", &estimates.map(|estimate| estimate.value))?
            .mistaken("not_debiased", raw()),
        Figure::floats("standard_errors", &[estimates[0].standard_error])?,
    ])
}

/// The flip probability, ε under both adjacencies and the estimates of symmetric RAPPOR. Randomized
/// response is symmetric RAPPOR of one bit; basic RAPPOR has ε₀ = `parameter`/2.
fn rappor(kind: &str, parameter: &Epsilon, length: u32, weight: u64) -> Outcome<Vec<Figure>> {
    let symmetric = SymmetricRappor::new(parameter.clone())?;
    let (mut rappor, mut other, mut mistake) =
        (symmetric, SymmetricRappor::basic(parameter)?, "epsilon_halved");
    if kind == "basic_rappor" {
        (rappor, other, mistake) = (other, rappor, "epsilon_not_halved");
    }
    let epsilon = |adjacency| -> Outcome<Rational> {
        // The bits in which two inputs, or one and zeros, differ at most.
        let differing = match adjacency {
            Adjacency::Replacement => u64::from(length).min(2 * weight),
            Adjacency::Deletion => weight,
            Adjacency::OneCoordinate => 1,
        };
        Ok(rappor.epsilon0().value() * &Rational::from(differing))
    };
    let (replaced, deleted) = (epsilon(Adjacency::Replacement)?, epsilon(Adjacency::Deletion)?);
    let flip = |rappor: &SymmetricRappor| rappor.flip_probability(PRECISION);
    let enclosed = |count: &i64| rappor.debias_enclosed(*count, REPORTS, PRECISION);
    let estimates: Option<Vec<Interval>> = COUNTS.iter().map(enclosed).collect();
    Ok(vec![
        Figure::number("flip_probability", &flip(&rappor))?
            .mistake(mistake, &lower(&flip(&other))?),
        Figure::equal("epsilon_replacement", &replaced).mistake("add_remove", &deleted),
        Figure::equal("epsilon_deletion", &deleted),
        Figure::numbers("estimates", &estimates.ok_or("estimates")?)?
            .mistaken("not_debiased", raw()),
        Figure::floats("standard_errors", &[rappor.standard_deviation(REPORTS)])?,
    ])
}

/// The probabilities, ε and the estimates of randomized response with `answers` answers.
fn kary(epsilon: &Epsilon, answers: u32) -> Outcome<Vec<Figure>> {
    let response = KaryRandomizedResponse::new(epsilon.clone(), answers)?;
    let bits = SymmetricRappor::new(epsilon.clone())?;
    let probability = |output| response.probability(0, output, PRECISION);
    let enclosed = |count: &i64| response.debias_enclosed(*count, REPORTS, PRECISION);
    let estimates: Option<Vec<Interval>> = COUNTS.iter().map(enclosed).collect();
    let of_bits = COUNTS.map(|count| short(bits.debias(count, REPORTS)));
    let deviations = HOLDING.map(|holding| response.standard_deviation(holding, REPORTS));
    let worst = short(response.standard_deviation(REPORTS, REPORTS));
    Ok(vec![
        Figure::number("probability_of_truth", &probability(0))?
            .mistake("two_answers", &lower(&bits.probability(0, 1, PRECISION))?),
        Figure::number("probability_of_each_other", &probability(1))?
            .mistake("two_answers", &lower(&bits.flip_probability(PRECISION))?),
        Figure::equal("epsilon_replacement", response.epsilon().value()),
        Figure::numbers("estimates", &estimates.ok_or("estimates")?)?
            .mistaken("two_answers", of_bits.to_vec()),
        Figure::floats("standard_errors", &deviations)?.mistaken("worst_for_all", vec![worst; 3]),
    ])
}

/// The counts without debiasing, which a known mistake gives as estimates.
fn raw() -> Vec<String> {
    COUNTS.map(|count| count.to_string()).to_vec()
}
