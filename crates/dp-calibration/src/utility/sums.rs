//! The tail of a sum of discrete Laplace noise.
//!
//! A draw is the difference of two geometric variables, so the sum S of A draws is the difference
//! of two negative binomial ones, P(S = s) = (1−q)^(2A)·Σ_j C(j+A−1, A−1)·C(j+s+A−1, A−1)·q^(2j+s)
//! for s ≥ 0. With
//!
//!   C(j+s+A−1, A−1) = Σ_i C(j, i)·C(s+A−1, A−1−i)  (Vandermonde),
//!   Σ_j C(j+A−1, A−1)·C(j, i)·x^j = C(A−1+i, i)·x^i/(1−x)^(A+i),
//!
//! x = q², and Σ_{s ≥ n} C(s+A−1, r)·q^s = qⁿ·Σ_{l ≤ r} C(n+A−1, r−l)·q^l/(1−q)^(l+1), for n ≥ 0
//!
//!   P(S ≥ n) = qⁿ·Σ_{i < A} C(A−1+i, i)·q^(2i)/(1+q)^(A+i)·Σ_{l < A−i} C(n+A−1, A−1−i−l)·q^l·(1−q)^(A−1−i−l),
//!
//! a sum of positive terms, which loses no digits; for A = 1 it is qⁿ/(1+q).

use dp_exact::{directed, elementary};

/// P(S ≥ n) for the sum S of A = `draws` discrete Laplace draws of scale 1/`rate`, n ≥ 0.
pub(super) fn laplace_tail(rate: f64, draws: u32, n: f64) -> f64 {
    let (q, gap) = (elementary::exp(-rate), -elementary::exp_m1(-rate));
    let count = f64::from(draws);
    // C(n+A−1, r)·(1−q)^r, and Σ_l C(n+A−1, r−l)·q^l·(1−q)^(r−l), for r < A.
    let (mut choice, mut sum) = (1.0, 0.0);
    let inner: Vec<f64> = (0..draws)
        .map(|r| {
            if r > 0 {
                choice *= (n + count - f64::from(r)) * gap / f64::from(r);
            }
            sum = sum * q + choice;
            sum
        })
        .collect();
    let above = 1.0 + q;
    let mut weight = elementary::exp(-count * elementary::ln_1p(q));
    let mut total = 0.0;
    for (i, inner) in inner.iter().rev().enumerate() {
        total += weight * inner;
        // C(A+i, i+1)/C(A−1+i, i) = (A+i)/(i+1).
        let next = directed::index(i) + 1.0;
        weight *= (count + next - 1.0) * q * q / (above * next);
    }
    total * elementary::exp(-n * rate)
}
