//! The sentences that say why an answer holds.

use std::collections::BTreeSet;

use dp_calibration::local::LocalRandomizer;
use dp_calibration::utility::{DebiasedRappor, Estimates};
use dp_calibration::{
    Corner, KnownSensitivity, NoiseLaw, conversion, discrete_gaussian, discrete_laplace, honest,
};

/// What an answer has, and a word of its reason.
fn reasons() -> Vec<(String, &'static str)> {
    let (one, pair) = (Corner::one(), Corner::one_hot());
    let known = KnownSensitivity::WorstDifference(pair.clone());
    let (epsilon, delta) = (
        "1".parse().expect("in range"),
        "1e-4".parse().expect("in range"),
    );
    let (nine, three) = (
        "9".parse().expect("a number"),
        "3".parse().expect("a number"),
    );
    let gaussian = discrete_gaussian::least(&epsilon, &delta, &known).expect("in range");
    let promised = discrete_gaussian::promised_delta(&nine, &epsilon, &known).expect("in range");
    let laplace = discrete_laplace::least(&epsilon, &delta, &known).expect("in range");
    let several = honest::least_gaussian(&epsilon, &delta, &one, 2).expect("in range");
    let together = honest::promised_delta(&nine, &epsilon, &one, 2).expect("in range");
    let both = honest::least_laplace(&epsilon, &delta, &one).expect("in range");
    let pure = "0".parse().expect("in range");
    let both_pure = honest::least_laplace(&epsilon, &pure, &one).expect("in range");
    let estimates = Estimates {
        coordinates: 3,
        beta: "0.1".parse().expect("a number"),
        aggregators: 2,
    };
    let law = NoiseLaw::DiscreteLaplace { scale: three };
    let accuracy = estimates.accuracy(&law).expect("in range");
    let question = conversion::Conversion::PureToRho {
        epsilon: epsilon.clone(),
    };
    let converted = question.answer().expect("in range");
    let response = LocalRandomizer::KaryRandomizedResponse {
        epsilon,
        answers: 3,
    };
    vec![
        (gaussian.certificate(), "every larger"),
        (promised.certificate().to_owned(), "delta"),
        (laplace.certificate(), "every larger"),
        (several.certificate(), "every larger"),
        (together.certificate().to_owned(), "sum of their noises"),
        (both.certificate(), "every larger"),
        (both_pure.certificate(), "no more than one"),
        (accuracy.certificate().to_owned(), "least such integer"),
        (
            DebiasedRappor::CERTIFICATE.to_owned(),
            "figures of accuracy",
        ),
        (converted.certificate().to_owned(), "worst mechanism"),
        (response.certificate().to_owned(), "e^epsilon"),
        (LocalRandomizer::CoinFlip.certificate().to_owned(), "3"),
        (conversion::group_certificate(7), "in 7 steps"),
    ]
}

#[test]
fn every_answer_says_in_sentences_of_its_own_why_it_holds() {
    let reasons = reasons();
    for (reason, word) in &reasons {
        assert!(reason.contains(word), "{word}: {reason}");
        assert!(reason.ends_with('.') && reason.len() > 50, "{reason}");
    }
    let unlike: BTreeSet<&String> = reasons.iter().map(|(reason, _)| reason).collect();
    assert_eq!(unlike.len(), reasons.len());
}
