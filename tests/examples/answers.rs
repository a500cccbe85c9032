//! Answers that have equal bits on every platform: draws of fixed seeds, and plans, which include
//! calibration, amplification, composition and predicted errors. The nightly run compares the
//! output of three platforms.
#![allow(clippy::print_stdout, reason = "its output is what is compared")]

use std::collections::BTreeMap;
use std::error::Error;

use dp_planner::{job_and_target, plan};
use dp_rappor::SymmetricRappor;
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteKNorm, DiscreteLaplace, Rational, Seed};
use serde_json::json;

/// Prints forty draws of a distribution with one fixed seed.
macro_rules! print_draws {
    ($law:expr) => {{
        let mut draws = [0_i64; 40];
        $law.fill(&mut Seed::from_u64(1).rng(), &mut draws)?;
        println!("{} = {draws:?}", stringify!($law));
    }};
}

/// Prints draws of every sampler.
fn draws() -> Result<(), Box<dyn Error>> {
    for parameter in ["0.3", "3/2", "100", "54321.5", "1e15"] {
        println!("parameter {parameter}");
        print_draws!(DiscreteGaussian::new(&parameter.parse()?)?);
        print_draws!(DiscreteLaplace::new(&parameter.parse()?)?);
        print_draws!(DiscreteKNorm::new(&parameter.parse()?, 40)?);
    }
    for probability in ["1/1000", "0.37"] {
        println!("probability {probability}");
        print_draws!(Binomial::new(12_345, probability.parse::<Rational>()?)?);
    }
    let mut bits = [false; 200];
    SymmetricRappor::new("2".parse()?)?.randomize(&mut Seed::from_u64(1).rng(), &mut bits);
    println!("flips = {bits:?}");
    Ok(())
}

/// Prints every choice of several plans as JSON.
fn plans() -> Result<(), Box<dyn Error>> {
    for question in [
        json!({"type": "histogram:40", "clients": "250000", "epsilon": "1", "delta": "1e-8", "releases": "30"}),
        json!({"type": "histogram:40", "clients": "250000", "epsilon": "1", "delta": "1e-8", "releases": "30", "total": "true"}),
        json!({"type": "histogram:12", "clients": "10000", "epsilon": "4", "delta": "1e-6", "against": "collector"}),
        json!({"type": "count", "clients": "1000", "epsilon": "0.5"}),
        json!({"type": "multihot:20:3", "clients": "30000", "epsilon": "2", "delta": "1e-9"}),
        json!({"type": "average:80", "clients": "5000", "epsilon": "1", "delta": "1e-6"}),
        json!({"type": "sumvec:9:15", "clients": "100000", "epsilon": "3", "delta": "1e-7", "releases": "7"}),
    ] {
        let options: BTreeMap<String, String> = serde_json::from_value(question.clone())?;
        let (job, target) = job_and_target(options)?;
        let found = serde_json::to_value(plan(&job, &target)?)?;
        for choice in found["choices"].as_array().ok_or("no choices")? {
            println!("{question} = {choice}");
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    draws()?;
    plans()
}
