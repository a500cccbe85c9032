//! The guarantee of a local randomizer by itself, to a client who trusts nobody: the logarithm of
//! the largest ratio of two probabilities of one outcome. Section 7 of `docs/calibration.md` lists
//! the ratios of symmetric and of basic RAPPOR (Erlingsson, Pihur, Korolova 2014), of k-ary
//! randomized response, and of a survey by coin flips (Warner 1965).

use dp_exact::{Epsilon, Interval, Rounding};

/// The ε of the coin-flip survey, ln 3, rounded up to 25 digits.
///
/// # Panics
/// Never: 3 has a positive logarithm.
#[must_use]
pub fn coin_flip() -> Epsilon {
    let log = Interval::integer(3, 128).ln().expect("3 is positive");
    let upper = log.upper().to_rational().expect("the logarithm of 3 is a short number");
    Epsilon::new(upper.round_to_digits(25, Rounding::Up)).expect("the logarithm of 3 is positive")
}

#[cfg(test)]
mod tests {
    #[test]
    fn coin_flips_have_the_logarithm_of_three() {
        assert_eq!(super::coin_flip().to_string(), "1.098612288668109691395246");
    }
}
