//! Draws of the discrete Laplace, beside libprio and a geometric float with a random sign.

use dp_exact::Rational;
use dp_samplers::{DiscreteLaplace, reference, simulation};
use num_bigint::BigUint;
use prio::dp::distributions;
use rand_core::{CryptoRng, Rng, SeedableRng};
use rand_distr::{Distribution, Geometric};

use super::contest::{Call, Column, Contest, Engine, FAST, SHORT, enter_ours};
use crate::Error;

pub(super) fn enter<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let scale: Rational = parameter.parse()?;

    enter_ours!(
        contest,
        R,
        [DiscreteLaplace::new(&scale)?],
        simulation::DiscreteLaplace::new(&scale)?
    );

    let law = reference::DiscreteLaplace::new(&scale)?;
    contest.enter_slow(Column::Reference, move |rng: &mut R| law.sample(rng));

    let peer = theirs(&scale)?;
    contest.enter_slow(Column::Prio, move |rng: &mut R| peer.sample(rng));

    let geometric = Geometric::new(-(-scale.to_f64().recip()).exp_m1())
        .map_err(|error| Error::peer("rand_distr", error))?;
    contest.enter_draws(Column::Float, move |rng: &mut R| two_sided(geometric, rng));
    Ok(())
}

fn theirs(scale: &Rational) -> Result<distributions::DiscreteLaplace, Error> {
    let fits = |part: &BigUint| {
        u128::try_from(part).map_err(|_| Error::peer("prio", "a scale beyond 128 bits"))
    };
    let parts = [scale.numerator(), scale.denominator()].map(|part| fits(part.magnitude()));
    let [numerator, denominator] = parts;
    prio::dp::Rational::from_unsigned(numerator?, denominator?)
        .and_then(distributions::DiscreteLaplace::new)
        .map_err(|error| Error::peer("prio", error))
}

/// A magnitude and a sign, drawn again where they are −0.
fn two_sided<R: Rng>(geometric: Geometric, rng: &mut R) -> i64 {
    loop {
        let magnitude = geometric.sample(rng).cast_signed();
        let negative = rng.next_u32() & 1 == 1;
        if !negative {
            return magnitude;
        }
        if magnitude != 0 {
            return -magnitude;
        }
    }
}
