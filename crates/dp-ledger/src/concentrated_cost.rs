//! The cost of a release under approximate zero-concentrated privacy.
//!
//! The budget of a release and its mechanism each give a cost:
//!
//! | guarantee or mechanism | ρ | δ | ε |
//! |---|---|---|---|
//! | pure ε | ε·tanh(ε/2) | 0 | ε |
//! | (ε, δ) | ε·tanh(ε/2) | δ | ε |
//! | ρ | ρ | 0 | |
//! | discrete Gaussian noise, k coordinates changed by d | k·d²/(2σ²), exact | 0 | |
//! | discrete Laplace noise, k coordinates changed by d | k·ρ of one ([`conversion::laplace_rho`]) | 0 | k·d/t |
//! | k-ary randomized response | [`conversion::response_rho`] | 0 | ε |
//! | m bits, each flipped with probability 1/(e^ε₀ + 1) | m·ε₀·tanh(ε₀/2) | 0 | m·ε₀ |
//!
//! An aggregator's noise counts where the trust model has an honest one. Costs without δ are about
//! one pair of distributions, so that the least ρ and the least ε hold at once.

use dp_calibration::{Adjacency, Budget, NoiseDistribution, conversion, zcdp};
use dp_exact::{Epsilon, Rational};
use num_bigint::BigInt;

use crate::amounts::Amounts;
use crate::{Mechanism, Noise, Randomizer, Release};

/// The noise of one honest aggregator that protects a measurement; `None` if no aggregator is
/// honest or the noise does not count.
fn hiding_noise(release: &Release) -> Option<&Noise> {
    if release.trust_model.honest_aggregators() == 0 {
        return None;
    }
    match &release.mechanism {
        Mechanism::Aggregators(noise) => Some(noise),
        // With the coins of the client fixed, its randomized measurements differ as the
        // measurements do. This fails where one of them may be dropped for its weight, and under
        // deletion, where a randomized measurement may be longer than any measurement.
        Mechanism::Both { clients, aggregators }
            if release.adjacency != Adjacency::Deletion
                && !matches!(
                    clients,
                    Randomizer::SymmetricRappor { length, sent_weight, .. } if sent_weight < length
                ) =>
        {
            Some(aggregators)
        }
        _ => None,
    }
}

/// The cost of `release`: of the costs of its budget and of its mechanism, the one that uses the
/// smaller share of `limit`. `None` if neither bounds ρ.
pub(crate) fn cost(release: &Release, limit: &Amounts) -> Option<Amounts> {
    let (without, with): (Vec<Amounts>, Vec<Amounts>) =
        [of_budget(&release.budget), of_mechanism(release)]
            .into_iter()
            .flatten()
            .partition(|known| known.delta.is_zero());
    let together = without.into_iter().reduce(both);
    together.into_iter().chain(with).min_by_key(|known| share(known, limit))
}

/// The smaller ρ and the smaller ε of two costs without δ: both bound the same pair of
/// distributions.
fn both(one: Amounts, other: Amounts) -> Amounts {
    let least = |part: usize| {
        let both = [&one.either[part], &other.either[part]];
        both.into_iter().flatten().min().cloned()
    };
    without_delta(least(0), least(1))
}

/// A key to compare costs by, smaller for a better cost: whether δ is above 0 where `limit` has 0,
/// then the larger of the fractions of `limit` that ρ and δ use.
fn share(cost: &Amounts, limit: &Amounts) -> (bool, Option<Rational>) {
    if limit.delta.is_zero() && !cost.delta.is_zero() {
        return (true, Some(cost.delta.clone()));
    }
    let rho = cost.either[0].as_ref().zip(limit.either[0].as_ref());
    let rho = rho.and_then(|(part, whole)| part.checked_div(whole));
    (false, rho.max(cost.delta.checked_div(&limit.delta)))
}

