//! In what state a measurement finds the processor's caches, and how that is brought about.
//!
//! Safe Rust has no instruction that flushes a line, so lines are displaced by others: of a buffer that
//! is read between the measurements, outside the clock. How large the caches are comes from
//! `/sys/devices/system/cpu/cpu0/cache`; where there is no such folder, they are taken to be larger than
//! most are.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use rand_core::Rng;
use serde::Serialize;

/// What happens to the caches before each measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Nothing: the measurement before it, by the same sampler, has just ended.
    Warm,
    /// Twice as many bytes are read as the second cache holds, so that no line of a table is in the
    /// first or in the second.
    Evicted,
    /// Of the sets of the first cache each is chosen with probability 1/2, anew each time, and twice as
    /// many lines are read into it as it holds: about half of a table is in the first cache still, the
    /// rest in the second.
    Thrashed,
}

impl Cache {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Warm, Self::Evicted, Self::Thrashed];

    /// The name in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Evicted => "evicted",
            Self::Thrashed => "thrashed",
        }
    }
}

/// The data caches next to the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Caches {
    /// The first: how many sets, and how many lines each holds.
    sets: usize,
    ways: usize,
    /// The second, in bytes.
    second: usize,
}

/// Where the system describes no caches: the first of 64 KiB, the second of 2 MiB.
const UNKNOWN: Caches = Caches {
    sets: 64,
    ways: 16,
    second: 2 << 20,
};

impl Caches {
    fn of_this_machine() -> Self {
        Self::described_in(Path::new("/sys/devices/system/cpu/cpu0/cache")).unwrap_or(UNKNOWN)
    }

    fn described_in(folder: &Path) -> Option<Self> {
        let mut found = (None, None);
        for index in 0..8 {
            let cache = folder.join(format!("index{index}"));
            let read = |name| fs::read_to_string(cache.join(name)).ok();
            let number = |name| read(name)?.trim().parse::<usize>().ok();
            let holds_data = read("type").is_some_and(|kind| kind.trim() != "Instruction");
            match number("level").filter(|_| holds_data) {
                Some(1) => found.0 = number("number_of_sets").zip(number("ways_of_associativity")),
                Some(2) => {
                    let kibibytes = read("size")?;
                    let kibibytes = kibibytes.trim().strip_suffix('K')?;
                    found.1 = kibibytes.parse::<usize>().ok().map(|size| size << 10);
                }
                _ => {}
            }
        }
        let ((sets, ways), second) = (found.0?, found.1?);
        let plausible = |number: usize, most| (1..=most).contains(&number);
        let all = plausible(sets, 1 << 12) && plausible(ways, 64) && plausible(second, 1 << 26);
        all.then_some(Self { sets, ways, second })
    }
}

/// A line of a cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(u64);

/// Brings the caches into a state.
pub(super) struct Disturber {
    cache: Cache,
    caches: Caches,
    lines: Vec<Line>,
}

impl Disturber {
    pub(super) fn new(cache: Cache) -> Self {
        let caches = Caches::of_this_machine();
        let lines = match cache {
            Cache::Warm => 0,
            Cache::Evicted => 2 * caches.second / size_of::<Line>(),
            Cache::Thrashed => 2 * caches.sets * caches.ways,
        };
        Self {
            cache,
            caches,
            // Not zeros, which a system may map to one page for all.
            lines: (1..).map(Line).take(lines).collect(),
        }
    }

    /// Whether anything was done.
    pub(super) fn disturb(&self, coins: &mut impl Rng) -> bool {
        match self.cache {
            Cache::Warm => return false,
            Cache::Evicted => {
                black_box(self.lines.iter().fold(0, |sum, line| sum ^ line.0));
            }
            Cache::Thrashed => self.thrash(coins),
        }
        true
    }

    /// Lines whose numbers differ by a multiple of the number of sets are of one set.
    fn thrash(&self, coins: &mut impl Rng) {
        let mut chosen = 0;
        for set in 0..self.caches.sets {
            if set % 64 == 0 {
                chosen = coins.next_u64();
            }
            if chosen >> (set % 64) & 1 == 1 {
                let of_the_set = self.lines.iter().skip(set).step_by(self.caches.sets);
                black_box(of_the_set.fold(0, |sum, line| sum ^ line.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caches_are_read_where_the_system_describes_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let described = || Caches::described_in(folder.path());
        assert_eq!(described(), None);
        let data = [("level", "1"), ("type", "Data"), ("number_of_sets", "64")];
        let code = [("level", "1"), ("type", "Instruction"), ("size", "32K")];
        let second = [("level", "2"), ("type", "Unified"), ("size", "1024K\n")];
        for (index, fields) in [data, code, second].iter().enumerate() {
            let cache = folder.path().join(format!("index{index}"));
            fs::create_dir(&cache).expect("a folder");
            for (name, text) in fields {
                fs::write(cache.join(name), text).expect("a file");
            }
        }
        assert_eq!(described(), None, "the ways are missing");
        let ways = folder.path().join("index0/ways_of_associativity");
        fs::write(ways, "12\n").expect("a file");
        let caches = Caches {
            sets: 64,
            ways: 12,
            second: 1 << 20,
        };
        assert_eq!(described(), Some(caches));
    }
}
