//! Discrete Laplace noise on an aggregate share of `Prio3Histogram` at ε = 1: both aggregators'
//! way of adding noise, ours through the policy, libprio's through `add_noise_to_agg_share`.
//!
//! libprio draws from `TurboShake128`, whatever generator the others have.

use std::hint::black_box;

use dp_exact::{Epsilon, Rational};
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorPolicy, HistogramLaplace, Prio3Policy, SignedField};
use dp_samplers::reference;
use prio::dp::distributions::PureDpDiscreteLaplace;
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget};
use prio::field::Field128;
use prio::vdaf::{AggregateShare, AggregatorWithNoise};
use rand_core::{CryptoRng, SeedableRng};

use super::contest::{Call, Column, Contest, Engine, SLOW};
use crate::Error;

/// ε
const EPSILON: u8 = 1;

pub(super) fn enter<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let length: u32 = parameter.parse().unwrap_or(100_000);
    let zeros = vec![Field128::from(0); length as usize];
    let epsilon = Epsilon::new(Rational::integer(EPSILON))?;
    let policy = HistogramLaplace::new(Histogram::new(2, zeros.len())?, epsilon)?;

    let (law, mut share) = (policy.clone(), zeros.clone());
    let column = Column::Ours(Engine::CONSTANT_TIME, Call::Bulk);
    contest.enter(column, length, move |rng: &mut R| {
        // Every draw fits the field.
        law.add_noise(black_box(&mut share), 1, rng).unwrap_or(());
    });

    let law = reference::DiscreteLaplace::new(policy.mechanism().scale())?;
    let mut entry = Field128::from(0);
    contest.enter(Column::Reference, SLOW, move |rng: &mut R| {
        for _ in 0..SLOW {
            let draw = i128::try_from(law.sample(rng)).unwrap_or(0);
            entry += Field128::from_signed(draw).unwrap_or(entry);
        }
        black_box(entry);
    });

    let budget = prio::dp::Rational::from_unsigned(EPSILON, 1)
        .and_then(PureDpBudget::new)
        .map_err(|error| Error::peer("prio", error))?;
    let strategy = PureDpDiscreteLaplace::from_budget(budget);
    let mut share = AggregateShare::from(zeros);
    contest.enter(Column::Prio, length, move |_: &mut R| {
        let vdaf = policy.vdaf();
        vdaf.add_noise_to_agg_share(&strategy, &(), black_box(&mut share), 1)
            .unwrap_or(());
    });
    Ok(())
}
