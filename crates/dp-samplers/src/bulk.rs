//! Filling slices with draws, adding draws to slices, and where one does not fit.

use core::any::type_name;

use num_traits::CheckedAdd;
use zeroize::zeroize_stack;

use crate::Error;

/// Bytes of stack that filling a slice may leave behind: random words, intermediate results of the
/// last draws, and the generator's working memory.
pub(crate) const STACK: usize = 3072;

/// Bytes of stack that a few single draws may leave behind: a word, and the generator's working
/// memory.
pub(crate) const STACK_OF_FEW: usize = 1024;

/// Fills `out` draw by draw. Returns the position where `draw` gave `None`: a draw that does not
/// fit `T`. Returns `None` if all draws fit. Not inlined, so that the caller can wipe its stack.
#[inline(never)]
pub(crate) fn one_by_one<T>(out: &mut [T], mut draw: impl FnMut() -> Option<T>) -> Option<usize> {
    out.iter_mut().position(|place| draw().map(|draw| *place = draw).is_none())
}

/// The most draws that lie on the stack at a time while noise is added to a slice.
const ADDED: usize = 256;

/// Adds noise to each value: `fill` writes one draw into each element of the slice that it gets.
/// `Err` if a draw, or its sum with a value, does not fit `T`. Wipes the stack that it used.
pub(crate) fn add<T: CheckedAdd + Clone>(
    values: &mut [T],
    mut fill: impl FnMut(&mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut blocks = values.chunks_mut(ADDED).enumerate();
    let added = blocks.try_for_each(|(block, values)| {
        add_apart(values, &mut fill).map_err(|error| match error {
            Error::Overflow { index, target } => {
                Error::Overflow { index: index + block * ADDED, target }
            }
            other => other,
        })
    });
    zeroize_stack::<ADDED_STACK>();
    added
}

/// Bytes of stack that adding [`ADDED`] draws of up to 128 bits may leave behind, with room to
/// spare.
const ADDED_STACK: usize = 2 * ADDED * size_of::<u128>() + STACK;

/// Adds noise from `fill` to at most [`ADDED`] values. `Err` if a draw, or its sum with a value,
/// does not fit `T`. Not inlined, so that the caller can wipe its stack.
#[inline(never)]
fn add_apart<T: CheckedAdd + Clone>(
    values: &mut [T],
    fill: &mut impl FnMut(&mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(last) = values.len().checked_sub(1) else {
        return Ok(());
    };
    // Any values do: all that are used are overwritten.
    let mut noise: [T; ADDED] = core::array::from_fn(|index| values[index.min(last)].clone());
    let noise = &mut noise[..=last];
    fill(noise)?;
    let mut sums = values.iter_mut().zip(noise);
    complete::<T>(sums.position(|(value, noise)| {
        let sum = value.checked_add(noise);
        sum.map(|sum| *value = sum).is_none()
    }))
}

/// `Ok` if `unfit` is `None`, else [`Error::Overflow`]: `unfit` is the position of a draw that did
/// not fit `T`.
pub(crate) fn complete<T>(unfit: Option<usize>) -> Result<(), Error> {
    unfit.map_or(Ok(()), |index| {
        let target = type_name::<T>();
        Err(Error::Overflow { index, target })
    })
}
