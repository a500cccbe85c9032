//! Many releases over the same people.

use dp_accounting::schedule::{Line, Mechanism, Shares, schedule};
use dp_accounting::{Budget, Corner, NoiseLaw, Release, compose, kov15};

use crate::Error;
use crate::answers::Answers;

/// What sequences of releases promise.
pub(crate) fn releases(answers: &mut Answers) -> Result<(), Error> {
    let gaussian = |variance: &str| -> Result<Release, Error> {
        let law = NoiseLaw::DiscreteGaussian {
            variance: variance.parse()?,
        };
        Ok(Release::Noise {
            law,
            corner: Corner::one_hot(),
        })
    };
    let laplace = |scale: &str, moved: u32| -> Result<Release, Error> {
        let law = NoiseLaw::DiscreteLaplace {
            scale: scale.parse()?,
        };
        Ok(Release::Noise {
            law,
            corner: Corner::new(1, moved)?,
        })
    };
    let lists = [
        vec![(gaussian("900")?, 365)],
        vec![(gaussian("31.7")?, 2)],
        vec![(laplace("40", 1)?, 30)],
        vec![(laplace("500.3", 80)?, 12)],
        vec![
            (gaussian("900")?, 30),
            (laplace("100", 1)?, 30),
            (laplace("1234.5", 80)?, 7),
        ],
        vec![(
            Release::KaryResponse {
                epsilon: "0.4".parse()?,
                answers: 5,
            },
            40,
        )],
        vec![(
            Release::RandomizedResponse {
                epsilon: "0.1".parse()?,
                delta: "1e-13".parse()?,
            },
            100,
        )],
    ];
    for list in &lists {
        for delta in ["1e-5", "1e-9"] {
            let composed = compose(list, &delta.parse()?)?;
            answers.add(
                format_args!("{list:?} at {delta}"),
                format_args!("{composed:?}"),
            )?;
        }
    }
    for (epsilon, delta, times) in [
        ("0.1", "0", 1000),
        ("0.5", "1e-12", 17),
        ("1/7", "1e-9", 100),
    ] {
        let question = |of: &str| format!("{of} of {times} of ({epsilon}, {delta})");
        let (epsilon, delta) = (epsilon.parse()?, delta.parse()?);
        let found = kov15::epsilon(&epsilon, &delta, times, &"1e-6".parse()?)?;
        answers.add(question("epsilon"), found)?;
        let found = kov15::delta(&epsilon, &delta, times, &"2".parse()?)?;
        answers.add(question("delta at 2"), found)?;
    }
    Ok(())
}

/// Noise for totals.
pub(crate) fn schedules(answers: &mut Answers) -> Result<(), Error> {
    let lines = [
        Line {
            corner: Corner::one_hot(),
            times: 365,
        },
        Line {
            corner: Corner::new(1, 80_u32)?,
            times: 12,
        },
    ];
    let budget = Budget::Approximate {
        epsilon: "2".parse()?,
        delta: "1e-8".parse()?,
    };
    for mechanism in [Mechanism::Gaussian, Mechanism::Laplace] {
        for count in [1, 2] {
            let shares = Shares::Weighted(Vec::new());
            let found = schedule(&lines[..count], mechanism, &shares, &budget)?;
            let question = format!("schedule of {count} lines, {mechanism:?}");
            answers.add(question, format_args!("{found:?}"))?;
        }
    }
    Ok(())
}
