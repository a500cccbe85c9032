//! Two aggregators that survive a restart: `cargo run --example two_aggregators -- DIRECTORY`.
//!
//! Run it twice with one directory. The first run verifies four reports and releases the day. The
//! second run delivers the reports again: it counts none of them, and returns the shares of the
//! first run.
//!
//! Each aggregator is an organization of its own: here, a directory of its own, with its seen
//! reports and its releases.
#![allow(clippy::print_stdout, reason = "an example shows its answer")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use dp_prio3::message::{EncodedAggregateShare, ReportShare};
use dp_prio3::replay::SeenReports as _;
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use dp_prio3::verification::verify_into;
use dp_prio3::{
    Aggregator, AggregatorNoise, BatchName, Budget, Client, Collector, Measurement, Policy, Stores,
    TimeWindow, Vdaf, VerifyKey,
};
use prio::codec::{Decode as _, Encode as _};

const CONTEXT: &[u8] = b"heights, July";
/// Days since 1970.
const TODAY: TimeWindow = TimeWindow(20_635);
/// Reports of the last week, and of tomorrow.
const OPEN_DAYS: u64 = 8;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// An aggregator with its stores, which the first run creates.
fn aggregator(folder: &Path, number: usize, key: [u8; 32], policy: &Policy) -> Outcome<Aggregator> {
    let seen = folder.join("seen");
    let releases = folder.join("releases");
    fs::create_dir_all(folder)?;
    // A deployment creates its stores once, by hand: an empty store must not silently replace a
    // lost one.
    let seen = if seen.exists() {
        DirectoryReports::open(seen, OPEN_DAYS)?
    } else {
        DirectoryReports::create(seen, OPEN_DAYS)?
    };
    seen.expire_before(TimeWindow(TODAY.0 + 2 - OPEN_DAYS))?;
    let releases = if releases.exists() {
        DirectoryReleases::open(releases)?
    } else {
        DirectoryReleases::create(releases)?
    };
    let stores = Stores::new(Arc::new(seen), Arc::new(releases));
    let key = VerifyKey::from_bytes(key);
    Ok(Aggregator::new(policy.clone(), number, key, CONTEXT, stores)?)
}

/// The shares of four reports, by report: made in the first run, delivered again in each.
fn delivered(path: &Path, policy: &Policy) -> Outcome<Vec<Vec<ReportShare>>> {
    fs::create_dir_all(path)?;
    let client = Client::new(policy.clone(), CONTEXT)?;
    let mut reports = Vec::new();
    for (number, bucket) in [0, 1, 1, 3].into_iter().enumerate() {
        let files = [0, 1].map(|to| path.join(format!("report {number} for {to}")));
        if !files[1].exists() {
            let shares = client.report_in(TODAY, Measurement::Bucket(bucket))?.into_shares();
            for (file, share) in files.iter().zip(shares) {
                fs::write(file, share.get_encoded()?)?;
            }
        }
        let read = |file| -> Outcome<_> { Ok(ReportShare::get_decoded(&fs::read(file)?)?) };
        reports.push(files.iter().map(read).collect::<Outcome<_>>()?);
    }
    Ok(reports)
}

fn main() -> Outcome<()> {
    let folder = std::env::args_os().nth(1).ok_or("which directory?")?;
    let folder = Path::new(&folder);
    let histogram = Vdaf::Histogram { aggregators: 2, length: 5, chunk_length: None };
    let budget = Budget::Approximate { epsilon: "0.906".parse()?, delta: "1e-9".parse()? };
    let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteGaussian { budget })?;

    let reports = delivered(&folder.join("uploads"), &policy)?;
    // In a deployment: a secret key from `VerifyKey::random`, which no client knows.
    let key = [7; 32];
    let aggregators = [
        aggregator(&folder.join("leader"), 0, key, &policy)?,
        aggregator(&folder.join("helper"), 1, key, &policy)?,
    ];

    let day: BatchName = "2026-07-01".parse()?;
    let mut batches = [aggregators[0].new_batch(&day), aggregators[1].new_batch(&day)];
    for report in &reports {
        if let Err(rejection) = verify_into(&aggregators, &mut batches, report) {
            println!("{rejection}");
        }
    }
    let mut shares: Vec<EncodedAggregateShare> = Vec::new();
    for (aggregator, batch) in aggregators.iter().zip(batches) {
        // After a restart the share is there, and its reports are not verified again.
        shares.push(match aggregator.released(&day)? {
            Some(share) => share,
            None => batch.finish()?,
        });
    }
    let collection = Collector::new(policy, CONTEXT)?.collect(&shares)?;
    for (estimate, margin) in collection.estimates.iter().zip(&collection.margins_95) {
        println!("{} ± {margin}", estimate.value);
    }
    Ok(())
}
