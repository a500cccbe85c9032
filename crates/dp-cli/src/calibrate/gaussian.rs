//! `calibrate gaussian`: the least discrete Gaussian noise for (ε, δ), or the δ of known noise.

use clap::Args;
use dp_calibration::certificate::PrivacyClaim;
use dp_calibration::discrete_gaussian::{self, GaussianCalibration};
use dp_calibration::{
    Budget, NoiseDistribution, Refusal, SensitivityBound, WorstCaseDifference, analytic_gaussian,
    noise_sum, zcdp,
};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rounding, square_root_up};

use super::certificate::{claim_of_noise, claimed_delta};
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{
    DeltaEpsilon, Norm, OF_TEXTBOOKS, SensitivityOptions, above_zero, difference_for_several,
    end_down, end_up, epsilon_or_zero, fraction, integers, meaning_of_delta, positive, required,
    source, total_variation, up,
};

/// Significant digits of σ, which is rounded up.
const SIGMA_DIGITS: usize = 25;

/// Why the δ of known noise is exact.
const EXACT: &str = "The exact distribution of the noise at the worst difference, summed in interval arithmetic. \
    delta is not monotone in the variance: more noise may have a larger one.";

/// Least discrete Gaussian noise for epsilon and delta, or the delta of known noise
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Privacy loss epsilon; with known noise also 0, for the total variation distance
    #[arg(long, alias = "eps", value_parser = epsilon_or_zero)]
    epsilon: Option<DeltaEpsilon>,
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

/// The answer of `calibrate gaussian`: the δ at ε of the noise of `--variance` or `--sigma`, or
/// without them the least noise for ε and δ.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let sensitivity = options.sensitivity.known(Norm::L2Squared)?;
    let epsilon = required("epsilon", &options.epsilon)?;
    let several = difference_for_several(options.honest_aggregators, &sensitivity)?;
    let squared = options.sigma.as_ref().map(|sigma| sigma * sigma);
    match options.variance.clone().or(squared) {
        Some(variance) => {
            let figures = delta_of_noise(options, epsilon, &sensitivity, several, &variance)?;
            Ok(figures.of_noise(gaussian(&variance)))
        }
        None if options.delta_at => {
            let accepted = "a number greater than 0, such as 2188669/4000, or --sigma";
            Err(Refusal::missing("variance", accepted).into())
        }
        None => {
            let delta = required("delta", &options.delta)?;
            least_noise(options, above_zero(epsilon)?, &sensitivity, several, delta)
        }
    }
}

/// The figures of the least Gaussian noise for (ε, δ): of one honest aggregator, or, if `several`
/// is the worst-case difference, of each of several whose noises add up.
fn least_noise(
    options: &Options,
    epsilon: &Epsilon,
    sensitivity: &SensitivityBound,
    several: Option<&WorstCaseDifference>,
    delta: &Delta,
) -> Result<Figures, Failure> {
    let count = options.honest_aggregators;
    let noise = match several {
        None => discrete_gaussian::calibrate(epsilon, delta, sensitivity)?,
        Some(difference) => noise_sum::calibrate_gaussian(difference, count, epsilon, delta)?,
    };
    // By zero-concentrated privacy δ is computed at another order, and may be a little larger.
    let bound = match noise.delta.upper().cmp_rational(delta.value()).is_le() {
        true => end_up(noise.delta.upper()),
        false => up(delta.value()),
    };
    let meaning = match several {
        Some(_) => "delta of all their noise together, rounded up",
        None if !noise.is_exact() => "upper bound on delta",
        None if sensitivity.is_norm() => {
            "upper bound on delta; attained if one number can take all the change"
        }
        None => meaning_of_delta(&noise.delta),
    };
    let rho = zcdp::rho(&noise.variance, sensitivity.l2_squared())?;
    let sigma = noise.sigma().to_decimal(SIGMA_DIGITS, Rounding::Up);
    let title = format!(
        "Discrete Gaussian noise for epsilon {epsilon} and delta {delta}, {sensitivity}{}",
        source(", ", options.honest_aggregators)
    );
    let figures = Figures::titled(title)
        .at_epsilon(epsilon)
        .at_delta(delta)
        .figure("sigma", sigma, "of one aggregator's noise; every larger sigma is safe, too")
        .figure("variance", fraction(&noise.variance), "the variance parameter, exactly")
        .figure("rho", up(rho.value()), "zero-concentrated privacy of this noise, rounded up")
        .figure("delta_upper", bound, meaning);
    let claim = claim(options, epsilon, delta.value(), &noise.variance)?;
    let candidates = match several.is_some() || sensitivity.is_behind_matrix() {
        true => claim.candidates(),
        false => claim.for_larger_variances(&noise.cover, sensitivity),
    };
    let figures = match options.sensitivity.of_textbooks(Norm::L2Squared)? {
        Some(other) if several.is_none() => {
            let sigma = discrete_gaussian::calibrate(epsilon, delta, other)?.sigma();
            figures.beside("sigma_add_remove", up(&sigma), OF_TEXTBOOKS)
        }
        _ => figures,
    };
    let figures = match several {
        Some(difference) => beside_one_honest(figures, epsilon, delta, &noise, difference)?,
        None => beside_continuous(figures, epsilon, delta, &noise, sensitivity)?
            .because(noise.certificate(delta)),
    };
    Ok(figures.certified_by(candidates).of_noise(gaussian(&noise.variance)))
}

