//! Wide discrete Gaussian noise against every difference of an L2 norm, by the δ of continuous
//! Gaussian noise. docs/verification.md proves the bound, with the symbols V, n, L and η.

use crate::loss_table::WorkLimit;
use crate::noise::Gaussian;
use crate::number::*;
use crate::privacy_claim::PrivacyClaim;
use crate::statement::{Refusal, at_most, ensure, outside, unproved};

/// `Ok` if `times` releases of `rows` integers under discrete Gaussian noise of this variance are
/// (ε, δ)-private, where each changes by a vector of squared L2 norm at most `l2_squared`. `Err`
/// below a variance of 1024.
pub(crate) fn verify(
    claim: &PrivacyClaim, variance: &Rational, (l2_squared, rows): &(BigInt, u64), times: u64,
    work: &mut WorkLimit,
) -> Result<(), Refusal> {
    let is_served = *variance >= whole(1024) && !claim.delta.is_zero();
    ensure(is_served, outside, "a variance below 1024, or a delta of 0, behind a matrix")?;
    // e^−L = 2^−tail, L ≤ 0.7·tail.
    let tail = bits_below_one(&claim.delta) + 20;
    let ratio = whole(l2_squared * times) / variance;
    let of_tail = Ratio::new(BigInt::from(42 * tail), 10.into());
    let terms = whole(5 * times * rows) + of_tail + &ratio * whole(2);
    let eta = terms / (variance * whole(24)) + Ratio::new(1.into(), unit(400));
    let width = work.bits;
    // V/s, rounded up: δ grows with it.
    let mu = Ratio::new(scaled_up(&ratio, 2 * width).sqrt() + 1, unit(width));
    let epsilon = &claim.epsilon - &eta;
    ensure(epsilon.is_positive(), unproved, "epsilon is below what rounding to integers costs")?;
    work.spend_exponential(&epsilon)?;
    let roots = Gaussian::root_of_two_pi(work)?;
    let [_, first] = upper_tail(&(&epsilon / &mu - &mu / whole(2)), &roots, work)?;
    let [second, _] = upper_tail(&(&epsilon / &mu + &mu / whole(2)), &roots, work)?;
    let continuous = first - ((exp(&epsilon, width)?[0].clone() * second) >> width);
    let raised = shifted_up(&(continuous * &exp(&eta, width)?[1]), width);
    let delta = Ratio::new(raised + (unit(width) >> tail) + 1, unit(width));
    at_most("the bound on delta behind a matrix", &delta, &claim.delta)
}

/// Lower and upper bound on the probability, in units of 2^−bits, that a standard normal number
/// exceeds `x`. It is ½ minus e^(−x²/2)/√(2π) times the sum of x^(2k+1)/(1·3·…·(2k+1)). `roots` has
/// bounds on √(2π).
fn upper_tail(
    x: &Rational, roots: &[BigInt; 2], work: &mut WorkLimit,
) -> Result<[BigInt; 2], Refusal> {
    let (width, square, size) = (work.bits, x * x, x.abs());
    ensure(square <= whole(8 * width), outside, "a normal number so far out")?;
    work.spend_exponential(&square)?;
    let squares = [scaled_down(&square, width), scaled_up(&square, width)];
    let mut term = [scaled_down(&size, width), scaled_up(&size, width)];
    let mut sum = [BigInt::zero(), BigInt::one()];
    for odd in (3u32..).step_by(2) {
        sum.iter_mut().zip(&term).for_each(|(sum, term)| *sum += term);
        // The rest is less than the last term, of one unit.
        if term[1] <= BigInt::one() && whole(odd) > &square * whole(2) {
            break;
        }
        term[0] = ((&term[0] * &squares[0]) >> width) / odd;
        term[1] = shifted_up(&(&term[1] * &squares[1]), width).div_ceil(&odd.into());
    }
    let decay = exp(&(square / whole(-2)), width)?;
    let within = [&decay[0] * &sum[0] / &roots[1], (&decay[1] * &sum[1]).div_ceil(&roots[0])];
    let half = unit(width - 1);
    Ok(match x.is_negative() {
        true => within.map(|within| &half + within),
        false => [&half - &within[1], &half - &within[0]],
    })
}
