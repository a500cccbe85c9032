//! The noise of `dp-libprio` behind the hook of prio 0.16.

use dp_libprio::{Query, SignedField as _};
use janus_noise::{EnforcedQuery, Noise, SharedField, Strategy};
use prio::dp::DifferentialPrivacyStrategy as _;
use prio::field::{Field64, Field128, FieldElement as _, FieldElementWithInteger as _};
use prio::flp::TypeWithNoise;
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::{Average, Count, Histogram, Sum, SumVec};
use prio::vdaf::prio3::Prio3;
use prio::vdaf::{Aggregator as _, AggregatorWithNoise as _, Collector as _};
use serde::{Deserialize, Serialize};

type Plain<F> = ParallelSum<F, Mul<F>>;

/// The strategy with these fields beside its version.
fn strategy(fields: &str) -> Strategy {
    serde_json::from_str(&format!("{{\"version\": 1, {fields}}}")).expect("accepted")
}

fn laplace(epsilon: &str) -> Strategy {
    strategy(&format!(
        r#""law": "discrete_laplace", "budget": {{"pure": {{"epsilon": "{epsilon}"}}}}"#
    ))
}

fn gaussian(rho: &str) -> Strategy {
    strategy(&format!(
        r#""law": "discrete_gaussian", "budget": {{"zero_concentrated": {{"rho": "{rho}"}}}}"#
    ))
}

/// The fields of both releases have one modulus, and elements keep their residues.
#[test]
fn the_fields_of_both_releases_are_equal() {
    let modulus = u128::from(Field64::modulus());
    assert_eq!(modulus, <Field64 as SharedField>::Same::MODULUS);
    assert_eq!(Field128::modulus(), <Field128 as SharedField>::Same::MODULUS);
    for value in [0, 1, 41, 1 << 63, Field64::modulus() - 1] {
        assert_eq!(Field64::from(value).to_same().to_residue(), u128::from(value));
        assert_eq!(Field64::of_same(Field64::from(value).to_same()), Field64::from(value));
    }
    for value in [0, 1, 41, 1 << 127, Field128::modulus() - 1] {
        assert_eq!(Field128::from(value).to_same().to_residue(), value);
        assert_eq!(Field128::of_same(Field128::from(value).to_same()), Field128::from(value));
    }
    // −1 is −1.
    assert_eq!((-Field64::one()).to_same().to_signed(), -1);
    assert_eq!((-Field128::one()).to_same().to_signed(), -1);
}

#[test]
fn every_circuit_says_its_query() {
    let average = Average::<Field128>::new(4).expect("bits");
    let vector = SumVec::<Field128, Plain<_>>::new(2, 5, 3).expect("a vector");
    let histogram = Histogram::<Field64, Plain<_>>::new(7, 3).expect("buckets");
    for (found, expected) in [
        (Count::<Field64>::new().enforced_query(), Query::Count),
        (average.enforced_query(), Query::Average { max_measurement: 15 }),
        (vector.enforced_query(), Query::SumVec { length: 5, max_measurement: 3 }),
        (histogram.enforced_query(), Query::Histogram { length: 7 }),
    ] {
        assert_eq!(found.expect("a query"), expected);
    }
    for bits in [1, 8, 63, 126] {
        let sum = Sum::<Field128>::new(bits).expect("bits").enforced_query();
        assert_eq!(sum.expect("a query"), Query::Sum { max_measurement: (1 << bits) - 1 });
    }
    // A total of 2^127 − 1 has no sign.
    let refused = Sum::<Field128>::new(127).expect("bits").enforced_query().unwrap_err();
    assert!(refused.to_string().contains("max_measurement"), "{refused}");
}

/// The mean square of 6000 draws, over the predicted variance, is 1 up to 8 of its standard
/// deviations √((κ − 1)/6000), with the kurtosis κ of the noise. It is farther with a probability
/// below 1e-10: of Laplace noise, by Chernoff's bound at 0.02 on the squares over the squared
/// scale, without the draws beyond 40 scales, of a probability of 3e-14 together; Gaussian noise
/// has shorter tails. Noise of half the variance is caught.
#[test]
fn noise_has_the_predicted_standard_deviation() {
    let length = 6000;
    for (strategy, kurtosis) in [(laplace("0.5"), 6.0f64), (gaussian("0.02"), 3.0)] {
        let circuit = Histogram::<Field128, Plain<_>>::new(length, 77).expect("buckets");
        let query = circuit.enforced_query().expect("a query");
        let predicted = strategy.calibrated(&query).expect("noise").standard_deviation();
        let mut share = vec![Field128::zero(); length];
        circuit.add_noise_to_result(&strategy, &mut share, 1000).expect("noise");
        let squares = share.iter().map(|entry| {
            let value = i32::try_from(entry.to_same().to_signed()).expect("small");
            f64::from(value) * f64::from(value)
        });
        let ratio = squares.sum::<f64>() / 6000.0 / (predicted * predicted);
        let allowed = 8.0 * ((kurtosis - 1.0) / 6000.0).sqrt();
        assert!((ratio - 1.0).abs() < allowed, "{strategy:?}: {ratio}");
        assert!((ratio / 2.0 - 1.0).abs() > allowed, "{strategy:?}: {ratio}");
    }
}

