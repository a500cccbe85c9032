//! The error of a count that is debiased from symmetric RAPPOR reports.
//!
//! Every one of n bits is flipped with p = 1/(e^(ε₀)+1), q = 1 − p. With c of them truly 1 the
//! total Y has mean cq + (n−c)p, and the estimate (Y(e^(ε₀)+1) − n)/(e^(ε₀)−1) is Y less its mean,
//! times 1/(q−p), away from c. Its standard deviation is √(n·e^(ε₀))/(e^(ε₀)−1) =
//! √n/(2·sinh(ε₀/2)) whatever c is; its tails depend on c through the skew.
//!
//! The law f of Y, with a = n − c and b = c, obeys
//!
//!   pq(k+1)·f_(k+1) = (ap² + bq² − (p²+q²)k)·f_k + pq(n−k+1)·f_(k−1)
//!
//! (from the generating function (q+pz)^a·(p+qz)^b). It is run from far below the mean upward and
//! from far above downward, to the mean: in these directions f is the dominant solution, so what
//! the far ends start from does not matter, and neither do rounding errors. The tables are in
//! floating point, accurate to about ten digits: these are utility figures.

use dp_exact::{Epsilon, Refusal, directed, elementary, work};
use num_traits::ToPrimitive;

use crate::Error;

/// Standard deviations on either side of the mean that the table covers.
const REACH: f64 = 40.0;

/// Units of work of an entry of the table, and to read one, sorted or not.
const ENTRY: u64 = 15;
const SORTED: u64 = 60;
const READ: u64 = 2;

/// The most clients.
const MAX_CLIENTS: u64 = 10_000_000_000;

/// The law of the error of one debiased count.
///
/// ```
/// use dp_calibration::utility::DebiasedRappor;
///
/// let estimate = DebiasedRappor::new(100_000, &"5".parse()?, 0)?;
/// assert!((estimate.standard_deviation() - 26.13364).abs() < 1e-5);
/// // 95 % of the time all of 100 empty buckets are estimated to within this:
/// let bound = estimate.simultaneous(100, 0.05);
/// assert!(bound <= estimate.union_bound(100, 0.05));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DebiasedRappor {
    standard_deviation: f64,
    /// q − p
    contrast: f64,
    mean: f64,
    /// The total that the table starts at, and its law.
    first: f64,
    law: Vec<f64>,
}

impl DebiasedRappor {
    /// Why the standard deviation and the tails are as stated, in words.
    pub const CERTIFICATE: &'static str = "The standard deviation of a debiased count is √n / \
        (2·sinh(epsilon0/2)), whatever the data; tails come from the exact law of the count, in \
        floating point. These are figures of accuracy; no promise of privacy depends on them.";

    /// The error with `clients` reports, `count` of which truly hold a 1, at ε₀ = `epsilon0`.
    ///
    /// # Errors
    /// If `clients` is 0 or above 10^10, `count` is above `clients`, or ε₀ outside 1e-3 to 50.
    pub fn new(clients: u64, epsilon0: &Epsilon, count: u64) -> Result<Self, Error> {
        let refusal = || {
            work::refusal(
                "the error of this many randomized answers",
                &[
                    ("clients", &clients),
                    ("epsilon0", epsilon0),
                    ("count", &count),
                ],
                "take fewer clients",
            )
        };
        work::bounded(refusal, || {
            let rate = check(clients, epsilon0)?;
            if count > clients {
                let accepted = "an integer from 0 to the number of clients";
                return Err(Error::parameter("count", count, accepted));
            }
            let p = (elementary::exp(rate) + 1.0).recip();
            let q = (1.0 + elementary::exp(-rate)).recip();
            let (n, ones) = (directed::count(clients), directed::count(count));
            let zeros = n - ones;
            let mean = zeros * p + ones * q;
            let spread = (n * p * q).sqrt();
            let first = (mean - REACH * spread - REACH).floor().max(0.0);
            let last = (mean + REACH * spread + REACH).ceil().min(n);
            let entries = directed::floor_to_count(last - first, u64::MAX);
            work::charge(entries.saturating_mul(ENTRY));
            Ok(Self {
                standard_deviation: n.sqrt() / (2.0 * elementary::sinh(rate / 2.0)),
                contrast: elementary::tanh(rate / 2.0),
                mean,
                first,
                law: law(&[zeros, ones, p, q], mean, first, last),
            })
        })
    }

    /// √(n·e^(ε₀))/(e^(ε₀)−1)
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    /// The probability that the estimate is farther than `bound` from the true count.
    #[must_use]
    pub fn tail(&self, bound: f64) -> f64 {
        work::charge_each(self.law.len(), READ);
        let reach = bound * self.contrast * (1.0 + 1e-12);
        let mut total = self.first;
        let mut sum = 0.0;
        for mass in &self.law {
            if (total - self.mean).abs() > reach {
                sum += mass;
            }
            total += 1.0;
        }
        sum
    }

    /// The least distance that is exceeded with probability at most `beta`.
    #[must_use]
    pub fn quantile(&self, beta: f64) -> f64 {
        work::charge_each(self.law.len(), SORTED);
        // The distances in order, the farthest first.
        let mut distances: Vec<(f64, f64)> = Vec::with_capacity(self.law.len());
        let mut total = self.first;
        for mass in &self.law {
            distances.push(((total - self.mean).abs(), *mass));
            total += 1.0;
        }
        distances.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut sum = 0.0;
        for (distance, mass) in distances {
            sum += mass;
            if sum > beta {
                return distance / self.contrast;
            }
        }
        0.0
    }

