//! `calibrate laplace`: the least discrete Laplace noise for ε, or for ε and δ.

use clap::Args;
use dp_calibration::discrete_laplace::{self, LaplaceProof};
use dp_calibration::{
    NoiseDistribution, SensitivityBound, WorstCaseDifference, conversion, laplace, noise_sum,
};
use dp_exact::{Delta, Epsilon, Rational};

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

/// The budget, and the largest difference of two results of neighbouring batches.
struct Question<'a> {
    epsilon: &'a Epsilon,
    sensitivity: SensitivityBound,
    options: &'a Options,
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let sensitivity = options.sensitivity.known(Norm::L1)?;
    let several = difference_for_several(options.honest_aggregators, &sensitivity)?.cloned();
    let epsilon = required("epsilon", &options.epsilon)?;
    let question = Question { epsilon, sensitivity, options };
    match several {
        Some(difference) => question.least_of_two(&difference),
        None => question.least_of_one(),
    }
}

impl Question<'_> {
    fn figures(&self, source: &str) -> Figures {
        let (epsilon, delta, sensitivity) = (self.epsilon, &self.options.delta, &self.sensitivity);
        let title = format!(
            "Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {sensitivity}{source}"
        );
        Figures::titled(title).at_epsilon(epsilon).at_delta(delta)
    }

    fn claim(&self, scale: &Rational) -> Result<PrivacyClaim, Failure> {
        let distribution = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
        let Options { sensitivity, delta, honest_aggregators, .. } = self.options;
        let budget = (self.epsilon.value(), delta.value());
        PrivacyClaim::of_noise(budget, sensitivity, Norm::L1, &distribution, *honest_aggregators)
    }

    /// The least scale of one honest aggregator.
    fn least_of_one(&self) -> Result<Figures, Failure> {
        let (epsilon, delta) = (self.epsilon, &self.options.delta);
        let least = discrete_laplace::calibrate_bound(epsilon, delta, &self.sensitivity)?;
        let figures = with_scale(self.figures(""), &least.scale)?;
        let figures = if least.proof == LaplaceProof::Pure {
            let meaning = "zero-concentrated privacy, epsilon·tanh(epsilon/2), rounded up";
            let (rho, classical) =
                (conversion::pure_to_rho(epsilon)?, conversion::pure_to_rho_classical(epsilon)?);
            let classical = up(classical.value());
            figures
                .figure("delta_upper", "0", "pure differential privacy")
                .figure("rho", up(rho.value()), meaning)
                .beside("rho_classical", classical, "epsilon^2/2 (Bun, Steinke 2016)")
        } else {
            let meaning = match least.proof {
                LaplaceProof::WorstCase => "exact delta of this noise, rounded up",
                _ => "upper bound on delta; attained if one number can take all the change",
            };
            let pure = laplace::scale(epsilon, &self.sensitivity.l1())?;
            figures.figure("delta_upper", end_up(least.delta.upper()), meaning).beside(
                "scale_pure",
                up(&pure),
                "for the same epsilon and delta 0",
            )
        };
        let candidates = self.claim(&least.scale)?.candidates();
        Ok(figures.because(least.certificate()).certified_by(candidates))
    }

    /// The least scale of each of two honest aggregators.
    fn least_of_two(&self, difference: &WorstCaseDifference) -> Result<Figures, Failure> {
        let (epsilon, delta) = (self.epsilon, &self.options.delta);
        let least = noise_sum::calibrate_laplace(difference, epsilon, delta)?;
        let of_one = discrete_laplace::epsilon(&least.scale, delta, difference)?;
        let one_honest = "guaranteed if only one of them is honest, at the same delta";
        let figures = self.figures(", from each of 2 honest aggregators");
        let mut figures = with_scale(figures, &least.scale)?
            .figure(
                "delta_upper",
                end_up(least.delta.upper()),
                "delta of their noise together, rounded up",
            )
            .figure("epsilon_one_honest", up(&of_one), one_honest);
        if least.proof != LaplaceProof::PureOfTwo {
            let scale = discrete_laplace::calibrate(epsilon, delta, difference)?.scale;
            let meaning = "if the noise of each has to be enough";
            figures = figures.beside("scale_one_honest", up(&scale), meaning);
        }
        let candidates = self.claim(&least.scale)?.candidates();
        Ok(figures.because(least.certificate()).certified_by(candidates))
    }
}

fn with_scale(figures: Figures, scale: &Rational) -> Result<Figures, Failure> {
    let noise = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
    Ok(figures
        .figure("scale", fraction(scale), "exactly; every larger scale is safe, too")
        .figure("scale_decimal", up(scale), "the scale as a decimal, rounded up")
        .figure(
            "std_of_one",
            about(noise.standard_deviation())?,
            "standard deviation of one aggregator's noise; an estimate has the noise of all",
        ))
}
