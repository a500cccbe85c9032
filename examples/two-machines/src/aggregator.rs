//! The leader and the helper.
//!
//! The leader keeps the uploads of a day until both aggregators have released its batch. Whenever
//! the collector asks before, both verify all reports of the day anew: the leader asks, the helper
//! answers. So a crash, a full disk or a batch that is too small loses nothing.
//!
//! No report counts twice: it is bound to its day, a day has one batch, and a batch takes a report
//! once and is released once. A report that is verified again, under the same key, gives the same
//! verifier share, on which all answers depend, so that nothing more is revealed (`docs/binding.md`
//! of `dp-prio3`, corollaries 2 and 3).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dp_prio3::message::{EncodedAggregateShare, ReportShare, VerifierMessage, VerifierShare};
use dp_prio3::prio::codec::{Decode as _, Encode as _};
use dp_prio3::replay::{MemoryReports, SeenReports as _};
use dp_prio3::store::DirectoryReleases;
use dp_prio3::{Aggregator, Batch, BatchName, Rejection, Stores, TimeWindow, VerifyKey};
use dp_task::Task;

use crate::wire::{self, Request};
use crate::{AGGREGATORS, Outcome, sealed};

/// An aggregator with its keys and its store on the disk.
struct Party {
    task: Task,
    /// The number of the aggregator.
    number: usize,
    verify_key: VerifyKey,
    releases: Arc<DirectoryReleases>,
    /// The folder of this party.
    own: PathBuf,
    private_key: Vec<u8>,
    collector_key: Vec<u8>,
}

impl Party {
    /// The aggregator of this number, with the store that `setup` created. `Err` if it is lost.
    fn open(folder: &Path, number: usize) -> Outcome<Self> {
        let own = folder.join(AGGREGATORS[number]);
        let key = fs::read(own.join("verify.key"))?.as_slice().try_into()?;
        Ok(Self {
            task: crate::task(folder)?,
            number,
            verify_key: VerifyKey::from_bytes(key),
            releases: Arc::new(DirectoryReleases::open(own.join("releases"))?),
            private_key: fs::read(own.join("private.key"))?,
            collector_key: fs::read(folder.join("public/collector"))?,
            own,
        })
    }

    /// This aggregator for one attempt at the batch of a day, and the name of the batch. It takes
    /// reports of that day alone, each once.
    fn aggregator(&self, day: u64) -> Outcome<(Aggregator, BatchName)> {
        let seen = MemoryReports::new(1);
        seen.expire_before(TimeWindow(day))?;
        let stores = Stores::new(Arc::new(seen), self.releases.clone());
        let (policy, context) = (self.task.policy().clone(), self.task.digest());
        let key = self.verify_key.clone();
        let aggregator = Aggregator::new(policy, self.number, key, context.as_bytes(), stores)?;
        Ok((aggregator, day.to_string().parse()?))
    }

    /// The share of a report that a client has sealed for this aggregator.
    fn decrypt(&self, sealed: &[u8]) -> Outcome<ReportShare> {
        let name = AGGREGATORS[self.number];
        let share = sealed::open(&self.private_key, name, self.task.digest().as_bytes(), sealed)?;
        Ok(ReportShare::get_decoded(&share)?)
    }

    /// The noisy share of a batch, sealed for the collector.
    fn encrypt(&self, share: &EncodedAggregateShare) -> Outcome<Vec<u8>> {
        let (key, task) = (&self.collector_key, self.task.digest());
        sealed::seal(key, "collector", task.as_bytes(), &share.get_encoded()?)
    }

    /// Both aggregate shares of a day's batch, sealed for the collector, from the leader. `Err` if
    /// one of them is lost, or the batch cannot be released now; then all uploads stay.
    fn collect(&self, day: u64, helper: &str) -> Outcome<Vec<Vec<u8>>> {
        let (aggregator, name) = self.aggregator(day)?;
        let files = fs::read_dir(self.own.join("uploads"))?.map(|entry| Ok(entry?.path()));
        let mut uploads = files.collect::<Outcome<Vec<PathBuf>>>()?;
        uploads.retain(|file| file.file_stem().is_some_and(|stem| stem == name.as_str()));
        // Both aggregators add up the same reports each time, also where a batch is full.
        uploads.sort();
        let lost = |by| Err(format!("batch {name} is lost: the {by} has lost its release").into());
        let released = aggregator.released(&name)?;
        let (own, other) = match (released, wire::ask(helper, &Request::Begin(day))?.pop()) {
            (Some(own), Some(other)) => (own, other),
            (None, Some(_)) => return lost("leader"),
            (Some(own), None) if own.reports > uploads.len() as u64 => return lost("helper"),
            (_, None) => {
                let mut batch = aggregator.new_batch(&name);
                for file in &uploads {
                    let upload = fs::read(file)?;
                    if let Err(error) = self.verify(&upload, &aggregator, &mut batch, helper) {
                        // Any other error is not the report's fault, and ends the attempt.
                        eprintln!("{}: {}", file.display(), error.downcast::<Rejection>()?);
                    }
                }
                // The leader first: without its release, the helper's release would be of no use.
                (batch.finish()?, wire::ask(helper, &Request::Release(day))?.concat())
            }
        };
        uploads.iter().try_for_each(fs::remove_file)?;
        Ok(vec![self.encrypt(&own)?, other])
    }

