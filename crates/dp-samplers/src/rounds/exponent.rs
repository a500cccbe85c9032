//! γ = f(y) − f(mW), in fixed point and exactly, for each kind of distribution.

use alloc::boxed::Box;

use dp_exact::{Rational, Real};
use num_bigint::BigInt;

use super::Proposal;
use crate::distributions::Envelope;
use crate::enclosure::ExpMinus;
use crate::exponential::low_64;

/// The function f of a distribution P(y) ∝ e^(−f(y)). A proposal y in bucket m of width W is
/// accepted with probability e^−γ, γ = f(y) − f(mW).
#[derive(Clone, Debug)]
pub(super) enum Exponent {
    /// f(y) = y²/2σ². With D = u/W for the offset u and c = W²/2σ², 1/416 ≤ c < 1/104, γ = c·D·(2m
    /// + D).
    ///
    /// In fixed point, cut off at each step: D has 64 bits after the point and errs by less than
    /// 2^−64; S = 2mD + D² < 2·316 is cut to 54 bits after the point; c is a fraction of 70 bits. γ
    /// = c·S errs by less than 2^−54/104 for S, 632·2^−70 for c, 2·2^−64 for D, and the last cut: 5
    /// + 5 + 1 + 1 units of 2^−63.
    Square {
        /// ⌊c·2^70⌋
        c: u64,
        /// 1/2σ² for the variance parameter σ².
        rate: Rational,
    },
    /// f(y) = y/t. γ = c·D with D = u/W for the offset u. c = W/t < 1/16 is a fraction of 65 bits:
    /// γ errs by less than 1 + 1 + 1 units of 2^−63.
    Line {
        /// ⌊c·2^65⌋
        c: u64,
        /// 1/t for the scale t.
        rate: Rational,
    },
    /// A binomial distribution around its mode.
    Binomial(Envelope),
}

impl Exponent {
    /// Upper bound on the error of [`Self::gamma`], in units of 2^−63.
    pub(super) fn error(&self) -> u64 {
        match self {
            Self::Square { .. } | Self::Line { .. } => 16,
            Self::Binomial(envelope) => envelope.error(),
        }
    }

    /// γ of a proposal in units of 2^−63, for a bucket that is not far; e^−γ is the probability of
    /// accepting. The bucket's width is 2^`width_bits`.
    #[inline]
    pub(super) fn gamma(&self, width_bits: u32, proposal: Proposal) -> u64 {
        let d = u128::from(proposal.offset.upper);
        match self {
            Self::Square { c, .. } => {
                let twice = u128::from(proposal.bucket.unsigned_abs() << 1 & 0x3ff);
                let sum = d * twice + ((d * d) >> 64);
                low_64((u128::from(*c) * (sum >> 10)) >> 61)
            }
            Self::Line { c, .. } => low_64((u128::from(*c) * d) >> 66),
            Self::Binomial(envelope) => {
                let offset = short_offset(width_bits, proposal);
                envelope.gamma(proposal.bucket ^ proposal.side, offset)
            }
        }
    }

    /// e^−γ exactly, the probability of accepting a proposal of magnitude `y`. `start` is the least
    /// magnitude of its bucket, which is 2^`width_bits` wide.
    pub(super) fn acceptance<'a>(
        &'a self,
        width_bits: u32,
        proposal: Proposal,
        start: &BigInt,
        y: &BigInt,
    ) -> Box<dyn Real + 'a> {
        match self {
            Self::Square { rate, .. } => {
                let difference = Rational::integer(y * y - start * start);
                Box::new(ExpMinus(difference * rate))
            }
            Self::Line { rate, .. } => Box::new(ExpMinus(Rational::integer(y - start) * rate)),
            Self::Binomial(envelope) => {
                let offset = short_offset(width_bits, proposal);
                Box::new(envelope.acceptance(proposal.bucket ^ proposal.side, offset))
            }
        }
    }
}

/// The offset u of a proposal in a bucket of width 2^`width_bits`, at most 2^16 as binomial
/// distributions have them.
#[inline]
fn short_offset(width_bits: u32, proposal: Proposal) -> i64 {
    (proposal.offset.upper >> (64 - width_bits)).cast_signed()
}
