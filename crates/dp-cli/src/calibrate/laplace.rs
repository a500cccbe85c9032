//! `calibrate laplace`: the least discrete Laplace noise for ε, or for ε and δ, or the δ of known
//! noise.

use clap::Args;
use dp_calibration::discrete_laplace::{self, LaplaceProof};
use dp_calibration::{
    NoiseDistribution, NoiseKind, Query, Refusal, SensitivityBound, VectorNoise,
    WorstCaseDifference, conversion,
};
use dp_exact::{Delta, Rational};
use dp_prio3::mechanisms::NoiseMechanism;

use super::certificate::{claim_of_noise, claimed_delta};
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{
    DeltaEpsilon, Norm, OF_TEXTBOOKS, SensitivityOptions, about, above_zero, capitalized, end_up,
    epsilon_or_zero, fraction, meaning_of_delta, positive, required, total_variation, up,
};

/// Least discrete Laplace noise for epsilon, or for epsilon and delta, or the delta of known noise
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Privacy loss epsilon; with --scale also 0, for the total variation distance
    #[arg(long, alias = "eps", value_parser = epsilon_or_zero)]
    epsilon: Option<DeltaEpsilon>,
    /// Delta: 0 is a pure guarantee
    #[arg(long, default_value = "0")]
    delta: Delta,
    #[command(flatten)]
    sensitivity: SensitivityOptions,
    /// K-norm noise (ℓ∞, cube-shaped): one draw for all numbers of a sumvec or multihot vector. The
    /// probability of a vector z is in proportion to e^(-max|z|/scale); one number needs the same
    /// scale
    #[arg(long)]
    cube: bool,
    /// Compute the delta of --scale at --epsilon; --scale alone implies it
    #[arg(long, conflicts_with = "delta")]
    delta_at: bool,
    /// Scale of known noise
    #[arg(long, value_parser = positive, conflicts_with = "delta")]
    scale: Option<Rational>,
}

/// Why the guarantee of cube-shaped noise is that of one number.
const ONE_NUMBER: &str = " Cube-shaped noise is one draw for all numbers: any change of them, each \
    by no more than one number may change, is a randomization of discrete Laplace noise of this scale on one \
    number (dp-calibration, docs/k-norm.md), so that delta and rho are upper bounds. A person who changes one number \
    alone costs as much.";

/// Why the δ of cube-shaped noise is at most the one that is printed.
const AT_MOST: &str = "The exact distribution of discrete Laplace noise of this scale on one number, summed in \
    interval arithmetic. Its delta falls as the scale grows, so that every larger scale is safe as well.";

/// The meaning of a δ of cube-shaped noise.
const OF_CUBE: &str = "upper bound on delta, for every change of the numbers";

/// The meanings of both ends of the δ at the worst change.
const EXACT: [&str; 2] = ["the exact delta is at least this", "and at most this"];

/// Why the δ at the worst change is the δ of the noise.
const AT_WORST: &str = "The exact distribution of the noise at the worst difference, summed in interval arithmetic. Its \
    delta falls as the scale grows, so that every larger scale is safe as well.";

/// Why the δ at a change that is worse than every possible one is a bound.
const AT_BOUND: &str = "The exact distribution of the noise at one number that changes by all of the L1 sensitivity, \
    which is worse than every possible change, summed in interval arithmetic. Its delta falls as the scale grows, so \
    that every larger scale is safe as well.";

/// The meaning of a δ for a change that is worse than every possible one.
const OF_BOUND: &str = "upper bound on delta, for every possible change";

/// Why the scale of cube-shaped noise is the least with a pure guarantee.
const PURE_CUBE: &str = "Moving every number by the most that one number changes, changes the probability of every \
    vector of noise by at most e^epsilon, and of some by exactly that, so that no smaller scale will do. The scale is \
    the largest change of one number divided by epsilon, exactly.";

