//! The laws of sums of independent noises: of several discrete Gaussians, p(y) =
//! S_(y mod h)·e^(−y²/(2hσ²))/Z^h by [`crate::coset_sums`], and of two discrete Laplace draws,
//! p(y) = ((1−q)/(1+q))²·q^|y|·(|y| + (1+q²)/(1−q²)).

use dp_exact::{Interval, Rational, elementary};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::Corner;
use crate::coset_sums::Bell;
use crate::lattice_gaussian::{Form, Law, Setting};

/// A symmetric log-concave law on the integers.
pub(super) trait Noise {
    /// p(y)
    fn mass(&self, y: &BigInt) -> Option<Interval>;
    /// P(Y ≥ n), for n ≥ 0
    fn upper_tail(&self, n: &BigInt) -> Option<Interval>;
    /// p(n) for n = 0, …, `last`
    fn masses(&self, last: u32) -> Option<Vec<Interval>>;
    /// About how far out a value of one of two coordinates matters.
    fn reach(&self, epsilon: f64, step: f64) -> f64;

    /// P(Y ≥ n)
    fn tail(&self, n: &BigInt) -> Option<Interval> {
        if n.is_negative() {
            let rest = self.upper_tail(&(1 - n))?;
            return Some(Interval::integer(1, rest.precision()) - rest);
        }
        self.upper_tail(n)
    }
}

/// The sum of h discrete Gaussians.
pub(super) struct Sum {
    law: Law,
}

impl Sum {
    pub(super) fn new(variance: &Rational, honest: u32, precision: u32) -> Option<Self> {
        let corner = Corner::new(u64::from(honest), 1u32).ok()?;
        let epsilon = Rational::one();
        let setting = Setting::new(&corner, &epsilon);
        let law = Law::new(&setting, variance, Form::Exact, precision)?;
        Some(Self { law })
    }

    /// Z^h
    pub(super) fn normalizer(&self) -> &Interval {
        &self.law.normalizer
    }
}

impl Noise for Sum {
    fn mass(&self, y: &BigInt) -> Option<Interval> {
        self.law.term(y)?.checked_div(&self.law.normalizer)
    }

    fn upper_tail(&self, n: &BigInt) -> Option<Interval> {
        if n.is_positive() {
            return self.law.direct_tail(n)?.checked_div(&self.law.normalizer);
        }
        Some(self.mass(n)? + self.upper_tail(&BigInt::from(1))?)
    }

    fn masses(&self, last: u32) -> Option<Vec<Interval>> {
        let one = Interval::integer(1, self.law.normalizer.precision());
        let factor = one.checked_div(&self.law.normalizer)?;
        let weights = self.law.weights.iter().map(|weight| weight * &factor);
        let weights: Vec<Interval> = weights.collect();
        let rate = -(&self.law.tau + &self.law.tau).reciprocal()?;
        let mut bell = Bell::new(&rate, one.precision())?;
        let weights = weights.iter().cycle().zip(0..=last);
        Some(weights.map(|(weight, _)| bell.next() * weight).collect())
    }

    /// The two add up to about θ = εhσ²/Δ − Δ, and nothing counts below 2^−80 of that.
    fn reach(&self, epsilon: f64, step: f64) -> f64 {
        let tau = self.law.tau.to_f64();
        let threshold = (epsilon * tau / step - step).max(0.0);
        (elementary::powi(threshold, 2) / 2.0 + 111.0 * tau).sqrt() + step
    }
}

/// The sum of two discrete Laplace draws, with c = ((1−q)/(1+q))² and b = (1+q²)/(1−q²).
pub(super) struct Pair {
    rate: Rational,
    c: Interval,
    b: Interval,
    /// 1 − q and q
    gap: Interval,
    q: Interval,
}

impl Pair {
    pub(super) fn new(scale: &Rational, precision: u32) -> Option<Self> {
        let one = Interval::integer(1, precision);
        let rate = scale.reciprocal()?;
        let gap = -Interval::rational(&-&rate, precision).exp_m1()?;
        let q = &one - &gap;
        let square = q.square();
        Some(Self {
            c: gap.checked_div(&(&one + &q))?.square(),
            b: (&one + &square).checked_div(&(&gap * &(&one + &q)))?,
            rate,
            gap,
            q,
        })
    }

    fn power(&self, n: &BigInt) -> Option<Interval> {
        let exponent = Rational::integer(n.clone()) * &self.rate;
        Interval::rational(&-exponent, self.q.precision()).exp()
    }
}

impl Noise for Pair {
    fn mass(&self, y: &BigInt) -> Option<Interval> {
        let distance = y.abs();
        let weight = Interval::integer(distance.clone(), self.q.precision()) + &self.b;
        Some(&self.c * self.power(&distance)? * weight)
    }

    /// c·qⁿ·((n + b)/(1−q) + q/(1−q)²)
    fn upper_tail(&self, n: &BigInt) -> Option<Interval> {
        let weight = Interval::integer(n.clone(), self.q.precision()) + &self.b;
        let rest = self.q.checked_div(&self.gap.square())?;
        let sum = weight.checked_div(&self.gap)? + rest;
        Some(&self.c * self.power(n)? * sum)
    }

    fn masses(&self, last: u32) -> Option<Vec<Interval>> {
        let mut power = self.c.clone();
        let mass = |n: u32| {
            let next = &power * &self.q;
            let power = std::mem::replace(&mut power, next);
            power * (Interval::integer(n, self.q.precision()) + &self.b)
        };
        Some((0..=last).map(mass).collect())
    }

    fn reach(&self, _epsilon: f64, step: f64) -> f64 {
        (30.0 / self.rate.to_f64()).max(8.0) + step
    }
}
