//! What a measurement adds to the true totals.

/// A measurement that can be added up in the clear.
pub trait Tally {
    /// Adds this measurement to `totals`, one for each coordinate of the aggregate.
    fn add_to(&self, totals: &mut [i128]);
}

/// A bucket of a histogram.
impl Tally for usize {
    fn add_to(&self, totals: &mut [i128]) {
        if let Some(total) = totals.get_mut(*self) {
            *total += 1;
        }
    }
}

/// A bit.
impl Tally for bool {
    fn add_to(&self, totals: &mut [i128]) {
        [*self].as_slice().add_to(totals);
    }
}

/// A summand.
impl Tally for u64 {
    fn add_to(&self, totals: &mut [i128]) {
        [u128::from(*self)].as_slice().add_to(totals);
    }
}

/// A summand. Totals beyond the range of `i128` stay at its end.
impl Tally for u128 {
    fn add_to(&self, totals: &mut [i128]) {
        [*self].as_slice().add_to(totals);
    }
}

/// A vector of bits.
impl Tally for [bool] {
    fn add_to(&self, totals: &mut [i128]) {
        for (total, bit) in totals.iter_mut().zip(self) {
            *total += i128::from(*bit);
        }
    }
}

/// A vector of integers. Totals beyond the range of `i128` stay at its end.
impl Tally for [u128] {
    fn add_to(&self, totals: &mut [i128]) {
        for (total, entry) in totals.iter_mut().zip(self) {
            let entry = i128::try_from(*entry).unwrap_or(i128::MAX);
            *total = total.saturating_add(entry);
        }
    }
}
