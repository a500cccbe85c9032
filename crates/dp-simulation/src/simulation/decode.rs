//! Results of blocks from their bytes.

use std::ops::Range;
use std::time::Duration;

use dp_calibration::strategy_matrix::Percentile;
use dp_prio3::{Batch, DpPolicy};
use dp_task::FromMeasurement;

use super::Simulation;
use crate::block_results::{BlockResults, BlockResultsError, VERSION};
use crate::outcome::{
    Coordinate, CumulativeSums, CumulativeTrial, ErrorSums, Mean, PercentileEstimate,
    PercentileSums, StageTimes, Statistics, Trial, TrialRecord, is_kept,
};
use crate::parties::PartialTrial;
use crate::{CumulativeQuestion, Error};

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
            return Err(BlockResultsError::Blocks { start, end, blocks: self.blocks() }.into());
        }
        let mut reader = Reader(payload);
        let found = reader.word()?;
        if found != VERSION {
            return Err(BlockResultsError::Version { found }.into());
        }
        let cut = self.cut;
        let mut results = BlockResults::empty(blocks.start);
        results.elapsed = Duration::from_nanos(reader.word()?);
        if !self.is_ideal && blocks.start < cut.in_trial() {
            let totals = (0..self.length()).map(|_| Ok(i128::from_le_bytes(reader.array()?)));
            results.truth = totals.collect::<Result<_, BlockResultsError>>()?;
        }
        for piece in cut.by_trial(blocks.clone()) {
            let begins = cut.begins_trial(piece.blocks.start);
            if begins && cut.begins_trial(piece.blocks.end) {
                results.records.push(self.record(piece.trial, &mut reader)?);
                continue;
            }
            let clients = piece.clients.end - piece.clients.start;
            let partial = Some(self.partial(piece.trial, clients, &mut reader)?);
            match begins {
                true => results.tail = partial,
                false => results.head = partial,
            }
        }
        if !reader.0.is_empty() {
            return Err(BlockResultsError::Length { found: "more" }.into());
        }
        results.blocks = blocks;
        Ok(results)
    }

    /// Reads contributions of `clients` clients to a trial; `Err` unless each is counted once.
    fn partial(
        &self,
        trial: u64,
        clients: u64,
        reader: &mut Reader<'_>,
    ) -> Result<PartialTrial<P>, Error> {
        let (dropped, stages) = (reader.word()?, reader.stages()?);
        let state = Batch::<P>::state_length(&*self.policy);
        let parties = self.parties(trial)?;
        let batches = parties.batches().map(|batch| {
            let batch = batch.with_state(reader.bytes(state)?)?;
            // Every aggregator has counted every report.
            let counts = [batch.reports(), batch.rejections().total(), dropped];
            check_clients(trial, counts, clients)?;
            Ok(batch)
        });
        Ok(PartialTrial { batches: batches.collect::<Result<_, Error>>()?, dropped, stages })
    }

    /// Reads whole trial `number`.
    fn record(&self, number: u64, reader: &mut Reader<'_>) -> Result<TrialRecord, Error> {
        let length = self.length();
        let [reports, dropped, rejected] = [reader.word()?, reader.word()?, reader.word()?];
        check_clients(number, [reports, dropped, rejected], self.clients)?;
        let stages = reader.stages()?;
        let count = u64::try_from(length).unwrap_or(u64::MAX);
        let is_processed = self.consistency.is_some();
        let statistics = reader.statistics(count, is_processed)?;
        let digest = reader.array()?;
        let question = self.cumulative.as_ref().map(|cumulative| &cumulative.question);
        let sums = |question: &CumulativeQuestion| reader.sums(question, is_processed);
        let cumulative = question.map(sums).transpose()?;
        let kept = is_kept(number, length + question.map_or(0, CumulativeQuestion::len));
        let mut trial = Trial {
            coordinates: reader.coordinates(if kept { length } else { 0 }, is_processed)?,
            cumulative: None,
            reports,
            dropped,
            rejected,
            stages,
        };
        if let Some(question) = question.filter(|_| kept) {
            let counts = if number == 0 { length.saturating_sub(1) } else { 0 };
            trial.cumulative = Some(CumulativeTrial {
                percentiles: reader.percentiles(question.percentiles.len(), length)?,
                ranges: reader.coordinates(question.ranges.len(), is_processed)?,
                counts: reader.coordinates(counts, is_processed)?,
            });
        }
        Ok(TrialRecord { trial, statistics, cumulative, digest })
    }
}

