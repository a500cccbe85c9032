//! The ranges, depths and digits of a computation.

use dp_exact::{Delta, Rational, Rounding, elementary};

use dp_calibration::Error;

/// Digits of an answer.
pub(crate) const DIGITS: usize = 12;

/// The most clients.
pub(crate) const MAX_CLIENTS: u64 = 10_000_000_000;

/// How far tails are followed below δ, in powers of e.
pub(crate) const BELOW_DELTA: f64 = 14.0;

/// ln 10^300, and what is followed below.
pub(crate) const MAX_DEPTH: f64 = 706.0;

/// A floating point number not above δ.
pub(crate) fn target(delta: &Delta) -> Result<f64, Error> {
    let target = delta.value().to_f64().next_down();
    if !(1e-300..0.9 + 1e-9).contains(&target.next_up()) {
        let accepted = "0, or a number from 1e-300 to 0.9";
        return Err(Error::parameter("delta", delta, accepted));
    }
    Ok(target)
}

/// An upper bound as it is printed.
pub(crate) fn rounded_up(value: f64) -> Result<Rational, Error> {
    Ok(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up))
}

/// How far tails are followed for this δ.
pub(crate) fn depth_for(target: f64) -> f64 {
    (BELOW_DELTA - elementary::ln(target)).min(MAX_DEPTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_to_the_safe_side() -> Result<(), Error> {
        for value in [1.0 / 3.0, 2.0 / 3.0, 1e-300, 0.123_456_789_012_345] {
            let printed = rounded_up(value)?;
            assert!(printed >= Rational::from_f64(value)?, "{printed}");
            assert!(printed.to_f64() <= value * (1.0 + 1e-11), "{printed}");
        }
        for text in ["1e-9", "0.1", "0.9", "1e-300"] {
            let delta: Delta = text.parse()?;
            let below = target(&delta)?;
            assert!(Rational::from_f64(below)? < *delta.value(), "{text}");
            assert!(below >= delta.value().to_f64() * (1.0 - 1e-15), "{text}");
            assert!(depth_for(below) >= -below.ln() + 14.0 || depth_for(below) >= MAX_DEPTH);
        }
        assert!(target(&"0.91".parse()?).is_err() && target(&"9e-301".parse()?).is_err());
        Ok(())
    }
}
