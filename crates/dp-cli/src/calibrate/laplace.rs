//! `calibrate laplace`: the least discrete Laplace noise for ε, or for ε and δ.

use clap::Args;
use dp_calibration::discrete_laplace::{self, LaplaceCalibration, LaplaceProof};
use dp_calibration::{NoiseDistribution, SensitivityBound, conversion};
use dp_exact::{Delta, Epsilon};

use super::certificate::claim_of_noise;
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{
    Norm, SensitivityOptions, about, end_up, fraction, integers, meaning_of_delta, required,
    source, up,
};

/// Least discrete Laplace noise for epsilon, or for epsilon and delta
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Privacy loss epsilon
    #[arg(long, alias = "eps")]
    epsilon: Option<Epsilon>,
    /// Delta: 0 is a pure guarantee
    #[arg(long, default_value = "0")]
    delta: Delta,
    #[command(flatten)]
    sensitivity: SensitivityOptions,
    /// Honest aggregators that each add such noise; all but one of them are not counted
    #[arg(long, default_value = "1", value_parser = integers(1..=64_u32))]
    honest_aggregators: u32,
}

/// Why the noise of one honest aggregator is the answer for several.
const ONE_OF_SEVERAL: &str = " The noise of one honest aggregator is enough. The noise of the other honest \
    aggregators is not counted, and never weakens the guarantee.";

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { delta, honest_aggregators, .. } = options;
    let sensitivity = options.sensitivity.known(Norm::L1)?;
    let epsilon = required("epsilon", &options.epsilon)?;
    let least = discrete_laplace::calibrate(epsilon, delta, &sensitivity)?;
    let noise = NoiseDistribution::DiscreteLaplace { scale: least.scale.clone() };
    let source = source(", ", *honest_aggregators);
    let title = format!(
        "Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {sensitivity}{source}"
    );
    let figures = Figures::titled(title)
        .at_epsilon(epsilon)
        .at_delta(delta)
        .figure("scale", fraction(&least.scale), "exactly; every larger scale is safe, too")
        .figure("scale_decimal", up(&least.scale), "the scale as a decimal, rounded up")
        .figure(
            "std_of_one",
            about(noise.standard_deviation())?,
            "standard deviation of one aggregator's noise; an estimate has the noise of all",
        );
    let figures = match least.proof {
        LaplaceProof::Pure => pure(figures, epsilon, &sensitivity, &noise)?,
        _ => approximate(figures, epsilon, &sensitivity, &least)?,
    };
    let mut certificate = least.certificate();
    if *honest_aggregators > 1 {
        certificate += ONE_OF_SEVERAL;
    }
    let budget = (epsilon.value(), delta.value());
    let claim = claim_of_noise(budget, &options.sensitivity, Norm::L1, &noise, 1)?;
    Ok(figures.because(certificate).certified_by(claim.candidates()))
}

/// Adds the figures of noise with a pure guarantee: its δ and its ρ.
fn pure(
    figures: Figures,
    epsilon: &Epsilon,
    sensitivity: &SensitivityBound,
    noise: &NoiseDistribution,
) -> Result<Figures, Failure> {
    // Of so many coordinates that their noise has no ρ of its own, every pure guarantee has one.
    let rho = match sensitivity.rho(noise) {
        Some(rho) => rho,
        None => conversion::pure_to_rho(epsilon)?,
    };
    let classical = conversion::pure_to_rho_classical(epsilon)?;
    Ok(figures
        .figure("delta_upper", "0", "pure differential privacy")
        .figure("rho", up(rho.value()), "zero-concentrated privacy of this noise, rounded up")
        .beside("rho_classical", up(classical.value()), "epsilon^2/2 (Bun, Steinke 2016)"))
}

/// Adds the figures of noise with an approximate guarantee: its δ, and the scale without a δ.
fn approximate(
    figures: Figures,
    epsilon: &Epsilon,
    sensitivity: &SensitivityBound,
    least: &LaplaceCalibration,
) -> Result<Figures, Failure> {
    let meaning = match least.proof {
        LaplaceProof::WorstCase => meaning_of_delta(&least.delta),
        _ => "upper bound on delta; attained if one number can take all the change",
    };
    let pure = discrete_laplace::pure_scale(epsilon, sensitivity.l1())?;
    Ok(figures.figure("delta_upper", end_up(least.delta.upper()), meaning).beside(
        "scale_pure",
        up(&pure),
        "for the same epsilon and delta 0",
    ))
}
