//! Our strategies through `Prio3::add_noise_to_agg_share`, on all seven types: the noise has the
//! expected distribution.
//!
//! The operating system seeds the generator, so these tests are truly random. Each compares the
//! distribution function of n draws with the exact one. The allowed distance is from Massart's form
//! of the Dvoretzky–Kiefer–Wolfowitz inequality, for any distribution: P(sup |F_n − F| > η) ≤
//! 2·e^(−2nη²). Each comparison has a false alarm with probability 1e-12, all together below 1e-9.

use dp_libprio::{SignedField, Strategy};
use prio::dp::DifferentialPrivacyStrategy;
use prio::flp::TypeWithNoise;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{Aggregator, AggregatorWithNoise};

use crate::{concentrated, pure};

/// Draws in each comparison.
const DRAWS: usize = 50_000;

/// Largest accepted distance of two distribution functions after `draws` draws, at a false-alarm
/// probability of 1e-12: √(ln(2e12)/(2·draws)), 0.0168 for [`DRAWS`].
fn allowance(draws: usize) -> f64 {
    (2e12_f64.ln() / (2.0 * as_float(draws))).sqrt()
}

fn as_float(number: usize) -> f64 {
    f64::from(u32::try_from(number).expect("small"))
}

/// [`DRAWS`] entries of noise alone, from empty batches, in the way of a server that is generic
/// over VDAF and strategy.
fn draws<T, S>(vdaf: &Prio3<T, XofTurboShake128, 32>, strategy: &S) -> Vec<i128>
where
    T: TypeWithNoise<S, Field: SignedField>,
    S: DifferentialPrivacyStrategy,
{
    let mut draws = Vec::with_capacity(DRAWS);
    while draws.len() < DRAWS {
        let mut share = vdaf.aggregate_init(&());
        vdaf.add_noise_to_agg_share(strategy, &(), &mut share, 1000)
            .expect("the strategy takes this type");
        draws.extend(share.as_ref().iter().map(|entry| entry.to_signed()));
    }
    draws.truncate(DRAWS);
    draws
}

/// The distribution of a draw, computed anew in floating point.
#[derive(Clone, Copy, Debug)]
enum Expected {
    Laplace { scale: f64 },
    Gaussian { variance: f64 },
}

impl Expected {
    /// The probability of `x`, up to a factor that all x share.
    fn weight(self, x: f64) -> f64 {
        match self {
            Self::Laplace { scale } => (-x.abs() / scale).exp(),
            Self::Gaussian { variance } => (-x * x / (2.0 * variance)).exp(),
        }
    }

    /// An x beyond which, on both sides, a draw lies with probability below 1e-17: 40 scales or
    /// standard deviations.
    fn reach(self) -> i32 {
        let spread = match self {
            Self::Laplace { scale } => scale,
            Self::Gaussian { variance } => variance.sqrt(),
        };
        (1..).find(|&x| f64::from(x) > 40.0 * spread).expect("small")
    }

    /// sup |F_n − F| for these draws.
    fn distance(self, draws: &[i128]) -> f64 {
        let reach = self.reach();
        let total: f64 = (-reach..=reach).map(|x| self.weight(f64::from(x))).sum();
        let mut sorted = draws.to_vec();
        sorted.sort_unstable();
        let (mut below, mut farthest) = (0.0, 0.0_f64);
        for x in -reach..=reach {
            below += self.weight(f64::from(x)) / total;
            let seen = sorted.partition_point(|draw| *draw <= i128::from(x));
            farthest = farthest.max((as_float(seen) / as_float(draws.len()) - below).abs());
        }
        farthest
    }
}

/// Whether consecutive draws, of two entries or of two calls, are both positive about as often as
/// independent draws (Hoeffding, false-alarm probability 1e-12).
fn neighbours_are_independent(draws: &[i128]) -> bool {
    let positive = draws.iter().filter(|draw| **draw > 0).count();
    let share = as_float(positive) / as_float(draws.len());
    let pairs = draws.len() / 2;
    let both = draws.chunks_exact(2).filter(|pair| pair[0] > 0 && pair[1] > 0);
    let both = as_float(both.count()) / as_float(pairs);
    // The share of positives is itself an estimate: |p̂² − p²| ≤ 2·|p̂ − p|.
    (both - share * share).abs() <= allowance(pairs) + 2.0 * allowance(draws.len())
}

