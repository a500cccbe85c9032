//! Filling slices of fixed-width integers with draws of any size.

use std::any::type_name;

use crate::Error;

/// Fills `out` in order with what `draw` yields; stops at the first draw that does not fit.
pub(crate) fn fill<D, T: TryFrom<D>>(
    out: &mut [T],
    mut draw: impl FnMut() -> D,
) -> Result<(), Error> {
    for (index, place) in out.iter_mut().enumerate() {
        *place = T::try_from(draw()).map_err(|_| Error::Overflow {
            index,
            target: type_name::<T>(),
        })?;
    }
    Ok(())
}
