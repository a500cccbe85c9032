//! `calibrate gaussian`: the least discrete Gaussian noise for (ε, δ), or the δ of known noise; of
//! one honest aggregator or of several.

use clap::Args;
use dp_calibration::discrete_gaussian::{self, GaussianCalibration};
use dp_calibration::{
    BigUint, NoiseDistribution, SensitivityBound, WorstCaseDifference, analytic_gaussian,
    noise_sum, zcdp,
};
use dp_exact::{Delta, Dyadic, Epsilon, Rational, Refusal, Rounding};

use super::certificate::PrivacyClaim;
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{
    Norm, SensitivityOptions, difference_for_several, end_down, end_up, fraction, integers,
    positive, required, up,
};

/// Significant digits of a δ in a certificate.
const DELTA_DIGITS: usize = 15;

/// Least discrete Gaussian noise for epsilon and delta, or the delta of known noise
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Privacy loss epsilon
    #[arg(long, alias = "eps")]
    epsilon: Option<Epsilon>,
    /// Delta, roughly the probability that the privacy loss exceeds epsilon
    #[arg(long)]
    delta: Option<Delta>,
    #[command(flatten)]
    sensitivity: SensitivityOptions,
    /// Compute the delta of --variance or --sigma at --epsilon; either of them alone implies it
    #[arg(long, conflicts_with = "delta")]
    delta_at: bool,
    /// Variance of known noise, sigma squared
    #[arg(long, value_parser = positive, conflicts_with = "delta")]
    variance: Option<Rational>,
    /// Standard deviation of known noise, in place of --variance
    #[arg(long, value_parser = positive, conflicts_with_all = ["variance", "delta"])]
    sigma: Option<Rational>,
    /// Honest aggregators that each add such noise; more than one for the queries one and pair
    #[arg(long, default_value = "1", value_parser = integers(1..=64_u32))]
    honest_aggregators: u32,
}

impl Options {
    /// The variance σ² of --variance or of --sigma; `None` if neither is given.
    fn known_variance(&self) -> Option<Rational> {
        self.variance.clone().or_else(|| self.sigma.as_ref().map(|sigma| sigma * sigma))
    }
}

/// The part of a question that both directions have: noise for a δ, and the δ of noise.
struct Question<'a> {
    epsilon: &'a Epsilon,
    sensitivity: SensitivityBound,
    options: &'a Options,
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let sensitivity = options.sensitivity.known(Norm::L2Squared)?;
    let several = difference_for_several(options.honest_aggregators, &sensitivity)?.cloned();
    let epsilon = required("epsilon", &options.epsilon)?;
    let question = Question { epsilon, sensitivity, options };
    match (options.known_variance(), several) {
        (Some(variance), Some(difference)) => question.delta_of_sum(&variance, &difference),
        (Some(variance), None) => question.delta_of_one(&variance),
        (None, _) if options.delta_at => {
            let accepted = "a number greater than 0, such as 2188669/4000, or --sigma";
            Err(Refusal::missing("variance", accepted).into())
        }
        (None, Some(difference)) => {
            question.least_of_each(required("delta", &options.delta)?, &difference)
        }
        (None, None) => question.least_of_one(required("delta", &options.delta)?),
    }
}

