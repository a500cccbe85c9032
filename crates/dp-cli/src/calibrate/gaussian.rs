//! `calibrate gaussian`: the least discrete Gaussian noise for (epsilon, delta), or what noise of a
//! given variance promises.

mod several;

use clap::Args;
use dp_calibration::discrete_gaussian::{self, Calibration};
use dp_calibration::{Corner, analytic_gaussian, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::answer::Answer;
use super::typed::{self, Moves, end_down, end_up, fraction, root_up, up};
use crate::failure::Failure;
use crate::options::integer;

/// Coordinates of a difference that is tried for a lower bound; more would take long.
const MAX_TRIED: u128 = 64;

/// The least discrete Gaussian noise for epsilon and delta, or its delta at a variance
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Privacy loss
    #[arg(long, allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Slack
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
    /// What one client moves: one, pair (a histogram, replaced) or l2-squared:NUMBER
    #[arg(long, default_value = "pair", allow_hyphen_values = true)]
    query: String,
    /// Tell the delta of --variance at --epsilon instead
    #[arg(long)]
    delta_at: bool,
    /// The variance parameter of --delta-at
    #[arg(long, allow_hyphen_values = true)]
    variance: Option<String>,
    /// Aggregators that each add such noise and are honest, for one and pair
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    honest_aggregators: String,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let moves = Moves::parse(&options.query, "l2-squared")?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let honest = integer("honest-aggregators", &options.honest_aggregators, 1..=64)?;
    let sum = typed::several(honest, moves.corner.as_ref())?;
    if options.delta_at {
        typed::refuse("delta", options.delta.as_ref(), "with --delta-at")?;
        let accepted = "a number greater than 0, such as 2188669/4000";
        let variance = typed::required("variance", options.variance.as_ref(), accepted)?;
        let variance = typed::positive("variance", variance)?;
        if let Some(corner) = sum {
            return several::delta_at(&variance, &epsilon, corner, honest, &moves.words);
        }
        return delta_at(&variance, &epsilon, &moves);
    }
    typed::refuse("variance", options.variance.as_ref(), "without --delta-at")?;
    let delta = typed::delta(options.delta.as_ref())?;
    if let Some(corner) = sum {
        return several::least(&epsilon, &delta, corner, honest, &moves);
    }
    match &moves.corner {
        Some(corner) => exact(&epsilon, &delta, corner, &moves),
        None => concentrated(&epsilon, &delta, &moves),
    }
}

fn title(epsilon: &Epsilon, delta: &Delta, moves: &Moves) -> String {
    let words = &moves.words;
    format!("Discrete Gaussian noise for epsilon {epsilon} and delta {delta}, {words}")
}

/// By the exact law of the noise.
fn exact(
    epsilon: &Epsilon,
    delta: &Delta,
    corner: &Corner,
    moves: &Moves,
) -> Result<Answer, Failure> {
    let noise = discrete_gaussian::calibrate(epsilon, delta, corner)?;
    let continuous = analytic_gaussian::sigma(epsilon, delta, &corner.l2_squared())?;
    let mut answer = Answer::to(title(epsilon, delta, moves));
    figures(&mut answer, &noise.sigma()?, &noise.variance, moves)?;
    let meaning = "exact delta of this noise, rounded up";
    answer.figure("delta_upper", end_up(noise.delta.upper()), meaning);
    answer.alternative(
        "sigma_continuous",
        continuous.to_decimal(25, Rounding::Up),
        "for continuous noise, which nobody draws; no promise for discrete noise",
    );
    let deployed = discrete_gaussian::delta(&continuous.pow(2), epsilon, corner)?;
    let verdict = if deployed.lower().cmp_rational(delta.value()).is_gt() {
        "delta of discrete noise at that sigma: above the promise, it is broken"
    } else {
        "delta of discrete noise at that sigma: it happens to be kept here"
    };
    answer.alternative("delta_at_continuous", end_down(deployed.lower()), verdict);
    let classical = root_up(noise.concentrated_variance())?;
    answer.alternative(
        "sigma_zcdp",
        up(&classical),
        "by zero-concentrated privacy alone (Canonne, Kamath, Steinke 2020, Corollary 13)",
    );
    Ok(answer.because(certificate(&noise, delta)))
}

fn certificate(noise: &Calibration, delta: &Delta) -> String {
    let top = noise.concentrated_variance().to_decimal(8, Rounding::Up);
    let ranges = noise.cover.len() - 1;
    let mut text = format!(
        "From variance {top} on, zero-concentrated privacy suffices. Below it, a chain of ranges of \
         variances, {ranges} in all, leads down to the answer, each with a certified upper bound \
         on the exact delta of at most {delta}. So this variance and every larger one is safe."
    );
    if let Some(refuted) = &noise.refuted {
        text += &format!(" The variance {refuted} is certainly not enough.");
    }
    text
}

