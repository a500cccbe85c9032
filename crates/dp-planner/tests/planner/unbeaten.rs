//! No choice is beaten by an alternative that the planner knows: brute force over parameters.

use dp_accounting::kov15;
use dp_calibration::utility::TotalNoise;
use dp_calibration::{NoiseDistribution, WorstCaseDifference, discrete_gaussian, discrete_laplace};
use dp_planner::{BudgetScope, Delta, Epsilon, Error, Job, Rational, Target, plan};

use crate::answers::{approximate, job};

const CLIENTS: u64 = 400;

fn target() -> Result<Target, Error> {
    Ok(Target { scope: BudgetScope::Total, ..Target::budget(approximate("1", "1e-6"))? })
}

/// Parameters from a fourth to four times as much, in steps of two percent.
fn grid(around: f64) -> impl Iterator<Item = Rational> {
    (-70..=70).filter_map(move |step| {
        let value = around * 1.02f64.powi(step);
        let value = Rational::from_f64(value).ok()?;
        Some(value.round_to_digits(8, dp_exact::Rounding::Up))
    })
}

/// Whether noise of one aggregator keeps (1, 1e-6) over k counts that change.
fn keeps(law: &NoiseDistribution, changed: u64) -> Result<bool, Error> {
    let (delta, difference): (Delta, _) =
        ("1e-6".parse()?, WorstCaseDifference::new(changed, 1u32)?);
    let epsilon = match law {
        NoiseDistribution::DiscreteLaplace { scale } => {
            discrete_laplace::epsilon(scale, &delta, &difference)?
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            discrete_gaussian::epsilon(variance, &delta, &difference)?
        }
    };
    Ok(epsilon <= 1)
}

#[test]
fn no_noise_of_aggregators_or_clients_alone_is_better() -> Result<(), Error> {
    for (query, counts) in [("count", 1), ("histogram:5", 2)] {
        for releases in [1, 3, 12] {
            let job = Job { releases, honest_aggregators: 1, ..job(query, CLIENTS) };
            let plan = plan(&job, &target()?)?;
            let best = plan.chosen().expect("a policy").errors.std;
            let changed = counts * u64::from(releases);
            let mut tried = 0;
            for scale in grid(f64::from(releases)) {
                let laplace = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
                let gaussian = NoiseDistribution::DiscreteGaussian { variance: scale.pow(2) };
                for law in [laplace, gaussian] {
                    let noise = match &law {
                        NoiseDistribution::DiscreteLaplace { scale } => {
                            TotalNoise::laplace(scale.clone())
                        }
                        NoiseDistribution::DiscreteGaussian { variance } => {
                            TotalNoise::gaussian(variance.clone())
                        }
                    };
                    let std = noise?.from_each_of(2)?.standard_deviation();
                    // The scale of a pure guarantee may be a thousandth larger than it has to be.
                    if std < best * 0.998 {
                        assert!(!keeps(&law, changed)?, "{query} {releases} {law:?} {std} {best}");
                        tried += 1;
                    }
                }
            }
            assert!(tried > 20, "{tried}");
            for epsilon0 in grid(1.0 / f64::from(releases)) {
                let parameter = Epsilon::new(epsilon0)?;
                let half = parameter.value().to_f64() / 2.0;
                let std = dp_exact::directed::count(CLIENTS).sqrt() / (2.0 * half.sinh());
                if std < best * 0.998 {
                    let all = u32::try_from(changed).expect("few");
                    let (zero, delta) = ("0".parse()?, "1e-6".parse()?);
                    let epsilon = kov15::epsilon(&parameter, &zero, all, &delta)?;
                    assert!(epsilon > 1, "{query} {releases} {parameter} {std} {best}");
                }
            }
        }
    }
    Ok(())
}
