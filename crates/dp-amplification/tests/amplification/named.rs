//! What a question says of itself: its parameters, its reasons in words, and how far off an estimate is.

use crate::common::number;
use dp_amplification::OthersHold;
use dp_amplification::aggregated_rappor::{AggregatedRappor, WeightLimit, least_clients};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_amplification::compensation::{Batch, Compensation};
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, Corner, NoiseLaw, discrete_gaussian};
use dp_exact::{Delta, Epsilon, Rational};

const BOTH: [Adjacency; 2] = [Adjacency::Replacement, Adjacency::Deletion];

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn rappor(epsilon0: &str, clients: u64) -> AggregatedRappor {
    AggregatedRappor::new(epsilon(epsilon0), clients).expect("accepted")
}

fn response(epsilon0: &str, answers: u64, clients: u64) -> AggregatedResponse {
    AggregatedResponse::new(epsilon(epsilon0), answers, clients).expect("accepted")
}

/// ε and 2ε
fn local(epsilon0: &str) -> [Rational; 2] {
    let one = number(epsilon0);
    [&one + &one, one]
}

#[test]
fn a_question_says_what_it_was_asked_about() {
    for (epsilon0, clients, missing) in [("1.5", 300, 1), ("100", 10_000_000_000, 9), ("2", 2, 1)] {
        let sum = rappor(epsilon0, clients);
        assert_eq!(*sum.epsilon0(), epsilon(epsilon0));
        assert_eq!(sum.clients(), clients);
        assert_eq!(BOTH.map(|each| sum.local_epsilon(each)), local(epsilon0));
        let fewer = sum.without(missing).expect("some are left");
        assert_eq!(fewer.clients(), clients - missing);
        assert_eq!(*fewer.epsilon0(), epsilon(epsilon0));
        assert!(sum.without(clients).is_err());
        assert!(sum.without(u64::MAX).is_err());

        for (answers, aggregators) in [(2, 1), (4_294_967_295, 64)] {
            let sum = response(epsilon0, answers, clients);
            assert_eq!(*sum.epsilon0(), epsilon(epsilon0));
            assert_eq!((sum.answers(), sum.clients()), (answers, clients));
            assert_eq!(*sum.local_epsilon(), number(epsilon0));

            let noise = NoiseLaw::DiscreteLaplace { scale: number("7") };
            let policy = Hedged::new(epsilon(epsilon0), clients, noise.clone(), aggregators);
            let policy = policy.expect("accepted");
            let alone = policy.one_client().expect("one client");
            for (policy, clients) in [(&policy, clients), (&alone, 1)] {
                assert_eq!(policy.rappor().clients(), clients);
                assert_eq!(*policy.rappor().epsilon0(), epsilon(epsilon0));
                assert_eq!(*policy.noise(), noise);
                assert_eq!(policy.honest_aggregators(), aggregators);
                assert_eq!(BOTH.map(|each| policy.local_epsilon(each)), local(epsilon0));
            }
        }
    }
}

#[test]
fn a_plan_counts_as_many_honest_clients_as_are_left() {
    let batch = Batch {
        reports: 30,
        malicious: 4,
    };
    let plan = Compensation::new(epsilon("2"), batch, 50, 254).expect("accepted");
    let before = plan.before().expect("accepted");
    assert_eq!((before.clients(), plan.added_zeros()), (26, 24));
    for honest in [1, 12, 30] {
        let fewer = plan.with_honest(honest).expect("not above the reports");
        assert_eq!(fewer.before().expect("accepted").clients(), honest);
        // What is added depends on the public counts alone.
        assert_eq!(fewer.added_zeros(), 24);
        assert_eq!(fewer.debias_count(), plan.debias_count());
    }
    let refused = |honest| plan.with_honest(honest).unwrap_err().to_string();
    assert!(refused(31).starts_with("honest is 31: expected"));
    assert!(refused(0).contains("expected"));
    assert_eq!(plan.one_client().unwrap().before().unwrap().clients(), 1);
}

/// An empty bucket of c = e^ε₀ + k − 1 gets Bin(n, 1/c) answers, and an estimate is c/(e^ε₀ − 1) times that.
#[test]
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn an_empty_bucket_is_as_far_off_as_its_law_says() {
    for (epsilon0, answers, clients) in [("1", 2, 10), ("3", 5, 100), ("0.1", 40, 7), ("6", 3, 1)] {
        let e = epsilon0.parse::<f64>().expect("a number").exp();
        let c = e + answers as f64 - 1.0;
        let variance = clients as f64 * (1.0 / c) * (1.0 - 1.0 / c);
        let expected = variance.sqrt() * c / (e - 1.0);
        let said = response(epsilon0, answers, clients).standard_deviation_of_empty_bucket();
        assert!((said / expected - 1.0).abs() < 1e-12, "{said} {expected}");
    }
}

/// √(n·e^ε₀)/(e^ε₀ − 1), and √(A·V)·(e^ε₀ + 1)/(e^ε₀ − 1).
#[test]
fn the_errors_of_both_sources_are_those_of_their_laws() {
    for (epsilon0, reports, aggregators, scale) in [
        ("2", 900u32, 3, 4.0),
        ("0.5", 1, 2, 0.5),
        ("7", 10, 1, 30.0),
    ] {
        let noise = NoiseLaw::DiscreteLaplace {
            scale: Rational::from_f64(scale).expect("finite"),
        };
        let policy = Hedged::new(epsilon(epsilon0), 1, noise, 1).expect("accepted");
        let errors = policy.standard_errors(u64::from(reports), aggregators);
        let e = epsilon0.parse::<f64>().expect("a number").exp();
        let clients = (f64::from(reports) * e).sqrt() / (e - 1.0);
        let r = (-1.0 / scale).exp();
        let variance = 2.0 * r / ((1.0 - r) * (1.0 - r));
        let noise = (f64::from(aggregators) * variance).sqrt() * (e + 1.0) / (e - 1.0);
        let close = |said: f64, expected: f64| {
            assert!((said / expected - 1.0).abs() < 1e-12, "{said} {expected}");
        };
        close(errors.clients, clients);
        close(errors.aggregators, noise);
        close(errors.total, (clients * clients + noise * noise).sqrt());
    }
}

