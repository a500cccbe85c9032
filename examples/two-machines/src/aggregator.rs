//! The leader and the helper.
//!
//! The leader keeps uploads until the collector asks for a batch. Then both aggregators verify each
//! report and add it up: the leader asks, the helper answers. A crash before the release loses
//! reports of the batch, since the stores know them; none counts twice.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dp_prio3::message::{EncodedAggregateShare, ReportShare, VerifierMessage, VerifierShare};
use dp_prio3::prio::codec::{Decode as _, Encode as _};
use dp_prio3::replay::SeenReports as _;
use dp_prio3::store::{DirectoryReleases, DirectoryReports};
use dp_prio3::{Aggregator, Batch, BatchName, Stores, TimeWindow, VerifyKey};
use dp_task::TaskDigest;

use crate::wire::{self, Request};
use crate::{AGGREGATORS, OPEN_DAYS, Outcome, sealed};

/// An aggregator with its keys and its stores on the disk.
struct Party {
    aggregator: Aggregator,
    task: TaskDigest,
    /// The folder of this party.
    own: PathBuf,
    private_key: Vec<u8>,
    collector_key: Vec<u8>,
}

impl Party {
    /// The aggregator of this number, with the stores that `setup` created. `Err` if they are lost
    /// or another process has them open.
    fn open(folder: &Path, number: usize) -> Outcome<Self> {
        let own = folder.join(AGGREGATORS[number]);
        let task = crate::task(folder)?;
        let seen = DirectoryReports::open(own.join("seen"), OPEN_DAYS)?;
        // The last week stays open, and tomorrow, for clients whose clock is ahead.
        seen.expire_before(TimeWindow(crate::today()?.0.saturating_sub(OPEN_DAYS - 2)))?;
        let stores =
            Stores::new(Arc::new(seen), Arc::new(DirectoryReleases::open(own.join("releases"))?));
        let key = VerifyKey::from_bytes(fs::read(own.join("verify.key"))?.as_slice().try_into()?);
        let (policy, task) = (task.policy().clone(), task.digest());
        Ok(Self {
            aggregator: Aggregator::new(policy, number, key, task.as_bytes(), stores)?,
            task,
            private_key: fs::read(own.join("private.key"))?,
            collector_key: fs::read(folder.join("public/collector"))?,
            own,
        })
    }

    /// The share of a report that a client has sealed for this aggregator.
    fn decrypt(&self, sealed: &[u8]) -> Outcome<ReportShare> {
        let name = AGGREGATORS[usize::from(self.aggregator.id())];
        let share = sealed::open(&self.private_key, name, self.task.as_bytes(), sealed)?;
        Ok(ReportShare::get_decoded(&share)?)
    }

    /// The noisy share of a batch, sealed for the collector.
    fn encrypt(&self, share: &EncodedAggregateShare) -> Outcome<Vec<u8>> {
        let (key, task) = (&self.collector_key, self.task.as_bytes());
        sealed::seal(key, "collector", task, &share.get_encoded()?)
    }

    /// A batch of all uploads that both aggregators accept; the others are in neither's batch. `Err`
    /// if the helper is not there.
    fn verify_uploads(&self, name: &BatchName, helper: &str) -> Outcome<Batch> {
        // Before a report is spent.
        wire::ask(helper, &Request::Ready)?;
        let mut batch = self.aggregator.new_batch(name);
        for entry in fs::read_dir(self.own.join("uploads"))? {
            let file = entry?.path();
            if let Err(error) = self.verify(&fs::read(&file)?, &mut batch, name, helper) {
                eprintln!("{}: {error}", file.display());
            }
            fs::remove_file(&file)?;
        }
        Ok(batch)
    }

    /// The leader verifies one upload together with the helper and adds it to the batch.
    fn verify(&self, upload: &[u8], to: &mut Batch, name: &BatchName, helper: &str) -> Outcome<()> {
        let [own, sealed]: [Vec<u8>; 2] = serde_json::from_slice(upload)?;
        let (pending, share) = self.aggregator.verify_init(&self.decrypt(&own)?)?;
        let (batch, leader_share) = (name.to_string(), share.get_encoded()?);
        let message = wire::ask(helper, &Request::Verify { batch, sealed, leader_share })?;
        let message = VerifierMessage::get_decoded(&message.concat())?;
        Ok(to.accumulate(self.aggregator.verify_next(pending, &message)?)?)
    }
}

/// Runs the leader, which answers clients and the collector.
pub(crate) fn lead(folder: &Path, address: &str, helper: &str) -> Outcome<()> {
    let party = Party::open(folder, 0)?;
    let uploads = party.own.join("uploads");
    dp_files::remove_leftovers(&uploads)?;
    wire::serve(address, |request| match request {
        Request::Upload(shares) => {
            let report = party.decrypt(&shares[0])?.check(party.aggregator.task(), 0, 2)?;
            let upload = serde_json::to_vec(&shares)?;
            // Under the name of the report: an upload that a client repeats is one file.
            dp_files::replace(&uploads.join(report.to_string()), |file| file.write_all(&upload))?;
            Ok(Vec::new())
        }
        Request::Collect(batch) => {
            let name = batch.parse()?;
            let share = match party.aggregator.released(&name)? {
                Some(share) => share,
                None => party.verify_uploads(&name, helper)?.finish()?,
            };
            let other = wire::ask(helper, &Request::Release(batch))?.concat();
            Ok(vec![party.encrypt(&share)?, other])
        }
        _ => Err("not for the leader".into()),
    })
}

/// Runs the helper, which answers the leader.
pub(crate) fn help(folder: &Path, address: &str) -> Outcome<()> {
    let party = Party::open(folder, 1)?;
    let aggregator = &party.aggregator;
    let mut batches: HashMap<BatchName, Batch> = HashMap::new();
    wire::serve(address, |request| match request {
        Request::Ready => Ok(Vec::new()),
        Request::Verify { batch, sealed, leader_share } => {
            let name = batch.parse()?;
            let leader_share = VerifierShare::get_decoded(&leader_share)?;
            let (pending, share) = aggregator.verify_init(&party.decrypt(&sealed)?)?;
            let message = aggregator.combine(&pending, &[leader_share, share])?;
            let batch = batches.entry(name);
            let batch = batch.or_insert_with_key(|name| aggregator.new_batch(name));
            batch.accumulate(aggregator.verify_next(pending, &message)?)?;
            Ok(vec![message.get_encoded()?])
        }
        Request::Release(batch) => {
            let name = batch.parse()?;
            let share = match aggregator.released(&name)? {
                Some(share) => share,
                None => batches.remove(&name).ok_or("no report of this batch")?.finish()?,
            };
            Ok(vec![party.encrypt(&share)?])
        }
        _ => Err("not for the helper".into()),
    })
}