impl Question<'_> {
    fn title(&self, delta: &Delta) -> String {
        let (epsilon, sensitivity) = (self.epsilon, &self.sensitivity);
        format!("Discrete Gaussian noise for epsilon {epsilon} and delta {delta}, {sensitivity}")
    }

    fn claim(&self, delta: &Rational, variance: &Rational) -> Result<PrivacyClaim, Failure> {
        let distribution = NoiseDistribution::DiscreteGaussian { variance: variance.clone() };
        let Options { sensitivity, honest_aggregators, .. } = self.options;
        let budget = (self.epsilon.value(), delta);
        let norm = Norm::L2Squared;
        PrivacyClaim::of_noise(budget, sensitivity, norm, &distribution, *honest_aggregators)
    }

    /// The least noise of one honest aggregator.
    fn least_of_one(&self, delta: &Delta) -> Result<Figures, Failure> {
        let (epsilon, sensitivity) = (self.epsilon, &self.sensitivity);
        let noise = discrete_gaussian::calibrate_bound(epsilon, delta, sensitivity)?;
        // By zero-concentrated privacy δ is computed at another order, and may be a little larger.
        let bound = match noise.delta.upper().cmp_rational(delta.value()).is_le() {
            true => end_up(noise.delta.upper()),
            false => up(delta.value()),
        };
        let meaning = match noise.is_exact() {
            true => "exact delta of this noise, rounded up",
            false => "upper bound on delta",
        };
        let figures = Figures::titled(self.title(delta)).at_epsilon(epsilon).at_delta(delta);
        let l2_squared = sensitivity.l2_squared();
        let mut figures =
            with_noise(figures, &noise, &l2_squared)?.figure("delta_upper", bound, meaning);
        let continuous = analytic_gaussian::sigma(epsilon, delta, &l2_squared)?;
        figures = figures.beside(
            "sigma_continuous",
            continuous.to_decimal(25, Rounding::Up),
            "for continuous noise; no guarantee for discrete noise, which is drawn",
        );
        if let Some(difference) = sensitivity.worst_case_difference() {
            let deployed = discrete_gaussian::delta(&continuous.pow(2), epsilon, difference)?;
            let verdict = match deployed.lower().cmp_rational(delta.value()).is_gt() {
                true => "delta of discrete noise of that sigma: the guarantee is broken",
                false => "delta of discrete noise of that sigma: it happens to be small enough",
            };
            figures = figures.beside("delta_at_continuous", end_down(deployed.lower()), verdict);
        }
        if noise.is_exact() {
            let sigma = discrete_gaussian::sigma(noise.concentrated_variance())?;
            figures = figures.beside(
                "sigma_zcdp",
                up(&sigma),
                "by zero-concentrated privacy alone (Canonne, Kamath, Steinke 2020, Corollary 13)",
            );
        }
        let claim = self.claim(delta.value(), &noise.variance)?;
        let candidates = match self.sensitivity.matrix_norm() {
            Some(_) => claim.candidates(),
            None => claim.for_larger_variances(&noise.cover, &self.sensitivity),
        };
        Ok(figures.because(noise.certificate(delta)).certified_by(candidates))
    }

    /// The least noise of each of several honest aggregators.
    fn least_of_each(
        &self,
        delta: &Delta,
        difference: &WorstCaseDifference,
    ) -> Result<Figures, Failure> {
        let count = self.options.honest_aggregators;
        let epsilon = self.epsilon;
        let noise = noise_sum::calibrate_gaussian(difference, count, epsilon, delta)?;
        let title = format!("{}, from each of {count} honest aggregators", self.title(delta));
        let figures = Figures::titled(title).at_epsilon(epsilon).at_delta(delta);
        let mut figures = with_noise(figures, &noise, &difference.l2_squared())?.figure(
            "delta_upper",
            end_up(noise.delta.upper()),
            "delta of all their noise together, rounded up",
        );
        let mut certificate = noise.certificate(delta);
        // With many aggregators one of them may guarantee less than can be computed.
        match discrete_gaussian::epsilon(&noise.variance, delta, difference) {
            Ok(epsilon) => {
                let meaning = "guaranteed if only one of them is honest, at the same delta";
                figures = figures.figure("epsilon_one_honest", up(&epsilon), meaning);
            }
            Err(reason) => {
                certificate += &format!(
                    " What this noise guarantees if only one of them is honest is not known: {reason}."
                );
            }
        }
        let one_honest = discrete_gaussian::calibrate(epsilon, delta, difference)?.sigma()?;
        let claim = self.claim(delta.value(), &noise.variance)?;
        Ok(figures
            .beside("sigma_one_honest", up(&one_honest), "if the noise of each has to be enough")
            .because(certificate)
            .certified_by(claim.candidates()))
    }

    /// The δ of the noise of one honest aggregator.
    fn delta_of_one(&self, variance: &Rational) -> Result<Figures, Failure> {
        let (epsilon, sensitivity) = (self.epsilon, &self.sensitivity);
        let delta = discrete_gaussian::certified_delta(variance, epsilon, sensitivity)?;
        let l2_squared = sensitivity.l2_squared();
        let rho = zcdp::rho(variance, &l2_squared)?;
        let [lower, upper] = match delta.is_exact {
            true => ["the exact delta is at least this", "and at most this"],
            false => ["nothing is known from below", "holds for every difference"],
        };
        let mut figures = Figures::titled(format!(
            "Discrete Gaussian noise of variance {variance} at epsilon {epsilon}, {sensitivity}"
        ))
        .at_epsilon(epsilon)
        .figure("delta_lower", end_down(&delta.lower), lower)
        .figure("delta_upper", end_up(&delta.upper), upper)
        .figure("rho", up(rho.value()), "zero-concentrated privacy, rounded up");
        // Where only a norm is known, this bound is the upper one.
        let is_known =
            sensitivity.worst_case_difference().is_some() || sensitivity.matrix_norm().is_some();
        if let Some(concentrated) = zcdp::delta(&rho, epsilon).ok().filter(|_| is_known) {
            let meaning = "upper bound by zero-concentrated privacy alone";
            figures = figures.beside("delta_zcdp", end_up(concentrated.upper()), meaning);
        }
        let sigma = discrete_gaussian::sigma(variance)?;
        if let Ok(continuous) = analytic_gaussian::delta(epsilon, &sigma, &l2_squared) {
            let nearest = continuous.upper().to_decimal(10, Rounding::Nearest);
            let meaning = "of continuous noise of that sigma; no bound for discrete noise";
            figures = figures.beside("delta_continuous", nearest, meaning);
        }
        let claim = self.claim(&claimed_delta(&delta.upper)?, variance)?;
        Ok(figures.because(delta.certificate).certified_by(claim.candidates()))
    }

    /// The δ of the noise of several honest aggregators, added up.
    fn delta_of_sum(
        &self,
        variance: &Rational,
        difference: &WorstCaseDifference,
    ) -> Result<Figures, Failure> {
        let (epsilon, count) = (self.epsilon, self.options.honest_aggregators);
        let sum = noise_sum::gaussian_delta(variance, epsilon, difference, count)?;
        let one_honest = discrete_gaussian::delta(variance, epsilon, difference)?;
        let claim = self.claim(&claimed_delta(sum.upper())?, variance)?;
        let title = format!(
            "Discrete Gaussian noise of variance {variance} from each of {count} honest \
             aggregators at epsilon {epsilon}, {}",
            self.sensitivity
        );
        Ok(Figures::titled(title)
            .at_epsilon(epsilon)
            .figure("delta_lower", end_down(sum.lower()), "the exact delta is at least this")
            .figure("delta_upper", end_up(sum.upper()), "and at most this")
            .beside("delta_one_honest", end_up(one_honest.upper()), "if only one of them is honest")
            .because(
                "The distribution of the sum of their noises, by comparison with one discrete \
                 Gaussian of the sum of their variances, in interval arithmetic; never above the \
                 delta of one of them.",
            )
            .certified_by(claim.candidates()))
    }
}

/// A δ in a certificate, rounded up: at least 2^−3000, as the fraction of a smaller one is too long.
fn claimed_delta(upper: &Dyadic) -> Result<Rational, Failure> {
    let least = Dyadic::new(1, -3000);
    Ok(upper.max(&least).to_decimal(DELTA_DIGITS, Rounding::Up).parse()?)
}

fn with_noise(
    figures: Figures,
    noise: &GaussianCalibration,
    l2_squared: &BigUint,
) -> Result<Figures, Failure> {
    let sigma = noise.sigma()?.to_decimal(25, Rounding::Up);
    let rho = zcdp::rho(&noise.variance, l2_squared)?;
    Ok(figures
        .figure("sigma", sigma, "of one aggregator's noise; every larger sigma is safe, too")
        .figure("variance", fraction(&noise.variance), "the variance parameter, exactly")
        .figure("rho", up(rho.value()), "zero-concentrated privacy of this noise, rounded up"))
}
