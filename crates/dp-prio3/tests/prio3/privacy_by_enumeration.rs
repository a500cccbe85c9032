//! The inequality of differential privacy at toy size, for every Prio3 type with every mechanism
//! and kind of budget, on the code that runs: what a measurement adds to the totals is what real
//! Prio3 adds, the noise is what the aggregator adds, and its probabilities are enclosures of the
//! policy's own sampler's. **All** pairs of measurements are compared.
//!
//! For pure ε every outcome y must satisfy P(y) ≤ e^ε·Q(y). The policies attain equality, so
//! certified enclosures cannot separate the two sides there: a test passes if no outcome
//! **refutes** the inequality at 128 bits, and the same test must refute an ε smaller by 2^−40.
//! For (ε, δ) the enumerated Σ (P − e^ε·Q)₊ plus the whole mass outside the window is certainly at
//! most δ, and certainly more once the noise is a little less. For ρ the Rényi divergence is
//! D_α ≤ ρ·α, with equality at integers.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::support::enumeration::{
    Difference, Law, PRECISION, breaks, differences, keeps, refutes_pure, renyi_bound,
    renyi_moment, smaller,
};
use crate::support::{Task, alone, epsilon_delta, laplace, rational, rng};
use dp_calibration::Budget;
use dp_exact::{Interval, Rho};
use dp_prio3::TrustModel::OneAggregatorOneClient;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, DpPolicy, FieldOf, PolicyDescription, SignedField};
use prio::field::FieldElement as _;

/// What each measurement adds to the totals, by real Prio3.
fn contributions<V: MeasurementType>(
    measurement_type: &V,
    measurements: &[&V::Measurement],
) -> Vec<Vec<i64>> {
    let mut task = Task::new(laplace(measurement_type.clone(), "1"), 1);
    let mut contribution = |measurement: &&V::Measurement| {
        task.send(measurement);
        let (_, totals) = task.exact_totals();
        let small = totals.into_iter().map(i64::try_from);
        small.collect::<Result<Vec<_>, _>>().expect("a toy measurement")
    };
    measurements.iter().map(&mut contribution).collect()
}

/// An aggregator adds to its share the draws of the sampler, in blocks of 256, and nothing else.
fn adds<V: MeasurementType, N: NoiseMechanism>(policy: &AggregatorNoise<V, N>, law: &impl Law) {
    let mut noisy = vec![FieldOf::<AggregatorNoise<V, N>>::zero(); 300];
    policy.add_noise(&mut noisy, 1, &mut rng(5)).expect("fits");
    let mut draws = vec![0; 300];
    law.draw(&mut rng(5), &mut draws);
    let noise: Vec<i128> = noisy.into_iter().map(SignedField::to_signed).collect();
    assert_eq!(noise, draws, "{}", policy.name());
}

/// The window beyond which one coordinate has a mass of at most 2^−70.
fn reach<N: NoiseMechanism>(mechanism: &N) -> i64 {
    i64::try_from(mechanism.tail_bound(70)).expect("little noise")
}

fn budget<P: DpPolicy>(policy: &P) -> Budget {
    let guarantee = policy.guarantee(OneAggregatorOneClient, &alone());
    guarantee.budget().expect("a guarantee").clone()
}

fn pure_laplace<V: MeasurementType>(measurement_type: &V, differences: &BTreeSet<Difference>) {
    for text in ["0.5", "1/3", "2"] {
        let policy = laplace(measurement_type.clone(), text);
        let law = policy.mechanism().sampler().expect("a sampler");
        adds(&policy, law);
        let Budget::Pure { epsilon } = budget(&policy) else {
            panic!("a pure budget");
        };
        assert_eq!(epsilon, crate::support::epsilon(text));
        let name = policy.name();
        assert!(!refutes_pure(law, differences, epsilon.value()), "{name}");
        let less = smaller(epsilon.value());
        assert!(refutes_pure(law, differences, &less), "{name}");
    }
}

/// (ε, δ) with either mechanism, and with `less`, a law of one part in a thousand less noise.
fn approximate<V: MeasurementType, N: NoiseMechanism, L: Law>(
    policy: &AggregatorNoise<V, N>,
    (law, less): (&L, &L),
    differences: &BTreeSet<Difference>,
) {
    adds(policy, law);
    let Budget::Approximate { epsilon, delta } = budget(policy) else {
        panic!("an approximate budget");
    };
    let (epsilon, delta) = (epsilon.value(), delta.value());
    let (name, reach) = (policy.name(), reach(policy.mechanism()));
    assert!(keeps(law, differences, epsilon, delta, reach), "{name}");
    assert!(breaks(less, differences, epsilon, delta, reach), "{name}");
}

fn approximate_laplace<V: MeasurementType>(
    measurement_type: &V,
    differences: &BTreeSet<Difference>,
) {
    let budget = epsilon_delta("3", "1e-3");
    let policy = AggregatorNoise::<V, DiscreteLaplace>::new(measurement_type.clone(), budget)
        .expect("a valid budget");
    let mechanism = policy.mechanism();
    let less = dp_samplers::DiscreteLaplace::new(&(mechanism.scale() * &rational("0.999")))
        .expect("a positive scale");
    approximate(&policy, (mechanism.sampler().expect("a sampler"), &less), differences);
}

