//! A part as bytes and back.
//!
//! ```text
//! part = version | nanoseconds
//!      | truth           if it has blocks of the first trial: two words for each total
//!      | fragment        if a trial before it ends in it or goes on
//!      | record …        one for each trial that is whole
//!      | fragment        if a trial that begins in it goes on
//! fragment = dropped | nanoseconds by stage | state of each aggregator's batch
//! record = reports, dropped, rejected | nanoseconds by stage | statistics | digest (32 bytes)
//!        | coordinates   of the first trials
//! ```
//!
//! All are words of 64 bits, little endian, and floats their bits. Which of these there are, and how long each is, follows
//! from the task and the blocks alone: no length is read, and nothing is allocated before the bytes for it are there.
//! Whoever keeps parts in files keeps a checksum with them ([`checkpoints`](crate::checkpoints)).

use std::ops::Range;
use std::time::Duration;

use dp_prio3::{Batch, DpPolicy};

use super::{BlockResults, Trials};
use crate::outcome::{Coordinate, Errors, Mean, Record, StageTimes, Statistics, is_kept};
use crate::parties::Fragment;
use crate::{Error, Trial};

/// The version of this encoding.
const VERSION: u64 = 2;

/// Why parts are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// It was written by another version of this program.
    #[error("the part has version {found}: expected {VERSION}")]
    Version {
        /// Its version.
        found: u64,
    },
    /// It has fewer or more bytes than its blocks take.
    #[error("the part has {found} bytes than its blocks take")]
    Length {
        /// `fewer` or `more`.
        found: &'static str,
    },
    /// It is said to have blocks that the run does not have.
    #[error("the part has blocks {start} to {end}: the run has {blocks}")]
    Blocks {
        /// The first.
        start: u64,
        /// That after the last.
        end: u64,
        /// How many the run has.
        blocks: u64,
    },
    /// Not every client of a trial is counted once.
    #[error("the part counts {found} clients in trial {trial}: expected {clients}")]
    Clients {
        /// The trial, from 0.
        trial: u64,
        /// Reports that were sent and not, in the part.
        found: u64,
        /// The clients of its blocks.
        clients: u64,
    },
    /// Parts are not put together in order.
    #[error("a part ends at block {end}, and the next one begins at block {start}")]
    NotAdjacent {
        /// Where the first one ends.
        end: u64,
        /// Where the next one begins.
        start: u64,
    },
    /// A trial is whole, and what its estimates are compared with is not known: that is counted in the first trial.
    #[error("the first trial is not there, which has the totals of all clients")]
    UnknownTruth,
    /// There is no outcome before all parts are there.
    #[error("{found} of {blocks} blocks are there")]
    Incomplete {
        /// How many there are, from the first on.
        found: u64,
        /// How many the run has.
        blocks: u64,
    },
}

impl<P: DpPolicy> BlockResults<P> {
    /// The part as bytes, which [`Trials::read_part`] reads. **They hold both aggregators' shares without noise.**
    ///
    /// # Errors
    /// None in practice: field elements can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        put(&mut bytes, [VERSION, nanoseconds(self.elapsed)]);
        for total in &self.truth {
            bytes.extend_from_slice(&total.to_le_bytes());
        }
        if let Some(fragment) = &self.head {
            put_fragment(fragment, &mut bytes)?;
        }
        for record in &self.records {
            put_record(record, &mut bytes);
        }
        if let Some(fragment) = &self.tail {
            put_fragment(fragment, &mut bytes)?;
        }
        Ok(bytes)
    }
}

fn put(bytes: &mut Vec<u8>, words: impl IntoIterator<Item = u64>) {
    let words = words.into_iter();
    words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

/// Of more than five hundred years the last are left out.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn put_fragment<P: DpPolicy>(fragment: &Fragment<P>, bytes: &mut Vec<u8>) -> Result<(), Error> {
    put(bytes, [fragment.dropped]);
    put(bytes, fragment.stages.0.map(nanoseconds));
    for batch in &fragment.batches {
        batch.write_state(bytes)?;
    }
    Ok(())
}

fn put_record(record: &Record, bytes: &mut Vec<u8>) {
    let Record { trial, statistics, digest } = record;
    put(bytes, [trial.reports, trial.dropped, trial.rejected]);
    put(bytes, trial.stages.0.map(nanoseconds));
    let (errors, consistent) = (&statistics.errors, &statistics.of_consistent);
    for mean in [
        &statistics.variances,
        &errors.errors,
        &errors.squares,
        &consistent.errors,
        &consistent.squares,
    ] {
        let floats = [mean.sum, mean.mean, mean.squared_deviations];
        put(bytes, floats.map(f64::to_bits));
    }
    put(bytes, [statistics.covered]);
    bytes.extend_from_slice(digest);
    for row in &trial.coordinates {
        let floats = [row.truth, row.estimate, row.standard_error, row.margin_95];
        put(bytes, floats.map(f64::to_bits));
        put(bytes, row.consistent.map(f64::to_bits));
    }
}

