//! Byte strings of any length, in the TLS presentation language.

use std::io::Cursor;

use prio::codec::{CodecError, Decode, Encode};

pub(super) fn encode_opaque(content: &[u8], bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    let length = u32::try_from(content.len()).map_err(|_| CodecError::LengthPrefixOverflow)?;
    length.encode(bytes)?;
    bytes.extend_from_slice(content);
    Ok(())
}

/// Reads no more than is there: a length prefix alone allocates nothing.
pub(super) fn decode_opaque(bytes: &mut Cursor<&[u8]>) -> Result<Vec<u8>, CodecError> {
    let prefix = u32::decode(bytes)?;
    let length = usize::try_from(prefix).map_err(|_| CodecError::LengthPrefixOverflow)?;
    Ok(take(bytes, length)?.to_vec())
}

pub(super) fn take<'a>(
    bytes: &mut Cursor<&'a [u8]>,
    length: usize,
) -> Result<&'a [u8], CodecError> {
    let start = usize::try_from(bytes.position()).map_err(|_| CodecError::UnexpectedValue)?;
    let content = start
        .checked_add(length)
        .and_then(|end| bytes.get_ref().get(start..end))
        .ok_or(CodecError::LengthPrefixTooBig(length))?;
    let end = u64::try_from(start + length).map_err(|_| CodecError::UnexpectedValue)?;
    bytes.set_position(end);
    Ok(content)
}
