//! How many people have hay fever? Clients flip their answers and aggregators add noise as well:
//! each protects if the other fails, and together they protect better than each alone.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_prio3::{
    AggregatorNoise, BatchLimits, Budget, Circumstances, ClientNoise, Measurement, Parts, Policy,
    TrustModel, Vdaf,
};

fn main() -> Result<(), Box<dyn Error>> {
    let answers: Vec<bool> = examples::column("hayfever")?.iter().map(|code| code == "1").collect();

    // Each answer is flipped with probability 1/(e^2 + 1), about 12 %.
    let budget = Budget::Approximate { epsilon: "0.5".parse()?, delta: "1e-9".parse()? };
    let policy = Policy::new(Parts {
        vdaf: Vdaf::Count { aggregators: 2 },
        client_noise: Some(ClientNoise::RandomizedResponse { epsilon: "2".parse()? }),
        aggregator_noise: Some(AggregatorNoise::DiscreteGaussian { budget }),
        batch: BatchLimits { min_reports: 1, max_reports: None },
    })?;

    let honest = u64::try_from(answers.len())?;
    let circumstances = Circumstances::new(honest, "1e-9".parse()?);
    for trust_model in TrustModel::ALL {
        println!("{}\n", policy.guarantee(trust_model, &circumstances));
    }

    let bits = answers.iter().map(|answer| Measurement::Bit(*answer));
    let collection = examples::run(&policy, bits)?;
    let estimate = collection.estimates[0];
    println!("{} people", collection.reports);
    println!("  {:.0} ± {:.0}", estimate.value, collection.margins_95[0].ceil());
    println!("  in truth {}", answers.iter().filter(|yes| **yes).count());
    println!("  standard error by flips and noise {:.1}", estimate.standard_error);
    Ok(())
}
