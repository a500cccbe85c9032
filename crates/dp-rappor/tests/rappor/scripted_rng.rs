//! A generator of prescribed words.

use std::convert::Infallible;

use rand_core::{TryCryptoRng, TryRng};

/// A generator that yields given words, then panics.
pub(crate) struct ScriptedRng(std::vec::IntoIter<u64>);

impl ScriptedRng {
    pub(crate) fn new(words: Vec<u64>) -> Self {
        Self(words.into_iter())
    }

    /// How many words are still to be drawn.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }
}

impl TryRng for ScriptedRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unimplemented!("the sampler draws 64-bit words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next().expect("enough words in the script"))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let (words, []) = bytes.as_chunks_mut() else {
            unimplemented!("the sampler draws 64-bit words")
        };
        for word in words {
            *word = self.try_next_u64()?.to_le_bytes();
        }
        Ok(())
    }
}

impl TryCryptoRng for ScriptedRng {}
