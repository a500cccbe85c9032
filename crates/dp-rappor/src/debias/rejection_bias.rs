//! The bias that comes from dropping reports of more than m true bits.
//!
//! An input of d bits, w of them true, is randomized to a report of weight W, which is dropped if
//! W > m. Take one coordinate: its own bit b is reported as Y, and R is the weight of the other d − 1
//! coordinates, which is independent of Y. Given R, the report is always dropped if R > m, never if
//! R < m, and if R = m exactly where Y = 1. So with e = E\[Y\], which is 1 − p for a true bit and p
//! for a false one,
//!
//! ```text
//! P(Y = 1, W ≤ m) = e·P(R ≤ m − 1) = e·P(W ≤ m) − p(1 − p)·P(R = m)
//! E[Y | W ≤ m]    = e − p(1 − p)·P(R = m)/P(W ≤ m)
//! ```
//!
//! for either bit, as e(1 − e) = p(1 − p). A report that is sent adds (Y − p)/(1 − 2p) to the
//! debiased estimate, and one that is dropped adds nothing, so a client adds in expectation
//!
//! ```text
//! b·P(W ≤ m) − κ·P(R = m)     instead of b,     κ = p(1 − p)/(1 − 2p) = x/(1 − x²)
//! ```
//!
//! with the odds x = e^(−ε₀). The bias has two parts: some reports are missing, and the reports
//! that are sent have fewer true bits. Neither form cancels.
//!
//! A client adds one of three values: u = (1 − p)/(1 − 2p), v = −p/(1 − 2p), and 0 where the report
//! is dropped. With their probabilities α, β and γ the variance is
//!
//! ```text
//! αβ(u − v)² + γ(αu² + βv²)     u − v = 1/(1 − 2p)
//! ```
//!
//! Clients are independent, so that the variance of the estimate is the sum over all of them.

use alloc::format;

use dp_exact::{Dyadic, Interval, ParameterError, Rational, refine};

use crate::weight::{RESOLVED_BITS, WeightTails, is_narrow};
use crate::{Error, SymmetricRappor, WeightDistribution, rejection_rate};

/// Working precision of the sums, in bits.
const PRECISION: u32 = 128;

/// How dropping reports of more than m true bits changes one coordinate of one client.
///
/// Every figure is an enclosure, to about nine digits where it exceeds 2^−4096.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RejectionBias {
    /// P(W > m): the probability that the client's report is dropped.
    pub rejected: Interval,
    /// P(W ≤ m): the probability that the client's report is sent.
    pub accepted: Interval,
    /// E\[Y | W ≤ m\]: the probability that a report that is sent shows the bit as true.
    pub reported: Interval,
    /// Expectation of the client's addend in the debiased estimate, less the client's own bit; not
    /// above 0. The estimate is taken over the reports that were sent. The sum over all clients is
    /// the bias of the estimate.
    pub bias: Interval,
    /// Variance of the client's addend in the estimate. The sum over all clients is the variance of
    /// the estimate.
    pub variance: Interval,
}

/// The bias that dropping reports of more than `max_weight` true bits brings to a coordinate of a
/// client whose input has `length` bits, exactly `input_weight` of them true, among them this one if
/// `bit`.
///
/// All other true bits may be anywhere: only their number matters. With
/// [`weight_bound`](crate::weight_bound()) it is the bias at a false-positive rate.
///
/// ```
/// use dp_rappor::{SymmetricRappor, WeightDistribution, rejection_bias, weight_bound};
///
/// // 10 000 one-hot vectors of 20 bits; 3 000 have the bit in question.
/// let rappor = SymmetricRappor::new("2".parse()?)?;
/// let m = weight_bound(&rappor, 20, 1, &"0.01".parse()?, WeightDistribution::Exact)?.bound();
/// let held = rejection_bias(&rappor, 20, 1, true, m)?;
/// let not_held = rejection_bias(&rappor, 20, 1, false, m)?;
/// let bias = 3_000.0 * held.bias.midpoint() + 7_000.0 * not_held.bias.midpoint();
/// assert!((bias + 24.385).abs() < 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the length is 0 or above [`MAX_LENGTH`](crate::MAX_LENGTH), the input weight above the length,
/// 0 although `bit` is true, or the length although it is false, or `max_weight` so small that
/// reports are sent with a probability below 2^−4096.
pub fn rejection_bias(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    bit: bool,
    max_weight: usize,
) -> Result<RejectionBias, Error> {
    let distribution = WeightDistribution::Exact;
    let rejected = rejection_rate(rappor, length, input_weight, max_weight, distribution)?;
    let own = usize::from(bit);
    let others = input_weight.checked_sub(own);
    let others = others.filter(|others| *others < length).ok_or_else(|| {
        let accepted = if bit {
            "at least 1, as the bit is true"
        } else {
            "below the length, as the bit is false"
        };
        ParameterError::new("input_weight", input_weight, accepted)
    })?;
    // W ≤ m where d − W > d − m − 1, and d − W is the weight of the flipped vector, randomized.
    let accepted = match length.checked_sub(max_weight.saturating_add(1)) {
        Some(rest) => rejection_rate(rappor, length, length - input_weight, rest, distribution)?,
        None => Interval::integer(1, PRECISION),
    };
    let pivotal = others_reach(rappor, length - 1, others, max_weight)?;

    let factors = refine(|precision| Factors::new(rappor, precision))?;
    let rarer = (&factors.flipped * &factors.kept * &pivotal)
        .checked_div(&accepted)
        .ok_or_else(|| too_small(rappor, length, input_weight, max_weight))?;
    let (likely, unlikely) =
        if bit { (&factors.kept, &factors.flipped) } else { (&factors.flipped, &factors.kept) };
    let reported = likely - &rarer;
    let (set, unset) = (&accepted * &reported, &accepted * &(unlikely + &rarer));
    let missing = &rejected * Interval::integer(own, PRECISION);
    let thinner = &factors.flipped * &factors.kept * &factors.gain * pivotal;
    Ok(RejectionBias {
        variance: factors.variance(&set, &unset, &rejected),
        reported,
        bias: -(missing + thinner),
        rejected,
        accepted,
    })
}

