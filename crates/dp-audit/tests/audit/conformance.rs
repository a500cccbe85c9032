//! The test of a deployment: how often it is wrong, how many collections it takes, what it refuses.

use std::collections::BTreeMap;

use dp_audit::{Collected, Conformance, ExpectedRelease, Fault, FaultStatus, Verdict};
use dp_samplers::DiscreteLaplace;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::planted::{buckets, collected, laplace};

const TRUTHS: [i64; 3] = [1, 2, 0];

/// A histogram of three buckets at ε = 1, with two aggregators.
fn expected() -> ExpectedRelease {
    ExpectedRelease::of(&laplace(buckets(3), "1")).expect("a distribution")
}

/// Collections with the noise of `aggregators` aggregators.
fn collections(aggregators: usize, seed: u64) -> impl Iterator<Item = Collected> {
    let noise = DiscreteLaplace::new(&"2".parse().expect("a scale")).expect("a distribution");
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    (0_u64..).map(move |number| {
        let mut totals = TRUTHS;
        for _ in 0..aggregators {
            let mut drawn = [0_i64; 3];
            noise.fill(&mut generator, &mut drawn).expect("draws");
            totals.iter_mut().zip(drawn).for_each(|(total, drawn)| *total += drawn);
        }
        let released = totals.map(|total| f64::from(i32::try_from(total).expect("small")));
        collected(number, 3, &TRUTHS, released.to_vec())
    })
}

/// The mean of each fault's likelihood ratio over all outcomes of the next collection, for two
/// buckets with Laplace noise of scale ½. Without statistics: the mean is at most 1, also after
/// outcomes that differ from what is expected. A factor of 1.000002 would be caught in most faults;
/// a mixture has less than 1, as narrow noise has no values in some classes.
#[test]
fn no_likelihood_ratio_has_a_mean_above_one() {
    let expected = ExpectedRelease::of(&laplace(buckets(2), "4")).expect("a distribution");
    // P(X + Y = s) = ((1 − q)/(1 + q))²·q^|s|·(|s| + (1 + q²)/(1 − q²)) for noises X and Y.
    let q = (-2.0_f64).exp();
    let probability = |noise: i32| {
        let distance = f64::from(noise.abs());
        let tail = distance + (1.0 + q * q) / (1.0 - q * q);
        ((1.0 - q) / (1.0 + q)).powi(2) * q.powf(distance) * tail
    };
    let observed = |test: &Conformance, noise: [i32; 2]| {
        let mut test = test.clone();
        let batch = format!("{} {noise:?}", test.result().collections);
        let released = vec![f64::from(2 + noise[0]), f64::from(1 + noise[1])];
        test.observe(&collected(batch, 3, &[2, 1], released)).expect("taken");
        test
    };
    let evidence = |test: &Conformance| -> BTreeMap<Fault, f64> {
        let verdicts = test.result().verdicts.into_iter();
        verdicts.map(|verdict| (verdict.fault, verdict.evidence)).collect()
    };
    for before in [vec![[0, 0]], vec![[1, -1], [-1, 0], [2, -2]], vec![[3, -3]; 10]] {
        let fresh = Conformance::new(expected.clone(), 0.1).expect("a test");
        let test = before.iter().fold(fresh, |test, noise| observed(&test, *noise));
        let now = evidence(&test);
        let mut means: BTreeMap<Fault, f64> = BTreeMap::new();
        for noise in (-11..=11).flat_map(|one| (-11..=11).map(move |other| [one, other])) {
            let joint = probability(noise[0]) * probability(noise[1]);
            for (fault, next) in evidence(&observed(&test, noise)) {
                *means.entry(fault).or_default() += joint * (next - now[&fault]).exp();
            }
        }
        for (fault, mean) in &means {
            assert!(*mean < 1.0 + 1e-6, "{fault} after {before:?}: {mean}");
        }
        let exact = means.values().filter(|mean| **mean > 1.0 - 1e-6).count();
        assert!(exact >= 8, "after {before:?}: {means:?}");
    }
}