/// The answer of `calibrate laplace`: the δ at ε of the noise of `--scale`, or without it the least
/// noise for ε and δ.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let delta = &options.delta;
    let (change, vector) = match options.cube {
        false => (options.sensitivity.clone(), None),
        true => options.sensitivity.of_one_entry().map(|(change, query)| (change, Some(query)))?,
    };
    let sensitivity = change.known(Norm::L1)?;
    let epsilon = required("epsilon", &options.epsilon)?;
    if let Some(scale) = &options.scale {
        vector.as_ref().map(|query| vector_noise(scale, query)).transpose()?;
        let noise = (scale, vector.as_ref());
        return delta_of_noise(epsilon, (&change, &sensitivity), noise);
    }
    if options.delta_at {
        return Err(Refusal::missing("scale", "a number greater than 0, such as 2").into());
    }
    let epsilon = above_zero(epsilon)?;
    let least = discrete_laplace::calibrate(epsilon, delta, &sensitivity)?;
    let noise = NoiseDistribution::DiscreteLaplace { scale: least.scale.clone() };
    let added = match &vector {
        None => noise.clone().into(),
        Some(query) => vector_noise(&least.scale, query)?,
    };
    let (name, each) = words(vector.as_ref());
    let title = format!("{name} for epsilon {epsilon} and delta {delta}, {each}{sensitivity}");
    let figures = Figures::titled(title)
        .at_epsilon(epsilon)
        .at_delta(delta)
        .figure("scale", fraction(&least.scale), "exactly; every larger scale is safe, too")
        .figure("scale_decimal", up(&least.scale), "the scale as a decimal, rounded up")
        .figure(
            "std_of_one",
            about(added.standard_deviation())?,
            "standard deviation of one aggregator's noise; an estimate has the noise of all",
        );
    let figures = match least.proof {
        LaplaceProof::Pure => {
            // Every pure guarantee has a ρ, also where the noise has none of its own.
            let rho = match sensitivity.rho(&noise) {
                Some(rho) => rho,
                None => conversion::pure_to_rho(epsilon)?,
            };
            let is_bound = vector.is_some() || sensitivity.worst_case_difference().is_none();
            let meaning = match is_bound {
                true => "upper bound on rho of zero-concentrated privacy",
                false => "zero-concentrated privacy of this noise, rounded up",
            };
            let classical = conversion::pure_to_rho_classical(epsilon)?;
            figures
                .figure("delta_upper", "0", "pure differential privacy")
                .figure("rho", up(rho.value()), meaning)
                .beside("rho_classical", up(classical.value()), "epsilon^2/2 (Bun, Steinke 2016)")
        }
        proof => {
            let meaning = match proof {
                _ if vector.is_some() => OF_CUBE,
                LaplaceProof::WorstCase => meaning_of_delta(&least.delta),
                LaplaceProof::L1Bound => OF_BOUND,
                _ => "upper bound on delta; attained if one number can take all the change",
            };
            let pure = discrete_laplace::pure_scale(epsilon, sensitivity.l1())?;
            figures.figure("delta_upper", end_up(least.delta.upper()), meaning).beside(
                "scale_pure",
                up(&pure),
                "for the same epsilon and delta 0",
            )
        }
    };
    let figures = match change.of_textbooks(Norm::L1)? {
        Some(other) => {
            let scale = discrete_laplace::calibrate(epsilon, delta, other)?.scale;
            figures.beside("scale_add_remove", up(&scale), OF_TEXTBOOKS)
        }
        None => figures,
    };
    let certificate = match (&vector, &least.proof) {
        (Some(_), LaplaceProof::Pure) => PURE_CUBE.to_owned() + ONE_NUMBER,
        (Some(_), _) => [AT_MOST, " A smaller scale may be enough.", ONE_NUMBER].concat(),
        (None, _) => least.certificate(),
    };
    let budget = (epsilon.value(), delta.value());
    let claim = claim_of_noise(budget, &change, Norm::L1, &noise, 1)?;
    let figures = figures.because(certificate).certified_by(claim.candidates());
    // One draw for all numbers has no table.
    Ok(if vector.is_none() { figures.of_noise(noise) } else { figures })
}

/// Noise of this scale in all totals of `query` as one draw. `Err` for a scale or a number of
/// totals that is not drawn.
pub(super) fn vector_noise(scale: &Rational, query: &Query) -> Result<VectorNoise, Failure> {
    let length = u32::try_from(query.totals()).map_err(Failure::other)?;
    let noise = NoiseKind::DiscreteKNorm.vector(scale.clone(), length);
    NoiseMechanism::exactly(query, noise.clone()).map_err(Failure::other)?;
    Ok(noise)
}

/// The name of the noise, and the words "one draw for N numbers, each " before the change of one
/// number; an empty text for independent noise, which has no `query` of vectors.
fn words(query: Option<&Query>) -> (String, String) {
    match query {
        None => (capitalized(NoiseKind::DiscreteLaplace), String::new()),
        Some(query) => {
            let each = format!("one draw for {} numbers, each ", query.totals());
            (capitalized(NoiseKind::DiscreteKNorm), each)
        }
    }
}

/// The figures of the δ at `epsilon`, or at 0, of noise of this scale of one honest aggregator:
/// exactly, or if only the L1 norm is known, for every difference of that norm. The noise is on
/// what `change` says, of which `sensitivity` is the bound.
fn delta_of_noise(
    epsilon: &DeltaEpsilon,
    (change, sensitivity): (&SensitivityOptions, &SensitivityBound),
    (scale, vector): (&Rational, Option<&Query>),
) -> Result<Figures, Failure> {
    let worst = sensitivity.worst_case_difference();
    // No difference of this L1 norm is worse than one number that takes all of it.
    let single = || WorstCaseDifference::new(1, sensitivity.l1().clone());
    let difference = worst.cloned().map_or_else(single, Ok)?;
    let law = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
    let (delta, written) = match epsilon {
        Some(epsilon) => {
            (discrete_laplace::delta(scale, epsilon, &difference)?, epsilon.to_string())
        }
        None => (total_variation(law.clone(), &difference)?, "0".to_owned()),
    };
    let (name, each) = words(vector);
    let figures = Figures::titled(format!(
        "{name} of scale {scale} at epsilon {written}, {each}{sensitivity}"
    ));
    let figures = match (vector, worst) {
        (None, Some(_)) => figures.delta_at(epsilon, &delta, EXACT).because(AT_WORST),
        (None, None) => figures.delta_at_most(epsilon, &delta, OF_BOUND).because(AT_BOUND),
        (Some(_), _) => figures
            .delta_at_most(epsilon, &delta, OF_CUBE)
            .because(format!("{AT_MOST}{ONE_NUMBER}")),
    };
    // One draw for all numbers has no table.
    let figures = if vector.is_none() { figures.of_noise(law.clone()) } else { figures };
    let Some(epsilon) = epsilon else { return Ok(figures) };
    let budget = (epsilon.value(), &claimed_delta(delta.upper())?);
    let claim = claim_of_noise(budget, change, Norm::L1, &law, 1)?;
    Ok(figures.certified_by(claim.candidates()))
}
