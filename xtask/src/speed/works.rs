//! The lines of the table.

use std::hint::black_box;
use std::rc::Rc;

use dp_cli::Failure;
use dp_exact::{Epsilon, Interval, Rational, Real};
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, Budget, DpPolicy, SignedField};
use dp_rappor::{PackedBits, SymmetricRappor};
use dp_samplers::{BernoulliReal, Binomial, DiscreteGaussian, DiscreteLaplace, Variant, reference};
use dp_task::AggregatorNoiseType;
use prio::dp::distributions::{self, PureDpDiscreteLaplace};
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget};
use prio::field::Field128;
use prio::vdaf::{AggregateShare, AggregatorWithNoise};
use rand::RngExt;
use rand_distr::{Distribution, Geometric, Normal};

use super::Target::{self, Nanoseconds, ShareOfFloat, TimesPrio};
use super::contest::{Column, Contest, FAST, refused};

/// Name, numerator and denominator of standard deviations, and targets.
const GAUSSIANS: [(&str, u128, u128, &[Target]); 7] = [
    ("0.5", 1, 2, &[TimesPrio(1300.0), ShareOfFloat(0.45)]),
    ("5.1904", 51_904, 10_000, &[TimesPrio(1800.0), ShareOfFloat(0.45)]),
    ("10", 10, 1, &[TimesPrio(1300.0), ShareOfFloat(0.45)]),
    ("23.3903", 233_903, 10_000, &[TimesPrio(1300.0), ShareOfFloat(0.7)]),
    ("1000", 1000, 1, &[TimesPrio(800.0), ShareOfFloat(0.9)]),
    ("10^6", 1_000_000, 1, &[TimesPrio(800.0), ShareOfFloat(1.4)]),
    ("2^40", 1 << 40, 1, &[TimesPrio(800.0), ShareOfFloat(1.6)]),
];

/// Name, numerator and denominator of scales, and targets.
const LAPLACES: [(&str, u128, u128, &[Target]); 4] = [
    ("2/5", 2, 5, &[TimesPrio(350.0), Nanoseconds(4.0)]),
    ("2", 2, 1, &[TimesPrio(350.0), Nanoseconds(4.0)]),
    ("20", 20, 1, &[TimesPrio(250.0), Nanoseconds(5.0)]),
    ("65535000", 65_535_000, 1, &[TimesPrio(150.0), Nanoseconds(12.0)]),
];

/// Name, number of trials n, and the ε₀ of p = 1/(e^ε₀ + 1).
const BINOMIALS: [(&str, u64, &str); 2] =
    [("10^9, 1/(e^5+1)", 1_000_000_000, "5"), ("10^12, 1/(e+1)", 1_000_000_000_000, "1")];

/// Number of bits of a RAPPOR vector.
const LENGTH: u32 = 1000;

/// Number of entries of an aggregate share.
const ENTRIES: u32 = 100_000;

/// Number of buckets of a histogram behind a strategy matrix.
const BUCKETS: u32 = 4096;

/// All contests; each is made when the iterator comes to it.
pub(super) fn all() -> impl Iterator<Item = Result<Contest, Failure>> {
    let gaussians = GAUSSIANS.into_iter().map(gaussian);
    let laplaces = LAPLACES.into_iter().map(laplace);
    let rappors = ["1", "2.5", "5", "8"].into_iter().map(rappor);
    let binomials = BINOMIALS.into_iter().map(binomial);
    let share = std::iter::once_with(histogram_share);
    let matrix = std::iter::once_with(strategy_matrix);
    gaussians.chain(laplaces).chain(share).chain(matrix).chain(rappors).chain(binomials)
}

