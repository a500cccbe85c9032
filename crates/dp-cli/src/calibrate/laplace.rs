//! `calibrate laplace`: the least discrete Laplace noise for ε, or for ε and δ.

use clap::Args;
use dp_calibration::discrete_laplace::{self, LaplaceProof};
use dp_calibration::{NoiseDistribution, SensitivityBound, conversion, laplace};
use dp_exact::{Delta, Epsilon, Rational};

use super::certificate::{Candidates, PrivacyClaim};
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{Norm, SensitivityOptions, about, end_up, fraction, required, up};

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
}

/// The budget, and the largest difference of two results of neighbouring batches.
struct Question<'a> {
    epsilon: &'a Epsilon,
    sensitivity: SensitivityBound,
    options: &'a Options,
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let sensitivity = options.sensitivity.known(Norm::L1)?;
    let epsilon = required("epsilon", &options.epsilon)?;
    Question { epsilon, sensitivity, options }.least()
}

impl Question<'_> {
    fn figures(&self) -> Figures {
        let (epsilon, delta, sensitivity) = (self.epsilon, &self.options.delta, &self.sensitivity);
        let title = format!(
            "Discrete Laplace noise for epsilon {epsilon} and delta {delta}, {sensitivity}"
        );
        Figures::titled(title).at_epsilon(epsilon).at_delta(delta)
    }

    fn claim(&self, scale: &Rational) -> Result<PrivacyClaim, Failure> {
        let distribution = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
        let Options { sensitivity, delta, .. } = self.options;
        let budget = (self.epsilon.value(), delta.value());
        PrivacyClaim::of_noise(budget, sensitivity, Norm::L1, distribution, 1)
    }

    /// The least scale of one honest aggregator.
    fn least(&self) -> Result<Figures, Failure> {
        let (epsilon, delta) = (self.epsilon, &self.options.delta);
        let least = discrete_laplace::calibrate_bound(epsilon, delta, &self.sensitivity)?;
        let figures = with_scale(self.figures(), &least.scale)?;
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
        let candidates = Candidates::of(&self.claim(&least.scale)?);
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