/// Adds, for noise of several aggregators, the ε that it guarantees if only one of them is honest,
/// the σ that one alone would need, and the certificate, which says so if that ε cannot be
/// computed.
fn beside_one_honest(
    mut figures: Figures,
    epsilon: &Epsilon,
    delta: &Delta,
    noise: &GaussianCalibration,
    difference: &WorstCaseDifference,
) -> Result<Figures, Failure> {
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
    let one_honest = discrete_gaussian::calibrate(epsilon, delta, difference)?.sigma();
    let meaning = "if the noise of each has to be enough";
    Ok(figures.beside("sigma_one_honest", up(&one_honest), meaning).because(certificate))
}

/// Adds, to compare with, the least σ of continuous noise; the δ of discrete noise of that σ, if
/// the worst-case difference is known; and the σ by zero-concentrated privacy alone, if the exact
/// distribution proved the smaller `noise`.
fn beside_continuous(
    figures: Figures,
    epsilon: &Epsilon,
    delta: &Delta,
    noise: &GaussianCalibration,
    sensitivity: &SensitivityBound,
) -> Result<Figures, Failure> {
    let continuous = analytic_gaussian::sigma(epsilon, delta, sensitivity.l2_squared())?;
    let mut figures = figures.beside(
        "sigma_continuous",
        continuous.to_decimal(SIGMA_DIGITS, Rounding::Up),
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
        let sigma = square_root_up(noise.concentrated_variance(), SIGMA_DIGITS)?;
        figures = figures.beside(
            "sigma_zcdp",
            up(&sigma),
            "by zero-concentrated privacy alone (Canonne, Kamath, Steinke 2020, Corollary 13)",
        );
    }
    Ok(figures)
}

/// The figures of the δ at the ε `at` of noise of this variance: of one honest aggregator, or of
/// all noises added up if `several` is the worst-case difference. At ε = 0 an `Err` for several
/// aggregators, and if only a norm is known.
fn delta_of_noise(
    options: &Options,
    at: &DeltaEpsilon,
    sensitivity: &SensitivityBound,
    several: Option<&WorstCaseDifference>,
    variance: &Rational,
) -> Result<Figures, Failure> {
    let written = at.as_ref().map_or_else(|| "0".to_owned(), Epsilon::to_string);
    let title = format!(
        "Discrete Gaussian noise of variance {variance}{} at epsilon {written}, {sensitivity}",
        source(" ", options.honest_aggregators)
    );
    let figures = Figures::titled(title);
    let exact = ["the exact delta is at least this", "and at most this"];
    let Some(epsilon) = at else {
        let (Some(difference), None) = (sensitivity.worst_case_difference(), several) else {
            let accepted = "a number greater than 0, with this query and these aggregators";
            return Err(ParameterError::new("epsilon", 0, accepted).into());
        };
        let delta = total_variation(gaussian(variance), difference)?;
        return Ok(figures.delta_at(at, &delta, exact).because(EXACT));
    };
    if let Some(difference) = several {
        let count = options.honest_aggregators;
        let sum = noise_sum::gaussian_delta(variance, epsilon, difference, count)?;
        let one_honest = discrete_gaussian::delta(variance, epsilon, difference)?;
        let claim = claim(options, epsilon, &claimed_delta(sum.upper())?, variance)?;
        return Ok(figures
            .delta_at(at, &sum, exact)
            .beside("delta_one_honest", end_up(one_honest.upper()), "if only one of them is honest")
            .because(
                "The distribution of the sum of their noises, by comparison with one discrete \
                 Gaussian of the sum of their variances, in interval arithmetic; never above the \
                 delta of one of them.",
            )
            .certified_by(claim.candidates()));
    }
    // An ε that may be asked for.
    Budget::from(epsilon.clone()).check_range()?;
    let delta = discrete_gaussian::delta(variance, epsilon, sensitivity)?;
    let rho = zcdp::rho(variance, sensitivity.l2_squared())?;
    let (meanings, because) = match sensitivity.worst_case_difference() {
        Some(_) => (exact, EXACT),
        None => (
            ["nothing is known from below", "holds for every difference"],
            "The smaller one of two bounds for every difference of integers of this norm: by zero-concentrated \
             privacy (Canonne, Kamath, Steinke 2020, Corollary 13), and by comparison with continuous noise.",
        ),
    };
    let mut figures = figures.delta_at(at, &delta, meanings).figure(
        "rho",
        up(rho.value()),
        "zero-concentrated privacy, rounded up",
    );
    if let Ok(concentrated) = zcdp::delta(&rho, epsilon) {
        let meaning = "upper bound by zero-concentrated privacy alone";
        figures = figures.beside("delta_zcdp", end_up(concentrated.upper()), meaning);
    }
    let sigma = square_root_up(variance, SIGMA_DIGITS)?;
    if let Ok(continuous) = analytic_gaussian::delta(epsilon, &sigma, sensitivity.l2_squared()) {
        let nearest = continuous.upper().to_decimal(10, Rounding::Nearest);
        let meaning = "of continuous noise of that sigma; no bound for discrete noise";
        figures = figures.beside("delta_continuous", nearest, meaning);
    }
    let claim = claim(options, epsilon, &claimed_delta(delta.upper())?, variance)?;
    Ok(figures.because(because).certified_by(claim.candidates()))
}

/// Discrete Gaussian noise with this variance parameter.
fn gaussian(variance: &Rational) -> NoiseDistribution {
    NoiseDistribution::DiscreteGaussian { variance: variance.clone() }
}

/// The claim that noise of this variance of each honest aggregator is (ε, δ)-private for the query
/// and the adjacency of the options.
fn claim(
    options: &Options,
    epsilon: &Epsilon,
    delta: &Rational,
    variance: &Rational,
) -> Result<PrivacyClaim, Failure> {
    let noise = gaussian(variance);
    let Options { sensitivity, honest_aggregators, .. } = options;
    let budget = (epsilon.value(), delta);
    claim_of_noise(budget, sensitivity, Norm::L2Squared, &noise, *honest_aggregators)
}
