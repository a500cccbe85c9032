//! The error of a count that is debiased from symmetric RAPPOR reports.
//!
//! Every one of n bits is flipped with p = 1/(e^(ε₀)+1), q = 1 − p. With c of them truly 1 the
//! total Y has mean cq + (n−c)p. The error of the estimate (Y(e^(ε₀)+1) − n)/(e^(ε₀)−1) is (Y −
//! E(Y))/(q−p). Its standard deviation √(n·e^(ε₀))/(e^(ε₀)−1) = √n/(2·sinh(ε₀/2)) does not depend
//! on c; its tails do, through the skew.

use dp_exact::{Epsilon, Refusal, directed, elementary};
use num_traits::ToPrimitive;

use super::noisy_total::{Answers, NoisyTotal};
use crate::Error;

/// The largest accepted number of clients.
const MAX_CLIENTS: u64 = 10_000_000_000;

/// The distribution of the error of one debiased count.
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
    /// The distribution of the randomized count.
    total: NoisyTotal,
    /// The true count.
    count: u64,
}

impl DebiasedRappor {
    /// Why the standard deviation and the tails are right, in words.
    pub const CERTIFICATE: &'static str = "The standard deviation of a debiased count is √n / \
        (2·sinh(epsilon0/2)), whatever the data; tails come from the exact distribution of the count, in \
        floating point. These are figures of accuracy; no guarantee of privacy depends on them.";

    /// The error with `clients` reports at ε₀ = `epsilon0`, where `count` clients truly hold a 1.
    ///
    /// # Errors
    /// If `clients` is 0 or above 10^10, `count` is above `clients`, or ε₀ outside 1e-3 to 50.
    pub fn new(clients: u64, epsilon0: &Epsilon, count: u64) -> Result<Self, Error> {
        let rate = check(clients, epsilon0)?;
        if count > clients {
            let accepted = "an integer from 0 to the number of clients";
            return Err(Error::parameter("count", count, accepted));
        }
        Ok(Self {
            standard_deviation: directed::count(clients).sqrt()
                / (2.0 * elementary::sinh(rate / 2.0)),
            total: NoisyTotal::of_clients(Answers {
                reports: clients,
                held: (1.0 + elementary::exp(-rate)).recip(),
                other: (elementary::exp(rate) + 1.0).recip(),
            }),
            count,
        })
    }

    /// The standard deviation √(n·e^(ε₀))/(e^(ε₀)−1) of the estimate.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    /// The probability that the estimate is farther than `bound` from the true count.
    #[must_use]
    pub fn tail(&self, bound: f64) -> f64 {
        self.total.tail(self.count, bound)
    }

    /// The least distance that is exceeded with probability at most `beta`.
    #[must_use]
    pub fn quantile(&self, beta: f64) -> f64 {
        self.total.quantile(self.count, beta)
    }

    /// The least distance that none of `coordinates` independent estimates, each with this
    /// distribution, exceeds, but for a probability of `beta`.
    #[must_use]
    pub fn simultaneous(&self, coordinates: u64, beta: f64) -> f64 {
        let count = coordinates.to_f64().unwrap_or(f64::INFINITY);
        self.quantile(-elementary::exp_m1(elementary::ln_1p(-beta) / count))
    }

    /// The distance that no estimate exceeds but for a probability of `beta`, by the union bound.
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
        return Err(Error::parameter("accuracy", accuracy, "a number from 1e-9 to 1"));
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
        return Err(Error::parameter("standard_deviation", standard_deviation, accepted));
    }
    Ok(2.0 * elementary::asinh(directed::count(clients).sqrt() / (2.0 * standard_deviation)))
}

/// The accepted number of clients, in an error.
const CLIENTS: &str = "an integer from 1 to 10^10";

/// ε₀ as a float; `Err` unless there are 1 to 10^10 clients and ε₀ is from 1e-3 to 50.
fn check(clients: u64, epsilon0: &Epsilon) -> Result<f64, Error> {
    if !(1..=MAX_CLIENTS).contains(&clients) {
        return Err(Error::parameter("clients", clients, CLIENTS));
    }
    let rate = epsilon0.value().to_f64();
    if !(1e-3..=50.0).contains(&rate) {
        return Err(Error::parameter("epsilon0", epsilon0, "a number from 1e-3 to 50"));
    }
    Ok(rate)
}
