//! Many releases together.

// DIFFERENCE from draft-wang §B.5: Theorem 3.3, which is optimal, in the place of Theorem 3.4.

use crate::Result;
use dp_exact::{Delta, Epsilon, Rational};

use super::{Accountant, AccountedMechanism, ComposedEpsilon};

/// Bounds on the ε at δ of `times` of each release together.
///
/// # Errors
/// If a parameter is out of its range, or as [`Accountant::epsilon`].
pub fn compose(releases: &[(AccountedMechanism, u32)], delta: &Delta) -> Result<ComposedEpsilon> {
    let mut all = Accountant::new();
    for (release, times) in releases {
        all.add(release.clone(), *times)?;
    }
    all.epsilon(delta)
}

/// Upper bound on the ε at δ = `target` of `times` adaptively chosen releases, each of them
/// (`epsilon`, `delta`)-differentially private. Rounded up to 15 digits.
///
/// Theorem 3.3 of Kairouz, Oh, Viswanath 2015: no such release is worse than randomized response
/// with these parameters, and the bound is attained by `times` of those.
///
/// ```
/// use dp_calibration::accounting::optimal_of_pairs;
///
/// let (epsilon, none, delta) = ("0.1".parse()?, "0".parse()?, "1e-9".parse()?);
/// let composed = optimal_of_pairs(&epsilon, &none, 60, &delta)?;
/// assert!((composed.to_f64() - 4.387599523844493).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are more than 2^20 releases, a parameter is out of the accountant's range, or `target`
/// is below 1 − (1 − `delta`)^`times`, which no ε meets.
pub fn optimal_of_pairs(
    epsilon: &Epsilon,
    delta: &Delta,
    times: u32,
    target: &Delta,
) -> Result<Rational> {
    let (epsilon, delta) = (epsilon.clone(), delta.clone());
    let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
    Ok(compose(&[(release, times)], target)?.upper)
}