/// Over all collections each total has the right distribution: only its sign depends on data.
#[test]
fn noise_whose_sign_depends_on_the_measurements_is_found() {
    let mut test = Conformance::new(expected(), 1e-6).expect("a test");
    for (number, mut collected) in (0_i32..200).zip(collections(2, 1)) {
        let (sign, truths) =
            if number % 2 == 0 { (1.0, [1.0, 2.0, 0.0]) } else { (-1.0, [0.0, 2.0, 1.0]) };
        for ((released, before), truth) in
            collected.released.iter_mut().zip([1.0, 2.0, 0.0]).zip(truths)
        {
            *released = truth + sign * (*released - before).abs();
        }
        collected.truths = if number % 2 == 0 { vec![1, 2, 0] } else { vec![0, 2, 1] };
        test.observe(&collected).expect("taken");
        if test.result().found().is_some() {
            break;
        }
    }
    let result = test.result();
    assert_eq!(
        result.found().map(|found| found.fault),
        Some(Fault::WrongForSomeData),
        "{result:?}"
    );
    assert!(result.collections <= 60, "{result:?}");
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

/// With 40 people more in each bucket, ten standard deviations, no estimate has a sign to lose.
#[test]
fn a_fault_that_no_number_of_collections_shows_is_invisible() {
    let mut test = Conformance::new(expected(), 1e-6).expect("a test");
    for mut collected in collections(2, 1).take(500) {
        (collected.truths, collected.reports) = (TRUTHS.map(|truth| truth + 40).to_vec(), 123);
        collected.released.iter_mut().for_each(|released| *released += 40.0);
        test.observe(&collected).expect("taken");
    }
    assert!(test.result().conforms(), "{:?}", test.result());
}

#[test]
fn what_no_total_gives_is_found_at_once() {
    let mut test = Conformance::new(expected(), 1e-6).expect("a test");
    let first = collections(2, 1).next().expect("a collection");
    let released = first.released.iter().map(|value| value + 0.4).collect();
    test.observe(&Collected { released, ..first }).expect("taken");
    let result = test.result();
    assert_eq!(result.found().map(|found| found.fault), Some(Fault::WrongDistribution));
    // The threshold of Wald's test for K faults at half the error, for first attempts.
    let faults = f64::from(u32::try_from(result.verdicts.len()).expect("few"));
    let likeliest = result.verdicts[0].evidence;
    for Verdict { outcome, evidence, .. } in result.verdicts {
        let is_above = evidence >= (faults / 0.5e-6).ln();
        assert_eq!(matches!(outcome, FaultStatus::Found | FaultStatus::Secondary), is_above);
        assert_eq!(outcome == FaultStatus::Found, evidence == likeliest);
    }
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
    let wrong: [(Alter, &str); 10] = [
        (|wrong| wrong.truths = vec![1, 2], "totals is 2: expected 3"),
        (|wrong| wrong.truths[0] = -1, "truth is -1: expected a total from 0 to 3"),
        (|wrong| wrong.truths[0] = 4, "truth is 4: expected a total from 0 to 3"),
        (|wrong| wrong.truths[1] = 1, "sum of the truths is 2: expected 3, one of each"),
        (|wrong| wrong.released.truncate(2), "released is 2: expected 3"),
        (|wrong| wrong.released[1] = f64::NAN, "released is NaN"),
        (|wrong| wrong.reports = 2, "sum of the truths is 3: expected 2"),
        (|wrong| wrong.reports = u64::MAX, "reports is 18446744073709551615"),
        (|wrong| wrong.stated.reports_of_a_person = Some(0), "reports_of_a_person is 0"),
        (|wrong| wrong.stated.digest = Some("sha256:00".to_owned()), "digest is sha256:00"),
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
    for value in [1e300, f64::MIN_POSITIVE, 1e15, -0.0] {
        let mut test = Conformance::new(expected(), 1e-6).expect("a test");
        for batch in 0..20 {
            test.observe(&collected(batch, 3, &TRUTHS, vec![value; 3])).expect("taken");
        }
        assert!(test.result().found().is_some(), "{value}");
    }
}