/// By zero-concentrated privacy, which holds whatever the difference.
fn concentrated(epsilon: &Epsilon, delta: &Delta, moves: &Moves) -> Result<Answer, Failure> {
    let norm = moves.norm.into();
    let variance = zcdp::variance(&zcdp::largest_rho(epsilon, delta)?, &norm)?;
    let variance = variance.round_to_digits(13, Rounding::Up);
    let rho = zcdp::rho(&variance, &norm)?;
    let mut answer = Answer::to(title(epsilon, delta, moves));
    figures(&mut answer, &root_up(&variance)?, &variance, moves)?;
    // The rho that was found proves the target; the bound at a smaller rho is at another order.
    let bound = zcdp::delta(&rho, epsilon)?;
    let bound = if bound.upper().cmp_rational(delta.value()).is_gt() {
        up(delta.value())
    } else {
        end_up(bound.upper())
    };
    answer.figure("delta_upper", bound, "upper bound on delta");
    let continuous = analytic_gaussian::sigma(epsilon, delta, &norm)?;
    answer.alternative(
        "sigma_continuous",
        continuous.to_decimal(25, Rounding::Up),
        "for continuous noise, which nobody draws; no promise for discrete noise",
    );
    Ok(answer.because(
        "Zero-concentrated privacy with this rho implies epsilon and delta (Canonne, Kamath, \
         Steinke 2020, Theorem 14 and Corollary 13), whatever the difference of this norm; more \
         noise has a smaller rho. Where one or two counts move by 1, the queries one and pair are \
         tighter.",
    ))
}

fn figures(
    answer: &mut Answer,
    sigma: &Rational,
    variance: &Rational,
    moves: &Moves,
) -> Result<(), Failure> {
    let rho = zcdp::rho(variance, &moves.norm.into())?;
    let sigma = sigma.to_decimal(25, Rounding::Up);
    answer.figure("sigma", sigma, "safe, and so is every larger one");
    answer.figure(
        "variance",
        fraction(variance),
        "the variance parameter, exactly",
    );
    let meaning = "zero-concentrated privacy of the same noise, rounded up";
    answer.figure("rho", up(rho.value()), meaning);
    Ok(())
}

fn delta_at(variance: &Rational, epsilon: &Epsilon, moves: &Moves) -> Result<Answer, Failure> {
    let norm = moves.norm.into();
    let mut answer = Answer::to(format!(
        "Discrete Gaussian noise of variance {variance} at epsilon {epsilon}, {}",
        moves.words
    ));
    let rho = zcdp::rho(variance, &norm)?;
    let meaning = "zero-concentrated privacy, rounded up";
    let text = if let Some(corner) = &moves.corner {
        let delta = discrete_gaussian::delta(variance, epsilon, corner)?;
        let least = "the exact delta is at least this";
        answer.figure("delta_lower", end_down(delta.lower()), least);
        answer.figure("delta_upper", end_up(delta.upper()), "and at most this");
        answer.figure("rho", up(rho.value()), meaning);
        if let Ok(concentrated) = zcdp::delta(&rho, epsilon) {
            let meaning = "upper bound by zero-concentrated privacy alone";
            answer.alternative("delta_zcdp", end_up(concentrated.upper()), meaning);
        }
        "The exact law of the noise at the worst difference, summed in interval arithmetic. \
         delta is not monotone in the variance: more noise may have a larger one."
    } else {
        let delta = zcdp::delta(&rho, epsilon)?;
        let attained = attained(variance, epsilon, moves.norm)?;
        let least = "attained where that many coordinates move by 1 each, if it is not 0";
        answer.figure("delta_lower", attained, least);
        answer.figure(
            "delta_upper",
            end_up(delta.upper()),
            "holds for every difference",
        );
        answer.figure("rho", up(rho.value()), meaning);
        "The upper bound is that of zero-concentrated privacy (Canonne, Kamath, Steinke 2020, \
         Corollary 13); the lower one is the exact delta of one difference of this norm."
    };
    if let Ok(continuous) = analytic_gaussian::delta(epsilon, &root_up(variance)?, &norm) {
        answer.alternative(
            "delta_continuous",
            continuous.upper().to_decimal(10, Rounding::Nearest),
            "of continuous noise of that sigma; says nothing about discrete noise",
        );
    }
    Ok(answer.because(text))
}

/// The δ of the difference that moves `norm` coordinates by 1 each, or 0 where that takes long.
fn attained(variance: &Rational, epsilon: &Epsilon, norm: u128) -> Result<String, Failure> {
    let few = u64::try_from(norm).ok().filter(|_| norm <= MAX_TRIED);
    let Some(coordinates) = few else {
        return Ok("0".to_owned());
    };
    let corner = Corner::new(coordinates, 1u32)?;
    let delta = discrete_gaussian::delta(variance, epsilon, &corner)?;
    Ok(end_down(delta.lower()))
}
