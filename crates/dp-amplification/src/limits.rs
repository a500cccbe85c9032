//! Accepted ranges, how far tails are followed, and the digits of an answer.

use dp_calibration::{Adjacency, Error};
use dp_exact::{Delta, Rational, Rounding, elementary};

/// Digits of an answer.
pub(crate) const DIGITS: usize = 12;

/// The most clients.
pub(crate) const MAX_CLIENTS: u64 = 10_000_000_000;

/// How far tails are followed below δ, in powers of e.
pub(crate) const BELOW_DELTA: f64 = 14.0;

/// How far tails are followed at most, in powers of e.
pub(crate) const MAX_DEPTH: f64 = 160.0;

/// The most counts that may change, in all releases together.
const MAX_COUNTS: u64 = 1 << 22;

/// A floating point number not above δ. Below 1e-40 there is room for shares of a δ.
pub(crate) fn target(delta: &Delta) -> Result<f64, Error> {
    let target = delta.value().to_f64().next_down();
    if !(1e-60..0.9 + 1e-9).contains(&target.next_up()) {
        let accepted = "0, or a number from 1e-60 to 0.9";
        return Err(Error::parameter("delta", delta, accepted));
    }
    Ok(target)
}

/// How far tails are followed for a δ.
pub(crate) fn depth_for(target: f64) -> f64 {
    (BELOW_DELTA - elementary::ln(target)).min(MAX_DEPTH)
}

/// An upper bound as it is printed.
pub(crate) fn rounded_up(value: f64) -> Result<Rational, Error> {
    Ok(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up))
}

/// How many counts of one-hot vectors differ between neighbours.
pub(crate) const fn changed(adjacency: Adjacency) -> u64 {
    match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion => 1,
    }
}

/// Refuses a number of clients that is out of range.
pub(crate) fn check_clients(name: &'static str, clients: u64) -> Result<(), Error> {
    if (1..=MAX_CLIENTS).contains(&clients) {
        return Ok(());
    }
    let accepted = "an integer from 1 to 10000000000";
    Err(Error::parameter(name, clients, accepted))
}

/// Refuses a number of counts, or of releases, that is out of range.
pub(crate) fn check_counts(name: &'static str, counts: u64) -> Result<(), Error> {
    if (1..=MAX_COUNTS).contains(&counts) {
        return Ok(());
    }
    let accepted = "an integer from 1 to 4194304";
    Err(Error::parameter(name, counts, accepted))
}