/// The cost of a release whose budget alone is known, with the ρ that its ε implies where it has
/// an ε; `None` for Rényi privacy.
fn of_budget(budget: &Budget) -> Option<Amounts> {
    let amounts = Amounts::of(budget)?;
    match amounts.either {
        [_, Some(epsilon), _] => Some(Amounts { delta: amounts.delta, ..repeated(epsilon, 1)? }),
        either => Some(Amounts { either, ..amounts }),
    }
}

/// The cost of the release's mechanism, without δ; `None` if it does not bound ρ.
fn of_mechanism(release: &Release) -> Option<Amounts> {
    let noise = hiding_noise(release).and_then(of_noise);
    // Bits that are flipped independently: two measurements differ in at most 2w of them. Whether a
    // report is dropped follows from its flipped bits.
    let flips = match &release.mechanism {
        Mechanism::Clients(clients) | Mechanism::Both { clients, .. }
            if release.adjacency != Adjacency::Deletion =>
        {
            of_randomizer(clients, release.adjacency)
        }
        _ => None,
    };
    [noise, flips].into_iter().flatten().reduce(both)
}

/// The cost of a client's randomizer under replacement or of one coordinate; `None` if only its
/// budget is known.
fn of_randomizer(randomizer: &Randomizer, adjacency: Adjacency) -> Option<Amounts> {
    match randomizer {
        Randomizer::SymmetricRappor { epsilon0, .. } if adjacency == Adjacency::OneCoordinate => {
            repeated(epsilon0.value().clone(), 1)
        }
        Randomizer::SymmetricRappor { epsilon0, length, input_weight, .. } => {
            // Twice a weight that does not fit is above every length.
            let differing = input_weight.saturating_mul(2).min(*length);
            repeated(epsilon0.value().clone(), differing)
        }
        Randomizer::KaryRandomizedResponse { answers, epsilon } => {
            let rho = conversion::response_rho(epsilon, *answers).ok()?;
            Some(without_delta(Some(rho.value().clone()), Some(epsilon.value().clone())))
        }
        _ => None,
    }
}

/// The cost of one aggregator's noise, where a client changes the numbers by `noise.difference`.
/// For Gaussian noise ρ is exact and ε is `None`. For Laplace noise ρ is rounded up and ε is exact.
fn of_noise(noise: &Noise) -> Option<Amounts> {
    let difference = &noise.difference;
    match &noise.distribution {
        NoiseDistribution::DiscreteGaussian { variance } => {
            let rho = zcdp::rho(variance, &difference.l2_squared()).ok()?;
            Amounts::of(&rho.into())
        }
        NoiseDistribution::DiscreteLaplace { scale } => {
            let step = Rational::integer(BigInt::from(difference.step().clone()));
            let times = difference.coordinates();
            let pure = repeated(step.checked_div(scale)?, times)?;
            // Without a certified least ρ, the ρ of a pure mechanism holds.
            Some(match conversion::laplace_rho(scale, difference.step()) {
                Ok(rho) => {
                    let [_, epsilon, _] = pure.either;
                    without_delta(Some(rho.value() * &Rational::from(times)), epsilon)
                }
                Err(_) => pure,
            })
        }
    }
}

/// The cost of these ρ and ε with a δ of 0.
fn without_delta(rho: Option<Rational>, epsilon: Option<Rational>) -> Amounts {
    Amounts { delta: Rational::zero(), either: [rho, epsilon, None] }
}

/// The cost of `times` independent parts, each `epsilon`-differentially private: ρ is ε·tanh(ε/2)
/// of each, rounded up to 12 digits, or ε²/2 where that fails. `None` if ε is not above 0.
fn repeated(epsilon: Rational, times: u64) -> Option<Amounts> {
    let times = Rational::from(times);
    let one = Epsilon::new(epsilon).ok()?;
    let rho = conversion::pure_to_rho(&one);
    let rho = rho.or_else(|_| conversion::pure_to_rho_classical(&one)).ok()?;
    let (rho, epsilon) = (rho.value() * &times, one.value() * &times);
    Some(without_delta(Some(rho), Some(epsilon)))
}
