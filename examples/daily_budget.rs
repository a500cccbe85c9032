//! The same question every day. Each client keeps a ledger on its disk, pays for each report, and
//! refuses the day that would overspend, also after a crash.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::sync::Arc;

use dp_calibration::Budget;
use dp_ledger::{Journal, Terms};
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::spending::{SpendingClient, SpendingError};
use dp_prio3::types::Count;
use dp_prio3::{Circumstances, Client, ClientNoise, CountResponse, TrustModel};

const DAYS: [&str; 5] = ["monday", "tuesday", "wednesday", "thursday", "friday"];

fn main() -> Result<(), Box<dyn Error>> {
    let response = RandomizedResponse::new("0.3".parse()?)?;
    let policy = Arc::new(ClientNoise::new(Count::new(2)?, response)?);
    let limit = Budget::Pure {
        epsilon: "1".parse()?,
    };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ledger");
    // Once. The client relies on nobody else.
    let model = TrustModel::OneClient;
    Journal::create(&path, Terms::new(limit.clone()).with_trust_model(model))?;
    let smokes = examples::column("cigarettes_per_day")?[0] != "0";

    // What a client does when it starts: whatever it had confirmed before is in the journal.
    let start = || -> Result<SpendingClient<CountResponse>, Box<dyn Error>> {
        let client = Client::new(policy.clone(), b"a daily question")?;
        let journal = Journal::open(&path)?;
        let alone = Circumstances::new(1, "1e-9".parse()?);
        Ok(SpendingClient::new(client, journal, model, &alone)?)
    };

    for day in DAYS {
        let mut client = start()?;
        match client.report(day, &smokes) {
            Ok(report) => println!("{day}: a report of {} shares", report.private.len()),
            Err(SpendingError::Ledger(refusal)) => println!("{day}: none, {refusal}"),
            Err(error) => return Err(error.into()),
        }
        if day == "tuesday" {
            // As if it had stopped before it knew that its report was sent.
            drop(client);
            let again = start()?.report(day, &smokes);
            println!("tuesday again: {}", again.err().ok_or("paid for twice")?);
        }
    }

    let client = start()?;
    let spent = client.ledger().spent()?.ok_or("nothing was spent")?;
    println!("\nspent: {spent}, of {limit}");
    if let Some(left) = client.ledger().left()? {
        println!("left: {left}");
    }
    Ok(())
}