/// Asserts that the noise of `strategy` has this distribution and that draws are independent.
#[track_caller]
fn is_noise_of<T, S>(vdaf: &Prio3<T, XofTurboShake128, 32>, strategy: &S, expected: Expected)
where
    T: TypeWithNoise<S, Field: SignedField>,
    S: DifferentialPrivacyStrategy,
{
    let draws = draws(vdaf, strategy);
    let distance = expected.distance(&draws);
    assert!(distance <= allowance(DRAWS), "{expected:?}: {distance}");
    assert!(neighbours_are_independent(&draws), "{expected:?}");
}

/// Tests both distributions on one type, for ε = 1/2 and for ρ = 1/50.
#[track_caller]
fn is_noised<T>(vdaf: &Prio3<T, XofTurboShake128, 32>, scale: f64, variance: f64)
where
    T: TypeWithNoise<Strategy, Field: SignedField>,
{
    is_noise_of(vdaf, &pure("1/2"), Expected::Laplace { scale });
    is_noise_of(vdaf, &concentrated("1/50"), Expected::Gaussian { variance });
}

#[test]
fn numbers_are_noised_by_their_largest_value() {
    is_noised(&Prio3::new_count(2).unwrap(), 2.0, 25.0);
    is_noised(&Prio3::new_sum(2, 5).unwrap(), 10.0, 625.0);
    is_noised(&Prio3::new_average(2, 5).unwrap(), 10.0, 625.0);
}

#[test]
fn vectors_are_noised_by_the_change_of_all_their_entries() {
    is_noised(&Prio3::new_sum_vec(2, 4, 20, 8).unwrap(), 160.0, 8000.0);
    is_noised(&Prio3::new_l1_bound_sum(2, 4, 50, 7).unwrap(), 16.0, 800.0);
}

#[test]
fn counts_are_noised_by_the_number_that_changes() {
    is_noised(&Prio3::new_histogram(2, 50, 7).unwrap(), 4.0, 50.0);
    is_noised(&Prio3::new_histogram_multithreaded(2, 50, 7).unwrap(), 4.0, 50.0);
    is_noised(&Prio3::new_multihot_count_vec(2, 50, 5, 7).unwrap(), 20.0, 250.0);
}

/// The faults that these tests look for. Each is twice the allowed distance away, so it is missed
/// with probability 1e-12.
#[test]
fn a_wrong_distribution_is_caught() {
    let caught = |draws: &[i128], expected: Expected| expected.distance(draws) > allowance(DRAWS);

    // Noise for the bits of the entries, 7, in place of the largest entry, 4; and 25 % too much.
    let vdaf = Prio3::new_sum_vec(2, 4, 20, 8).unwrap();
    let noise = draws(&vdaf, &pure("1/2"));
    assert!(caught(&noise, Expected::Laplace { scale: 280.0 }));
    assert!(caught(&noise, Expected::Laplace { scale: 200.0 }));

    // The sensitivity of deletion, and Gaussian noise of the same variance.
    let vdaf = Prio3::new_histogram(2, 50, 7).unwrap();
    let noise = draws(&vdaf, &pure("1/2"));
    assert!(caught(&noise, Expected::Laplace { scale: 2.0 }));
    assert!(caught(&noise, Expected::Gaussian { variance: 32.0 }));

    // No noise; noise that is read modulo p; the same noise on two entries, or in two calls.
    assert!(caught(&vec![0; DRAWS], Expected::Laplace { scale: 4.0 }));
    let wrapped: Vec<i128> = noise.iter().map(|draw| draw.rem_euclid(1 << 64)).collect();
    assert!(caught(&wrapped, Expected::Laplace { scale: 4.0 }));
    let doubled: Vec<i128> = noise.iter().flat_map(|draw| [*draw, *draw]).collect();
    assert!(!neighbours_are_independent(&doubled));
}
