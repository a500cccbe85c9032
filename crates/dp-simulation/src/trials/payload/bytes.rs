//! Numbers one after the other, as bytes.

use std::time::Duration;

use super::PartError;
use crate::outcome::{Errors, Mean, Stages};

/// Bytes that grow.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Lets another one append.
    pub(super) fn with<T>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        append(&mut self.0)
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn count(&mut self, count: u64) {
        self.bytes(&count.to_le_bytes());
    }

    pub(super) fn float(&mut self, float: f64) {
        self.count(float.to_bits());
    }

    /// Of more than five hundred years the last are left out.
    pub(super) fn time(&mut self, time: Duration) {
        self.count(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(super) fn stages(&mut self, stages: &Stages) {
        let times = stages.named();
        times.into_iter().for_each(|(_, time)| self.time(time));
    }

    /// How many values there are is not written.
    pub(super) fn mean(&mut self, mean: &Mean) {
        for float in [mean.sum, mean.mean, mean.squared_deviations] {
            self.float(float);
        }
    }

    /// Integers of at least 0, in as many bytes each as the largest needs.
    pub(super) fn integers(&mut self, integers: &[i128]) {
        let most = integers.iter().map(|integer| integer.unsigned_abs()).max();
        let bits = u128::BITS - most.unwrap_or(0).leading_zeros();
        let width = bits.div_ceil(8).clamp(1, 16);
        self.0.push(u8::try_from(width).unwrap_or(16));
        let width = usize::try_from(width).unwrap_or(16);
        for integer in integers {
            self.bytes(&integer.unsigned_abs().to_le_bytes()[..width]);
        }
    }
}

/// Bytes that are taken from the front.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    blocks: u64,
}

impl<'a> Reader<'a> {
    /// Of a part of so many blocks.
    pub(super) const fn new(rest: &'a [u8], blocks: u64) -> Self {
        Self { rest, blocks }
    }

    /// What is left.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Nothing is left.
    pub(super) const fn end(&self) -> Result<(), PartError> {
        match self.rest {
            [] => Ok(()),
            _ => Err(self.of_length("more")),
        }
    }

    const fn of_length(&self, found: &'static str) -> PartError {
        let blocks = self.blocks;
        PartError::Length { found, blocks }
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], PartError> {
        let split = self.rest.split_at_checked(length);
        let (bytes, rest) = split.ok_or(self.of_length("fewer"))?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], PartError> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, PartError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn count(&mut self) -> Result<u64, PartError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn float(&mut self) -> Result<f64, PartError> {
        Ok(f64::from_bits(self.count()?))
    }

    pub(super) fn time(&mut self) -> Result<Duration, PartError> {
        Ok(Duration::from_nanos(self.count()?))
    }

    pub(super) fn stages(&mut self) -> Result<Stages, PartError> {
        let mut times = Stages::default().named().map(|(_, time)| time);
        for time in &mut times {
            *time = self.time()?;
        }
        Ok(Stages::of(times))
    }

    /// That of so many values.
    pub(super) fn mean(&mut self, count: u64) -> Result<Mean, PartError> {
        Ok(Mean {
            count,
            sum: self.float()?,
            mean: self.float()?,
            squared_deviations: self.float()?,
        })
    }

    pub(super) fn errors(&mut self, count: u64) -> Result<Errors, PartError> {
        Ok(Errors {
            errors: self.mean(count)?,
            squares: self.mean(count)?,
        })
    }

    /// So many integers.
    pub(super) fn integers(&mut self, count: usize) -> Result<Vec<i128>, PartError> {
        let found = self.byte()?;
        let width = usize::from(found);
        if !(1..=16).contains(&width) {
            return Err(PartError::Width { found });
        }
        let all = self.bytes(count.saturating_mul(width))?;
        let integers = all.chunks_exact(width).map(|bytes| {
            let mut whole = [0; 16];
            whole[..width].copy_from_slice(bytes);
            i128::try_from(u128::from_le_bytes(whole)).unwrap_or(i128::MAX)
        });
        Ok(integers.collect())
    }
}
