//! The theorems of composition that look at single guarantees only, for comparison with the accountant.

// DIFFERENCE from draft-wang §B.5: Theorem 3.3, which is optimal, in the place of Theorem 3.4.

use dp_calibration::{
    Error, NoiseDistribution, WorstCaseDifference, conversion, discrete_gaussian, zcdp,
};
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};
use num_bigint::{BigInt, BigUint};

use crate::accountant::added;
use crate::{Accountant, AccountedMechanism};

/// The most kinds of release among which [`basic`] shares δ.
const MOST_SHARING: usize = 64;

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
            of_pure(&laplace_epsilon(scale, difference.step())?, difference.coordinates())
        }
        RandomizedResponse { epsilon, delta } if delta.value().is_zero() => of_pure(epsilon, 1),
        KaryResponse { epsilon, .. } => of_pure(epsilon, 1),
        RandomizedResponse { .. } | Dominated(_) => None,
    }
}

/// The ε = Δ₁/t of discrete Laplace noise of scale t, exactly; `None` if it is not above 0.
fn laplace_epsilon(scale: &Rational, l1: &BigUint) -> Option<Epsilon> {
    let l1 = Rational::integer(BigInt::from(l1.clone()));
    Epsilon::new(l1.checked_div(scale)?).ok()
}

/// The sum of ε (Dwork, Rothblum, Vadhan 2010), at an equal share of δ for each release that needs
/// one. `None` if a release has no guarantee of its own, or more than 64 kinds need a share of δ: each
/// share takes a search.
#[must_use]
pub fn basic(releases: &[(AccountedMechanism, u32)], delta: &Delta) -> Option<Rational> {
    let each = guarantees_of_each(releases, delta, 1)?.into_iter().zip(releases);
    let all = each.map(|((epsilon, _), (_, times))| epsilon * Rational::from(u64::from(*times)));
    let all: Vec<Rational> = all.collect();
    Some(added(&all, Rounding::Up))
}

/// The optimal composition of k equal (ε, δ) releases (Kairouz, Oh, Viswanath 2015, Theorem 3.3), with
/// half of δ for the releases. A histogram with Laplace noise is two such releases.
/// `None` for unlike releases.
#[must_use]
pub fn optimal(releases: &[(AccountedMechanism, u32)], delta: &Delta) -> Option<Rational> {
    let [(release, times)] = releases else {
        return None;
    };
    let pair = WorstCaseDifference::one_hot();
    if let AccountedMechanism::Noise { law, difference } = release
        && let NoiseDistribution::DiscreteLaplace { scale } = law
        && *difference == pair
    {
        let none = Delta::new(Rational::zero()).ok()?;
        let of_one_count = laplace_epsilon(scale, difference.step())?;
        return optimal_of_pairs(&of_one_count, &none, times.saturating_mul(2), delta).ok();
    }
    let each = guarantees_of_each(releases, delta, 2)?;
    let (epsilon, slack) = each.first()?;
    let epsilon = Epsilon::new(epsilon.clone()).ok()?;
    let slack = Delta::new(slack.clone()).ok()?;
    optimal_of_pairs(&epsilon, &slack, *times, delta).ok()
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

/// Pairs (ε, δ) that hold for one release of each kind, with ε rounded up; `None` if some kind has
/// no such pair. The δ is 0, or for Gaussian noise an equal share of `delta`/`part` among all
/// Gaussian releases.
fn guarantees_of_each(
    releases: &[(AccountedMechanism, u32)],
    delta: &Delta,
    part: u64,
) -> Option<Vec<(Rational, Rational)>> {
    use AccountedMechanism::{Dominated, KaryResponse, Noise, RandomizedResponse};
    use NoiseDistribution::{DiscreteGaussian, DiscreteLaplace};
    let is_gaussian = |release: &_| matches!(release, Noise { law: DiscreteGaussian { .. }, .. });
    let sharing = releases.iter().filter(|(release, _)| is_gaussian(release));
    if sharing.clone().count() > MOST_SHARING {
        return None;
    }
    let sharing: u64 = sharing.map(|(_, times)| u64::from(*times)).sum();
    let share = Rational::from(sharing.max(1) * part).reciprocal()? * delta.value();
    let share = Delta::new(share).ok()?;
    let pure = |epsilon: &Epsilon| Some((epsilon.value().clone(), Rational::zero()));
    let each = releases.iter().map(|(release, _)| match release {
        Noise { law: DiscreteGaussian { variance }, difference } => {
            let epsilon = discrete_gaussian::epsilon(variance, &share, difference).ok()?;
            Some((epsilon, share.value().clone()))
        }
        Noise { law: DiscreteLaplace { scale }, difference } => {
            pure(&laplace_epsilon(scale, &difference.l1())?)
        }
        RandomizedResponse { epsilon, delta } if delta.value().is_zero() => pure(epsilon),
        KaryResponse { epsilon, .. } => pure(epsilon),
        RandomizedResponse { .. } | Dominated(_) => None,
    });
    each.collect()
}