fn approximate_gaussian<V: MeasurementType>(
    measurement_type: &V,
    differences: &BTreeSet<Difference>,
) {
    for (epsilon, delta) in [("3", "1e-3"), ("1.5", "1e-2")] {
        let budget = epsilon_delta(epsilon, delta);
        let policy = AggregatorNoise::<V, DiscreteGaussian>::new(measurement_type.clone(), budget)
            .expect("a valid budget");
        let mechanism = policy.mechanism();
        let variance = mechanism.variance_parameter() * &rational("0.999");
        let less = dp_samplers::DiscreteGaussian::new(&variance).expect("a positive variance");
        approximate(&policy, (mechanism.sampler().expect("a sampler"), &less), differences);
    }
}

fn concentrated_gaussian<V: MeasurementType>(
    measurement_type: &V,
    differences: &BTreeSet<Difference>,
) {
    let rho: Rho = "1/3".parse().expect("positive");
    let policy = AggregatorNoise::<V, DiscreteGaussian>::new(measurement_type.clone(), rho)
        .expect("a valid budget");
    let law = policy.mechanism().sampler().expect("a sampler");
    adds(&policy, law);
    let Budget::ZeroConcentrated { rho } = budget(&policy) else {
        panic!("a zero-concentrated budget");
    };
    for alpha in [2, 3, 5, 8] {
        let largest = differences.iter().flatten().max().copied().unwrap_or(0);
        // The terms belong to a Gaussian around (α − 1)·d.
        let reach = reach(policy.mechanism()) + i64::from(alpha) * largest;
        let moments =
            differences.iter().map(|difference| renyi_moment(law, difference, alpha, reach));
        let bound = renyi_bound(rho.value(), alpha);
        let slack = Interval::rational(&rational("1.000000000001"), PRECISION);
        let less = renyi_bound(&smaller(rho.value()), alpha);
        let mut attained = false;
        for moment in moments {
            let name = policy.name();
            assert_ne!(moment.compare(&bound), Some(Ordering::Greater), "{name}");
            assert_eq!(moment.compare(&(&bound * &slack)), Some(Ordering::Less));
            attained |= moment.compare(&less) == Some(Ordering::Greater);
        }
        assert!(attained, "{}: a smaller rho would do", policy.name());
    }
}

fn check<V: MeasurementType>(measurement_type: &V, measurements: &[&V::Measurement]) {
    let contributions = contributions(measurement_type, measurements);
    let differences = differences(&contributions);
    pure_laplace(measurement_type, &differences);
    approximate_laplace(measurement_type, &differences);
    approximate_gaussian(measurement_type, &differences);
    concentrated_gaussian(measurement_type, &differences);
}

#[test]
fn a_count_keeps_its_guarantee_for_all_measurements() {
    check(&Count::new(2).unwrap(), &[&false, &true]);
}

#[test]
fn a_sum_keeps_its_guarantee_for_all_measurements() {
    check(&Sum::new(2, 4).unwrap(), &[&0, &1, &2, &3, &4]);
}

#[test]
fn an_average_keeps_its_guarantee_for_all_measurements() {
    check(&Average::new(2, 5).unwrap(), &[&0, &1, &2, &3, &4, &5]);
}

/// All vectors of two integers up to 2, for a type of maximum 2, which is not 2^bits − 1.
#[test]
fn a_sum_vector_keeps_its_guarantee_for_all_measurements() {
    let vectors: Vec<[u128; 2]> = (0..9).map(|index| [index % 3, index / 3]).collect();
    let measurements: Vec<&[u128]> = vectors.iter().map(|vector| &vector[..]).collect();
    check(&SumVec::new(2, 2, 2).unwrap(), &measurements);
}

#[test]
fn a_histogram_keeps_its_guarantee_for_all_measurements() {
    check(&Histogram::new(2, 3).unwrap(), &[&0, &1, &2]);
}

/// The sensitivity is 2w in the first case, the length in the second.
#[test]
fn a_multihot_count_keeps_its_guarantee_for_all_measurements() {
    for (length, max_weight) in [(3, 1), (2, 2)] {
        let vectors: Vec<Vec<bool>> = (0..1_u32 << length)
            .filter(|bits| usize::try_from(bits.count_ones()).unwrap() <= max_weight)
            .map(|bits| (0..length).map(|place| bits >> place & 1 == 1).collect())
            .collect();
        let measurements: Vec<&[bool]> = vectors.iter().map(Vec::as_slice).collect();
        let bits = MultihotCountVec::new(2, length, max_weight).unwrap();
        check(&bits, &measurements);
    }
}

#[test]
fn an_l1_bound_sum_keeps_its_guarantee_for_all_measurements() {
    let vectors: Vec<[u128; 2]> = (0..9)
        .map(|index| [index % 3, index / 3])
        .filter(|[one, other]| one + other <= 2)
        .collect();
    let measurements: Vec<&[u128]> = vectors.iter().map(|vector| &vector[..]).collect();
    check(&L1BoundSum::new(2, 2, 2).unwrap(), &measurements);
}
