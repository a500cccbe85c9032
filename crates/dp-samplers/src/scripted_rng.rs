//! A generator that yields prescribed words: tests force the rare paths with it. With the feature
//! `verification`.

use alloc::collections::VecDeque;

use rand_core::{Infallible, TryCryptoRng, TryRng};

/// Yields the given words in order. Panics if another word is drawn, or less than a word.
#[derive(Debug)]
pub struct ScriptedRng(VecDeque<u64>);

impl ScriptedRng {
    /// The generator of these words.
    pub fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self(words.into_iter().collect())
    }

    /// How many words are still to be drawn.
    #[must_use]
    pub fn left(&self) -> usize {
        self.0.len()
    }
}

impl TryRng for ScriptedRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("the samplers draw whole words")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.pop_front().expect("the script has a word left"))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        let (words, rest) = bytes.as_chunks_mut();
        assert!(rest.is_empty(), "the samplers draw whole words");
        for word in words {
            *word = self.try_next_u64()?.to_le_bytes();
        }
        Ok(())
    }
}

impl TryCryptoRng for ScriptedRng {}
