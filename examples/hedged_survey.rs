//! How many people have hay fever? Clients flip their answers and aggregators add noise as well:
//! each protects if the other fails, and together they protect better than each alone.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::sync::Arc;

use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::types::Count;
use dp_prio3::{Budget, Circumstances, ClientNoise, PolicyDescription, TrustModel};

fn main() -> Result<(), Box<dyn Error>> {
    let answers: Vec<bool> = examples::column("hayfever")?.iter().map(|code| code == "1").collect();

    // Each answer is flipped with probability 1/(e^2 + 1), about 12 %.
    let clients = ClientNoise::new(Count::new(2)?, RandomizedResponse::new("2".parse()?)?)?;
    let budget = Budget::approximate("0.5".parse()?, "1e-9".parse()?);
    let policy = clients.with_noise(NoiseKind::DiscreteGaussian, budget)?;

    let honest = u64::try_from(answers.len())?;
    let circumstances = Circumstances::new(honest, "1e-9".parse()?);
    for trust_model in TrustModel::ALL {
        println!("{}\n", policy.guarantee(trust_model, &circumstances));
    }

    let policy = Arc::new(policy);
    let collection = examples::run(&policy, &answers)?;
    let estimate = collection.estimates[0];
    println!("{} people", collection.reports);
    println!("  {:.0} ± {:.0}", estimate.value, collection.margins_95[0].ceil());
    println!("  in truth {}", answers.iter().filter(|yes| **yes).count());
    println!("  standard error by flips and noise {:.1}", estimate.standard_error);
    Ok(())
}
