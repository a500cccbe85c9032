//! Which diagnoses do people have? Clients flip bits before they report, so that no aggregator
//! and no collector has to be trusted; the collector corrects for the flips.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_prio3::{
    BatchLimits, Circumstances, ClientNoise, Measurement, Parts, Policy, TrustModel, Vdaf,
};

const DIAGNOSES: [&str; 4] = ["asthma", "bronch", "hayfever", "tumor"];

fn main() -> Result<(), Box<dyn Error>> {
    // At most two diagnoses a person; a report in a billion may be dropped for its weight.
    let policy = Policy::new(Parts {
        vdaf: Vdaf::MultihotCountVec {
            aggregators: 2,
            length: DIAGNOSES.len(),
            max_weight: None, // by the randomizer
            chunk_length: None,
        },
        client_noise: Some(ClientNoise::SymmetricRappor {
            epsilon0: "4".parse()?,
            input_weight: 2,
            false_positive_rate: "1e-9".parse()?,
        }),
        aggregator_noise: None, // with noise here, each protects if the other fails
        batch: BatchLimits { min_reports: 1, max_reports: None },
    })?;
    let circumstances = Circumstances::new(1629, "1e-9".parse()?);
    for trust_model in TrustModel::ALL {
        println!("{}\n", policy.guarantee(trust_model, &circumstances));
    }

    let columns = DIAGNOSES.map(examples::column);
    let columns = columns.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut truth = [0; DIAGNOSES.len()];
    let people = (0..columns[0].len()).map(|person| {
        let mut bits: Vec<bool> = columns.iter().map(|column| column[person] == "1").collect();
        keep_two(&mut bits);
        for (total, bit) in truth.iter_mut().zip(&bits) {
            *total += u32::from(*bit);
        }
        bits
    });
    let people: Vec<Vec<bool>> = people.collect();
    // A report that is dropped is not drawn again: that would change the distribution of the
    // guarantee.
    let measurements = people.iter().map(|bits| Measurement::Bits(bits));
    let collection = examples::run(&policy, measurements)?;
    let estimates = collection.estimates.iter().zip(&collection.margins_95);
    for ((name, (estimate, margin)), truth) in DIAGNOSES.iter().zip(estimates).zip(truth) {
        let (value, margin) = (estimate.value, margin.ceil());
        println!("{name:>9}: {value:>6.1} ± {margin:.0}, in truth {truth}");
    }
    Ok(())
}

/// A client with more than two diagnoses reports the first two.
fn keep_two(bits: &mut [bool]) {
    for extra in bits.iter_mut().filter(|bit| **bit).skip(2) {
        *extra = false;
    }
}
