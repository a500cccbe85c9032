//! Errors name the parameter, its value and what is accepted; no parameter panics or hangs.

use std::sync::Arc;

use crate::support::{
    CONTEXT, epsilon, epsilon_delta, histogram_gaussian, histogram_laplace, multihot_rappor,
    rational, sum_vec_laplace,
};
use dp_exact::{ParameterError, Rho};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::types::{Histogram, MAX_INPUT_LENGTH, MultihotCountVec, SumVec};
use dp_prio3::{
    Aggregator, Budget, Client, CompensatedRappor, DEFAULT_MAX_REPORTS, DpPolicy, Error, Hedged,
    HistogramGaussian, HistogramLaplace, MAX_CONTEXT_LENGTH, MultihotRappor, PolicyDescription,
    SumVecLaplace, VerifyKey,
};
use dp_samplers::Seed;

fn message<T>(result: Result<T, impl std::fmt::Display>) -> String {
    match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn fewer_than_2_and_more_than_254_aggregators_are_refused() {
    for aggregators in [0, 1, 255, 256, usize::MAX] {
        let expected = format!("aggregators is {aggregators}: expected an integer from 2 to 254");
        assert_eq!(message(Histogram::new(aggregators, 4)), expected);
        assert_eq!(message(SumVec::new(aggregators, 4, 3)), expected);
        assert_eq!(message(MultihotCountVec::new(aggregators, 4, 3)), expected);
        let rate = rational("0.01");
        assert_eq!(
            message(MultihotRappor::vectors(
                aggregators,
                4,
                1,
                epsilon("1"),
                &rate
            )),
            expected
        );
    }
}

#[test]
fn lengths_outside_their_range_are_refused() {
    assert_eq!(
        message(Histogram::new(2, 0)),
        "length is 0: expected an integer from 2 to 16777216"
    );
    assert_eq!(
        message(Histogram::new(2, 1)),
        "length is 1: expected an integer from 2 to 16777216"
    );
    for length in [MAX_INPUT_LENGTH + 1, usize::MAX] {
        assert_eq!(
            message(Histogram::new(2, length)),
            format!("length is {length}: expected an integer from 2 to 16777216")
        );
    }
    assert_eq!(
        message(SumVec::new(2, 0, 3)),
        "length is 0: expected an integer from 1 to 8388608"
    );
    assert_eq!(
        message(SumVec::new(2, usize::MAX, 3)),
        format!(
            "length is {}: expected an integer from 1 to 8388608",
            usize::MAX
        )
    );
    let too_long = "length is 0: expected an integer from 1 to 8388608";
    assert_eq!(message(MultihotCountVec::new(2, 0, 1)), too_long);
    let rate = rational("0.01");
    assert_eq!(
        message(MultihotRappor::vectors(2, 0, 1, epsilon("1"), &rate)),
        too_long
    );
}

#[test]
fn chunk_lengths_of_0_or_longer_than_the_measurement_are_refused() {
    for chunk_length in [0, 5, usize::MAX] {
        assert_eq!(
            message(Histogram::with_chunk_length(2, 4, chunk_length)),
            format!("chunk_length is {chunk_length}: expected an integer from 1 to 4")
        );
        // Four entries of one bit each.
        assert_eq!(
            message(SumVec::with_chunk_length(2, 4, 1, chunk_length)),
            format!("chunk_length is {chunk_length}: expected an integer from 1 to 4")
        );
    }
    // Four bits and a weight of two.
    assert_eq!(
        message(MultihotCountVec::with_chunk_length(2, 4, 2, 7)),
        "chunk_length is 7: expected an integer from 1 to 6"
    );
    assert!(Histogram::with_chunk_length(2, 4, 4).is_ok());
}

#[test]
fn weights_and_maxima_outside_their_range_are_refused() {
    for weight in [0, 5, usize::MAX] {
        assert_eq!(
            message(MultihotCountVec::new(2, 4, weight)),
            format!("max_weight is {weight}: expected an integer from 1 to 4")
        );
        let rate = rational("0.01");
        assert_eq!(
            message(MultihotRappor::vectors(2, 4, weight, epsilon("1"), &rate)),
            format!("input_weight is {weight}: expected an integer from 1 to 4")
        );
    }
    for max in [0, u128::MAX] {
        let text = message(SumVec::new(2, 4, max));
        assert!(text.starts_with("max_measurement is"), "{text}");
        assert!(
            text.ends_with("from 1 to 170141183460469231473432886683950383104"),
            "{text}"
        );
    }
}

#[test]
fn a_false_positive_rate_outside_its_range_is_refused() {
    for rate in ["-1", "0.6", "2"] {
        let text = message(MultihotRappor::vectors(
            2,
            4,
            1,
            epsilon("1"),
            &rational(rate),
        ));
        assert!(text.contains(rate) && text.contains("rate"), "{text}");
    }
}

#[test]
fn gaussian_noise_without_delta_is_refused() {
    let histogram = Histogram::new(2, 4).unwrap();
    assert_eq!(
        message(HistogramGaussian::new(histogram, epsilon_delta("1", "0"))),
        "delta is 0: expected above 0 and below 1: delta = 0 is a pure budget"
    );
}

#[test]
fn a_budget_of_a_kind_that_the_noise_does_not_keep_is_refused() {
    let rho: Rho = "0.5".parse().unwrap();
    let renyi = Budget::renyi(rational("2"), rational("1")).unwrap();
    let histogram = || Histogram::new(2, 4).unwrap();
    let gaussian = |budget| HistogramGaussian::new(histogram(), budget).map(|_| ());
    let laplace = |budget| HistogramLaplace::new(histogram(), budget).map(|_| ());
    for refused in [
        gaussian(Budget::from(epsilon("1"))),
        gaussian(renyi.clone()),
        laplace(Budget::from(rho)),
        laplace(renyi),
    ] {
        assert!(matches!(refused, Err(Error::BudgetKind { .. })));
    }
    assert_eq!(
        message(gaussian(Budget::from(epsilon("1")))),
        "discrete Gaussian noise is not calibrated to pure differential privacy with epsilon 1: \
         expected an approximate or a zero-concentrated budget"
    );
}

#[test]
fn noise_that_could_wrap_around_the_field_is_refused() {
    let histogram = Histogram::new(2, 4).unwrap();
    let text = message(HistogramLaplace::new(histogram, epsilon("1e-37")));
    assert!(text.starts_with("noise bound is"), "{text}");
    assert!(text.contains("wrap around the field"), "{text}");

    let histogram = Histogram::new(2, 4).unwrap();
    let text = message(HistogramLaplace::new(histogram, epsilon("1e-1000")));
    assert!(text.starts_with("noise bound is"), "{text}");
}

#[test]
fn totals_that_could_wrap_around_the_field_are_refused() {
    let sum_vec = SumVec::new(2, 1, 1 << 100).unwrap();
    let policy = SumVecLaplace::new(sum_vec, epsilon("1")).unwrap();
    assert!((134_217_000..134_217_728).contains(&policy.max_reports()));
    let text = message(policy.with_max_reports(DEFAULT_MAX_REPORTS));
    assert!(
        text.starts_with("max_reports is 4294967296: expected at most 134217"),
        "{text}"
    );

    let half_of_the_field = 170_141_183_460_469_231_473_432_886_683_950_383_104;
    let sum_vec = SumVec::new(2, 1, half_of_the_field).unwrap();
    let text = message(SumVecLaplace::new(sum_vec, epsilon("1e9")));
    assert!(text.contains("wrap around the field"), "{text}");

    let policy = histogram_laplace(2, 4);
    assert_eq!(
        message(policy.clone().with_max_reports(0)),
        "max_reports is 0: expected an integer from 1 to 18446744073709551615"
    );
    assert!(policy.with_max_reports(u64::MAX).is_ok());
    assert!(multihot_rappor(2, 4, 1).with_max_reports(0).is_err());
}

fn refused<P: DpPolicy>(policy: P, measurement: &P::Measurement) -> ParameterError {
    let client = Client::new(Arc::new(policy), CONTEXT).expect("a short context");
    match client.report(measurement) {
        Err(Error::Parameter(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn measurements_that_prio_panics_on_or_refuses_are_refused_before() {
    for bucket in [4, usize::MAX] {
        assert_eq!(
            refused(histogram_gaussian(2, 4), &bucket).to_string(),
            "measurement is hidden: expected an integer from 0 to 3"
        );
    }
    assert_eq!(
        refused(sum_vec_laplace(2, 3, 5), &[1, 2]).to_string(),
        "measurement length is 2: expected an integer from 3 to 3"
    );
    for entry in [6, 7, u128::MAX] {
        let error = refused(sum_vec_laplace(2, 3, 5), &[0, entry, 0]);
        assert_eq!(error.name(), "measurement entry");
        assert_eq!(error.accepted(), "an integer from 0 to 5");
    }
    assert_eq!(
        refused(multihot_rappor(2, 3, 1), &[false; 4]).to_string(),
        "measurement length is 4: expected an integer from 3 to 3"
    );
    assert_eq!(
        refused(multihot_rappor(2, 3, 1), &[true, true, false]).to_string(),
        "measurement weight is hidden: expected an integer from 0 to 1"
    );
}

#[test]
fn a_context_that_prio_panics_on_is_refused_before() {
    let policy = Arc::new(histogram_laplace(2, 4));
    let longest = vec![7; MAX_CONTEXT_LENGTH];
    let client = Client::new(Arc::clone(&policy), &longest).unwrap();
    client.report(&1).unwrap();

    let too_long = vec![7; MAX_CONTEXT_LENGTH + 1];
    let expected = "context length is 65528: expected at most 65527 bytes";
    assert_eq!(
        message(Client::new(Arc::clone(&policy), &too_long)),
        expected
    );
    let key = VerifyKey::from_bytes([0; 32]);
    assert_eq!(
        message(Aggregator::new(policy, 0, key, &too_long)),
        expected
    );
}

#[test]
fn an_aggregator_that_the_task_does_not_have_is_refused() {
    let policy = Arc::new(histogram_laplace(3, 4));
    let key = VerifyKey::from_bytes([0; 32]);
    for id in [3, 256, usize::MAX] {
        assert_eq!(
            message(Aggregator::new(
                Arc::clone(&policy),
                id,
                key.clone(),
                CONTEXT
            )),
            format!("aggregator is {id}: expected an integer from 0 to 2")
        );
    }
}

#[test]
fn parameters_are_printed_exactly() {
    let histogram = Histogram::with_chunk_length(2, 40, 7).unwrap();
    let policy = HistogramLaplace::new(histogram, epsilon("0.317")).unwrap();
    let expected = [
        ("aggregators", "2"),
        ("length", "40"),
        ("chunk_length", "7"),
        ("epsilon", "0.317"),
        ("scale", "2000/317"),
        ("min_reports", "1"),
        ("max_reports", "4294967296"),
    ];
    let expected: Vec<_> = expected
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec();
    assert_eq!(policy.parameters(), expected);
    assert_eq!(
        policy.name(),
        "Prio3Histogram with discrete Laplace noise at each aggregator"
    );
}

#[test]
fn the_smallest_and_the_largest_budgets_either_work_or_say_why_not() {
    let mut rng = Seed::from_u64(1).rng();
    for (epsilon_text, delta) in [("1e-9", "1e-12"), ("10000", "0.5"), ("1e-300", "1e-300")] {
        let histogram = Histogram::new(2, 3).unwrap();
        let budget = epsilon_delta(epsilon_text, delta);
        if let Ok(policy) = HistogramGaussian::new(histogram, budget) {
            let mut share = vec![prio::field::Field128::from(0); 3];
            policy.add_noise(&mut share, 1, &mut rng).unwrap();
        }
        let histogram = Histogram::new(2, 3).unwrap();
        if let Ok(policy) = HistogramLaplace::new(histogram, epsilon(epsilon_text)) {
            let mut share = vec![prio::field::Field128::from(0); 3];
            policy.add_noise(&mut share, 1, &mut rng).unwrap();
        }
    }
}

#[test]
fn a_policy_knows_the_fewest_reports_that_it_releases() {
    let policy = histogram_laplace(2, 4);
    assert_eq!(policy.min_reports(), 1);
    let policy = policy.with_min_reports(100).unwrap();
    assert_eq!(policy.min_reports(), 100);
    let shown = policy.parameters();
    assert!(shown.contains(&("min_reports", "100".to_owned())));
    assert!(policy.clone().with_max_reports(99).is_err());
    let policy = policy.with_max_reports(100).unwrap();
    assert!(policy.clone().with_min_reports(0).is_err());
    assert!(policy.with_min_reports(101).is_err());

    let clients = MultihotRappor::one_hot(2, 4, epsilon("2"), &rational("1e-9")).unwrap();
    let clients = clients.with_min_reports(7).unwrap();
    assert_eq!(clients.min_reports(), 7);
    let hedged: Hedged<_, _, DiscreteLaplace> = Hedged::new(clients.clone(), epsilon("1")).unwrap();
    assert_eq!(hedged.min_reports(), 7);
    assert_eq!(hedged.with_min_reports(8).unwrap().min_reports(), 8);
    let made_up = CompensatedRappor::new(clients, 10, 0).unwrap();
    assert_eq!(made_up.with_min_reports(9).unwrap().min_reports(), 9);
}
