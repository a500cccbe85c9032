//! Noise of aggregators: what seeds expand to, how much a promise needs, what it promises.

use dp_calibration::utility::{Noise, gaussian_variance, laplace_scale};
use dp_calibration::{Corner, analytic_gaussian, conversion, coset_sums, zcdp};
use dp_calibration::{discrete_gaussian, discrete_laplace, honest};
use dp_exact::{Delta, Epsilon, Rational};
use dp_samplers::{BigInt, Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Seed, vectors};

use crate::Error;
use crate::answers::Answers;

/// Draws of each law.
const DRAWS: usize = 24;

/// The test vectors, and draws in machine words of a seed by the number of the law.
pub(crate) fn streams(answers: &mut Answers) -> Result<(), Error> {
    for (name, contents) in vectors::files()? {
        let parsed: serde_json::Value = serde_json::from_str(&contents)?;
        answers.add(format_args!("vectors {name}"), parsed)?;
    }
    let mut small = [0_i64; DRAWS];
    let mut wide = vec![BigInt::ZERO; DRAWS];
    for (number, text) in (0..).zip(["0.3", "3/2", "100", "54321.5", "1e15"]) {
        let (seed, parameter) = (Seed::from_u64(number), text.parse()?);
        DiscreteLaplace::new(&parameter)?.expand(&seed, &mut small)?;
        answers.add(format_args!("laplace {text}"), shown(&small))?;
        DiscreteGaussian::new(&parameter)?.expand(&seed, &mut small)?;
        answers.add(format_args!("gaussian {text}"), shown(&small))?;
        DiscreteGaussian::new(&parameter.pow(3))?.expand(&seed, &mut wide)?;
        answers.add(format_args!("gaussian {text} cubed"), shown(&wide))?;
    }
    for (number, text) in (0..).zip(["1/1000", "0.37", "1"]) {
        let (seed, parameter) = (Seed::from_u64(number), text.parse()?);
        Geometric::new(&parameter)?.expand(&seed, &mut small)?;
        answers.add(format_args!("geometric {text}"), shown(&small))?;
        Binomial::new(12_345, parameter)?.expand(&seed, &mut small)?;
        answers.add(format_args!("binomial 12345 {text}"), shown(&small))?;
    }
    Ok(())
}

fn shown<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(" ")
}

/// Epsilons and deltas.
const BUDGETS: [(&str, &str); 5] = [
    ("0.01", "1e-6"),
    ("0.317", "1e-9"),
    ("1", "1e-8"),
    ("3", "1e-12"),
    ("10", "1e-3"),
];

/// The least noise for budgets, what noise promises, and its errors.
pub(crate) fn calibrated(answers: &mut Answers) -> Result<(), Error> {
    let corners = [
        Corner::new(1, 1_u32)?,
        Corner::one_hot(),
        Corner::new(3, 7_u32)?,
        Corner::new(1, 1000_u32)?,
    ];
    for (epsilon_text, delta_text) in BUDGETS {
        let (epsilon, delta): (Epsilon, Delta) = (epsilon_text.parse()?, delta_text.parse()?);
        let budget = format!("({epsilon_text}, {delta_text})");
        for corner in &corners {
            let question = |of: &str| format!("{of} {budget} {corner:?}");
            let gaussian = discrete_gaussian::calibrate(&epsilon, &delta, corner)?;
            let variance = gaussian.variance;
            answers.add(question("least variance"), &variance)?;
            answers.add(question("proof"), shown(&gaussian.cover))?;
            answers.add(question("refuted"), format_args!("{:?}", gaussian.refuted))?;
            answers.add(question("delta of the variance"), gaussian.delta)?;
            let scale = discrete_laplace::calibrate(&epsilon, &delta, corner)?.scale;
            answers.add(question("least scale"), &scale)?;
            let doubled = &variance * Rational::integer(2);
            let found = discrete_gaussian::epsilon(&doubled, &delta, corner)?;
            answers.add(question("epsilon of twice the variance"), found)?;
            let found = discrete_laplace::delta(&scale, &epsilon, corner)?;
            answers.add(question("delta of the scale"), found)?;
        }
        let sigma = analytic_gaussian::sigma(&epsilon, &delta, &2_u32.into())?;
        answers.add(format_args!("analytic sigma {budget}"), sigma)?;
        let rho = zcdp::largest_rho(&epsilon, &delta)?;
        answers.add(format_args!("largest rho {budget}"), rho.value())?;
        let back = zcdp::epsilon(&rho, &delta)?;
        answers.add(format_args!("epsilon of that rho {budget}"), back)?;
        let pure = conversion::pure_to_rho(&epsilon)?;
        answers.add(format_args!("pure {epsilon_text} to rho"), pure.value())?;
        let order = "7/2".parse()?;
        let renyi = conversion::pure_to_renyi(&epsilon, &order)?;
        answers.add(format_args!("pure {epsilon_text} to Rényi 7/2"), renyi)?;
    }
    for text in ["1/2", "3", "71.3", "1e9"] {
        let ripple =
            coset_sums::ripple(2, &text.parse()?).map_or("none".to_owned(), |x| x.to_string());
        answers.add(format_args!("ripple {text}"), ripple)?;
    }
    Ok(())
}

/// Noise of several honest aggregators, and errors.
pub(crate) fn of_several(answers: &mut Answers) -> Result<(), Error> {
    let corner = Corner::one_hot();
    let beta = "0.05".parse()?;
    for text in ["0.7", "20", "547.12623649", "1e7"] {
        let (parameter, epsilon): (_, Epsilon) = (text.parse()?, "0.9".parse()?);
        let delta = honest::laplace_delta(&parameter, &epsilon, &corner);
        let delta = delta.map_or_else(|refused| refused.to_string(), |delta| delta.to_string());
        answers.add(format_args!("delta of several laplace {text}"), delta)?;
        for aggregators in [1, 2, 3, 7] {
            let delta = honest::gaussian_delta(&parameter, &epsilon, &corner, aggregators)?;
            answers.add(
                format_args!("delta of {aggregators} gaussian {text}"),
                delta,
            )?;
            for (name, noise) in [
                ("gaussian", Noise::gaussian(parameter.clone())?),
                ("laplace", Noise::laplace(parameter.clone())?),
            ] {
                let noise = noise.from_each_of(aggregators)?;
                let question = |of: &str| format!("{of} of {aggregators} {name} {text}");
                answers.add_float(question("deviation"), noise.standard_deviation())?;
                answers.add(question("quantile"), noise.quantile(&beta)?)?;
                answers.add(question("largest of 40"), noise.simultaneous(40, &beta)?)?;
            }
        }
    }
    for bound in [10_u32, 500] {
        let (scale, variance) = (
            laplace_scale(2, &bound.into(), 40, &beta)?,
            gaussian_variance(2, &bound.into(), 40, &beta)?,
        );
        answers.add(format_args!("scale for errors up to {bound}"), scale)?;
        answers.add(format_args!("variance for errors up to {bound}"), variance)?;
    }
    Ok(())
}
