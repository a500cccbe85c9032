//! Slices of draws of which all are small, or all are large.
//!
//! A sampler that fills a slice may take the bits of a draw from anywhere in its words: lanes of 16 bits,
//! more for some of them at the end of a block. Random words would hardly ever give sixteen large draws.
//! So it is learned which lanes change which draw, by changing them; and of words that give some draws of
//! the wrong class, the lanes of these are drawn anew until there are none.

use std::hint::black_box;

use super::DRAWS;
use super::classes::{Class, Halves, PILOT, Subject};
use super::tape::{LANES, PAGE, Tape};
use crate::Error;

/// Measurements in which the lanes are changed to learn what they do, and changes of each lane in each.
const LESSONS: usize = 8;
const CHANGES: usize = 4;

/// Times that lanes are drawn anew before all words are.
const TRIES: usize = 1000;

/// Slices of [`DRAWS`] draws, sorted by the magnitude of their outcomes.
pub(super) struct Slices<F> {
    fill: F,
    twin: F,
    centre: i64,
    halves: Halves,
    /// For each draw the lanes that change it, counted from the first word of the measurement.
    lanes: Vec<Vec<usize>>,
    /// What is drawn moves through a page, as the tape and the stack do.
    out: Vec<i64>,
    /// The next measurement.
    next: usize,
}

impl<F: FnMut(&mut Tape, &mut [i64])> Slices<F> {
    /// Of `fill`, and the same on tables of its own.
    pub(super) fn new(mut fill: F, twin: F, centre: i64) -> Result<Self, Error> {
        let mut tape = Tape::new(3);
        let mut pilot = Vec::with_capacity(PILOT);
        while pilot.len() < PILOT {
            tape.cut(0);
            let mut out = [0; DRAWS];
            fill(&mut tape, &mut out);
            pilot.extend(out.map(|outcome| outcome.abs_diff(centre)));
        }
        let halves = Halves::of(pilot)?;
        let lanes = learn(&mut fill, &mut tape);
        let mut slices = Self {
            fill,
            twin,
            centre,
            halves,
            lanes,
            out: vec![0; PAGE + DRAWS],
            next: 0,
        };
        for class in [Class::Low, Class::High] {
            tape.cut(0);
            if !slices.settle(Some(class), 0, &mut tape) {
                return Err(Error::Mixed(class));
            }
        }
        Ok(slices)
    }

    /// Whether draws of the class could be laid out with these words, of which lanes are drawn anew.
    fn settle(&mut self, class: Option<Class>, start: usize, tape: &mut Tape) -> bool {
        for _ in 0..TRIES {
            let mut out = [0; DRAWS];
            tape.seek(start);
            (self.fill)(tape, &mut out);
            let mut right = true;
            for (outcome, lanes) in out.iter().zip(&self.lanes) {
                if !self.halves.holds(class, outcome.abs_diff(self.centre)) {
                    right = false;
                    lanes
                        .iter()
                        .for_each(|lane| tape.redraw(start * LANES + lane));
                }
            }
            if right {
                return true;
            }
        }
        false
    }
}

/// For each draw the lanes that change it at least half as often as any lane does.
fn learn(fill: &mut impl FnMut(&mut Tape, &mut [i64]), tape: &mut Tape) -> Vec<Vec<usize>> {
    let mut changed: Vec<[u32; DRAWS]> = Vec::new();
    for _ in 0..LESSONS {
        tape.cut(0);
        let mut before = [0; DRAWS];
        fill(tape, &mut before);
        for lane in 0..tape.len() * LANES {
            if changed.len() == lane {
                changed.push([0; DRAWS]);
            }
            let kept = tape.at(lane).map(|word| *word);
            for _ in 0..CHANGES {
                tape.redraw(lane);
                tape.seek(0);
                let mut after = [0; DRAWS];
                fill(tape, &mut after);
                for (count, (before, after)) in
                    changed[lane].iter_mut().zip(before.iter().zip(after))
                {
                    *count += u32::from(*before != after);
                }
            }
            if let (Some(word), Some(kept)) = (tape.at(lane), kept) {
                *word = kept;
            }
        }
    }
    let of_draw = |draw: usize| {
        let most = changed.iter().map(|counts| counts[draw]).max();
        let often = most.unwrap_or(0).div_ceil(2).max(1);
        let lanes = changed.iter().enumerate();
        let lanes = lanes.filter(|(_, counts)| counts[draw] >= often);
        lanes.map(|(lane, _)| lane).collect()
    };
    (0..DRAWS).map(of_draw).collect()
}

/// As [`super::classes::apply`].
#[inline(never)]
fn apply<F: FnMut(&mut Tape, &mut [i64])>(fill: &mut F, tape: &mut Tape, out: &mut [i64]) {
    fill(tape, out);
}

impl<F: FnMut(&mut Tape, &mut [i64])> Subject for Slices<F> {
    fn share_of_high(&self) -> f64 {
        self.halves.share_of_large()
    }

    fn clear(&mut self) {
        self.next = 0;
    }

    fn lay_out(&mut self, class: Option<Class>, tape: &mut Tape) {
        let start = tape.len();
        while !self.settle(class, start, tape) {
            tape.cut(start);
        }
        tape.cut(tape.position());
    }

    fn warm_up(&mut self, tape: &mut Tape) {
        // Where the next measurement will write.
        let place = place(self.next);
        apply(&mut self.twin, tape, &mut self.out[place..place + DRAWS]);
    }

    fn run(&mut self, index: usize, tape: &mut Tape) {
        let place = place(index);
        self.next = index + 1;
        let out = &mut self.out[place..place + DRAWS];
        apply(&mut self.fill, tape, black_box(out));
    }
}

/// Where a measurement writes. 34 and 512 have only the factor 2 in common: every second place is visited.
fn place(index: usize) -> usize {
    index * 34 % PAGE
}

#[cfg(test)]
mod tests {
    use rand_core::Rng;

    use super::*;

    /// Draws of 0 to 15 from lanes in reverse order, behind a word that changes nothing.
    fn fill(tape: &mut Tape, out: &mut [i64]) {
        tape.next_u64();
        for places in out.rchunks_mut(LANES) {
            let word = tape.next_u64();
            for (lane, place) in places.iter_mut().enumerate() {
                *place = (word >> (16 * lane) & 15).cast_signed() - 7;
            }
        }
    }

    #[test]
    fn the_lanes_of_a_draw_are_found() {
        let lanes = learn(&mut fill, &mut Tape::new(5));
        assert_eq!(lanes[0], [16]);
        assert_eq!(lanes[3], [19]);
        assert_eq!(lanes[15], [7]);
    }

    #[test]
    fn all_draws_of_a_slice_are_of_the_class() {
        let mut slices = Slices::new(fill, fill, 0).expect("eight magnitudes");
        let mut tape = Tape::new(6);
        for class in [Class::Low, Class::High] {
            tape.cut(0);
            slices.lay_out(Some(class), &mut tape);
            assert_eq!(tape.len(), 5);
            let mut out = [0; DRAWS];
            tape.seek(0);
            fill(&mut tape, &mut out);
            let large = out.iter().filter(|draw| draw.unsigned_abs() > 4).count();
            let expected = if class == Class::Low { 0 } else { DRAWS };
            assert_eq!(large, expected, "{out:?}");
        }
    }
}
