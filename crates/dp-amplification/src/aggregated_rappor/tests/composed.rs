//! Powers of one randomized bit, the exact curve of which is a binomial sum.

use super::super::composed::Composed;
use super::super::curve::Curve;
use dp_exact::directed::count;

const NEGLIGIBLE: f64 = 1e-12;

/// One randomized bit: everything is told up to e^ε₀.
fn bit(epsilon0: f64) -> Curve {
    let (one, e) = ((epsilon0 / 2.0).tanh(), epsilon0.exp());
    Curve::new(vec![1.0, e], vec![one, 0.0]).expect("a curve")
}

/// δ of `times` bits at α: k of them tell the truth.
fn exact(epsilon0: f64, times: u64, alpha: f64) -> f64 {
    let p = (epsilon0.exp() + 1.0).recip();
    let (mut delta, mut ways) = (0.0, 1.0);
    for k in 0..=times {
        let law = |truths: u64| {
            let lies = i32::try_from(times - truths).expect("few");
            (1.0 - p).powi(i32::try_from(truths).expect("few")) * p.powi(lies)
        };
        delta += ways * (law(k) - alpha * law(times - k)).max(0.0);
        ways *= count(times - k) / count(k + 1);
    }
    delta
}

#[test]
fn powers_of_a_bit_are_binomial() {
    for epsilon0 in [0.05, 0.4, 1.3] {
        for times in 1..=15 {
            let composed = Composed::new(bit(epsilon0), times, NEGLIGIBLE).expect("few");
            for part in [0.0, 0.2, 0.5, 0.9] {
                let alpha = (part * epsilon0 * count(times)).exp();
                let (upper, exact) = (composed.delta(alpha), exact(epsilon0, times, alpha));
                let case = format!(
                    "epsilon0 {epsilon0}, {times} bits, alpha {alpha}: {upper}, exactly {exact}"
                );
                assert!(upper >= exact * (1.0 - 1e-12), "{case}");
                assert!(upper <= exact * (1.0 + 1e-3) + 2.0 * NEGLIGIBLE, "{case}");
            }
        }
    }
}