/// The error for a `max_weight` that almost every report exceeds, of `length` bits with
/// `input_weight` true bits before the flips.
fn too_small(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    max_weight: usize,
) -> ParameterError {
    let p = rappor.flip_probability(64).midpoint();
    let float = |count: usize| Rational::integer(count).to_f64();
    let mean = float(input_weight) * (1.0 - p) + float(length - input_weight) * p;
    let accepted = format!(
        "a weight that some reports do not exceed: of {length} bits {mean:.0} are true on average"
    );
    ParameterError::new("max_weight", max_weight, accepted)
}

/// P(R = `bound`), enclosed, where R is the number of true bits after `length` bits, `weight` of
/// them true, are randomized.
fn others_reach(
    rappor: &SymmetricRappor,
    length: usize,
    weight: usize,
    bound: usize,
) -> Result<Interval, Error> {
    let Some(rest) = length.checked_sub(bound) else {
        return Ok(Interval::integer(0, PRECISION));
    };
    let exactly = |weight: usize, bound: usize, cut: u32| {
        let distribution = WeightDistribution::Exact;
        let tails =
            WeightTails::new(rappor, length, weight, distribution, PRECISION, u64::from(cut))?;
        tails.exactly(bound)
    };
    let reached = refine(|cut| {
        // The difference of two tails cancels on the far side of the mode. For the vector with all
        // bits inverted the event lies on the near side.
        let direct = exactly(weight, bound, cut)?;
        if is_narrow(&direct) {
            return Some(direct);
        }
        let mirrored = exactly(length - weight, rest, cut)?;
        let reached = common(&direct, &mirrored);
        (cut >= RESOLVED_BITS || is_narrow(&reached)).then_some(reached)
    })?;
    Ok(reached)
}

/// The intersection of two enclosures of one probability, cut to numbers of at least 0.
fn common(one: &Interval, other: &Interval) -> Interval {
    let lower = one.lower().max(other.lower()).clone();
    let upper = one.upper().min(other.upper()).clone();
    Interval::hull_of(lower.max(Dyadic::new(0, 0)), upper, PRECISION)
}

/// Enclosures of p, 1 − p and 1/(1 − 2p), p the flip probability.
struct Factors {
    /// p, the probability that a bit is flipped.
    flipped: Interval,
    /// 1 − p, the probability that a bit is kept.
    kept: Interval,
    /// 1/(1 − 2p) = 1 + 2x/(1 − x)
    gain: Interval,
}

impl Factors {
    /// Enclosures of p, 1 − p and 1/(1 − 2p) for the flip probability p of `rappor`, in at least
    /// `precision` bits. `None` if these bits do not distinguish e^(−ε₀) from 1.
    fn new(rappor: &SymmetricRappor, precision: u32) -> Option<Self> {
        let precision = precision.max(PRECISION);
        let kept = rappor.flip().complement(precision);
        Some(Self {
            flipped: rappor.flip().odds(precision) * &kept,
            gain: Interval::integer(1, precision) + rappor.flip().slope(precision)?.shifted(1),
            kept,
        })
    }

    /// The variance of a client's addend. It is (1 − p)/(1 − 2p) with probability `set`, −p/(1 −
    /// 2p) with `unset`, and 0 with `dropped`, for the flip probability p.
    fn variance(&self, set: &Interval, unset: &Interval, dropped: &Interval) -> Interval {
        let squares = set * self.kept.square() + unset * self.flipped.square();
        (set * unset + dropped * squares) * self.gain.square()
    }
}
