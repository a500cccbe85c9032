//! The discrete Laplace noise that libprio adds by itself, for `python/peers`: `own_noise QUERY
//! EPSILON` prints the L1 sensitivity that it takes the query to have, and the milliseconds for the
//! noise on one aggregate share.
//!
//! libprio keeps the scale t = Δ₁/ε private, so it is measured. The mean of |X| is 1/sinh(1/t).
//! After a million draws t is known to 0.2 %, two standard errors, so that Δ₁ = t·ε, an integer, is
//! certain up to 100.
#![allow(clippy::print_stdout, reason = "a program shows its answer")]

use std::error::Error;
use std::time::Instant;

use dp_libprio::SignedField;
use prio::dp::distributions::PureDpDiscreteLaplace;
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget, Rational};
use prio::flp::TypeWithNoise;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;
use prio::vdaf::{Aggregator, AggregatorWithNoise};

/// The number of draws that the scale is measured by, or a few more.
const DRAWS: u32 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [query, epsilon] = words.as_slice() else {
        return Err("usage: own_noise QUERY EPSILON".into());
    };
    let epsilon: f32 = epsilon.parse()?;
    match query.split(':').collect::<Vec<_>>().as_slice() {
        ["histogram", length] => measure(&Prio3::new_histogram(2, length.parse()?, 1)?, epsilon),
        ["sumvec", length, max] => {
            measure(&Prio3::new_sum_vec(2, max.parse()?, length.parse()?, 1)?, epsilon)
        }
        _ => Err("query: expected histogram:LENGTH or sumvec:LENGTH:MAX".into()),
    }
}

/// Adds libprio's noise to empty shares, and prints what it shows.
fn measure<T>(vdaf: &Prio3<T, XofTurboShake128, 32>, epsilon: f32) -> Result<(), Box<dyn Error>>
where
    T: TypeWithNoise<PureDpDiscreteLaplace, Field: SignedField>,
{
    let budget = PureDpBudget::new(Rational::try_from(epsilon)?)?;
    let strategy = PureDpDiscreteLaplace::from_budget(budget);
    let (mut draws, mut total, mut fastest) = (0_u32, 0.0, f64::INFINITY);
    while draws < DRAWS {
        let mut share = vdaf.aggregate_init(&());
        let start = Instant::now();
        vdaf.add_noise_to_agg_share(&strategy, &(), &mut share, 1)?;
        fastest = start.elapsed().as_secs_f64().min(fastest);
        for entry in share.as_ref() {
            total += f64::from(i32::try_from(entry.to_signed().unsigned_abs())?);
            draws += 1;
        }
    }
    let scale = (f64::from(draws) / total).asinh().recip();
    let sensitivity = (scale * f64::from(epsilon)).round();
    println!(r#"{{"sensitivity": {sensitivity}, "milliseconds": {}}}"#, 1000.0 * fastest);
    Ok(())
}
