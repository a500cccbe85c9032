//! Slices that begin where a line of the cache does.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};
use core::iter::repeat_n;
use core::ops::{Deref, DerefMut};

use crate::variant::LINE;

/// A slice on the heap whose first element begins a line of 64 bytes, if the size of an element
/// divides that.
pub(crate) struct Aligned<T> {
    /// The slice, and whatever fills the line before it and the one after it.
    storage: Box<[T]>,
    start: usize,
    length: usize,
}

impl<T: Copy + Default> Aligned<T> {
    pub(crate) fn new(elements: &[T]) -> Self {
        let mut aligned = Self::default_of(elements.len());
        aligned.copy_from_slice(elements);
        aligned
    }

    /// So many elements of the default value.
    pub(crate) fn default_of(length: usize) -> Self {
        let slack = LINE / size_of::<T>();
        let storage: Vec<T> = repeat_n(T::default(), length + slack).collect();
        let start = (storage.as_ptr().addr().wrapping_neg() % LINE) / size_of::<T>();
        Self {
            storage: storage.into_boxed_slice(),
            start,
            length,
        }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let slice = self.storage.get(self.start..self.start + self.length);
        slice.unwrap_or_default()
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let slice = self.storage.get_mut(self.start..self.start + self.length);
        slice.unwrap_or_default()
    }
}

impl<T: Copy + Default> Clone for Aligned<T> {
    /// A copy lies elsewhere, so that it begins after another slack.
    fn clone(&self) -> Self {
        Self::new(self)
    }
}

impl<T: Debug> Debug for Aligned<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_and_their_copies_begin_lines() {
        for length in [0, 1, 3, 16, 1000] {
            let elements: Vec<u32> = (0..length).collect();
            let slices: Vec<Aligned<u32>> = (0..20).map(|_| Aligned::new(&elements)).collect();
            for slice in slices.iter().chain(&slices.clone()) {
                assert_eq!(**slice, *elements);
                assert_eq!(slice.as_ptr().addr() % LINE, 0);
            }
        }
    }
}
