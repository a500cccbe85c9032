//! One question every day of a year. The collector keeps a ledger on its disk, which charges the
//! noise itself, and refuses a release that would overspend, also after a crash.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;

use dp_calibration::Budget;
use dp_exact::Delta;
use dp_ledger::{Journal, LedgerError, Rule, Spending, Terms};
use dp_prio3::spending::cost_of_a_release;
use dp_prio3::{AggregatorNoise, Circumstances, Policy, TrustModel, Vdaf};

fn main() -> Result<(), Box<dyn Error>> {
    // Heights in 12 bins, every day: ρ = 0.0001, noise of variance 10 000.
    let histogram = Vdaf::Histogram { aggregators: 2, length: 12, chunk_length: None };
    let budget = Budget::ZeroConcentrated { rho: "0.0001".parse()? };
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteGaussian { budget })?;
    let model = TrustModel::OneAggregatorOneClient;
    let delta: Delta = "1e-9".parse()?;
    let alone = Circumstances::new(1, delta.clone());
    let day = cost_of_a_release(&policy, model, &alone)?;

    // Once: ε = 1.8 and δ = 1e-9 for all releases together, and the rule by which they are counted.
    let limit = Budget::approximate("1.8".parse()?, delta.clone());
    let rule = Rule::zero_concentrated(&limit)?;
    let terms = Terms { rule, ..Terms::new(limit.clone()) };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ledger");
    drop(Journal::create(&path, terms)?);

    let start = || Journal::open(&path); // whatever was confirmed before is there
    let mut journal = start()?;
    println!("limit: {limit}\nof a daily histogram {} fit", journal.ledger().room_for(&day)?);
    for number in 1..=365 {
        let name = format!("day {number}");
        journal.spend(&name, &day, None)?; // and only then release
        if number % 73 == 0 {
            let spent = journal.ledger().spent_epsilon(&delta)?.ok_or("no guarantee")?;
            println!("{name}: epsilon {:.3} spent", spent.to_f64());
        }
        if number == 200 {
            // As if it had stopped before it knew that the day was paid for.
            drop(journal);
            journal = start()?;
            assert_eq!(journal.spend(&name, &day, None)?, Spending::Repeated);
        }
    }
    let ledger = journal.ledger();
    println!("{} more fit", ledger.room_for(&day)?);
    for number in 366.. {
        match journal.spend(&format!("day {number}"), &day, None) {
            Ok(_) => {}
            Err(refusal @ LedgerError::Overspend { .. }) => {
                println!("{refusal}");
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
