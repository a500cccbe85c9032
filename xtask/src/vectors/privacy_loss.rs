//! The groups `delta` and `composition`: what given noise guarantees, once and over many releases.

use dp_calibration::accounting::{Accountant, AccountedMechanism, compose};
use dp_calibration::{
    Adjacency, NoiseDistribution, Query, WorstCaseDifference, analytic_gaussian, discrete_gaussian,
    discrete_laplace,
};
use dp_exact::{Epsilon, Interval, Rational, square_root_up};
use serde_json::{Value, json};

use super::model::{Figure, Outcome, Vector, upper};
use super::noise::DIGITS;
use super::queries::{max_from_bits, read, whole};

/// Noise, its scale or variance, query, ε.
#[rustfmt::skip]
pub(super) const SINGLE: &[(&str, &str, &str, &str)] = &[
    ("discrete_laplace", "1", "count", "0.5"), ("discrete_laplace", "2", "histogram:12", "0.5"),
    ("discrete_laplace", "2", "histogram:12", "1"), ("discrete_laplace", "30", "sum:40", "0.7"),
    ("discrete_laplace", "4", "multihot:10:3", "0.9"), ("discrete_laplace", "2", "sumvec:5:4", "3"),
    ("discrete_gaussian", "1", "count", "1"), ("discrete_gaussian", "4", "count", "1"),
    ("discrete_gaussian", "4", "histogram:12", "1"), ("discrete_gaussian", "72.85", "histogram:12", "0.906"),
    ("discrete_gaussian", "547.10613489", "histogram:12", "0.317"), ("discrete_gaussian", "2.5", "histogram:12", "5"),
    ("discrete_gaussian", "400", "sum:40", "2"), ("discrete_gaussian", "30", "multihot:10:3", "1"),
    ("discrete_gaussian", "100", "sumvec:5:4", "1"), ("discrete_gaussian", "30", "l1boundsum:6:5", "2"),
];

/// Releases, each `NOISE PARAMETER QUERY TIMES`, `response EPSILON DELTA TIMES` or `kary EPSILON
/// ANSWERS TIMES`; then the given quantity, δ or ε, and its value.
#[rustfmt::skip]
pub(super) const COMPOSED: &[(&[&str], &str, &str)] = &[
    (&["discrete_laplace 20 histogram:12 30"], "delta", "1e-6"),
    (&["discrete_laplace 5 count 16"], "delta", "1e-9"),
    (&["discrete_gaussian 1070.3 histogram:12 30"], "delta", "1e-6"),
    (&["discrete_gaussian 900 histogram:12 100"], "delta", "1e-6"),
    (&["discrete_gaussian 100 sum:4 8"], "delta", "1e-9"),
    (&["response 0.5 0 20"], "delta", "1e-6"),
    (&["response 0.1 1e-8 50"], "delta", "1e-6"),
    (&["kary 1 10 12"], "delta", "1e-6"),
    (&["kary 1 4 100"], "delta", "1e-6"),
    (&["discrete_laplace 10 histogram:12 4", "discrete_gaussian 200 histogram:12 4"], "delta", "1e-6"),
    (&["response 0.01 0 100"], "epsilon", "0.5"),
    (&["discrete_laplace 8 histogram:12 10"], "epsilon", "1"),
    (&["discrete_gaussian 400 histogram:12 12"], "epsilon", "1"),
];

/// Laplace noise of this scale, or for any other name Gaussian noise of this variance.
fn distribution(noise: &str, parameter: &str) -> Outcome<NoiseDistribution> {
    Ok(match noise {
        "discrete_laplace" => NoiseDistribution::DiscreteLaplace { scale: parameter.parse()? },
        _ => NoiseDistribution::DiscreteGaussian { variance: parameter.parse()? },
    })
}

/// The JSON object of noise on the query `text`, and of its worst difference under replacement.
fn described(noise: &str, parameter: &str, text: &str) -> Outcome<Value> {
    let difference = worst(&read(text)?, Adjacency::Replacement)?;
    Ok(json!({
        "noise": noise, "parameter": parameter, "query": text,
        "coordinates": difference.coordinates(), "step": difference.step().to_string(),
    }))
}

/// The worst-case difference of a query; `Err` if no measurement can be replaced by another.
fn worst(query: &Query, adjacency: Adjacency) -> Outcome<WorstCaseDifference> {
    Ok(query.worst_case_difference(adjacency)?.ok_or("a measurement that can be replaced")?)
}