/// Enters our sampler: slices of 4096, slices of 256, and single draws. Every draw fits 64 bits.
macro_rules! enter_ours {
    ($contest:expr, $law:expr) => {
        let law = Rc::new($law);
        for (column, length) in [(Column::Bulk, FAST), (Column::Short, 256)] {
            let law = Rc::clone(&law);
            $contest.enter_fill(column, length, move |rng, out| {
                law.fill(rng, out).unwrap_or(());
            });
        }
        $contest.enter_draws(Column::Single, move |rng| law.sample_as(rng).unwrap_or(0));
    };
}

/// The engine's name in documents.
fn name(variant: Variant) -> &'static str {
    match variant {
        Variant::TableScan => "scan",
        Variant::Rounds => "rounds",
        Variant::Reference => "reference",
        _ => "tables",
    }
}

/// libprio takes σ as a fraction, our sampler σ² as a fraction: its exact square.
fn gaussian(
    (parameter, numerator, denominator, targets): (&'static str, u128, u128, &'static [Target]),
) -> Result<Contest, Failure> {
    let sigma = Rational::new(numerator, denominator)?;
    let variance = sigma.pow(2);
    let law = DiscreteGaussian::new(&variance)?;
    let mut contest = Contest::new("discrete_gaussian", parameter, name(law.variant()), targets);
    enter_ours!(contest, law);
    let law = reference::DiscreteGaussian::new(&variance)?;
    contest.enter_slow(Column::Reference, move |rng| law.sample(rng));
    let peer = prio::dp::Rational::from_unsigned(numerator, denominator)
        .and_then(distributions::DiscreteGaussian::new)
        .map_err(refused)?;
    contest.enter_slow(Column::Prio, move |rng| peer.sample(rng));
    let normal = Normal::new(0.0, sigma.to_f64()).map_err(refused)?;
    contest.enter_draws(Column::Float, move |rng| {
        #[expect(clippy::cast_possible_truncation, reason = "to round is the work")]
        {
            normal.sample(rng).round() as i64
        }
    });
    Ok(contest)
}

fn laplace(
    (parameter, numerator, denominator, targets): (&'static str, u128, u128, &'static [Target]),
) -> Result<Contest, Failure> {
    let scale = Rational::new(numerator, denominator)?;
    let law = DiscreteLaplace::new(&scale)?;
    let mut contest = Contest::new("discrete_laplace", parameter, name(law.variant()), targets);
    enter_ours!(contest, law);
    let law = reference::DiscreteLaplace::new(&scale)?;
    contest.enter_slow(Column::Reference, move |rng| law.sample(rng));
    let peer = prio::dp::Rational::from_unsigned(numerator, denominator)
        .and_then(distributions::DiscreteLaplace::new)
        .map_err(refused)?;
    contest.enter_slow(Column::Prio, move |rng| peer.sample(rng));
    // The difference of two geometric draws has the discrete Laplace distribution.
    let peer = Geometric::new(-(-scale.to_f64().recip()).exp_m1()).map_err(refused)?;
    contest.enter_draws(Column::Float, move |rng| {
        peer.sample(rng).cast_signed() - peer.sample(rng).cast_signed()
    });
    Ok(contest)
}

/// Discrete Laplace noise on a share of `Prio3Histogram` at ε = 1. libprio draws from
/// `TurboShake128`.
fn histogram_share() -> Result<Contest, Failure> {
    let targets = &[TimesPrio(150.0)];
    let mut contest = Contest::new("histogram_share", "100000", "policy", targets);
    let zeros = vec![Field128::from(0); ENTRIES as usize];
    let epsilon = Epsilon::new(Rational::one())?;
    let policy = AggregatorNoise::laplace(Histogram::new(2, zeros.len())?, epsilon)?;
    let (law, mut share) = (policy.clone(), zeros.clone());
    contest.enter(Column::Bulk, ENTRIES, move |rng| {
        // Every draw fits the field.
        law.add_noise(black_box(&mut share), 1, rng).unwrap_or(());
    });
    // Of sensitivity 2.
    let law = reference::DiscreteLaplace::new(&Rational::integer(2))?;
    contest.enter_slow(Column::Reference, move |rng| {
        i128::try_from(law.sample(rng)).map(Field128::from_signed)
    });
    let budget = prio::dp::Rational::from_unsigned(1_u8, 1_u8)
        .and_then(PureDpBudget::new)
        .map_err(refused)?;
    let strategy = PureDpDiscreteLaplace::from_budget(budget);
    let mut share = AggregateShare::from(zeros);
    contest.enter(Column::Prio, ENTRIES, move |_| {
        let share = black_box(&mut share);
        let vdaf = policy.vdaf();
        vdaf.add_noise_to_agg_share(&strategy, &(), share, 1).unwrap_or(());
    });
    Ok(contest)
}

