//! A budget of work: every public question gives its whole answer or says that it is too costly.

use dp_calibration::utility::Estimates;
use dp_calibration::{
    Adjacency, BigUint, Corner, Error, KnownSensitivity, NoiseLaw, Query, analytic_gaussian,
    conversion, discrete_gaussian, discrete_laplace, honest, local, zcdp,
};
use dp_exact::work::{self, Refused};

/// A question under its own name.
type Question = (&'static str, fn() -> Result<String, Error>);

/// A question under its own name, and the units that it may cost.
type Guessed = (&'static str, u64, fn() -> Result<String, Error>);

/// Units that may be spent after a budget is used up, until loops have come to their end.
const BEYOND: u64 = 300_000_000;

/// Every question, with budgets from 1 unit on: the whole answer, or the refusal.
fn assert_whole_or_refused(questions: &[Question]) {
    for (name, question) in questions {
        let before = work::spent();
        let whole = question();
        let cost = work::spent() - before;
        assert!(whole.is_ok(), "{name}: {whole:?}");
        let mut units = 1u64;
        while units < cost {
            let before = work::spent();
            let answer = work::limited(units, question);
            let spent = work::spent() - before;
            if spent > units {
                let refused = answer.as_ref().is_err_and(Refused::is_too_costly);
                assert!(refused, "{name}, {units} units of {cost}: {answer:?}");
                assert!(spent < units + BEYOND, "{name}, {units} units: {spent}");
            } else {
                assert_eq!(answer, whole, "{name}, {units} units of {cost}");
            }
            units = units.saturating_mul(5);
        }
        assert_eq!(work::limited(cost, question), whole, "{name}");
        let refused = work::limited(cost - 1, question);
        assert!(refused.is_err_and(|error| error.is_too_costly()), "{name}");
    }
}

fn pair() -> KnownSensitivity {
    KnownSensitivity::WorstDifference(Corner::one_hot())
}

#[test]
fn gaussian_noise() {
    assert_whole_or_refused(&[
        ("calibrate", || {
            let (epsilon, delta) = ("0.5".parse()?, "1e-9".parse()?);
            let answer = discrete_gaussian::calibrate(&epsilon, &delta, &Corner::one())?;
            Ok(format!("{answer:?}"))
        }),
        ("least", || {
            let answer = discrete_gaussian::least(&"2".parse()?, &"1e-6".parse()?, &pair())?;
            Ok(format!("{answer:?}"))
        }),
        ("delta", || {
            let corner = Corner::one_hot();
            let answer = discrete_gaussian::delta(&"9".parse()?, &"1".parse()?, &corner)?;
            Ok(answer.to_string())
        }),
        ("epsilon", || {
            let corner = Corner::one_hot();
            let answer = discrete_gaussian::epsilon(&"9".parse()?, &"1e-6".parse()?, &corner)?;
            Ok(answer.to_string())
        }),
        ("promised", || {
            let answer = discrete_gaussian::promised_delta(&"9".parse()?, &"1".parse()?, &pair())?;
            Ok(format!("{answer:?}"))
        }),
        ("continuous", || {
            let one = BigUint::from(1u32);
            let answer = analytic_gaussian::sigma(&"1".parse()?, &"1e-9".parse()?, &one)?;
            Ok(answer.to_string())
        }),
        ("concentrated", || {
            Ok(zcdp::largest_rho(&"1".parse()?, &"1e-9".parse()?)?.to_string())
        }),
    ]);
}

#[test]
fn laplace_noise() {
    assert_whole_or_refused(&[
        ("calibrate", || {
            let (epsilon, delta) = ("0.5".parse()?, "1e-9".parse()?);
            let (query, adjacency) = (Query::Histogram { length: 5 }, Adjacency::Replacement);
            let answer = discrete_laplace::calibrate_query(&query, adjacency, &epsilon, &delta)?;
            Ok(format!("{answer:?}"))
        }),
        ("delta", || {
            let corner = Corner::new(3, 2u32)?;
            let answer = discrete_laplace::delta(&"3".parse()?, &"1".parse()?, &corner)?;
            Ok(answer.to_string())
        }),
        ("epsilon", || {
            let corner = Corner::new(3, 2u32)?;
            let answer = discrete_laplace::epsilon(&"3".parse()?, &"1e-6".parse()?, &corner)?;
            Ok(answer.to_string())
        }),
        ("any pure", || {
            let one = BigUint::from(1u32);
            let (epsilon, delta) = ("1".parse()?, "1e-9".parse()?);
            Ok(discrete_laplace::scale_of_any_pure(&epsilon, &delta, &one)?.to_string())
        }),
    ]);
}

#[test]
fn noise_of_several_aggregators() {
    assert_whole_or_refused(&[
        ("gaussian", || {
            let (epsilon, delta) = ("1".parse()?, "1e-6".parse()?);
            let answer =
                honest::calibrate_gaussian_corner(&Corner::one_hot(), 3, &epsilon, &delta)?;
            Ok(format!("{answer:?}"))
        }),
        ("gaussian delta", || {
            let answer =
                honest::gaussian_delta(&"3".parse()?, &"1".parse()?, &Corner::one_hot(), 3)?;
            Ok(answer.to_string())
        }),
        ("laplace", || {
            let (epsilon, delta) = ("1".parse()?, "1e-3".parse()?);
            let answer = honest::calibrate_laplace(&Corner::one(), &epsilon, &delta)?;
            Ok(format!("{answer:?}"))
        }),
        ("laplace delta", || {
            let answer = honest::laplace_delta(&"3".parse()?, &"1".parse()?, &Corner::one())?;
            Ok(answer.to_string())
        }),
    ]);
}

#[test]
fn conversions_and_accuracy() {
    assert_whole_or_refused(&[
        ("rho to epsilon", || {
            Ok(conversion::rho_to_epsilon(&"0.5".parse()?, &"1e-9".parse()?)?.to_string())
        }),
        ("rho to delta", || {
            Ok(conversion::rho_to_delta(&"0.5".parse()?, &"3".parse()?)?.to_string())
        }),
        ("Rényi to epsilon", || {
            let (alpha, tau) = ("8".parse()?, "0.5".parse()?);
            Ok(conversion::renyi_to_epsilon(&alpha, &tau, &"1e-6".parse()?)?.to_string())
        }),
        ("Rényi to delta", || {
            let (alpha, tau) = ("8".parse()?, "0.5".parse()?);
            Ok(conversion::renyi_to_delta(&alpha, &tau, &"2".parse()?)?.to_string())
        }),
        ("pure to rho", || {
            Ok(conversion::pure_to_rho(&"0.7".parse()?)?.to_string())
        }),
        ("local", || {
            Ok(local::k_ary(&"0.7".parse()?, 9)?.guarantee()?.to_string())
        }),
        ("accuracy", || {
            let estimates = Estimates {
                coordinates: 1000,
                beta: "0.05".parse()?,
                aggregators: 5,
            };
            let law = NoiseLaw::DiscreteLaplace {
                scale: "2".parse()?,
            };
            Ok(format!("{:?}", estimates.accuracy(&law)?))
        }),
        ("noise within", || {
            let estimates = Estimates {
                coordinates: 10,
                beta: "0.05".parse()?,
                aggregators: 2,
            };
            let answer = estimates.gaussian_within(100, &pair(), &"1e-9".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
    ]);
}

/// Searches that begin at a guess: that it is near the answer shows in what the search costs, which
/// is the same everywhere. The limits are a twentieth above it.
fn assert_near(questions: &[Guessed]) {
    for (name, limit, question) in questions {
        let before = work::spent();
        let whole = question();
        let cost = work::spent() - before;
        assert!(whole.is_ok(), "{name}: {whole:?}");
        assert!(cost <= *limit, "{name}: {cost} units of {limit}");
    }
}

#[test]
fn the_search_for_laplace_noise_begins_near_its_answer() {
    assert_near(&[
        ("laplace, many coordinates", 2_470_000, || {
            let corner = Corner::new(100, 1u32)?;
            let answer = discrete_laplace::calibrate(&"1".parse()?, &"1e-9".parse()?, &corner)?;
            Ok(format!("{answer:?}"))
        }),
        ("laplace, several coordinates and steps", 50_300_000, || {
            let corner = Corner::new(40, 30u32)?;
            let answer = discrete_laplace::calibrate(&"1".parse()?, &"1e-9".parse()?, &corner)?;
            Ok(format!("{answer:?}"))
        }),
        (
            "laplace, the epsilon of several coordinates",
            2_170_000,
            || {
                let corner = Corner::new(5, 3u32)?;
                Ok(
                    discrete_laplace::epsilon(&"3".parse()?, &"1e-6".parse()?, &corner)?
                        .to_string(),
                )
            },
        ),
    ]);
}

#[test]
fn the_search_for_gaussian_noise_begins_near_its_answer() {
    assert_near(&[
        ("gaussian", 4_100_000, || {
            let answer = discrete_gaussian::calibrate(
                &"0.5".parse()?,
                &"1e-9".parse()?,
                &Corner::one_hot(),
            )?;
            Ok(format!("{answer:?}"))
        }),
        ("gaussian, many coordinates", 5_680_000, || {
            let corner = Corner::new(20, 3u32)?;
            let answer = discrete_gaussian::calibrate(&"1".parse()?, &"1e-6".parse()?, &corner)?;
            Ok(format!("{answer:?}"))
        }),
        ("gaussian, its epsilon", 22_500_000, || {
            let corner = Corner::new(20, 1u32)?;
            Ok(discrete_gaussian::epsilon(&"9".parse()?, &"1e-6".parse()?, &corner)?.to_string())
        }),
        ("zero-concentrated privacy", 110_000, || {
            Ok(zcdp::epsilon(&"0.1".parse()?, &"1e-9".parse()?)?.to_string())
        }),
        ("renyi, classical", 59_200, || {
            Ok(
                conversion::renyi_to_delta_classical(
                    &"8".parse()?,
                    &"0.1".parse()?,
                    &"1".parse()?,
                )?
                .to_string(),
            )
        }),
        ("continuous", 5_390_000, || {
            let one = BigUint::from(1u32);
            Ok(analytic_gaussian::sigma(&"1".parse()?, &"1e-9".parse()?, &one)?.to_string())
        }),
    ]);
}

#[test]
fn the_search_for_several_aggregators_noise_begins_near_its_answer() {
    assert_near(&[
        ("gaussian of three aggregators", 128_000_000, || {
            let answer = honest::calibrate_gaussian_corner(
                &Corner::one_hot(),
                3,
                &"1".parse()?,
                &"1e-6".parse()?,
            )?;
            Ok(format!("{answer:?}"))
        }),
        (
            "gaussian of two aggregators, five coordinates",
            229_000_000,
            || {
                let corner = Corner::new(5, 1u32)?;
                let answer =
                    honest::calibrate_gaussian_corner(&corner, 2, &"8".parse()?, &"1e-3".parse()?)?;
                Ok(format!("{answer:?}"))
            },
        ),
    ]);
}

#[test]
fn the_search_for_an_order_begins_near_its_answer() {
    assert_near(&[
        (
            "zero-concentrated privacy, joint range",
            308_000_000,
            || Ok(conversion::rho_to_epsilon(&"0.1".parse()?, &"1e-9".parse()?)?.to_string()),
        ),
        (
            "zero-concentrated privacy, joint range, delta",
            342_000_000,
            || Ok(conversion::rho_to_delta(&"0.1".parse()?, &"3".parse()?)?.to_string()),
        ),
    ]);
}
