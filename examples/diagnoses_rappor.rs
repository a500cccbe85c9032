//! Which diagnoses do people have? Clients flip bits before they report, so that no aggregator
//! and no collector has to be trusted; the collector corrects for the flips.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::sync::Arc;

use dp_prio3::{Circumstances, MultihotRappor, PolicyDescription, TrustModel};

const DIAGNOSES: [&str; 4] = ["asthma", "bronch", "hayfever", "tumor"];

fn main() -> Result<(), Box<dyn Error>> {
    // At most two diagnoses a person; a report in a billion may be dropped for its weight.
    let (epsilon0, rate) = ("4".parse()?, "1e-9".parse()?);
    let policy = Arc::new(MultihotRappor::vectors(2, DIAGNOSES.len(), 2, epsilon0, &rate)?);
    let circumstances = Circumstances::new(1629, "1e-9".parse()?);
    println!("{}\n", policy.guarantee(TrustModel::OneClient, &circumstances));

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
    // A report that is dropped is not drawn again: that would change the distribution of the
    // guarantee.
    let collection = examples::run(&policy, people)?;
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
