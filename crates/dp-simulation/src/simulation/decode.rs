//! Results of blocks from their bytes.

use std::ops::Range;

use dp_prio3::{Batch, DpPolicy};
use dp_task::FromMeasurement;

use super::Simulation;
use crate::block_results::{
    BlockResults, BlockResultsError, EncodedPartialTrial, EncodedResults, VERSION,
};
use crate::outcome::{TrialRecord, is_kept};
use crate::parties::PartialTrial;
use crate::{Error, PercentilesAndRanges};

impl<P: DpPolicy<Measurement: FromMeasurement>> Simulation<P> {
    /// The results of these blocks, from the bytes that [`BlockResults::payload`] gave.
    ///
    /// # Errors
    /// [`Error::BlockResults`] or [`Error::Batch`] if the bytes are not such results.
    pub fn read_results(
        &self,
        blocks: Range<u64>,
        payload: &[u8],
    ) -> Result<BlockResults<P>, Error> {
        if blocks.start >= blocks.end || blocks.end > self.blocks() {
            let Range { start, end } = blocks;
            let reason =
                format!("the part has blocks {start} to {end}: the run has {}", self.blocks());
            return Err(BlockResultsError::new(reason).into());
        }
        let encoded: EncodedResults =
            serde_json::from_slice(payload).map_err(BlockResultsError::format)?;
        let EncodedResults { version: found, elapsed, truth, partials, records } = encoded;
        if found != VERSION {
            let reason = format!("the part has version {found}: expected {VERSION}");
            return Err(BlockResultsError::new(reason).into());
        }
        let mut results = BlockResults { elapsed, truth, ..BlockResults::empty(blocks.start) };
        let (mut partials, mut records) = (partials.into_iter(), records.into_iter());
        let missing = || BlockResultsError::format("a trial is missing");
        for piece in self.cut.by_trial(blocks.clone()) {
            let begins = self.cut.begins_trial(piece.blocks.start);
            if begins && self.cut.begins_trial(piece.blocks.end) {
                let record = records.next().ok_or_else(missing)?;
                self.check_record(piece.trial, &record)?;
                results.records.push(record);
                continue;
            }
            let clients = piece.clients.end - piece.clients.start;
            let partial = partials.next().ok_or_else(missing)?;
            let partial = Some(self.partial(piece.trial, clients, &partial)?);
            match begins {
                true => results.tail = partial,
                false => results.head = partial,
            }
        }
        let totals = if self.is_ideal { 0 } else { self.length() };
        if partials.len() + records.len() > 0 || results.truth.len() != totals {
            return Err(BlockResultsError::format("it has other trials or totals").into());
        }
        results.blocks = blocks;
        Ok(results)
    }

    /// Contributions of `clients` clients to a trial; `Err` unless each is counted once.
    fn partial(
        &self,
        trial: u64,
        clients: u64,
        encoded: &EncodedPartialTrial,
    ) -> Result<PartialTrial<P>, Error> {
        let EncodedPartialTrial { dropped, stages, ref batches } = *encoded;
        let parties = self.parties(trial)?;
        let mut states = batches.chunks(Batch::<P>::state_length(&*self.policy));
        let batches = parties.batches().map(|batch| {
            let batch = batch.with_state(states.next().unwrap_or_default())?;
            // Every aggregator has counted every report.
            let counts = [batch.reports(), batch.rejections().total(), dropped];
            check_clients(trial, counts, clients)?;
            Ok(batch)
        });
        let batches = batches.collect::<Result<_, Error>>()?;
        match states.next() {
            None => Ok(PartialTrial { batches, dropped, stages }),
            Some(_) => Err(BlockResultsError::format("it has more batches").into()),
        }
    }

    /// Refuses a whole trial that does not count every client once, or has other vectors than
    /// trial `number` of this run.
    fn check_record(&self, number: u64, record: &TrialRecord) -> Result<(), BlockResultsError> {
        let (trial, length) = (&record.trial, self.length());
        check_clients(number, [trial.reports, trial.dropped, trial.rejected], self.clients)?;
        let question = self.margins.as_ref().map(|margins| &margins.question);
        let kept = is_kept(number, length + question.map_or(0, PercentilesAndRanges::len));
        let counts = if number == 0 { length.saturating_sub(1) } else { 0 };
        let (found, sums) = (trial.distribution.as_ref(), record.distribution.as_ref());
        let is_whole = trial.coordinates.len() == if kept { length } else { 0 }
            && found.map(|found| (found.percentiles.len(), found.ranges.len(), found.counts.len()))
                == question
                    .filter(|_| kept)
                    .map(|question| (question.percentiles.len(), question.ranges.len(), counts))
            && sums.map(|sums| (sums.percentiles.len(), sums.ranges.len()))
                == question.map(|question| (question.percentiles.len(), question.ranges.len()));
        let mut buckets = found
            .iter()
            .flat_map(|found| &found.percentiles)
            .flat_map(|one| [one.truth, one.estimate, *one.interval.start(), *one.interval.end()]);
        match is_whole && buckets.all(|bucket| bucket < length) {
            true => Ok(()),
            false => Err(BlockResultsError::format("a trial has other estimates")),
        }
    }
}

/// Refuses counts of reports, dropped and rejected that do not add up to `clients`.
fn check_clients(trial: u64, counts: [u64; 3], clients: u64) -> Result<(), BlockResultsError> {
    let found = counts.into_iter().fold(0, u64::saturating_add);
    match found == clients {
        true => Ok(()),
        false => Err(BlockResultsError::new(format!(
            "the part counts {found} clients in trial {trial}: expected {clients}"
        ))),
    }
}
