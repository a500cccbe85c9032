//! A part as bytes and back.
//!
//! ```text
//! part = version (1) | nanoseconds (8)
//!      | truth           if it has blocks of the first trial: width (1) | length × integer of that many bytes
//!      | fragment        if a trial before it ends in it or goes on
//!      | record …        one for each trial that is whole
//!      | fragment        if a trial that begins in it goes on
//! fragment = dropped (8) | nanoseconds by stage | state of each aggregator's batch
//! record = reports, dropped, rejected (8 each) | nanoseconds by stage | statistics | digest (32)
//!        | coordinates   of the first trials
//! ```
//!
//! Integers are little endian, floats their bits. Which of these there are, and how long each is, follows from the task
//! and the blocks alone: no length is read, and nothing is allocated before the bytes for it are there.

mod bytes;

use std::ops::Range;

use dp_prio3::{Batch, DpPolicy};

use super::Trials;
use super::part::Part;
use crate::outcome::{Coordinate, DIGEST, Record, Statistics, is_kept};
use crate::parties::Fragment;
use crate::{Error, Trial};
use bytes::{Reader, Writer};

/// The version of this encoding.
const VERSION: u8 = 1;

/// Why parts are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    /// It was written by another version of this program.
    #[error("the part has version {found}: expected {VERSION}")]
    Version {
        /// Its version.
        found: u8,
    },
    /// It has fewer or more bytes than its blocks take.
    #[error("the part has {found} bytes than its {blocks} blocks take")]
    Length {
        /// `fewer` or `more`.
        found: &'static str,
        /// How many blocks it is said to have.
        blocks: u64,
    },
    /// Its integers are said to have so many bytes.
    #[error("the part has integers of {found} bytes: expected 1 to 16")]
    Width {
        /// The bytes of each.
        found: u8,
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
    /// The statistics and the digest of a trial do not follow from its estimates.
    #[error("the part has statistics of trial {trial} that its estimates do not have")]
    Statistics {
        /// The trial, from 0.
        trial: u64,
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

impl<P: DpPolicy> Part<P> {
    /// The part as bytes, which [`Trials::read_part`] reads. **They hold both aggregators' shares without noise.**
    ///
    /// # Errors
    /// None in practice: field elements can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        let mut writer = Writer::default();
        writer.byte(VERSION);
        writer.time(self.elapsed);
        if !self.truth.is_empty() {
            writer.integers(&self.truth);
        }
        if let Some(fragment) = &self.head {
            write_fragment(fragment, &mut writer)?;
        }
        for record in &self.records {
            write_record(record, &mut writer);
        }
        if let Some(fragment) = &self.tail {
            write_fragment(fragment, &mut writer)?;
        }
        Ok(writer.into_bytes())
    }
}

fn write_fragment<P: DpPolicy>(fragment: &Fragment<P>, writer: &mut Writer) -> Result<(), Error> {
    writer.count(fragment.dropped);
    writer.stages(&fragment.stages);
    for batch in &fragment.batches {
        writer.with(|bytes| batch.write_state(bytes))?;
    }
    Ok(())
}

fn write_record(record: &Record, writer: &mut Writer) {
    let Record {
        trial,
        statistics,
        digest,
    } = record;
    for count in [trial.reports, trial.dropped, trial.rejected] {
        writer.count(count);
    }
    writer.stages(&trial.stages);
    writer.mean(&statistics.variances);
    for errors in [&statistics.errors, &statistics.of_consistent] {
        writer.mean(&errors.errors);
        writer.mean(&errors.squares);
    }
    writer.count(statistics.covered);
    writer.bytes(digest);
    for coordinate in &trial.coordinates {
        writer.float(coordinate.truth);
        writer.float(coordinate.estimate);
        writer.float(coordinate.standard_error);
        writer.float(coordinate.margin_95);
        if let Some(consistent) = coordinate.consistent {
            writer.float(consistent);
        }
    }
}

impl<P: DpPolicy> Trials<P> {
    /// What came of these blocks, from the bytes that [`Part::payload`] gave.
    ///
    /// # Errors
    /// [`Error::Part`] or [`Error::Batch`] if it is no such part.
    pub fn read_part(&self, blocks: Range<u64>, payload: &[u8]) -> Result<Part<P>, Error> {
        let all = self.blocks();
        if blocks.start >= blocks.end || blocks.end > all {
            return Err(Error::Part(PartError::Blocks {
                start: blocks.start,
                end: blocks.end,
                blocks: all,
            }));
        }
        let mut reader = Reader::new(payload, blocks.end - blocks.start);
        let version = reader.byte()?;
        if version != VERSION {
            return Err(Error::Part(PartError::Version { found: version }));
        }
        let cut = self.cut();
        let mut part = Part::empty(blocks.start);
        part.elapsed = reader.time()?;
        if self.counts_truth() && blocks.start < cut.in_trial() {
            part.truth = reader.integers(self.length())?;
        }
        for piece in cut.pieces(blocks.clone()) {
            let clients = piece.clients.end - piece.clients.start;
            let (begins, ends) = (
                cut.begins_trial(piece.blocks.start),
                cut.begins_trial(piece.blocks.end),
            );
            if begins && ends {
                part.records
                    .push(self.read_record(piece.trial, &mut reader)?);
                continue;
            }
            let fragment = Some(self.read_fragment(piece.trial, clients, &mut reader)?);
            match begins {
                true => part.tail = fragment,
                false => part.head = fragment,
            }
        }
        reader.end()?;
        part.blocks = blocks;
        Ok(part)
    }

    fn read_fragment(
        &self,
        trial: u64,
        clients: u64,
        reader: &mut Reader<'_>,
    ) -> Result<Fragment<P>, Error> {
        let dropped = reader.count()?;
        let stages = reader.stages()?;
        let state = Batch::<P>::state_length(self.policy());
        let parties = self.parties(trial)?;
        let batches = parties.batches().map(|batch| {
            let batch = batch.with_state(reader.bytes(state)?)?;
            Ok::<_, Error>(batch)
        });
        let fragment = Fragment {
            batches: batches.collect::<Result<_, _>>()?,
            dropped,
            stages,
        };
        // Every aggregator has counted every report.
        for batch in &fragment.batches {
            let counts = [batch.reports(), batch.rejections().total(), dropped];
            check_clients(trial, counts, clients)?;
        }
        Ok(fragment)
    }

    fn read_record(&self, number: u64, reader: &mut Reader<'_>) -> Result<Record, Error> {
        let length = self.length();
        let from = reader.rest();
        let (reports, dropped, rejected) = (reader.count()?, reader.count()?, reader.count()?);
        check_clients(number, [reports, dropped, rejected], self.clients())?;
        let stages = reader.stages()?;
        let count = u64::try_from(length).unwrap_or(u64::MAX);
        let variances = reader.mean(count)?;
        let errors = reader.errors(count)?;
        let of_consistent = reader.errors(if self.is_processed() { count } else { 0 })?;
        let covered = reader.count()?;
        let digest = reader.array::<DIGEST>()?;
        let kept = if is_kept(number, length) { length } else { 0 };
        let mut coordinates = Vec::new();
        for _ in 0..kept {
            coordinates.push(Coordinate {
                truth: reader.float()?,
                estimate: reader.float()?,
                standard_error: reader.float()?,
                margin_95: reader.float()?,
                consistent: match self.is_processed() {
                    true => Some(reader.float()?),
                    false => None,
                },
            });
        }
        let trial = Trial {
            coordinates,
            reports,
            dropped,
            rejected,
            stages,
        };
        let statistics = Statistics {
            variances,
            errors,
            of_consistent,
            covered,
        };
        let record = Record {
            trial,
            statistics,
            digest,
        };
        let is_known = kept == 0 || {
            let mut writer = Writer::default();
            write_record(&Record::of(number, record.trial.clone()), &mut writer);
            from.starts_with(&writer.into_bytes())
        };
        if !is_known || covered > count {
            return Err(Error::Part(PartError::Statistics { trial: number }));
        }
        Ok(record)
    }
}

fn check_clients(trial: u64, counts: [u64; 3], clients: u64) -> Result<(), PartError> {
    let found = counts.into_iter().fold(0, u64::saturating_add);
    if found == clients {
        return Ok(());
    }
    Err(PartError::Clients {
        trial,
        found,
        clients,
    })
}
