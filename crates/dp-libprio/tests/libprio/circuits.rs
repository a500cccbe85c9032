//! The query that a strategy reads from a circuit, and the circuits and batches that it refuses.

use dp_libprio::{CircuitQuery, Query, SignedField, Strategy};
use prio::field::{Field64, Field128};
use prio::flp::gadgets::{Mul, ParallelSum, ParallelSumMultithreaded};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{FlpError, TypeWithNoise};

use crate::{concentrated, pure};

/// (p − 1)/2 for the modulus p = 2^64 − 2^32 + 1 of Field64.
const HALF: u64 = 0x7fff_ffff_8000_0000;

type Plain<F> = ParallelSum<F, Mul>;
type Threaded<F> = ParallelSumMultithreaded<F, Mul>;

#[test]
fn a_circuit_tells_the_parameters_it_was_made_with() {
    fn tells<T: CircuitQuery>(circuit: Result<T, FlpError>, query: &Query) {
        assert_eq!(circuit.unwrap().enforced_query().unwrap(), *query);
    }
    tells(Ok(Count::<Field64>::new()), &Query::Count);
    for largest in [1, 2, 3, 4, 63, 64, 100, HALF - 1, HALF] {
        tells(Sum::<Field64>::new(largest), &Query::Sum { max_measurement: largest.into() });
        let max = u128::from(largest) << 60;
        tells(Average::<Field128>::new(max), &Query::Average { max_measurement: max });
        for (length, chunk) in [(1, 1), (2, 3), (7, 2), (39, 19)] {
            let sums = Query::SumVec { length, max_measurement: max };
            tells(SumVec::<Field128, Plain<_>>::new(max, length, chunk), &sums);
            let bounded = Query::L1BoundSum { length, max_measurement: max };
            tells(L1BoundSum::<Field128, Plain<_>>::new(max, length, chunk), &bounded);
            let bounded = Query::L1BoundSum { length, max_measurement: largest.into() };
            tells(L1BoundSum::<Field64, Threaded<_>>::new(largest, length, chunk), &bounded);
        }
    }
    for (length, weight, chunk) in
        [(1, 1, 1), (1, 9, 1), (4, 3, 5), (7, 8, 2), (20, 16, 4), (39, 49, 19), (39, 5, 3)]
    {
        let histogram = Histogram::<Field64, Threaded<_>>::new(length, chunk);
        tells(histogram, &Query::Histogram { length });
        // A bound above the length bounds nothing.
        let multihot = Query::MultihotCountVec { length, max_weight: weight.min(length) };
        tells(MultihotCountVec::<Field128, Plain<_>>::new(length, weight, chunk), &multihot);
        tells(MultihotCountVec::<Field64, Threaded<_>>::new(length, weight, chunk), &multihot);
    }
}

#[test]
fn a_measurement_above_half_the_modulus_is_refused() {
    assert_eq!(i128::from(HALF), Field64::MAX_SIGNED);
    Sum::<Field64>::new(HALF).unwrap().enforced_query().unwrap();
    let error = Sum::<Field64>::new(HALF + 1).unwrap().enforced_query().unwrap_err();
    assert!(error.to_string().starts_with("max_measurement is "), "{error}");
    let circuit = L1BoundSum::<Field64, Plain<_>>::new(HALF + 1, 3, 2).unwrap();
    circuit.enforced_query().unwrap_err();
}

/// The error of `add_noise_to_agg_share` for a share of `entries` zeros over `reports` reports.
fn refusal<T>(circuit: &T, strategy: &Strategy, entries: usize, reports: usize) -> String
where
    T: TypeWithNoise<Strategy, Field: SignedField>,
{
    let mut share = vec![T::Field::from_signed(0).expect("zero"); entries];
    circuit
        .add_noise_to_agg_share(strategy, &mut share, reports)
        .expect_err("to be refused")
        .to_string()
}

#[test]
fn a_share_of_another_length_is_refused() {
    let circuit = Histogram::<Field128, Plain<_>>::new(8, 3).unwrap();
    for entries in [0, 7, 9] {
        let error = refusal(&circuit, &pure("1"), entries, 1);
        assert!(error.contains("aggregate share length is"), "{error}");
    }
}

#[test]
fn a_batch_whose_totals_could_wrap_is_refused() {
    // 2^40 reports of 2^23 reach p/2 = 2^63; the noise needs room as well.
    let circuit = Sum::<Field64>::new(1 << 23).unwrap();
    let mut share = [Field64::from(0)];
    circuit.add_noise_to_agg_share(&pure("1"), &mut share, 1 << 39).unwrap();
    let error = refusal(&circuit, &pure("1"), 1, 1 << 40);
    assert!(error.contains("reports is 1099511627776: expected few enough"), "{error}");

    // Noise for ε = 1e-9 that alone would wrap.
    let circuit = Sum::<Field64>::new(1 << 30).unwrap();
    let error = refusal(&circuit, &pure("1e-9"), 1, 1);
    assert!(error.contains("reports is 1: expected few enough"), "{error}");
}

#[test]
fn what_no_measurement_changes_needs_no_strategy() {
    let circuit = Histogram::<Field128, Plain<_>>::new(1, 1).unwrap();
    for strategy in [pure("1"), concentrated("1")] {
        let error = refusal(&circuit, &strategy, 1, 10);
        assert!(error.contains("length is 1: expected at least 2 buckets"), "{error}");
    }
}