/// The product of a share with the circulant matrix, which has most products, and Gaussian noise: at most 100 ms.
fn strategy_matrix() -> Result<Contest, Failure> {
    let targets = &[Nanoseconds(24_000.0)];
    let mut contest = Contest::new("strategy_matrix", "4096", "policy", targets);
    let family = AggregatorNoiseType::RangesGaussian.strategy();
    let family = family.ok_or_else(|| refused("ranges have a matrix"))?;
    let histogram = Histogram::new(2, BUCKETS as usize)?.with_strategy(family)?;
    let budget = Budget::approximate("1".parse()?, "1e-8".parse()?);
    let policy = AggregatorNoise::gaussian(histogram, budget)?;
    let mut share = vec![Field128::from(u128::MAX / 3); BUCKETS as usize];
    contest.enter(Column::Bulk, BUCKETS, move |rng| {
        // Every draw fits the field.
        policy.add_noise(black_box(&mut share), 1, rng).unwrap_or(());
    });
    Ok(contest)
}

/// The flip probability 1/(e^ε₀ + 1).
#[derive(Clone, Debug)]
struct Flip(SymmetricRappor);

impl Real for Flip {
    fn enclose(&self, precision: u32) -> Interval {
        self.0.flip_probability(precision)
    }
}

/// Symmetric RAPPOR on packed vectors, compared with one float for each bit.
fn rappor(epsilon0: &'static str) -> Result<Contest, Failure> {
    let mut contest = Contest::new("rappor_bit", epsilon0, "", &[ShareOfFloat(1.0 / 6.0)]);
    let rappor = SymmetricRappor::new(epsilon0.parse()?)?;
    let flip = Flip(rappor.clone());
    let probability = flip.enclose(64).midpoint();
    let mut bits = PackedBits::zeros(LENGTH as usize);
    contest.enter(Column::Bulk, LENGTH, move |rng| {
        rappor.randomize_packed(rng, black_box(&mut bits));
    });
    let coin = BernoulliReal::new(flip)?;
    contest.enter_slow(Column::Reference, move |rng| coin.sample(rng));
    let mut words = vec![0_u64; LENGTH.div_ceil(64) as usize];
    contest.enter(Column::Float, LENGTH, move |rng| {
        for (word, left) in black_box(&mut words).iter_mut().zip((0..=LENGTH).rev().step_by(64)) {
            for place in 0..left.min(64) {
                *word ^= u64::from(rng.random::<f64>() < probability) << place;
            }
        }
    });
    Ok(contest)
}

fn binomial(
    (parameter, trials, epsilon0): (&'static str, u64, &'static str),
) -> Result<Contest, Failure> {
    let flip = Flip(SymmetricRappor::new(epsilon0.parse()?)?);
    let peer = rand_distr::Binomial::new(trials, flip.enclose(64).midpoint()).map_err(refused)?;
    let law = Binomial::new(trials, flip)?;
    let mut contest =
        Contest::new("binomial", parameter, name(law.variant()), &[Nanoseconds(14.0)]);
    enter_ours!(contest, law);
    contest.enter_draws(Column::Float, move |rng| peer.sample(rng).cast_signed());
    Ok(contest)
}