    /// The leader verifies one upload together with the helper and adds it to the batch, if both
    /// accept it. `Err` is a [`Rejection`] if the leader rejects it.
    fn verify(&self, upload: &[u8], by: &Aggregator, to: &mut Batch, helper: &str) -> Outcome<()> {
        let [own, sealed]: [Vec<u8>; 2] = serde_json::from_slice(upload)?;
        let share = self.decrypt(&own)?;
        let day = share.public.window.0;
        let (pending, share) = by.verify_init(&share)?;
        let leader_share = share.get_encoded()?;
        let answer = wire::ask(helper, &Request::Verify { day, sealed, leader_share })?;
        // The helper has printed why it rejects a report.
        let [message] = &answer[..] else { return Ok(()) };
        let message = VerifierMessage::get_decoded(message)?;
        Ok(to.accumulate(by.verify_next(pending, &message)?)?)
    }
}

/// Runs the leader, which answers clients and the collector.
pub(crate) fn lead(folder: &Path, address: &str, helper: &str) -> Outcome<()> {
    let party = Party::open(folder, 0)?;
    let uploads = party.own.join("uploads");
    dp_files::remove_leftovers(&uploads)?;
    wire::serve(address, |request| match request {
        Request::Upload(shares) => {
            let share = party.decrypt(&shares[0])?;
            let (aggregator, day) = party.aggregator(share.public.window.0)?;
            let report = share.check(aggregator.task(), 0, 2)?;
            if aggregator.released(&day)?.is_some() {
                return Err(format!("batch {day} is released: it takes no more reports").into());
            }
            let upload = serde_json::to_vec(&shares)?;
            // Under the name of the report: an upload that a client repeats is one file.
            let path = uploads.join(format!("{day}.{report}"));
            dp_files::replace(&path, |file| file.write_all(&upload))?;
            Ok(Vec::new())
        }
        Request::Collect(day) => party.collect(day, helper),
        _ => Err("not for the leader".into()),
    })
}

/// Runs the helper, which answers the leader.
pub(crate) fn help(folder: &Path, address: &str) -> Outcome<()> {
    let party = Party::open(folder, 1)?;
    // The batch that the leader began last, until it is released.
    let mut begun: Option<(u64, Aggregator, Batch)> = None;
    let restarted = "the helper was started again: collect again";
    wire::serve(address, |request| match request {
        Request::Begin(day) => {
            let (aggregator, name) = party.aggregator(day)?;
            let (batch, released) = (aggregator.new_batch(&name), aggregator.released(&name)?);
            begun = Some((day, aggregator, batch));
            released.iter().map(|share| party.encrypt(share)).collect()
        }
        Request::Verify { day, sealed, leader_share } => {
            let begun = begun.as_mut().filter(|begun| begun.0 == day);
            let (_, aggregator, batch) = begun.ok_or(restarted)?;
            let mut verify = || -> Outcome<Vec<u8>> {
                let leader_share = VerifierShare::get_decoded(&leader_share)?;
                let (pending, share) = aggregator.verify_init(&party.decrypt(&sealed)?)?;
                let message = aggregator.combine(&pending, &[leader_share, share])?;
                batch.accumulate(aggregator.verify_next(pending, &message)?)?;
                Ok(message.get_encoded()?)
            };
            Ok(verify().inspect_err(|error| eprintln!("{error}")).into_iter().collect())
        }
        Request::Release(day) => {
            let (.., batch) = begun.take_if(|begun| begun.0 == day).ok_or(restarted)?;
            Ok(vec![party.encrypt(&batch.finish()?)?])
        }
        _ => Err("not for the helper".into()),
    })
}
