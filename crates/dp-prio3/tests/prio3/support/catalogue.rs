//! One small policy of every kind, each with a measurement that it admits.

use super::*;

/// Every VDAF, a measurement, and the measurement's contribution to each total.
pub(crate) fn vdafs() -> [(Vdaf, Measurement<'static>, &'static [f64]); 7] {
    [
        (COUNT, Bit(true), &[1.0]),
        (sum(5, 5), Integer(3), &[3.0]),
        (average(3, 100), Integer(42), &[42.0]),
        (sum_vec(2, 3, 4), Integers(&[4, 0, 1]), &[4.0, 0.0, 1.0]),
        (histogram(2, 3), Bucket(1), &[0.0, 1.0, 0.0]),
        (multihot(4, Some(2)), Bits(&[true, false, false, true]), &[1.0, 0.0, 0.0, 1.0]),
        (l1_bound_sum(3, 7), Integers(&[5, 0, 2]), &[5.0, 0.0, 2.0]),
    ]
}

/// What each client does, alone. No report is dropped for its weight.
fn clients() -> [(Parts, Measurement<'static>); 6] {
    let one_bit = Bits(&[false, true, false]);
    [
        (randomized_response("1"), Bit(true)),
        (coin_flip(), Bit(true)),
        (kary_response(3, "1"), Bucket(2)),
        (rappor(3, 2, "1", "0"), Bits(&[true, true, false])),
        (one_hot_rappor(3, "1", "0"), one_bit),
        (basic_rappor(3, "2", "0"), one_bit),
    ]
}

/// Every noise behind a strategy matrix.
pub(crate) fn matrix_noises() -> [AggregatorNoise; 3] {
    [
        AggregatorNoise::PercentilesGaussian { budget: concentrated("1") },
        AggregatorNoise::RangesGaussian { budget: epsilon_delta("1", "1e-6") },
        AggregatorNoise::RangesLaplace { budget: pure("1") },
    ]
}

/// Every combination of a VDAF, what clients do and what aggregators add.
pub(crate) fn policies() -> Vec<(Parts, Measurement<'static>)> {
    let noises = || [laplace(pure("1")), gaussian(epsilon_delta("1", "1e-6"))];
    let mut all: Vec<(Parts, Measurement<'static>)> = Vec::new();
    for (vdaf, measurement, _) in vdafs() {
        all.extend(noises().map(|noise| (noise_parts(vdaf.clone(), noise), measurement)));
    }
    for (vdaf, measurement, _) in [&vdafs()[3], &vdafs()[5]] {
        all.push((noise_parts(vdaf.clone(), k_norm(pure("1"))), *measurement));
    }
    for (clients, measurement) in clients() {
        all.extend(noises().map(|noise| (with_noise(&clients, noise), measurement)));
        all.push((clients, measurement));
    }
    for noise in matrix_noises() {
        all.push((noise_parts(histogram(2, 4), noise), Bucket(1)));
    }
    let (clients, measurement) = clients()[4].clone();
    all.push((with_noise(&clients, compensation(100, 0)), measurement));
    all
}
