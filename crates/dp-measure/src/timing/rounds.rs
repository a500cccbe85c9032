//! Rounds of measurements, each laid out beforehand and small enough for the first cache.

use std::hint::black_box;
use std::time::Instant;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::cache::{Cache, Disturber};
use super::classes::{Class, Subject};
use super::tape::Tape;
use super::welch::{cropped, mean, welch_t};
use crate::Error;

/// Measurements in a round at most.
const ROUND: usize = 256;

/// Words in a round, about: 8 KiB, which leaves most of the first cache to the sampler.
const ROUND_WORDS: usize = 1024;

/// Measurements at the beginning of a round that are not counted: the caches are still filling.
const UNCOUNTED: usize = 8;

/// Measurements up to this percentile of their run time count.
const PERCENTILE: usize = 95;

/// What a test found.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Measurements that were made, of both classes together.
    pub samples: u32,
    /// t of the two classes, above 0 if the second takes longer.
    pub t: f64,
    /// t of the null control.
    pub null_t: f64,
    /// By how much a measurement of [`DRAWS`](super::DRAWS) draws takes longer on average if it
    /// is of the second class, in nanoseconds.
    pub difference_ns: f64,
}

/// What a run costs, and what happens before it.
pub trait Clock {
    /// What is done before a measurement; whether anything was.
    fn before(&mut self, _coins: &mut ChaCha8Rng) -> bool {
        false
    }

    /// Runs what it gets, once, and says what that took.
    fn cost(&mut self, run: &mut dyn FnMut()) -> u32;
}

/// What is counted instead of timed does not depend on the machine.
impl<F: FnMut(&mut dyn FnMut()) -> u32> Clock for F {
    fn cost(&mut self, run: &mut dyn FnMut()) -> u32 {
        self(run)
    }
}

/// Nanoseconds, with the caches in some state.
struct Nanoseconds(Disturber);

impl Clock for Nanoseconds {
    fn before(&mut self, coins: &mut ChaCha8Rng) -> bool {
        self.0.disturb(coins)
    }

    #[inline]
    fn cost(&mut self, run: &mut dyn FnMut()) -> u32 {
        let start = Instant::now();
        run();
        u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX)
    }
}

/// Times at least `samples` measurements of two classes, and as many of the null control, a round
/// of one and a round of the other by turns.
///
/// # Errors
/// [`Error::Replay`] if what is timed does not use the words that were laid out for it.
pub fn measure<S>(subject: &mut S, cache: Cache, samples: u32, seed: u64) -> Result<Verdict, Error>
where
    S: Subject + ?Sized,
{
    let clock = &mut Nanoseconds(Disturber::new(cache));
    measure_by(subject, samples, seed, clock)
}

/// [`measure`] by another clock.
///
/// # Errors
/// As [`measure`].
pub fn measure_by<S>(
    subject: &mut S,
    samples: u32,
    seed: u64,
    clock: &mut impl Clock,
) -> Result<Verdict, Error>
where
    S: Subject + ?Sized,
{
    let mut rounds = Rounds {
        tape: Tape::new(seed),
        twin: Tape::new(seed ^ 1 << 63),
        coins: ChaCha8Rng::seed_from_u64(seed),
        classes: Vec::new(),
    };
    let (mut test, mut null) = (Times::default(), Times::default());
    while test.count() < samples {
        rounds.run(subject, Some, clock, &mut test)?;
        rounds.run(subject, |_| None, clock, &mut null)?;
    }
    Ok(Verdict {
        samples: test.count(),
        t: test.t(),
        null_t: null.t(),
        difference_ns: test.difference(),
    })
}

struct Rounds {
    tape: Tape,
    /// What the subject is warmed up with.
    twin: Tape,
    coins: ChaCha8Rng,
    classes: Vec<Class>,
}

impl Rounds {
    /// Lays out and times a round. `wanted` says which class to lay out under a label.
    fn run(
        &mut self,
        subject: &mut (impl Subject + ?Sized),
        wanted: impl Fn(Class) -> Option<Class>,
        clock: &mut impl Clock,
        times: &mut Times,
    ) -> Result<(), Error> {
        subject.clear();
        self.classes.clear();
        self.twin.cut(0);
        subject.lay_out(None, &mut self.twin);
        subject.clear();
        self.tape.cut(0);
        while self.classes.len() < 2 * UNCOUNTED
            || (self.classes.len() < ROUND && self.tape.len() < ROUND_WORDS)
        {
            let coin = f64::from(self.coins.next_u32()) / 2.0_f64.powi(32);
            let class = if coin < subject.share_of_high() {
                Class::High
            } else {
                Class::Low
            };
            subject.lay_out(wanted(class), &mut self.tape);
            self.classes.push(class);
        }

        let recorded = self.tape.len();
        let mut nanoseconds = [0_u32; ROUND];
        let count = self.classes.len();
        self.tape.rewind();
        at_a_place_of_the_stack(times.rounds, &mut || {
            // Here, so that it moves with the stack.
            let mut measured = [0_u32; ROUND];
            for (index, place) in measured[..count].iter_mut().enumerate() {
                if clock.before(&mut self.coins) {
                    self.twin.rewind();
                    subject.warm_up(&mut self.twin);
                    self.tape.touch(recorded.div_ceil(count));
                }
                *place = clock.cost(&mut || subject.run(index, &mut self.tape));
            }
            nanoseconds = measured;
        });
        if self.tape.position() != recorded {
            return Err(Error::Replay {
                recorded,
                used: self.tape.position(),
            });
        }

        times.rounds = times.rounds.wrapping_add(1);
        let labelled = self.classes.iter().zip(&nanoseconds);
        for (class, nanoseconds) in labelled.skip(UNCOUNTED) {
            match class {
                Class::Low => times.low.push(*nanoseconds),
                Class::High => times.high.push(*nanoseconds),
            }
        }
        Ok(())
    }
}

/// Runs at one of 256 places of the stack, spread over a page in steps of 16 bytes and visited in
/// turn, for the same reason as the [`Tape`] moves: what is called keeps its return address and
/// its variables there.
fn at_a_place_of_the_stack(round: u32, run: &mut dyn FnMut()) {
    // 97 and 256 have no common factor.
    deeper(round.wrapping_mul(97) % 256, 256, run);
}

/// Runs below as many more frames as it takes to reach the place, at most `frames`. A frame is a
/// multiple of 16 bytes; unless it is one of 32, all places are reached.
#[inline(never)]
fn deeper(place: u32, frames: u32, run: &mut dyn FnMut()) {
    let frame = [0_u8; 16];
    let here = std::ptr::from_ref(black_box(&frame)).addr() / 16 % 256;
    if frames == 0 || u32::try_from(here).is_ok_and(|here| here == place) {
        run();
    } else {
        deeper(place, frames - 1, run);
    }
    black_box(&frame);
}

/// Run times by class.
#[derive(Default)]
struct Times {
    rounds: u32,
    low: Vec<u32>,
    high: Vec<u32>,
}

impl Times {
    fn count(&self) -> u32 {
        u32::try_from(self.low.len() + self.high.len()).unwrap_or(u32::MAX)
    }

    fn t(&self) -> f64 {
        let [low, high] = self.cropped();
        welch_t(&high, &low)
    }

    fn difference(&self) -> f64 {
        let [low, high] = self.cropped();
        mean(&high) - mean(&low)
    }

    fn cropped(&self) -> [Vec<u32>; 2] {
        cropped(&self.low, &self.high, PERCENTILE)
    }
}
