//! Filling slices with draws, one after the other, from words that are drawn in blocks, and adding
//! draws to slices.

use core::any::type_name;

use num_traits::CheckedAdd;
use rand_core::Rng;
use zeroize::zeroize_stack;

use crate::Error;
use crate::words::Words;

/// What filling a slice may leave on the stack: its block of words, wiped before, the words and
/// intermediate results of the last draws, and what the generator computed with.
pub(crate) const STACK: usize = 3072;

/// Fills `out` in order with what `draw` yields from a source of words; stops at the first draw
/// that does not fit. Each draw uses at least `words` words. Wipes the stack that it used.
#[inline]
pub(crate) fn fill<T, R>(
    rng: &mut R,
    words: usize,
    out: &mut [T],
    draw: impl FnMut(&mut Words<'_, R>) -> Option<T>,
) -> Result<(), Error>
where
    R: Rng + ?Sized,
{
    let filled = fill_apart(rng, words, out, draw);
    zeroize_stack::<STACK>();
    filled
}

/// Apart from its caller, so that its part of the stack can be wiped.
#[inline(never)]
fn fill_apart<T, R>(
    rng: &mut R,
    words: usize,
    out: &mut [T],
    mut draw: impl FnMut(&mut Words<'_, R>) -> Option<T>,
) -> Result<(), Error>
where
    R: Rng + ?Sized,
{
    let mut source = Words::new(rng, out.len().saturating_mul(words));
    for (index, place) in out.iter_mut().enumerate() {
        match draw(&mut source) {
            Some(value) => *place = value,
            None => return Err(overflow::<T>(index)),
        }
    }
    Ok(())
}

/// The same for draws that take the generator itself.
pub(crate) fn fill_one_by_one<T>(
    out: &mut [T],
    mut draw: impl FnMut() -> Option<T>,
) -> Result<(), Error> {
    for (index, place) in out.iter_mut().enumerate() {
        *place = draw().ok_or_else(|| overflow::<T>(index))?;
    }
    Ok(())
}

/// Draws that are added at a time: they lie on the stack, where they are wiped. Tables fill slices in
/// blocks of as many, so that theirs are those of one slice; what proposes draws and rejects some
/// starts anew for each part.
const ADDED: usize = 256;

/// The same where there are no more.
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
    let added = values
        .chunks_mut(ADDED)
        .enumerate()
        .try_for_each(|(block, values)| {
            add_apart::<ADDED, T>(values, &mut fill).map_err(|error| beyond(error, block * ADDED))
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
    for (index, (value, noise)) in values.iter_mut().zip(noise).enumerate() {
        *value = value
            .checked_add(noise)
            .ok_or_else(|| overflow::<T>(index))?;
    }
    Ok(())
}

/// The error at a position that lies so much further in the whole slice.
fn beyond(error: Error, places: usize) -> Error {
    match error {
        Error::Overflow { index, target } => Error::Overflow {
            index: index + places,
            target,
        },
        other => other,
    }
}

/// The outcome of filling `out`, given the position of a draw that did not fit.
pub(crate) fn complete<T>(unfit: Option<usize>, _out: &mut [T]) -> Result<(), Error> {
    unfit.map_or(Ok(()), |index| Err(overflow::<T>(index)))
}

#[cold]
fn overflow<T>(index: usize) -> Error {
    Error::Overflow {
        index,
        target: type_name::<T>(),
    }
}