/// Through the VDAF, as a server calls it: the totals of two aggregators, with their signs.
#[test]
fn both_aggregators_add_noise_through_the_vdaf() {
    let vdaf = Prio3::new_histogram(2, 40, 7).expect("a histogram");
    let mut shares = [(); 2].map(|()| vdaf.aggregate(&(), []).expect("no reports"));
    for share in &mut shares {
        vdaf.add_noise_to_agg_share(&laplace("0.5"), &(), share, 0).expect("noise");
    }
    let result = vdaf.unshard(&(), shares, 0).expect("totals");
    let totals = dp_libprio::signed_totals::<<Field128 as SharedField>::Same>(&result);
    // A total of two noises of scale 4 exceeds 400 with a probability below 1e-40, and is 0 with
    // one below 0.1: none of 40 is below 0 with a probability of at most 0.55^40 < 1e-10.
    assert!(totals.iter().all(|total| total.abs() < 400), "{totals:?}");
    assert!(totals.iter().any(|total| *total < 0), "{totals:?}");
}

#[test]
fn what_has_no_noise_is_refused_and_leaves_the_share_as_it_was() {
    let histogram = Histogram::<Field64, Plain<_>>::new(7, 3).expect("buckets");
    let refused = |strategy: &Strategy, length: usize, reports: usize| {
        let mut share = vec![Field64::one(); length];
        let error = histogram.add_noise_to_result(strategy, &mut share, reports).unwrap_err();
        assert!(share.iter().all(|entry| *entry == Field64::one()));
        error.to_string()
    };
    let error = refused(&laplace("1"), 6, 10);
    assert!(error.contains("aggregate share length is 6"), "{error}");
    let error = refused(&laplace("1"), 7, usize::MAX);
    assert!(error.contains("reports is"), "{error}");
    let one = Histogram::<Field64, Plain<_>>::new(1, 1).expect("a bucket");
    assert!(one.add_noise_to_result(&laplace("1"), &mut [Field64::one()], 10).is_err());
    // A matrix is for histograms.
    let ranges = strategy(
        r#""law": "discrete_laplace", "matrix": "ranges", "budget": {"pure": {"epsilon": "1"}}"#,
    );
    assert!(ranges.create_distribution(Query::Count).is_err());
    let Noise(noise) = ranges.create_distribution(Query::Histogram { length: 7 }).expect("noise");
    assert!(noise.matrix.is_some());
    // What protects nobody is not read.
    let weak =
        r#"{"version": 1, "law": "discrete_laplace", "budget": {"pure": {"epsilon": "50"}}}"#;
    assert!(serde_json::from_str::<Strategy>(weak).is_err());
}

/// The strategies of a histogram, as a server stores them with a task.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
enum TaskStrategy {
    NoDifferentialPrivacy,
    DpLibprio(Strategy),
}

#[test]
fn strategies_survive_json_and_yaml_inside_the_enum_of_a_server() {
    for own in [laplace("0.5"), laplace("1/3"), gaussian("1e-5")] {
        let stored = TaskStrategy::DpLibprio(own);
        let text = serde_json::to_string(&stored).expect("JSON");
        assert!(text.starts_with(r#"{"dp_strategy":"DpLibprio","version":1,"#), "{text}");
        assert_eq!(serde_json::from_str::<TaskStrategy>(&text).expect("read"), stored);
        let text = yaml_serde::to_string(&stored).expect("YAML");
        assert_eq!(yaml_serde::from_str::<TaskStrategy>(&text).expect("read"), stored);
    }
    let old: TaskStrategy =
        serde_json::from_str(r#"{"dp_strategy":"NoDifferentialPrivacy"}"#).expect("read");
    assert_eq!(old, TaskStrategy::NoDifferentialPrivacy);
}