impl<P: DpPolicy> Trials<P> {
    /// What came of these blocks, from the bytes that [`BlockResults::payload`] gave.
    ///
    /// # Errors
    /// [`Error::Part`] or [`Error::Batch`] if it is no such part.
    pub fn read_part(&self, blocks: Range<u64>, payload: &[u8]) -> Result<BlockResults<P>, Error> {
        let all = self.blocks();
        if blocks.start >= blocks.end || blocks.end > all {
            return Err(Error::Part(PartError::Blocks {
                start: blocks.start,
                end: blocks.end,
                blocks: all,
            }));
        }
        let mut reader = Reader(payload);
        let found = reader.word()?;
        if found != VERSION {
            return Err(Error::Part(PartError::Version { found }));
        }
        let cut = self.cut();
        let mut part = BlockResults::empty(blocks.start);
        part.elapsed = Duration::from_nanos(reader.word()?);
        if self.counts_truth() && blocks.start < cut.in_trial() {
            let totals = (0..self.length()).map(|_| Ok(i128::from_le_bytes(reader.array()?)));
            part.truth = totals.collect::<Result<_, PartError>>()?;
        }
        for piece in cut.pieces(blocks.clone()) {
            let clients = piece.clients.end - piece.clients.start;
            let begins = cut.begins_trial(piece.blocks.start);
            if begins && cut.begins_trial(piece.blocks.end) {
                part.records.push(self.record(piece.trial, &mut reader)?);
                continue;
            }
            let fragment = Some(self.fragment(piece.trial, clients, &mut reader)?);
            match begins {
                true => part.tail = fragment,
                false => part.head = fragment,
            }
        }
        if !reader.0.is_empty() {
            return Err(Error::Part(PartError::Length { found: "more" }));
        }
        part.blocks = blocks;
        Ok(part)
    }

    fn fragment(
        &self,
        trial: u64,
        clients: u64,
        reader: &mut Reader<'_>,
    ) -> Result<Fragment<P>, Error> {
        let dropped = reader.word()?;
        let stages = reader.stages()?;
        let state = Batch::<P>::state_length(self.policy());
        let parties = self.parties(trial)?;
        let batches = parties.batches().map(|batch| {
            let batch = batch.with_state(reader.bytes(state)?)?;
            Ok::<_, Error>(batch)
        });
        let fragment = Fragment { batches: batches.collect::<Result<_, _>>()?, dropped, stages };
        // Every aggregator has counted every report.
        for batch in &fragment.batches {
            let counts = [batch.reports(), batch.rejections().total(), dropped];
            check_clients(trial, counts, clients)?;
        }
        Ok(fragment)
    }

    fn record(&self, number: u64, reader: &mut Reader<'_>) -> Result<Record, Error> {
        let length = self.length();
        let [reports, dropped, rejected] = [reader.word()?, reader.word()?, reader.word()?];
        check_clients(number, [reports, dropped, rejected], self.clients())?;
        let stages = reader.stages()?;
        let count = u64::try_from(length).unwrap_or(u64::MAX);
        let of_consistent = if self.is_processed() { count } else { 0 };
        let statistics = Statistics {
            variances: reader.mean(count)?,
            errors: reader.errors(count)?,
            of_consistent: reader.errors(of_consistent)?,
            covered: reader.word()?,
        };
        let digest = reader.array()?;
        let kept = if is_kept(number, length) { length } else { 0 };
        let mut coordinates = Vec::new();
        for _ in 0..kept {
            coordinates.push(Coordinate {
                truth: reader.float()?,
                estimate: reader.float()?,
                standard_error: reader.float()?,
                margin_95: reader.float()?,
                consistent: self.is_processed().then(|| reader.float()).transpose()?,
            });
        }
        let trial = Trial { coordinates, reports, dropped, rejected, stages };
        Ok(Record { trial, statistics, digest })
    }
}

fn check_clients(trial: u64, counts: [u64; 3], clients: u64) -> Result<(), PartError> {
    let found = counts.into_iter().fold(0, u64::saturating_add);
    match found == clients {
        true => Ok(()),
        false => Err(PartError::Clients { trial, found, clients }),
    }
}

/// Bytes that are taken from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], PartError> {
        let split = self.0.split_at_checked(length);
        let (bytes, rest) = split.ok_or(PartError::Length { found: "fewer" })?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PartError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn word(&mut self) -> Result<u64, PartError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn float(&mut self) -> Result<f64, PartError> {
        Ok(f64::from_bits(self.word()?))
    }

    fn stages(&mut self) -> Result<StageTimes, PartError> {
        let mut stages = StageTimes::default();
        for time in &mut stages.0 {
            *time = Duration::from_nanos(self.word()?);
        }
        Ok(stages)
    }

    /// The mean of so many values.
    fn mean(&mut self, count: u64) -> Result<Mean, PartError> {
        Ok(Mean {
            count,
            sum: self.float()?,
            mean: self.float()?,
            squared_deviations: self.float()?,
        })
    }

    fn errors(&mut self, count: u64) -> Result<Errors, PartError> {
        Ok(Errors { errors: self.mean(count)?, squares: self.mean(count)? })
    }
}
