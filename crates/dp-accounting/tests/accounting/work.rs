//! A budget of work: every public question gives its whole answer or says that it is too costly.

use dp_accounting::{Accountant, Release, classical, compose, kov15};
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::{Adjacency, Corner, Error, NoiseLaw};
use dp_exact::work::{self, Refused};

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
            units = units.saturating_mul(20);
        }
        assert_eq!(work::limited(cost, question), whole, "{name}");
        let refused = work::limited(cost - 1, question);
        assert!(refused.is_err_and(|error| error.is_too_costly()), "{name}");
    }
}

fn gaussian(variance: &str) -> Result<Release, Error> {
    let variance = variance.parse()?;
    let law = NoiseLaw::DiscreteGaussian { variance };
    let corner = Corner::one_hot();
    Ok(Release::Noise { law, corner })
}

fn laplace(scale: &str) -> Result<Release, Error> {
    let scale = scale.parse()?;
    let law = NoiseLaw::DiscreteLaplace { scale };
    let corner = Corner::one();
    Ok(Release::Noise { law, corner })
}

fn many() -> Result<Vec<(Release, u32)>, Error> {
    let sum = AggregatedRappor::new("1".parse()?, 300)?;
    let rappor = Release::Dominated(sum.dominating_pair(Adjacency::Replacement));
    Ok(vec![(gaussian("20")?, 3), (laplace("7")?, 5), (rappor, 2)])
}

fn accountant() -> Result<Accountant, Error> {
    let mut accountant = Accountant::new();
    for (release, times) in many()? {
        accountant.add(release, times)?;
    }
    Ok(accountant)
}

fn alike() -> Result<Vec<(Release, u32)>, Error> {
    Ok(vec![(gaussian("20")?, 30)])
}

#[test]
fn every_question_gives_its_whole_answer_or_is_too_costly() {
    assert_whole_or_refused(&[
        ("epsilon", || {
            let answer = accountant()?.epsilon(&"1e-6".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("delta", || {
            let answer = accountant()?.delta(&"3".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("compose unlike", || {
            let answer = compose(&many()?, &"1e-6".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("compose alike", || {
            let answer = compose(&alike()?, &"1e-30".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("concentrated", || {
            let answer = classical::concentrated(&alike()?, &"1e-6".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("basic", || {
            let answer = classical::basic(&alike()?, &"1e-6".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("optimal", || {
            let answer = classical::optimal(&alike()?, &"1e-6".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("kov15 epsilon", || {
            let (epsilon, delta) = ("1e-5".parse()?, "0".parse()?);
            let answer = kov15::epsilon(&epsilon, &delta, 1 << 18, &"1e-9".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
        ("kov15 delta", || {
            let (epsilon, delta) = ("0.01".parse()?, "1e-9".parse()?);
            let answer = kov15::delta(&epsilon, &delta, 1000, &"0.5".parse()?)?;
            Ok(format!("{answer:?}"))
        }),
    ]);
}

#[test]
fn losses_that_were_too_costly_are_not_replaced_by_a_looser_bound() -> Result<(), Error> {
    let sum = AggregatedRappor::new("1".parse()?, 300)?;
    let refused = work::limited(1000, || -> Result<_, Error> {
        Ok(Release::Dominated(
            sum.dominating_pair(Adjacency::Replacement),
        ))
    });
    assert!(refused.is_err_and(|error| error.is_too_costly()));
    // The pair keeps the refusal of its own scope.
    let mut pair = None;
    let _ = work::limited(1000, || -> Result<(), Error> {
        pair = Some(sum.dominating_pair(Adjacency::Replacement));
        Ok(())
    });
    let mut accountant = Accountant::new();
    accountant.add(Release::Dominated(pair.expect("a pair")), 3)?;
    let answer = accountant.epsilon(&"0".parse()?);
    assert!(answer.is_err_and(|error| error.is_too_costly()));
    Ok(())
}

/// The losses of each release are kept with the accountant once they are known.
#[test]
fn an_accountant_that_was_too_costly_answers_later_as_one_that_never_was() -> Result<(), Error> {
    let (delta, epsilon) = ("1e-6".parse()?, "3".parse()?);
    let answers = |accountant: &Accountant| -> Result<String, Error> {
        let enclosed = accountant.delta(&epsilon)?;
        Ok(format!("{:?} {enclosed:?}", accountant.epsilon(&delta)?))
    };
    let fresh = answers(&accountant()?)?;
    let asked = accountant()?;
    let mut refused = 0;
    for units in (0..28).map(|power| 1u64 << power) {
        let bounds = work::limited(units, || asked.epsilon(&delta));
        let enclosed = work::limited(units, || asked.delta(&epsilon));
        refused += usize::from(bounds.is_err()) + usize::from(enclosed.is_err());
        // A limit around the question, which is used up before it is asked.
        let late = work::limited(units, || {
            work::charge(units + 1);
            asked.epsilon(&delta)
        });
        assert!(late.is_err_and(|error| error.is_too_costly()));
        assert!(bounds.is_err_and(|error| error.is_too_costly()) || units > 1 << 20);
    }
    assert!(refused > 40, "{refused}");
    assert_eq!(answers(&asked)?, fresh);
    assert_eq!(answers(&asked.clone())?, fresh);
    Ok(())
}

#[test]
fn a_tiny_delta_is_no_reason_for_a_search_without_end() -> Result<(), Error> {
    // In floating point the first term is too large for a number.
    let delta = "2.60340967790017874e-429".parse()?;
    let composed = compose(&[(gaussian("100")?, 127)], &delta)?;
    assert!(composed.lower.is_some_and(|lower| lower <= composed.upper));
    Ok(())
}
