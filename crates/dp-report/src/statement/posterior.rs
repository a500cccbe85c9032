//! The certainty of a guess about one person, as a page for people states it. [docs/risk.md](crate::proofs::risk) has the
//! proofs.

use dp_exact::Rational;
use dp_planner::PairGuarantee;
use num_bigint::BigInt;

use crate::privacy_pairs::PrivacyPair;

/// t = 1/100, and an upper bound on 1/(1 − e^(−t)).
const EXCESS: (i64, u64) = (1, 100);
const FACTOR: u64 = 101;

/// Upper bound on the probability of a guess after releases with this guarantee, in percent, if it was `prior` percent
/// before. It is rounded up: to whole percents up to 99, to hundredths of a percent above. With δ above 0 the bound may fail,
/// see [`failure_odds`].
///
/// ```
/// use dp_report::dp_planner::PairGuarantee;
/// use dp_report::statement::posterior_percent;
///
/// let (epsilon, delta) = ("1".parse()?, "0".parse()?);
/// let kept = PairGuarantee::Kept { epsilon, delta, rho: None, slack_reason: None };
/// assert_eq!(posterior_percent(&kept, 50).to_string(), "74"); // e/(1 + e) = 73.1 %
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[must_use]
pub fn posterior_percent(bound: &PairGuarantee, prior: u32) -> Rational {
    let hundred = Rational::from(100u64);
    let PairGuarantee::Kept { epsilon, delta, .. } = bound else {
        return hundred;
    };
    let excess = match delta.is_zero() {
        true => Rational::zero(),
        false => Rational::new(EXCESS.0, EXCESS.1).unwrap_or_else(|_| Rational::one()),
    };
    let prior = Rational::from(u64::from(prior)).checked_div(&hundred);
    let pair = PrivacyPair::new(&(epsilon + &excess), &Rational::zero());
    let (Some(prior), Some(pair)) = (prior, pair) else {
        return hundred;
    };
    let percent = &pair.posterior(&prior) * &hundred;
    let whole = Rational::integer(percent.ceil());
    if whole <= Rational::from(99u64) {
        return whole;
    }
    let hundredths = Rational::integer((&percent * &hundred).ceil());
    hundredths.checked_div(&hundred).unwrap_or(whole)
}

/// Lower bound on n ≥ 1, where the bound of [`posterior_percent`] fails in at most one of n cases. `None` if it never fails, or
/// without a guarantee.
#[must_use]
pub fn failure_odds(bound: &PairGuarantee) -> Option<BigInt> {
    let chance = bound.delta()? * &Rational::from(FACTOR);
    let cases = chance.reciprocal()?.floor();
    Some(cases.max(BigInt::from(1)))
}

#[cfg(test)]
mod tests {
    use dp_exact::Interval;

    use super::*;

    fn kept(epsilon: &str, delta: &str) -> PairGuarantee {
        PairGuarantee::Kept {
            epsilon: epsilon.parse().expect("a number"),
            delta: delta.parse().expect("a number"),
            rho: None,
            slack_reason: None,
        }
    }

    /// Values of e^ε/(1 + e^ε) and so on from another arithmetic (mpmath, 50 digits).
    #[test]
    fn beliefs_are_rounded_up_from_the_exact_values() {
        for (epsilon, delta, prior, percent) in [
            ("1", "0", 50, "74"),         // 73.105…
            ("1", "1e-9", 50, "74"),      // 73.302…
            ("0.906", "1e-9", 50, "72"),  // 71.424…
            ("0.906", "1e-9", 10, "22"),  // 21.733…
            ("0.906", "1e-9", 1, "3"),    // 2.461…
            ("6", "0", 50, "99.76"),      // 99.7527…
            ("20", "0", 50, "100"),       // all but 2e-9
            ("1e-12", "0", 50, "51"),     // a little above 50
            ("0", "0", 50, "50"),         // nothing is learned
            ("100000", "1e-9", 1, "100"), // nothing is left
        ] {
            let found = posterior_percent(&kept(epsilon, delta), prior).to_string();
            assert_eq!(found, percent, "{epsilon} {delta} {prior}");
        }
        let reason = String::new();
        assert_eq!(posterior_percent(&PairGuarantee::Absent { reason }, 50), 100);
    }

    /// The factor of an exception is above 1/(1 − e^(−1/100)).
    #[test]
    fn the_factor_covers_the_excess() {
        let excess = Rational::new(-EXCESS.0, EXCESS.1).expect("a fraction");
        let kept = Interval::rational(&excess, 128).exp();
        let left = Interval::integer(1, 128) - kept.expect("in range");
        let bound = Interval::integer(1, 128).checked_div(&left);
        let bound = bound.expect("not 0");
        assert!(bound.upper().cmp_rational(&Rational::from(FACTOR)).is_lt());
    }
}
