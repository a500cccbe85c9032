//! The least noise of each of several honest aggregators, and what is left if only one is.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, square_root_up, work};

use super::calibration::{
    GaussianCalibrationOfSeveral, LaplaceCalibrationOfSeveral, Route, calibrate_gaussian_corner,
    calibrate_laplace,
};
use super::gaussian_delta;
use crate::discrete_gaussian::SIGMA_DIGITS;
use crate::{Corner, Error, discrete_gaussian, discrete_laplace, zcdp};

/// The least Gaussian noise of each aggregator, and what it promises if only one of them is honest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeastGaussianOfSeveral {
    /// The noise of each, with its proof.
    pub noise: GaussianCalibrationOfSeveral,
    /// Its σ, rounded up to 25 digits.
    pub sigma: Rational,
    /// The zero-concentrated privacy of one aggregator's noise.
    pub rho: Rho,
    /// The ε at the same δ if only one aggregator is honest, or why it is not known.
    pub one_honest_epsilon: Result<Rational, Error>,
    /// The σ with which one honest aggregator is enough.
    pub one_honest_sigma: Rational,
}

/// Discrete Gaussian noise for (ε, δ), from each of `honest` aggregators.
///
/// # Errors
/// Those of [`calibrate_gaussian_corner`].
pub fn least_gaussian(
    epsilon: &Epsilon,
    delta: &Delta,
    corner: &Corner,
    honest: u32,
) -> Result<LeastGaussianOfSeveral, Error> {
    let refusal = || {
        work::refusal(
            "the least discrete Gaussian noise of several aggregators",
            &[
                ("epsilon", epsilon),
                ("delta", delta),
                ("honest aggregators", &honest),
            ],
            "take fewer honest aggregators, or a larger delta",
        )
    };
    work::bounded(refusal, || {
        let noise = calibrate_gaussian_corner(corner, honest, epsilon, delta)?;
        Ok(LeastGaussianOfSeveral {
            sigma: square_root_up(&noise.variance, SIGMA_DIGITS)?,
            rho: zcdp::rho(&noise.variance, &corner.l2_squared())?,
            // With many aggregators one of them may promise less than can be computed.
            one_honest_epsilon: discrete_gaussian::epsilon(&noise.variance, delta, corner),
            one_honest_sigma: discrete_gaussian::calibrate(epsilon, delta, corner)?.sigma()?,
            noise,
        })
    })
}

impl LeastGaussianOfSeveral {
    /// Why the noise is enough, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        let mut text = match self.noise.route {
            Route::Sum => {
                "The law of the sum of their noises: from some variance on by comparison with one \
                 discrete Gaussian of the whole variance, by a ratio that falls as the variance grows, \
                 and below it by ranges of variances with a certified bound on delta each. This \
                 variance and every larger one is safe."
            }
            Route::OneAlone => {
                "What is enough for one honest aggregator is enough for several; what the others add \
                 is not counted on. This variance and every larger one is safe."
            }
        }
        .to_owned();
        if let Some(refuted) = &self.noise.refuted {
            text += &format!(" The variance {refuted} is certainly not enough.");
        }
        if let Err(reason) = &self.one_honest_epsilon {
            text += &format!(
                " What this noise promises if only one of them is honest is not stated: {reason}."
            );
        }
        text
    }
}

/// The δ of several honest aggregators' noise, and of one aggregator's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromisedDeltaOfSeveral {
    /// If all of them are honest.
    pub together: Interval,
    /// If only one of them is.
    pub one_honest: Interval,
}

/// The δ at ε of discrete Gaussian noise of this variance parameter from each of `honest` aggregators.
///
/// # Errors
/// Those of [`gaussian_delta`].
pub fn promised_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    corner: &Corner,
    honest: u32,
) -> Result<PromisedDeltaOfSeveral, Error> {
    let refusal = || {
        work::refusal(
            "the delta of several discrete Gaussian noises",
            &[
                ("variance", variance),
                ("epsilon", epsilon),
                ("honest aggregators", &honest),
            ],
            "take fewer honest aggregators, or numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        Ok(PromisedDeltaOfSeveral {
            together: gaussian_delta(variance, epsilon, corner, honest)?,
            one_honest: discrete_gaussian::delta(variance, epsilon, corner)?,
        })
    })
}

impl PromisedDeltaOfSeveral {
    /// Why both hold, in words.
    #[must_use]
    pub fn certificate(&self) -> &'static str {
        "The law of the sum of their noises at the worst difference, in interval arithmetic; never \
         above the delta of one of them."
    }
}

/// The least Laplace noise of each of two aggregators, and what it promises if only one is honest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeastLaplaceOfSeveral {
    /// The noise of each, with its proof.
    pub noise: LaplaceCalibrationOfSeveral,
    /// The ε at the same δ if only one aggregator is honest.
    pub one_honest_epsilon: Rational,
    /// The scale with which one honest aggregator is enough; for δ = 0 it is the same.
    pub one_honest_scale: Option<Rational>,
}

/// Discrete Laplace noise for (ε, δ), from each of two honest aggregators.
///
/// # Errors
/// Those of [`calibrate_laplace`].
pub fn least_laplace(
    epsilon: &Epsilon,
    delta: &Delta,
    corner: &Corner,
) -> Result<LeastLaplaceOfSeveral, Error> {
    let refusal = || {
        work::refusal(
            "the least discrete Laplace noise of two aggregators",
            &[("epsilon", epsilon), ("delta", delta)],
            "take a larger delta, or numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        let noise = calibrate_laplace(corner, epsilon, delta)?;
        let one_honest_epsilon = discrete_laplace::epsilon(&noise.scale, delta, corner)?;
        let one = || discrete_laplace::calibrate(epsilon, delta, corner).map(|one| one.scale);
        let one_honest_scale = (!delta.value().is_zero()).then(one).transpose()?;
        Ok(LeastLaplaceOfSeveral {
            noise,
            one_honest_epsilon,
            one_honest_scale,
        })
    })
}

impl LeastLaplaceOfSeveral {
    /// Why the noise is enough, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        if self.one_honest_scale.is_none() {
            return "Without a slack two draws promise no more than one: far out, the sum changes its \
                    probability by as near to e^epsilon as one likes."
                .to_owned();
        }
        match self.noise.route {
            Route::Sum => {
                let refuted = self.noise.refuted.as_ref().map_or_else(String::new, |low| {
                    format!(" The scale {low} is certainly not enough.")
                });
                format!(
                    "The exact law of the sum of two draws at the worst difference. Its delta falls as \
                     the scale grows, so that every larger scale is safe as well.{refuted}"
                )
            }
            Route::OneAlone => {
                "What is enough for one honest aggregator is enough for two; what the \
                                other adds is not counted on, since the sum is too long to add up."
                    .to_owned()
            }
        }
    }
}
