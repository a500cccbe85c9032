//! `calibrate laplace`: the least discrete Laplace noise for ε, or for ε and δ.

use clap::Args;
use dp_calibration::discrete_laplace::{self, LaplaceProof};
use dp_calibration::{NoiseDistribution, conversion, laplace, noise_sum};
use dp_exact::{Delta, Epsilon};

use super::certificate::PrivacyClaim;
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{
    Norm, SensitivityOptions, about, difference_for_several, end_up, fraction, integers, required,
    up,
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
    /// Honest aggregators that each add such noise; 2 for the queries one and pair
    #[arg(long, default_value = "1", value_parser = integers(1..=2_u32))]
    honest_aggregators: u32,
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { delta, honest_aggregators, .. } = options;
    let sensitivity = options.sensitivity.known(Norm::L1)?;
    let several = difference_for_several(*honest_aggregators, &sensitivity)?;
    let epsilon = required("epsilon", &options.epsilon)?;
    let (least, source) = match several {
        None => (discrete_laplace::calibrate_bound(epsilon, delta, &sensitivity)?, ""),
        Some(difference) => (
            noise_sum::calibrate_laplace(difference, epsilon, delta)?,
            ", from each of 2 honest aggregators",
        ),
    };
    let noise = NoiseDistribution::DiscreteLaplace { scale: least.scale.clone() };
    let title = format!(
        "Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {sensitivity}{source}"
    );
    let mut figures = Figures::titled(title)
        .at_epsilon(epsilon)
        .at_delta(delta)
        .figure("scale", fraction(&least.scale), "exactly; every larger scale is safe, too")
        .figure("scale_decimal", up(&least.scale), "the scale as a decimal, rounded up")
        .figure(
            "std_of_one",
            about(noise.standard_deviation())?,
            "standard deviation of one aggregator's noise; an estimate has the noise of all",
        );
    let upper = end_up(least.delta.upper());
    figures = match (several, least.proof) {
        (Some(difference), proof) => {
            let of_one = discrete_laplace::epsilon(&least.scale, delta, difference)?;
            let meaning = "guaranteed if only one of them is honest, at the same delta";
            let figures = figures
                .figure("delta_upper", upper, "delta of their noise together, rounded up")
                .figure("epsilon_one_honest", up(&of_one), meaning);
            match proof {
                LaplaceProof::PureOfTwo => figures,
                _ => {
                    let one = discrete_laplace::calibrate(epsilon, delta, difference)?.scale;
                    let meaning = "if the noise of each has to be enough";
                    figures.beside("scale_one_honest", up(&one), meaning)
                }
            }
        }
        (None, LaplaceProof::Pure) => {
            let rho = conversion::pure_to_rho(epsilon)?;
            let classical = conversion::pure_to_rho_classical(epsilon)?;
            let meaning = "zero-concentrated privacy, epsilon·tanh(epsilon/2), rounded up";
            figures
                .figure("delta_upper", "0", "pure differential privacy")
                .figure("rho", up(rho.value()), meaning)
                .beside("rho_classical", up(classical.value()), "epsilon^2/2 (Bun, Steinke 2016)")
        }
        (None, proof) => {
            let meaning = match proof {
                LaplaceProof::WorstCase => "exact delta of this noise, rounded up",
                _ => "upper bound on delta; attained if one number can take all the change",
            };
            let pure = laplace::scale(epsilon, &sensitivity.l1())?;
            figures.figure("delta_upper", upper, meaning).beside(
                "scale_pure",
                up(&pure),
                "for the same epsilon and delta 0",
            )
        }
    };
    let budget = (epsilon.value(), delta.value());
    let typed = &options.sensitivity;
    let claim = PrivacyClaim::of_noise(budget, typed, Norm::L1, &noise, *honest_aggregators)?;
    Ok(figures.because(least.certificate()).certified_by(claim.candidates()))
}
