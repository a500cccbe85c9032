//! A budget of work: every public question gives its whole answer or says that it is too costly.

use dp_amplification::aggregated_rappor::{
    AggregatedRappor, MultiHot, Verdicts, WeightLimit, largest_epsilon0, least_clients,
};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_amplification::compensation::{Batch, Compensation};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, Error, NoiseLaw};
use dp_exact::work::{self, Refused};

const REPLACED: Adjacency = Adjacency::Replacement;

/// A question under its own name.
type Question = (&'static str, fn() -> Result<String, Error>);

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

fn rappor() -> Result<AggregatedRappor, Error> {
    AggregatedRappor::new("2".parse()?, 200)
}

fn response() -> Result<AggregatedResponse, Error> {
    AggregatedResponse::new("2".parse()?, 4, 100)
}

fn compensation() -> Result<Compensation, Error> {
    let batch = Batch {
        reports: 60,
        malicious: 5,
    };
    Compensation::new("2".parse()?, batch, 200, 2)
}

fn hedged() -> Result<Hedged, Error> {
    let variance = "10".parse()?;
    Hedged::new("2".parse()?, 50, NoiseLaw::DiscreteGaussian { variance }, 2)
}

const LIMIT: WeightLimit = WeightLimit {
    length: 10,
    max_weight: 6,
};

const TWO_OF_TEN: MultiHot = MultiHot {
    length: 10,
    ones: 2,
};

#[test]
fn every_question_gives_its_whole_answer_or_is_too_costly() {
    assert_whole_or_refused(&[
        ("rappor epsilon", || {
            Ok(format!(
                "{:?}",
                rappor()?.epsilon(&"1e-6".parse()?, REPLACED)?
            ))
        }),
        ("rappor delta", || {
            Ok(format!("{:?}", rappor()?.delta(&"0.5".parse()?, REPLACED)?))
        }),
        ("rappor with drops", || {
            let answer = rappor()?.epsilon_with_drops(&"1e-6".parse()?, REPLACED, LIMIT)?;
            Ok(format!("{answer:?}"))
        }),
        ("rappor with verdicts", || {
            let few = AggregatedRappor::new("2".parse()?, 2)?;
            let (delta, limit) = (
                "1e-2".parse()?,
                WeightLimit {
                    length: 4,
                    max_weight: 2,
                },
            );
            let answer = few.epsilon_with_verdicts(&delta, REPLACED, limit, Verdicts::Each)?;
            Ok(format!("{answer:?}"))
        }),
        ("rappor multi-hot", || {
            let answer = rappor()?.epsilon_multi_hot(&"1e-6".parse()?, REPLACED, TWO_OF_TEN)?;
            Ok(format!("{answer:?}"))
        }),
        ("the dominating pair", || {
            let pair = rappor()?.dominating_pair(REPLACED);
            Ok(format!("{:?}", pair.known()?.above.len()))
        }),
        ("largest epsilon0", || {
            let (epsilon, delta) = ("0.5".parse()?, "1e-6".parse()?);
            let answer = largest_epsilon0(100, &epsilon, &delta, Adjacency::Deletion)?;
            Ok(format!("{answer:?}"))
        }),
        ("least clients", || {
            let (epsilon0, epsilon, delta) = ("1".parse()?, "0.5".parse()?, "1e-3".parse()?);
            let answer = least_clients(&epsilon0, &epsilon, &delta, Adjacency::Deletion)?;
            Ok(format!("{answer:?}"))
        }),
        ("response epsilon", || {
            Ok(format!("{:?}", response()?.epsilon(&"1e-6".parse()?)?))
        }),
        ("response delta", || {
            Ok(format!("{:?}", response()?.delta(&"0.5".parse()?)?))
        }),
        ("response with noise", || {
            let (delta, variance) = ("1e-6".parse()?, "10".parse()?);
            let answer = response()?.epsilon_with_gaussian_noise(&delta, &variance)?;
            Ok(format!("{answer:?}"))
        }),
        ("compensated epsilon", || {
            let answer = compensation()?.epsilon(&"1e-6".parse()?, REPLACED)?;
            Ok(format!("{answer:?}"))
        }),
        ("compensated delta", || {
            let answer = compensation()?.delta(&"0.5".parse()?, REPLACED)?;
            Ok(format!("{answer:?}"))
        }),
        ("hedged epsilon", || {
            Ok(format!(
                "{:?}",
                hedged()?.epsilon(&"1e-6".parse()?, REPLACED)?
            ))
        }),
        ("hedged delta", || {
            Ok(format!("{:?}", hedged()?.delta(&"0.5".parse()?, REPLACED)?))
        }),
        ("hedged multi-hot", || {
            let answer = hedged()?.epsilon_multi_hot(&"1e-6".parse()?, REPLACED, TWO_OF_TEN)?;
            Ok(format!("{answer:?}"))
        }),
    ]);
}