/// Refuses counts of reports, dropped and rejected that do not add up to `clients`.
fn check_clients(trial: u64, counts: [u64; 3], clients: u64) -> Result<(), BlockResultsError> {
    let found = counts.into_iter().fold(0, u64::saturating_add);
    match found == clients {
        true => Ok(()),
        false => Err(BlockResultsError::Clients { trial, found, clients }),
    }
}

/// The bytes that are still to be read. Each method takes some; `Err` if there are fewer.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], BlockResultsError> {
        let split = self.0.split_at_checked(length);
        let (bytes, rest) = split.ok_or(BlockResultsError::Length { found: "fewer" })?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BlockResultsError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn word(&mut self) -> Result<u64, BlockResultsError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn float(&mut self) -> Result<f64, BlockResultsError> {
        Ok(f64::from_bits(self.word()?))
    }

    fn stages(&mut self) -> Result<StageTimes, BlockResultsError> {
        let mut stages = StageTimes::default();
        for time in &mut stages.0 {
            *time = Duration::from_nanos(self.word()?);
        }
        Ok(stages)
    }

    /// A running mean over `count` values; the count itself is not encoded.
    fn mean(&mut self, count: u64) -> Result<Mean, BlockResultsError> {
        let [sum, mean, squared_deviations] = [self.float()?, self.float()?, self.float()?];
        Ok(Mean { count, sum, mean, squared_deviations })
    }

    /// Sums over `count` errors; the count itself is not encoded.
    fn errors(&mut self, count: u64) -> Result<ErrorSums, BlockResultsError> {
        Ok(ErrorSums { errors: self.mean(count)?, squares: self.mean(count)? })
    }

    /// Sums over `count` values.
    fn statistics(
        &mut self,
        count: u64,
        is_processed: bool,
    ) -> Result<Statistics, BlockResultsError> {
        Ok(Statistics {
            variances: self.mean(count)?,
            errors: self.errors(count)?,
            processed_errors: self.errors(if is_processed { count } else { 0 })?,
            covered: self.word()?,
        })
    }

    /// Sums over one trial.
    fn sums(
        &mut self,
        question: &CumulativeQuestion,
        is_processed: bool,
    ) -> Result<CumulativeSums, BlockResultsError> {
        let counts = self.statistics(1, is_processed)?;
        let mut sums = CumulativeSums { counts, percentiles: Vec::new(), ranges: Vec::new() };
        for _ in &question.percentiles {
            let (covered, width) = (self.word()?, self.word()?);
            sums.percentiles.push(PercentileSums { covered, width });
        }
        for _ in &question.ranges {
            sums.ranges.push(self.statistics(1, is_processed)?);
        }
        Ok(sums)
    }

    fn coordinates(
        &mut self,
        count: usize,
        is_processed: bool,
    ) -> Result<Vec<Coordinate>, BlockResultsError> {
        let mut coordinates = Vec::new();
        for _ in 0..count {
            coordinates.push(Coordinate {
                truth: self.float()?,
                estimate: self.float()?,
                standard_error: self.float()?,
                margin_95: self.float()?,
                consistent: is_processed.then(|| self.float()).transpose()?,
            });
        }
        Ok(coordinates)
    }

    /// Percentiles of a histogram of `buckets` buckets.
    fn percentiles(
        &mut self,
        count: usize,
        buckets: usize,
    ) -> Result<Vec<PercentileEstimate>, BlockResultsError> {
        let mut percentiles = Vec::new();
        for _ in 0..count {
            let mut bucket = || {
                let found = self.word()?;
                let bucket = usize::try_from(found).ok().filter(|bucket| *bucket < buckets);
                bucket.ok_or(BlockResultsError::Bucket { found, buckets })
            };
            percentiles.push(PercentileEstimate {
                truth: bucket()?,
                estimate: Percentile { bucket: bucket()?, lowest: bucket()?, highest: bucket()? },
            });
        }
        Ok(percentiles)
    }
}
