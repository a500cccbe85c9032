//! Filling slices with draws, adding draws to slices, and where one does not fit.

use core::any::type_name;

use num_traits::CheckedAdd;
use zeroize::zeroize_stack;

use crate::Error;

/// What filling a slice may leave on the stack: words and intermediate results of the last draws, and what the
/// generator computed with.
pub(crate) const STACK: usize = 3072;

/// What few draws may leave there: a word, and what the generator computed with.
pub(crate) const STACK_OF_FEW: usize = 1024;

/// Fills draw by draw; the position of one that does not fit, if any. Apart from its caller, so that its part of the
/// stack can be wiped.
#[inline(never)]
pub(crate) fn one_by_one<T>(out: &mut [T], mut draw: impl FnMut() -> Option<T>) -> Option<usize> {
    out.iter_mut().position(|place| draw().map(|draw| *place = draw).is_none())
}

/// Draws that are added at a time: they lie on the stack, where they are wiped.
const ADDED: usize = 256;

/// Draws that are added at a time where there are no more.
const ADDED_FEW: usize = 16;

/// Adds to each value what `fill` puts in its place. Wipes the stack that it used.
pub(crate) fn add<T: CheckedAdd + Clone>(
    values: &mut [T],
    mut fill: impl FnMut(&mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    if values.len() <= ADDED_FEW {
        let added = add_apart::<ADDED_FEW, T>(values, &mut fill);
        zeroize_stack::<{ added_stack(ADDED_FEW) }>();
        return added;
    }
    let mut blocks = values.chunks_mut(ADDED).enumerate();
    let added = blocks.try_for_each(|(block, values)| {
        let added = add_apart::<ADDED, T>(values, &mut fill);
        added.map_err(|error| match error {
            Error::Overflow { index, target } => {
                Error::Overflow { index: index + block * ADDED, target }
            }
            other => other,
        })
    });
    zeroize_stack::<{ added_stack(ADDED) }>();
    added
}

/// What adding may leave on the stack: draws of up to 128 bits, and room to spare.
const fn added_stack(draws: usize) -> usize {
    2 * draws * size_of::<u128>() + STACK
}

/// Apart from its caller, so that its part of the stack can be wiped. At most `N` values.
#[inline(never)]
fn add_apart<const N: usize, T: CheckedAdd + Clone>(
    values: &mut [T],
    fill: &mut impl FnMut(&mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(last) = values.len().checked_sub(1) else {
        return Ok(());
    };
    // Any values do: all that are used are overwritten.
    let mut noise: [T; N] = core::array::from_fn(|index| values[index.min(last)].clone());
    let noise = &mut noise[..=last];
    fill(noise)?;
    let mut sums = values.iter_mut().zip(noise);
    complete::<T>(sums.position(|(value, noise)| {
        let sum = value.checked_add(noise);
        sum.map(|sum| *value = sum).is_none()
    }))
}

/// The outcome of filling a slice, given the position of a draw that did not fit.
pub(crate) fn complete<T>(unfit: Option<usize>) -> Result<(), Error> {
    unfit.map_or(Ok(()), |index| {
        let target = type_name::<T>();
        Err(Error::Overflow { index, target })
    })
}