/// Each with the numbers that it rests on.
#[test]
fn certificates_name_the_data_and_the_slack() {
    let delta: Delta = "1e-5".parse().expect("a slack");
    let names = |text: &str, others: &OthersHold| {
        let OthersHold {
            removed,
            added,
            neither,
        } = others;
        let first = text.find(&format!("Where {removed} other")).expect("first");
        let second = text.find(&format!("value, {added} the value put in its place"));
        let third = text.find(&format!("and {neither} "));
        assert!(second > Some(first) && third > second, "{text}");
        assert!(text.contains(&format!("exceeds {delta} at every epsilon below")));
    };
    let others = OthersHold {
        removed: 11,
        added: 12,
        neither: 13,
    };
    let sum = rappor("1", 37);
    let mut bounds = sum.epsilon(&delta, Adjacency::Replacement).unwrap();
    bounds.attained_by = others;
    names(&sum.certificate(&bounds, &delta), &others);
    let sum = response("1", 3, 37);
    names(&sum.certificate(&bounds, &delta), &others);

    let limit = WeightLimit {
        length: 10,
        max_weight: 7,
    };
    let dropping = rappor("1", 3)
        .epsilon_with_drops(&delta, Adjacency::Deletion, limit)
        .unwrap();
    assert!(dropping.certificate().contains("dropped"));
    let inverse = least_clients(
        &epsilon("1"),
        &epsilon("0.9"),
        &delta,
        Adjacency::Replacement,
    )
    .unwrap();
    assert!(inverse.certificate().contains("post-processing"));
}

#[test]
fn data_that_are_named_are_of_all_others() {
    let others = |named: OthersHold| named.removed + named.added + named.neither;
    for clients in [1, 2, 6, 40, 3000] {
        for (delta, at) in [("1e-6", "0.3"), ("0.01", "0.05")] {
            let (delta, at) = (delta.parse().expect("a delta"), epsilon(at));
            for answers in [2, 3, 7, 100] {
                let sum = response("1.5", answers, clients);
                let from_delta = sum.epsilon(&delta).expect("bounds").attained_by;
                let from_epsilon = sum.delta(&at).expect("bounds").attained_by;
                assert_eq!([from_delta, from_epsilon].map(others), [clients - 1; 2]);
            }
            for each in BOTH {
                let sum = rappor("1.5", clients);
                let from_delta = sum.epsilon(&delta, each).expect("bounds").attained_by;
                let from_epsilon = sum.delta(&at, each).expect("bounds").attained_by;
                assert_eq!([from_delta, from_epsilon].map(others), [clients - 1; 2]);

                let variance = number("9");
                let noise = NoiseLaw::DiscreteGaussian { variance };
                let policy = Hedged::new(epsilon("1.5"), clients, noise, 1).expect("accepted");
                let from_delta = policy.epsilon(&delta, each).expect("bounds").attained_by;
                let from_epsilon = policy.delta(&at, each).expect("bounds").attained_by;
                assert_eq!([from_delta, from_epsilon].map(others), [clients - 1; 2]);
            }
        }
    }
}

#[test]
fn of_two_answers_nobody_holds_a_third() {
    let sum = response("1.5", 2, 30);
    for at in ["0.2", "1.5", "9"] {
        let named = sum.delta(&epsilon(at)).expect("bounds").attained_by;
        assert_eq!(
            (named.neither, named.removed + named.added),
            (0, 29),
            "{at}"
        );
    }
}

#[test]
fn noise_that_promises_more_than_the_clients_is_what_counts() {
    let corner = Corner::one_hot();
    let (at, variance) = (epsilon("0.5"), number("60"));
    let alone = discrete_gaussian::delta(&variance, &at, &corner).expect("a delta");
    for clients in [1, 50] {
        let noise = NoiseLaw::DiscreteGaussian {
            variance: variance.clone(),
        };
        let policy = Hedged::new(epsilon("40"), clients, noise, 1).expect("accepted");
        let found = policy.delta(&at, Adjacency::Replacement).expect("bounds");
        let ratio = found.upper.to_f64() / alone.upper().to_f64();
        assert!((0.999..=1.0 + 1e-9).contains(&ratio), "{ratio}");
    }
}

#[test]
fn a_variance_out_of_range_is_refused_by_name() {
    let sum = response("1.5", 5, 30);
    let slack = "1e-6".parse().expect("a delta");
    let long = &Rational::one() + &number("1e-700");
    for variance in [number("9.9e-5"), number("1.1e12"), long] {
        let refused = sum.epsilon_with_gaussian_noise(&slack, &variance);
        let refused = refused.expect_err("out of range").to_string();
        assert!(refused.contains("variance"), "{refused}");
    }
    for variance in ["1e-4", "1e12"] {
        let accepted = sum.epsilon_with_gaussian_noise(&slack, &number(variance));
        assert!(accepted.is_ok(), "{variance}");
    }
}
