#![doc = include_str!("../README.md")]

mod aggregator;
mod sealed;
mod wire;

use std::error::Error;
use std::fs;
use std::path::Path;

use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::prio::codec::{Decode as _, Encode as _};
use dp_prio3::store::DirectoryReleases;
use dp_prio3::{Client, Collector, Measurement, TimeWindow};
use dp_task::Task;
use rand_core::Rng as _;
use wire::Request;

/// What a step returns, or why it failed.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// The aggregators, by number.
const AGGREGATORS: [&str; 2] = ["leader", "helper"];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, folder, rest @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    let folder = Path::new(folder);
    match (command.as_str(), rest) {
        ("setup", [task]) => setup(folder, &Task::read(task)?),
        ("helper", [address]) => aggregator::help(folder, address),
        ("leader", [address, helper]) => aggregator::lead(folder, address, helper),
        ("client", [leader, day, bucket]) => upload(folder, leader, number(day)?, bucket.parse()?),
        ("collect", [leader, day]) => collect(folder, leader, number(day)?),
        _ => Err(USAGE.into()),
    }
}

const USAGE: &str = "expected one of:
  setup FOLDER TASK               keys and empty stores of all parties
  helper FOLDER ADDRESS           answers the leader at ADDRESS
  leader FOLDER ADDRESS HELPER    answers clients and the collector at ADDRESS
  client FOLDER LEADER DAY BUCKET uploads one report of a day, such as 2026-07-01
  collect FOLDER LEADER DAY       prints the totals and estimates of a day's reports";

/// Creates the keys and stores of all parties, once: an empty store must never replace a lost one.
/// `Err` if there is something at `folder`.
fn setup(folder: &Path, task: &Task) -> Outcome<()> {
    dp_files::create_folder(folder, |_| Ok(()))?;
    fs::create_dir(folder.join("public"))?;
    fs::write(folder.join("public/task.toml"), task.to_toml())?;
    // The aggregators alone know it: a client with it could prove a false measurement.
    let mut verify_key = [0; 32];
    dp_samplers::os_rng()?.fill_bytes(&mut verify_key);
    for name in [AGGREGATORS[0], AGGREGATORS[1], "collector"] {
        let own = folder.join(name);
        dp_files::create_folder(&own, |_| Ok(()))?;
        let [private, public] = sealed::keys();
        fs::write(folder.join("public").join(name), public)?;
        dp_files::create(&own.join("private.key"), |file| file.write_all(&private))?;
        if AGGREGATORS.contains(&name) {
            dp_files::create(&own.join("verify.key"), |file| file.write_all(&verify_key))?;
            DirectoryReleases::create(own.join("releases"))?;
            dp_files::create_folder(&own.join("uploads"), |_| Ok(()))?;
        }
    }
    Ok(())
}

/// The task that all parties hold.
fn task(folder: &Path) -> Outcome<Task> {
    Ok(Task::read(folder.join("public/task.toml"))?)
}

/// The number of a day, such as 20260701 for 2026-07-01: the time window of its reports and the
/// name of its batch. `Err` unless there are eight digits beside dashes.
fn number(day: &str) -> Outcome<u64> {
    let digits = day.replace('-', "");
    let are_digits = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| are_digits);
    number.ok_or_else(|| format!("DAY {day}: expected a date such as 2026-07-01").into())
}

/// A client: encrypts a share of its report for each aggregator, and sends both to the leader.
fn upload(folder: &Path, leader: &str, day: u64, bucket: usize) -> Outcome<()> {
    let task = task(folder)?;
    let context = task.digest();
    let client = Client::new(task.policy().clone(), context.as_bytes())?;
    let report = client.report_in(TimeWindow(day), Measurement::Bucket(bucket))?;
    let mut shares = [Vec::new(), Vec::new()];
    for (number, share) in report.into_shares().into_iter().enumerate() {
        let name = AGGREGATORS[number];
        let key = fs::read(folder.join("public").join(name))?;
        shares[number] = sealed::seal(&key, name, context.as_bytes(), &share.get_encoded()?)?;
    }
    wire::ask(leader, &Request::Upload(shares)).map(drop)
}

/// The collector: asks for a day's batch, adds the two noisy shares, and prints totals and
/// estimates.
fn collect(folder: &Path, leader: &str, day: u64) -> Outcome<()> {
    let task = task(folder)?;
    let context = task.digest();
    let key = fs::read(folder.join("collector/private.key"))?;
    let mut shares = Vec::new();
    for sealed in wire::ask(leader, &Request::Collect(day))? {
        let share = sealed::open(&key, "collector", context.as_bytes(), &sealed)?;
        shares.push(EncodedAggregateShare::get_decoded(&share)?);
    }
    let collection = Collector::new(task.policy().clone(), context.as_bytes())?.collect(&shares)?;
    if collection.batch.as_str() != day.to_string() {
        return Err(format!("the aggregators send batch {}", collection.batch).into());
    }
    println!("batch {day}: {} reports, totals {:?}", collection.reports, collection.totals);
    for (estimate, margin) in collection.estimates.iter().zip(&collection.margins_95) {
        // Rounded up, after the rounding of the estimate.
        println!("{:.1} ± {:.1}", estimate.value, ((margin + 0.05) * 10.0).ceil() / 10.0);
    }
    Ok(())
}
