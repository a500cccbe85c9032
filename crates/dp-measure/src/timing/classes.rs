//! What is put before the clock: draws sorted by their outcome, or runs sorted by their input.

use super::DRAWS;
use super::tape::Tape;
use crate::Error;

/// Which of two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Small outcomes, or the first input.
    Low,
    /// Large outcomes, or the second input.
    High,
}

/// Something that is timed.
pub trait Subject {
    /// The share of measurements that are to be of the second class.
    fn share_of_high(&self) -> f64 {
        0.5
    }

    /// Forgets the measurements that were laid out.
    fn clear(&mut self);

    /// Lays out one more measurement, its words at the end of the tape: of this class, or as it
    /// comes.
    fn lay_out(&mut self, class: Option<Class>, tape: &mut Tape);

    /// Does what a measurement does, with words from this tape and tables of its own, so that all but
    /// the tables is in the caches again: code, stack, and what is written to.
    fn warm_up(&mut self, _: &mut Tape) {}

    /// Runs a measurement, by the clock. They run in the order in which they were laid out.
    fn run(&mut self, index: usize, tape: &mut Tape);
}

/// Draws, sorted by the magnitude of their outcome.
#[derive(Debug)]
pub struct Outcomes<D, T> {
    draw: D,
    timed: T,
    twin: Option<T>,
    halves: Halves,
}

/// Small outcomes and large ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halves {
    small_at_most: u64,
    share_of_large: f64,
}

/// Draws from which it is learned what is small and what is large.
pub(super) const PILOT: usize = 8192;

impl Halves {
    /// Small is up to the median, large is above.
    pub(super) fn of(mut pilot: Vec<u64>) -> Result<Self, Error> {
        pilot.sort_unstable();
        let median = pilot.get(pilot.len() / 2).copied().unwrap_or(0);
        let small = pilot.partition_point(|magnitude| *magnitude <= median);
        if small == pilot.len() {
            return Err(Error::OneMagnitude(median));
        }
        Ok(Self {
            small_at_most: median,
            share_of_large: share(pilot.len() - small, pilot.len()),
        })
    }

    pub(super) fn share_of_large(self) -> f64 {
        self.share_of_large
    }

    pub(super) fn holds(self, class: Option<Class>, magnitude: u64) -> bool {
        match class {
            None => true,
            Some(Class::Low) => magnitude <= self.small_at_most,
            Some(Class::High) => magnitude > self.small_at_most,
        }
    }
}

/// So many draws of the pilot, as a share; not so small that a class has no measurements.
#[expect(clippy::cast_precision_loss, reason = "some thousands")]
fn share(draws: usize, pilot: usize) -> f64 {
    (draws as f64 / pilot as f64).max(0.01)
}

impl<D, T> Outcomes<D, T>
where
    D: FnMut(&mut Tape) -> u64,
    T: FnMut(&mut Tape),
{
    /// Makes one draw with `draw`, which returns its magnitude, and the same [`DRAWS`] draws with
    /// `timed`.
    ///
    /// Small is up to the median of the magnitudes, large is above. Measurements of either class
    /// come as often as its draws do, so that all draws together follow the law: if one class were
    /// more frequent than that, what it needs would lie in the caches more often, and the test
    /// would see a leak that it made itself.
    ///
    /// # Errors
    /// [`Error::OneMagnitude`] if all magnitudes are the same.
    pub fn new(mut draw: D, timed: T) -> Result<Self, Error> {
        let mut tape = Tape::new(3);
        let pilot = (0..PILOT).map(|_| {
            tape.cut(0);
            draw(&mut tape)
        });
        let halves = Halves::of(pilot.collect())?;
        Ok(Self {
            draw,
            timed,
            twin: None,
            halves,
        })
    }

    /// With the same on tables of its own, for [`Subject::warm_up`].
    #[must_use]
    pub fn with_twin(self, twin: T) -> Self {
        let twin = Some(twin);
        Self { twin, ..self }
    }
}

/// The one place where work is done, with or without the clock: the same instructions for both.
#[inline(never)]
pub(super) fn apply<T: FnMut(&mut Tape)>(work: &mut T, tape: &mut Tape) {
    work(tape);
}

impl<D, T> Subject for Outcomes<D, T>
where
    D: FnMut(&mut Tape) -> u64,
    T: FnMut(&mut Tape),
{
    fn share_of_high(&self) -> f64 {
        self.halves.share_of_large()
    }

    fn clear(&mut self) {}

    fn lay_out(&mut self, class: Option<Class>, tape: &mut Tape) {
        for _ in 0..DRAWS {
            let end = tape.len();
            loop {
                let magnitude = (self.draw)(tape);
                if self.halves.holds(class, magnitude) {
                    break;
                }
                tape.cut(end);
            }
        }
    }

    fn warm_up(&mut self, tape: &mut Tape) {
        if let Some(twin) = &mut self.twin {
            apply(twin, tape);
        }
    }

    fn run(&mut self, _: usize, tape: &mut Tape) {
        apply(&mut self.timed, tape);
    }
}

/// Runs on two inputs.
#[derive(Debug)]
pub struct Inputs<I, T> {
    low: I,
    high: I,
    timed: T,
    twin: Option<T>,
    laid_out: Vec<I>,
}

impl<I: Clone, T: FnMut(&mut I, &mut Tape)> Inputs<I, T> {
    /// Runs `timed` on a copy of one of both inputs, which must not differ in size.
    pub fn new(low: I, high: I, timed: T) -> Self {
        Self {
            low,
            high,
            timed,
            twin: None,
            laid_out: Vec::new(),
        }
    }

    /// With the same on tables of its own, for [`Subject::warm_up`].
    #[must_use]
    pub fn with_twin(self, twin: T) -> Self {
        let twin = Some(twin);
        Self { twin, ..self }
    }
}

/// As [`apply`].
#[inline(never)]
fn apply_to<I, T: FnMut(&mut I, &mut Tape)>(work: &mut T, input: &mut I, tape: &mut Tape) {
    work(input, tape);
}

impl<I: Clone, T: FnMut(&mut I, &mut Tape)> Subject for Inputs<I, T> {
    fn clear(&mut self) {
        self.laid_out.clear();
    }

    fn lay_out(&mut self, class: Option<Class>, tape: &mut Tape) {
        // As it comes: one input and the other by turns, whatever the label.
        let as_it_comes = if self.laid_out.len().is_multiple_of(2) {
            Class::Low
        } else {
            Class::High
        };
        let input = match class.unwrap_or(as_it_comes) {
            Class::Low => &self.low,
            Class::High => &self.high,
        };
        self.laid_out.push(input.clone());
        (self.timed)(&mut input.clone(), tape);
    }

    fn warm_up(&mut self, tape: &mut Tape) {
        if let Some(twin) = &mut self.twin {
            apply_to(twin, &mut self.low.clone(), tape);
        }
    }

    fn run(&mut self, index: usize, tape: &mut Tape) {
        if let Some(input) = self.laid_out.get_mut(index) {
            apply_to(&mut self.timed, input, tape);
        }
    }
}
