//! What is kept beside the lines: how many there are.
//!
//! Two slots of fixed size stand after the first line. The state after n entries goes to slot
//! n mod 2, once the line of the n-th is on the disk; the other slot keeps the state after n − 1. So
//! one of them is whole at any moment, and tells where the confirmed lines end:
//!
//! - A slot that is torn (by a crash while it was written) or altered is told by its checksum. The
//!   other one is at most one entry behind, and the line of that entry was on the disk before.
//! - Lines cut off the end are missed by the newest slot.

use crate::chain::Chain;

/// The bytes of a slot, its end included.
pub(crate) const SLOT: usize = 4 + 4 + 2 * 20 + 2 * 32 + 1;

/// A state of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// The entries.
    pub(crate) entries: u64,
    /// The bytes of the file.
    pub(crate) length: u64,
    /// The checksum of the last line.
    pub(crate) chain: Chain,
}

impl State {
    /// The slot of this state in the file whose first line has the checksum `start`.
    pub(crate) fn written(&self, start: Chain) -> Vec<u8> {
        let (entries, length, chain) = (self.entries, self.length, self.chain);
        let text = format!("slot {entries:020} {length:020} {chain} ");
        let check = start.beside(text.as_bytes());
        format!("{text}{check}\n").into_bytes()
    }

    /// The state in a slot, if it is whole.
    fn read(slot: &[u8], start: Chain) -> Option<Self> {
        let text = std::str::from_utf8(slot).ok()?;
        let mut words = text.strip_prefix("slot ")?.split(' ');
        let state = Self {
            entries: words.next()?.parse().ok()?,
            length: words.next()?.parse().ok()?,
            chain: Chain::parse(words.next()?.as_bytes())?,
        };
        // One text for each state: anything else is altered.
        (state.written(start) == slot).then_some(state)
    }

    /// Which slot it is written to.
    pub(crate) const fn index(&self) -> usize {
        if self.entries.is_multiple_of(2) { 0 } else { 1 }
    }
}

/// What the two slots say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots([Option<State>; 2]);

impl Slots {
    /// Reads both.
    pub(crate) fn read(bytes: &[u8; 2 * SLOT], start: Chain) -> Self {
        let (first, second) = bytes.split_at(SLOT);
        Self([State::read(first, start), State::read(second, start)])
    }

    /// The newest state that is confirmed; `None` if there is none, or the two cannot have been
    /// written one after the other.
    pub(crate) fn newest(&self) -> Option<State> {
        let is_at_home = |index: usize, state: &State| state.entries == 0 || state.index() == index;
        let all = || self.0.iter().flatten();
        if !self
            .0
            .iter()
            .enumerate()
            .all(|(index, state)| state.as_ref().is_none_or(|state| is_at_home(index, state)))
        {
            return None;
        }
        let newest = all().max_by_key(|state| state.entries)?;
        let in_step = |state: &State| state.entries + 1 >= newest.entries;
        all().all(in_step).then_some(*newest)
    }

    /// Whether none is torn or altered.
    pub(crate) fn are_whole(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// Whether no slot says otherwise about a state with as many entries.
    pub(crate) fn agree_with(&self, state: &State) -> bool {
        let mut same = self.0.iter().flatten();
        same.all(|slot| slot.entries != state.entries || slot == state)
    }

    /// Whether the state is in its slot.
    pub(crate) fn hold(&self, index: usize, state: &State) -> bool {
        self.0[index].as_ref() == Some(state)
    }
}
