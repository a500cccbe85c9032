//! The clients of a simulation and their measurements.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_prio3::Measurement;
use rand::RngExt;
use sha2::{Digest as _, Sha256};

use crate::Measurements;
use crate::measurements::Scratch;
use crate::streams::{Purpose, stream};

/// Clients, each with a measurement from given data, which is looked up when it is needed: a
/// million clients over a thousand rows take the memory of a thousand rows.
#[derive(Clone, Debug)]
pub struct Population {
    rows: Measurements,
    /// The number of clients who each draw a row at random, with replacement, in proportion to the
    /// counts of rows, and the seed of their draws. `None`: each row goes to its clients.
    drawn: Option<(u64, u64)>,
}

impl Population {
    /// One client for each row, or its [count](Measurements::counted) of clients.
    ///
    /// # Errors
    /// If there are no rows, or they count nobody.
    pub fn each_once(rows: impl Into<Measurements>) -> Result<Self, ParameterError> {
        Self::checked(rows.into(), None)
    }

    /// `clients` clients who each draw a row with replacement: uniformly, or in proportion to the
    /// [counts](Measurements::counted) of rows. A client has one row in all trials.
    ///
    /// # Errors
    /// If there are no rows, they count nobody, or there are no clients.
    pub fn bootstrap(
        rows: impl Into<Measurements>,
        clients: u64,
        seed: u64,
    ) -> Result<Self, ParameterError> {
        Self::checked(rows.into(), Some((clients, seed)))
    }

    /// A population by its fields; `Err` without rows, or if it has no clients.
    fn checked(rows: Measurements, drawn: Option<(u64, u64)>) -> Result<Self, ParameterError> {
        let (name, accepted) = match drawn {
            _ if rows.is_empty() => ("rows", "at least 1 row of data"),
            _ if rows.clients() == 0 => ("counts", "at least 1 client"),
            Some((0, _)) => ("clients", "at least 1"),
            _ => return Ok(Self { rows, drawn }),
        };
        Err(ParameterError::new(name, 0, accepted))
    }

    /// The number of clients.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.drawn_clients().unwrap_or_else(|| self.rows.clients())
    }

    /// SHA-256 over the rows and their assignment to clients.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(b"dp-simulation population 1");
        hash.update([u8::from(self.drawn.is_some())]);
        let (clients, seed) = self.drawn.unwrap_or_default();
        [clients, seed].iter().for_each(|number| hash.update(number.to_le_bytes()));
        self.rows.hash(&mut hash);
        hash.finalize().into()
    }

    /// The rows that are assigned to clients or drawn by them.
    pub(crate) const fn measurements(&self) -> &Measurements {
        &self.rows
    }

    /// The number of clients if each draws a row at random; `None` if rows are assigned.
    pub(crate) fn drawn_clients(&self) -> Option<u64> {
        self.drawn.map(|(clients, _)| clients)
    }

    /// The measurement of client number `client`, from 0, for this query; `None` from
    /// [`Population::clients`] on.
    pub(crate) fn measurement<'a>(
        &self,
        client: u64,
        query: &Query,
        scratch: &'a mut Scratch,
    ) -> Option<Measurement<'a>> {
        self.rows.get(self.row(client)?, query, scratch)
    }

    /// Adds the measurement of client number `client`, from 0, to `totals`.
    pub(crate) fn add(&self, client: u64, totals: &mut [i128]) {
        if let Some(row) = self.row(client) {
            self.rows.add(row, 1, totals);
        }
    }

    /// The index of the row of client number `client`; `None` if there is no such client.
    fn row(&self, client: u64) -> Option<usize> {
        let Some((_, seed)) = self.drawn else {
            return self.rows.row_of(client);
        };
        let mut rng = stream(seed, Purpose::Population, 0, client);
        match self.rows.are_counted() {
            true => self.rows.row_of(rng.random_range(0..self.rows.clients())),
            false => Some(rng.random_range(0..self.rows.len())),
        }
    }
}
