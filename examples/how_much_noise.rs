//! How much noise does a guarantee need, and what does it cost? Calibration and sampling alone,
//! for a system that adds its own noise to its own histogram.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_calibration::{Adjacency, Query, WorstCaseDifference, analytic_gaussian, discrete_gaussian};
use dp_exact::{Delta, Epsilon, Rounding};
use dp_samplers::DiscreteGaussian;

fn main() -> Result<(), Box<dyn Error>> {
    let (epsilon, delta): (Epsilon, Delta) = ("5".parse()?, "1e-9".parse()?);
    println!("A histogram, one person's bucket replaced, epsilon {epsilon}, delta {delta}\n");

    // The figure from the literature is for continuous noise.
    let sensitivity = Query::Histogram { length: 10 }.sensitivity(Adjacency::Replacement)?;
    let continuous = analytic_gaussian::sigma(&epsilon, &delta, &sensitivity.l2_squared)?;
    let pair = WorstCaseDifference::one_hot();
    let broken = discrete_gaussian::delta(&continuous.pow(2), &epsilon, &pair)?;
    println!("continuous sigma   {}", continuous.to_decimal(8, Rounding::Up));
    println!("true delta, if the noise is discrete: at least {}", lower_end(&broken));

    // This one is for the noise that is drawn.
    let noise = discrete_gaussian::calibrate(&epsilon, &delta, pair)?;
    println!("\nsafe sigma         {}", noise.sigma().to_decimal(8, Rounding::Up));
    println!("as a variance      {}", noise.variance);
    println!("its delta          at most {}", noise.delta.upper().to_decimal(8, Rounding::Up));

    let sampler = DiscreteGaussian::new(&noise.variance)?;
    let mut draws = [0i64; 12];
    sampler.fill(&mut dp_samplers::os_rng()?, &mut draws)?;
    println!("\ntwelve draws       {draws:?}");
    Ok(())
}

/// The lower end of an interval, rounded down.
fn lower_end(delta: &dp_exact::Interval) -> String {
    delta.lower().to_decimal(4, Rounding::Down)
}
