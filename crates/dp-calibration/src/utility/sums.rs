//! The tail of a sum of discrete Laplace noise.
//!
//! A draw is the difference of two geometric variables, so the sum S of A draws is the difference
//! of two negative binomial ones, P(S = s) = (1−q)^(2A)·Σ_j C(j+A−1, A−1)·C(j+s+A−1, A−1)·q^(2j+s)
//! for s ≥
//! 0. With
//!
//!   C(j+s+A−1, A−1) = Σ_i C(j, i)·C(s+A−1, A−1−i)  (Vandermonde),
//!   Σ_j C(j+A−1, A−1)·C(j, i)·x^j = C(A−1+i, i)·x^i/(1−x)^(A+i),
//!
//! x = q², and Σ_{s ≥ n} C(s+A−1, r)·q^s = qⁿ·Σ_{l ≤ r} C(n+A−1, r−l)·q^l/(1−q)^(l+1), for n ≥ 0
//!
//!   P(S ≥ n) = qⁿ·Σ_{i < A} C(A−1+i, i)·q^(2i)/(1+q)^(A+i)·Σ_{l < A−i} C(n+A−1, A−1−i−l)·q^l·(1−q)^(A−1−i−l),
//!
//! a sum of positive terms; for A = 1 it is qⁿ/(1+q).

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

/// P(S ≥ n), enclosed, for the sum S of `draws` discrete Laplace draws of scale t = `scale`, n ≥ 0.
pub(super) fn laplace_tail(
    scale: &Rational,
    draws: u32,
    n: &BigInt,
    precision: u32,
) -> Option<Interval> {
    let exp = |exponent: Rational| Interval::rational(&-exponent, precision).exp();
    let one = Interval::integer(1, precision);
    let rate = scale.reciprocal()?;
    let q = exp(rate.clone())?;
    let gap = -Interval::rational(&-&rate, precision).exp_m1()?;
    let top = n + BigInt::from(draws) - 1;
    // C(n+A−1, r)·(1−q)^r for r < A.
    let mut choices = vec![one.clone()];
    for r in 1..draws {
        let factor = Interval::integer(&top + 1 - BigInt::from(r), precision) * &gap;
        let next = (choices.last()? * factor).checked_div(&Interval::integer(r, precision))?;
        choices.push(next);
    }
    // Σ_l C(n+A−1, r−l)·q^l·(1−q)^(r−l) for r < A.
    let mut inner = Vec::with_capacity(choices.len());
    let mut sum = Interval::integer(0, precision);
    for choice in &choices {
        sum = sum * &q + choice;
        inner.push(sum.clone());
    }
    let above = &one + &q;
    let mut weight = one.checked_div(&above.powi(draws))?;
    let mut total = Interval::integer(0, precision);
    for i in 0..draws {
        let r = usize::try_from(draws - 1 - i).ok()?;
        total = total + &weight * inner.get(r)?;
        // C(A+i, i+1)/C(A−1+i, i) = (A+i)/(i+1).
        let growth = Interval::integer(draws + i, precision) * q.square();
        weight = (weight * growth).checked_div(&(&above * Interval::integer(i + 1, precision)))?;
    }
    Some(total * exp(Rational::integer(n.clone()) * rate)?)
}
