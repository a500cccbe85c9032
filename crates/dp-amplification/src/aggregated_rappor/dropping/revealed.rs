//! How many of the other clients' reports are so heavy that they cannot be counted on.
//!
//! Each of N others is heavy with probability at most π, independently, so that the number R of
//! heavy ones is stochastically at most Bin(N, π). With δ_r the guarantee of n − r clients, which
//! grows with r, and upper bounds T_j for P(Bin(N, π) > r_j), r_0 < … < r_J,
//!
//!   E[δ_R] ≤ Σ_j δ_(r_j)·(T_(j−1) − T_j) + T_J,   T_(−1) = 1,
//!
//! by partial summation. For many clients T comes from the bound of Chernoff and Hoeffding,
//! P(Bin(N, π) ≥ k) ≤ (Nπ/k)^k·(N(1−π)/(N−k))^(N−k) for k ≥ Nπ; for a few, from the recurrence
//! T_N(k) = π·T_(N−1)(k−1) + (1−π)·T_(N−1)(k).

use dp_exact::{Interval, Rational, elementary, refine};

use dp_calibration::Error;
use dp_exact::directed::{above, add_up, count, mul_up, sub_up, to_index};

/// The share of δ that may be spent on more heavy reports than allowed for.
const SHARE: f64 = 1e-4;

/// Up to this number of others each number of heavy reports is told apart.
const EVERY: u64 = 24;

/// Up to this number the tail is exact.
const EXACT: u64 = 512;

/// The distance of numbers that makes no difference, relative to the clients that are left.
const FINEST: u64 = 10_000;

/// Numbers of clients that are not counted on.
pub(crate) struct Revealed {
    /// Numbers, ascending, and the weight with which each enters.
    pub(crate) shares: Vec<(u64, f64)>,
    /// The probability that it is more than all of these, at most.
    pub(crate) excess: f64,
}

impl Revealed {
    /// For `others`, each heavy with probability at most `each`, and a δ of `target`. Of many
    /// others about `most` numbers are told apart.
    pub(crate) fn new(others: u64, each: f64, target: f64, most: u64) -> Result<Self, Error> {
        let all = |number| Self {
            shares: vec![(number, 1.0)],
            excess: 0.0,
        };
        if each <= 0.0 || others == 0 {
            return Ok(all(0));
        }
        if each >= 1.0 {
            return Ok(all(others));
        }
        let tail = Tail::new(others, each);
        let mut shares: Vec<(u64, f64)> = Vec::new();
        let mut before = 1.0;
        for number in tail.numbers(target, most) {
            let after = tail.above(number)?.min(before);
            shares.push((number, sub_up(before, after).min(1.0)));
            before = after;
        }
        Ok(Self {
            shares,
            excess: before,
        })
    }

    /// One number, and the probability that it is more, at most.
    pub(in crate::aggregated_rappor) fn at_most(
        others: u64,
        each: f64,
        target: f64,
    ) -> Result<(u64, f64), Error> {
        if each <= 0.0 || others == 0 {
            return Ok((0, 0.0));
        }
        if each >= 1.0 {
            return Ok((others, 0.0));
        }
        let tail = Tail::new(others, each);
        let number = tail.first_below(elementary::ln(target * SHARE));
        Ok((number, tail.above(number)?))
    }

    /// An upper bound on E[δ_R], for upper bounds on δ_r at the numbers of `shares`.
    pub(crate) fn mean(&self, deltas: impl Iterator<Item = f64>) -> f64 {
        let (mut mean, mut worst) = (self.excess, 0.0f64);
        for (&(_, share), delta) in self.shares.iter().zip(deltas) {
            worst = worst.max(delta);
            mean = add_up(mean, mul_up(share, worst));
        }
        mean
    }

    /// The largest number.
    pub(crate) fn most(&self) -> u64 {
        self.shares.last().map_or(0, |share| share.0)
    }
}

/// The upper tail of Bin(N, π).
struct Tail {
    others: u64,
    each: f64,
    /// P(Bin ≥ k), for a few others.
    exact: Option<Vec<f64>>,
}

impl Tail {
    fn new(others: u64, each: f64) -> Self {
        let exact = (others <= EXACT).then(|| {
            let rest = sub_up(1.0, each);
            let mut tail = vec![0.0; to_index(others) + 2];
            tail[0] = 1.0;
            for _ in 0..others {
                for k in (1..tail.len()).rev() {
                    let sum = add_up(mul_up(each, tail[k - 1]), mul_up(rest, tail[k]));
                    tail[k] = if tail[k - 1] > 0.0 { sum.min(1.0) } else { 0.0 };
                }
            }
            tail
        });
        Self {
            others,
            each,
            exact,
        }
    }

    /// The numbers that are told apart: each, for a few others; else numbers at even distances from
    /// the median on, up to where the tail is a small share of `target`. Where a distance would make
    /// no difference there are fewer.
    fn numbers(&self, target: f64, most: u64) -> Vec<u64> {
        if self.others <= EVERY {
            return (0..=self.others).collect();
        }
        let first = self.first_below(-std::f64::consts::LN_2);
        let last = self.first_below(elementary::ln(target * SHARE));
        let step = ((last - first) / most.max(1))
            .max((self.others - last) / FINEST)
            .max(1);
        let down = (first..=last).rev().step_by(to_index(step));
        let mut numbers: Vec<u64> = down.collect();
        numbers.reverse();
        numbers
    }

    /// About ln P(Bin > r), or its bound.
    fn log(&self, r: u64) -> f64 {
        if r >= self.others {
            return f64::NEG_INFINITY;
        }
        if let Some(exact) = &self.exact {
            return elementary::ln(exact[to_index(r) + 1]);
        }
        let (n, k) = (count(self.others), count(r + 1));
        let mean = n * self.each;
        if k <= mean {
            return 0.0;
        }
        let rest = n - k;
        let others = if rest > 0.0 {
            rest * elementary::ln((n - mean) / rest)
        } else {
            0.0
        };
        k * elementary::ln(mean / k) + others
    }

    /// The first r whose tail is below e^`level`, or the last of all.
    fn first_below(&self, level: f64) -> u64 {
        let (mut low, mut high) = (0, self.others);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.log(middle) < level {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// An upper bound on P(Bin > r).
    fn above(&self, r: u64) -> Result<f64, Error> {
        if r >= self.others {
            return Ok(0.0);
        }
        if let Some(exact) = &self.exact {
            return Ok(exact[to_index(r) + 1]);
        }
        let (n, k) = (Rational::from(self.others), Rational::from(r + 1));
        let each = Rational::from_f64(self.each)?;
        let mean = &n * &each;
        if k <= mean {
            return Ok(1.0);
        }
        let rest = &n - &k;
        let bound = refine(|precision| {
            let power = |exponent: &Rational, mean: &Rational| {
                if exponent.is_zero() {
                    return Some(Interval::integer(0, precision));
                }
                let ratio = Interval::rational(&mean.checked_div(exponent)?, precision);
                Some(Interval::rational(exponent, precision) * ratio.ln()?)
            };
            (power(&k, &mean)? + power(&rest, &(&n - &mean))?).exp()
        })?;
        Ok(above(bound.upper()).min(1.0))
    }
}