    /// The least distance that none of `coordinates` independent estimates, each with this law,
    /// exceeds, but for a probability of `beta`.
    #[must_use]
    pub fn simultaneous(&self, coordinates: u64, beta: f64) -> f64 {
        let count = coordinates.to_f64().unwrap_or(f64::INFINITY);
        self.quantile(-elementary::exp_m1(elementary::ln_1p(-beta) / count))
    }

    /// The same by the union bound.
    #[must_use]
    pub fn union_bound(&self, coordinates: u64, beta: f64) -> f64 {
        let count = coordinates.to_f64().unwrap_or(f64::INFINITY);
        self.quantile(beta / count)
    }
}

/// The least number of clients with which the estimated *fraction* has a standard deviation of at
/// most `accuracy`: n ≥ 1/(2a·sinh(ε₀/2))².
///
/// # Errors
/// If ε₀ is outside 1e-3 to 50 or `accuracy` outside 1e-9 to 1.
pub fn rappor_clients(epsilon0: &Epsilon, accuracy: f64) -> Result<u64, Error> {
    let rate = check(1, epsilon0)?;
    if !(1e-9..=1.0).contains(&accuracy) {
        return Err(Error::parameter(
            "accuracy",
            accuracy,
            "a number from 1e-9 to 1",
        ));
    }
    let clients = elementary::powi(2.0 * accuracy * elementary::sinh(rate / 2.0), -2);
    let clients = (clients * (1.0 - 1e-12)).ceil().max(1.0).to_u64();
    clients.ok_or_else(|| {
        let what = format!("a number of clients for accuracy {accuracy}");
        Refusal::not_available(what, "ask for a larger deviation").into()
    })
}

/// The ε₀ at which a count estimated from `clients` reports has the given standard deviation:
/// ε₀ = 2·arsinh(√n/(2s)).
///
/// # Errors
/// If `clients` is 0 or above 10^10, or the deviation is not a positive number.
pub fn rappor_epsilon0(clients: u64, standard_deviation: f64) -> Result<f64, Error> {
    if !(1..=MAX_CLIENTS).contains(&clients) {
        return Err(Error::parameter("clients", clients, CLIENTS));
    }
    if !standard_deviation.is_finite() || standard_deviation <= 0.0 {
        let accepted = "a number greater than 0";
        return Err(Error::parameter(
            "standard_deviation",
            standard_deviation,
            accepted,
        ));
    }
    Ok(2.0 * elementary::asinh(directed::count(clients).sqrt() / (2.0 * standard_deviation)))
}

const CLIENTS: &str = "an integer from 1 to 10^10";

fn check(clients: u64, epsilon0: &Epsilon) -> Result<f64, Error> {
    if !(1..=MAX_CLIENTS).contains(&clients) {
        return Err(Error::parameter("clients", clients, CLIENTS));
    }
    let rate = epsilon0.value().to_f64();
    if !(1e-3..=50.0).contains(&rate) {
        return Err(Error::parameter(
            "epsilon0",
            epsilon0,
            "a number from 1e-3 to 50",
        ));
    }
    Ok(rate)
}

/// f from `first` to `last`, of total 1.
fn law(parameters: &[f64; 4], mean: f64, first: f64, last: f64) -> Vec<f64> {
    let [zeros, ones, p, q] = *parameters;
    let n = zeros + ones;
    let slope = p * p + q * q;
    let middle = |k: f64| zeros * p * p + ones * q * q - slope * k;
    let split = mean.round().clamp(first, last);
    let mut upward = vec![1.0];
    let (mut before, mut here, mut k) = (0.0, 1.0, first);
    while k < split {
        let next = (middle(k) * here + p * q * (n - k + 1.0) * before) / (p * q * (k + 1.0));
        (before, here) = (here, next);
        upward.push(next);
        k += 1.0;
        rescale(&mut upward, &mut before, &mut here);
    }
    let mut downward = vec![1.0];
    let (mut after, mut here, mut k) = (0.0, 1.0, last);
    while k > split {
        let next = (p * q * (k + 1.0) * after - middle(k) * here) / (p * q * (n - k + 1.0));
        (after, here) = (here, next);
        downward.push(next);
        k -= 1.0;
        rescale(&mut downward, &mut after, &mut here);
    }
    // Both end at the split.
    let ratio = upward
        .last()
        .zip(downward.last())
        .map_or(1.0, |(up, down)| up / down);
    let below = upward.len() - 1;
    let mut law = upward;
    law.truncate(below);
    law.extend(downward.iter().rev().map(|mass| mass * ratio));
    let total: f64 = law.iter().sum();
    for mass in &mut law {
        *mass /= total;
    }
    law
}

/// Keeps the numbers within the range of floating point; what vanishes is far out.
fn rescale(table: &mut [f64], before: &mut f64, here: &mut f64) {
    if *here > 1e250 {
        for value in table.iter_mut() {
            *value *= 1e-250;
        }
        *before *= 1e-250;
        *here *= 1e-250;
    }
}
