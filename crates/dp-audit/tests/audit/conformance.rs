//! The test of a deployment: how often it is wrong, how many collections it takes, what it refuses.

use dp_audit::{Collected, Conformance, ExpectedRelease, Fault};
use dp_prio3::AggregatorNoise;
use dp_prio3::types::Histogram;
use dp_samplers::DiscreteLaplace;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

const TRUTHS: [i64; 3] = [1, 2, 0];

/// A histogram of three buckets at ε = 1, with two aggregators.
fn expected() -> ExpectedRelease {
    let epsilon: dp_exact::Epsilon = "1".parse().expect("an epsilon");
    let histogram = Histogram::new(2, 3).expect("a type");
    ExpectedRelease::of(&AggregatorNoise::laplace(histogram, epsilon).expect("a policy"), 3)
        .expect("a distribution")
}

/// Collections with the noise of `aggregators` aggregators.
fn collections(aggregators: usize, seed: u64) -> impl Iterator<Item = Collected> {
    let noise = DiscreteLaplace::new(&"2".parse().expect("a scale")).expect("a distribution");
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    (0..).map(move |number| {
        let mut totals = TRUTHS;
        for _ in 0..aggregators {
            let mut drawn = [0_i64; 3];
            noise.fill(&mut generator, &mut drawn).expect("draws");
            totals.iter_mut().zip(drawn).for_each(|(total, drawn)| *total += drawn);
        }
        Collected {
            batch: format!("{number}"),
            attempt: 1,
            reports: 3,
            submitted: 3,
            truths: TRUTHS.to_vec(),
            released: totals.map(|total| f64::from(i32::try_from(total).expect("small"))).to_vec(),
        }
    })
}

#[test]
fn false_alarms_are_as_rare_as_stated() {
    let mut alarms = 0;
    let fresh = Conformance::new(expected(), 0.1).expect("a test");
    for seed in 0..200 {
        let mut test = fresh.clone();
        for collected in collections(2, seed).take(60) {
            test.observe(&collected).expect("taken");
            if test.result().found().is_some() {
                alarms += 1;
                break;
            }
        }
    }
    assert!(alarms <= 20, "{alarms} of 200");
}

#[test]
fn a_fault_of_first_attempts_and_of_later_ones_is_explained() {
    let mut test = Conformance::new(expected(), 1e-6).expect("a test");
    for mut collected in collections(1, 1).take(50) {
        // Both aggregators add the same draw.
        for (released, truth) in collected.released.iter_mut().zip([1.0, 2.0, 0.0]) {
            *released += *released - truth;
        }
        test.observe(&collected).expect("taken");
        // Later attempts tell as much as first ones.
        collected.batch += " again";
        collected.attempt = 2;
        test.observe(&collected).expect("taken");
    }
    let result = test.result();
    let found = result.found().expect("a fault");
    assert_eq!(found.fault, Fault::Shared, "{result:?}");
    assert!(result.is_explained(), "{result:?}");
}

#[test]
fn what_no_total_gives_is_found_at_once() {
    let mut test = Conformance::new(expected(), 1e-6).expect("a test");
    let first = collections(2, 1).next().expect("a collection");
    let released = first.released.iter().map(|value| value + 0.4).collect();
    test.observe(&Collected { released, ..first }).expect("taken");
    assert_eq!(test.result().found().map(|found| found.fault), Some(Fault::WrongDistribution));
}

#[test]
fn what_is_no_collection_is_refused_by_name_and_leaves_nothing_behind() {
    for error in [0.0, 0.5, f64::NAN] {
        let refused = Conformance::new(expected(), error).expect_err("refused");
        assert!(refused.to_string().starts_with("error is"), "{refused}");
    }
    let first = collections(2, 1).next().expect("a collection");
    let mut test = Conformance::new(expected(), 0.1).expect("a test");
    type Alter = fn(&mut Collected);
    let wrong: [(Alter, &str); 7] = [
        (|wrong| wrong.truths = vec![1, 2], "totals is 2: expected 3"),
        (|wrong| wrong.truths[0] = -1, "truth is -1: expected a total from 0 to 3"),
        (|wrong| wrong.truths[0] = 4, "truth is 4: expected a total from 0 to 3"),
        (|wrong| wrong.released.truncate(2), "released is 2: expected 3"),
        (|wrong| wrong.released[1] = f64::NAN, "released is NaN"),
        (|wrong| wrong.reports = 2, "reports is 2: expected 3"),
        (|wrong| wrong.submitted = u64::MAX, "submitted is 18446744073709551615"),
    ];
    for (alter, told) in wrong {
        let mut wrong = first.clone();
        alter(&mut wrong);
        let refused = test.observe(&wrong).expect_err("refused").to_string();
        assert!(refused.starts_with(told), "{told}: {refused}");
        assert_eq!(test.result().collections, 0);
    }
    test.observe(&first).expect("taken");
}

#[test]
fn what_no_field_element_gives_is_found_and_breaks_nothing() {
    let first = collections(2, 1).next().expect("a collection");
    for value in [1e300, f64::MIN_POSITIVE, 1e15, -0.0] {
        let mut test = Conformance::new(expected(), 1e-6).expect("a test");
        for batch in 0..20 {
            let collected =
                Collected { batch: format!("{batch}"), released: vec![value; 3], ..first.clone() };
            test.observe(&collected).expect("taken");
        }
        assert!(test.result().found().is_some(), "{value}");
    }
}
