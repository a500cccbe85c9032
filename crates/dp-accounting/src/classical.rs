//! Theorems of composition that look at single guarantees only.

// DIFFERENCE from draft-wang §B.5: Theorem 3.3, which is optimal, in the place of Theorem 3.4.

use dp_calibration::{Error, NoiseDistribution, conversion, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};
use num_bigint::BigInt;

use crate::accountant::added;
use crate::{Accountant, AccountedMechanism};

/// The ε at δ of the sum of the zero-concentrated guarantees (Bun, Steinke 2016, Lemma 1.7), converted
/// as tightly as is known; `None` if a release has none.
///
/// # Errors
/// If the sum is not above 0.
pub fn concentrated(
    releases: &[(AccountedMechanism, u32)],
    delta: &Delta,
) -> Result<Option<Rational>, Error> {
    let mut all = Vec::with_capacity(releases.len());
    for (release, times) in releases {
        let Some(rho) = rho_of(release) else {
            return Ok(None);
        };
        all.push(rho.value() * &Rational::from(u64::from(*times)));
    }
    let sum = added(&all, Rounding::Up);
    Ok(zcdp::epsilon(&Rho::new(sum)?, delta).ok())
}

/// Upper bound on the ρ of one release; `None` if it has no zero-concentrated guarantee of its own.
fn rho_of(release: &AccountedMechanism) -> Option<Rho> {
    let of_pure = |epsilon: &Epsilon, times: u64| {
        let rho = conversion::pure_to_rho(epsilon).ok()?;
        Rho::new(rho.value() * &Rational::from(times)).ok()
    };
    use AccountedMechanism::{Dominated, KaryResponse, Noise, RandomizedResponse};
    use NoiseDistribution::{DiscreteGaussian, DiscreteLaplace};
    match release {
        Noise { law: DiscreteGaussian { variance }, difference } => {
            zcdp::rho(variance, &difference.l2_squared()).ok()
        }
        Noise { law: DiscreteLaplace { scale }, difference } => {
            let step = Rational::integer(BigInt::from(difference.step().clone()));
            of_pure(&Epsilon::new(step.checked_div(scale)?).ok()?, difference.coordinates())
        }
        RandomizedResponse { epsilon, delta } if delta.value().is_zero() => of_pure(epsilon, 1),
        KaryResponse { epsilon, .. } => of_pure(epsilon, 1),
        RandomizedResponse { .. } | Dominated(_) => None,
    }
}

/// Upper bound on the ε at δ = `target` of `times` adaptively chosen releases, each of them
/// (`epsilon`, `delta`)-differentially private. Rounded up to 15 digits.
///
/// Theorem 3.3 of Kairouz, Oh, Viswanath 2015: no such release is worse than randomized response
/// with these parameters, and the bound is attained by `times` of those.
///
/// ```
/// use dp_accounting::classical::optimal_of_pairs;
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
) -> Result<Rational, Error> {
    let (epsilon, delta) = (epsilon.clone(), delta.clone());
    let mut all = Accountant::new();
    all.add(AccountedMechanism::RandomizedResponse { epsilon, delta }, times)?;
    Ok(all.epsilon(target)?.upper)
}