/// The test vector of a row of [`SINGLE`]: δ at ε of one release under replacement, with the δ that
/// known mistakes give.
pub(super) fn single(
    &(noise, parameter, text, epsilon): &(&str, &str, &str, &str),
) -> Outcome<Vector> {
    let (query, law) = (read(text)?, distribution(noise, parameter)?);
    let (rate, replaced) = (epsilon.parse::<Epsilon>()?, worst(&query, Adjacency::Replacement)?);
    let of = |difference: &WorstCaseDifference| match &law {
        NoiseDistribution::DiscreteLaplace { scale } => {
            discrete_laplace::delta(scale, &rate, difference)
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            discrete_gaussian::delta(variance, &rate, difference)
        }
    };
    let mut figure = Figure::enclosed("delta", &of(&replaced)?)?;
    let mut plant = |name, delta: Interval| -> Outcome<()> {
        figure = figure.clone().mistake(name, &upper(&delta)?);
        Ok(())
    };
    plant("add_remove", of(&worst(&query, Adjacency::Deletion)?)?)?;
    if let Some(filled) = max_from_bits(&query) {
        plant("max_from_bits", of(&worst(&filled, Adjacency::Replacement)?)?)?;
    }
    if let NoiseDistribution::DiscreteGaussian { variance } = &law {
        plant("l1_for_l2", of(&WorstCaseDifference::new(1, replaced.l1())?)?)?;
        let (sigma, l2_squared) = (square_root_up(variance, DIGITS)?, replaced.l2_squared());
        plant("continuous_gaussian", analytic_gaussian::delta(&rate, &sigma, &l2_squared)?)?;
        if matches!(query, Query::Histogram { .. }) {
            plant("sqrt2_forgotten", of(&WorstCaseDifference::one())?)?;
        }
        // 1.25·e^(−ε²σ²/(2Δ₂²)).
        let twice = whole(&(&l2_squared + &l2_squared));
        let exponent = -(rate.value().pow(2) * variance).checked_div(&twice).ok_or("no change")?;
        let tail = Interval::rational(&exponent, 128).exp().ok_or("an exponential")?;
        plant("classical_gaussian", tail * Interval::rational(&Rational::new(5, 4)?, 128))?;
    }
    let mut input = described(noise, parameter, text)?;
    input["epsilon"] = epsilon.into();
    let name = format!("{noise} {parameter} {text} epsilon {epsilon}");
    Ok(Vector { name, input, figures: vec![figure] })
}

/// Releases of one kind with their number, from a text of [`COMPOSED`]: as JSON, always under
/// replacement, and for the accountant under `adjacency`.
fn release(text: &str, adjacency: Adjacency) -> Outcome<(Value, (AccountedMechanism, u32))> {
    let words: Vec<&str> = text.split(' ').collect();
    let [kind, first, second, times] = words[..] else {
        return Err("a release has four words".into());
    };
    let times = times.parse::<u32>()?;
    let (mut cell, mechanism) = match kind {
        "response" => {
            let (epsilon, delta) = (first.parse()?, second.parse()?);
            let cell = json!({ "epsilon": first, "delta": second });
            (cell, AccountedMechanism::RandomizedResponse { epsilon, delta })
        }
        "kary" => {
            let (epsilon, answers) = (first.parse()?, second.parse()?);
            let cell = json!({ "epsilon": first, "answers": answers });
            (cell, AccountedMechanism::KaryResponse { epsilon, answers })
        }
        noise => {
            let (law, difference) =
                (distribution(noise, first)?, worst(&read(second)?, adjacency)?);
            (described(noise, first, second)?, AccountedMechanism::Noise { law, difference })
        }
    };
    cell["times"] = times.into();
    Ok((cell, (mechanism, times)))
}

/// The test vector of a row of [`COMPOSED`]: the ε of all releases together at a δ, or their δ at
/// an ε.
pub(super) fn composed(&(texts, given, value): &(&[&str], &str, &str)) -> Outcome<Vector> {
    let of = |adjacency| -> Outcome<(Vec<Value>, Vec<_>)> {
        let releases = texts.iter().map(|text| release(text, adjacency));
        Ok(releases.collect::<Outcome<Vec<_>>>()?.into_iter().unzip())
    };
    let ((cells, right), (_, wrong)) = (of(Adjacency::Replacement)?, of(Adjacency::Deletion)?);
    let mut figure;
    if given == "delta" {
        let delta = value.parse()?;
        let found = compose(&right, &delta)?;
        figure = Figure::bound("epsilon", &found.lower, &found.upper);
        figure = figure.mistake("add_remove", &compose(&wrong, &delta)?.upper);
        if let [(one, times)] = &right[..]
            && let Ok(once) = compose(&[(one.clone(), 1)], &delta)
        {
            let times = Rational::from(u64::from(*times));
            let root = &once.upper * &square_root_up(&times, DIGITS)?;
            figure = figure.mistake("count_ignored", &once.upper);
            figure = figure.mistake("root_of_releases", &root);
            figure = figure.mistake("sum_of_epsilons", &(once.upper * times));
        }
    } else {
        let epsilon = value.parse()?;
        let total = |releases: Vec<(AccountedMechanism, u32)>| -> Outcome<Interval> {
            let mut accountant = Accountant::new();
            for (release, times) in releases {
                accountant.add(release, times)?;
            }
            Ok(accountant.delta(&epsilon)?)
        };
        figure = Figure::enclosed("delta", &total(right)?)?;
        figure = figure.mistake("add_remove", &upper(&total(wrong)?)?);
    }
    let input = json!({ "releases": cells, given: value });
    let name = format!("{} {given} {value}", texts.join(", "));
    Ok(Vector { name, input, figures: vec![figure] })
}
