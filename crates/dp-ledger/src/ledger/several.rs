//! Many releases of one kind at once: all of them, or none.

use std::sync::Arc;

use dp_exact::{ParameterError, Rounding};

use super::Ledger;
use crate::charge::Charge;
use crate::entry::Booking;
use crate::name::Name;
use crate::{Entry, LedgerError, Release};

/// The most releases that are recorded at once.
pub const MAX_TIMES: u64 = 1 << 20;

impl Ledger {
    /// Pays for `times` releases under the names `name 1`, `name 2` and so on: for all of them or for none.
    /// Those that were recorded before cost nothing again. Returns how many are new.
    ///
    /// # Errors
    /// As [`Ledger::spend`], of any of them; if `times` is not from 1 to [`MAX_TIMES`]. Nothing is spent then.
    pub fn spend_times(
        &mut self,
        name: &str,
        times: u64,
        release: &Release,
    ) -> Result<u64, LedgerError> {
        let entries = self.prepared_times(name, times, release)?;
        let new = entries.len() as u64;
        self.reserve(new);
        for entry in entries {
            self.push(entry);
        }
        Ok(new)
    }

    /// The entries that are new, if all of them fit.
    pub(crate) fn prepared_times(
        &self,
        name: &str,
        times: u64,
        release: &Release,
    ) -> Result<Vec<Entry>, LedgerError> {
        self.process.check()?;
        if !(1..=MAX_TIMES).contains(&times) {
            let accepted = format!("an integer from 1 to {MAX_TIMES}");
            return Err(ParameterError::new("times", times, accepted).into());
        }
        let mut spent = self.spent.clone();
        let mut last: Option<Arc<Booking>> = None;
        let mut entries = Vec::new();
        for number in 1..=times {
            let name = format!("{name} {number}");
            let checked = Name::new(&name)?;
            if self.entry(&name).is_some() {
                self.prepared(&name, release, None)?;
                continue;
            }
            // Declarations are used up one after the other: the next one has a charge of its own.
            let fits = |one: &Arc<Booking>| spent.leaves_room_for(&one.charge, &self.limit);
            let booking = match last.filter(fits) {
                Some(one) => one,
                None => self.booked_after(&spent, &name, release)?,
            };
            spent.add(&booking.charge);
            entries.push(Entry {
                name: checked,
                booking: Arc::clone(&booking),
                shares: None,
            });
            last = Some(booking);
        }
        Ok(entries)
    }

    /// What one more costs after so much was spent, if it fits.
    fn booked_after(
        &self,
        spent: &Charge,
        name: &str,
        release: &Release,
    ) -> Result<Arc<Booking>, LedgerError> {
        let charge = self.terms.charged(name, release, &self.limit, spent)?;
        if !spent.leaves_room_for(&charge, &self.limit) {
            let before = (*spent != self.limit.nothing()).then(|| spent.cost(Rounding::Up));
            return self.overspend(name, &charge, before.transpose()?);
        }
        let release = release.clone();
        Ok(Arc::new(Booking { release, charge }))
    }
}
