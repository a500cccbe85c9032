//! The timing test sees a leak that is there, in every state of the caches, and none where there is none.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::hint::black_box;
use std::rc::Rc;

use dp_measure::timing::{
    Cache, Clock, DRAWS, Implementation, Outcomes, THRESHOLD, Tape, Verdict, measure, measure_by,
    tests,
};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// Magnitudes from 0 to 15.
fn draw(tape: &mut Tape) -> u64 {
    tape.next_u64() & 15
}

/// Steps of a measurement that depend on the word of each draw but not on its magnitude.
fn steps_apart_from_the_magnitude(word: u64) -> u32 {
    1000 + u32::try_from(word >> 60).expect("four bits")
}

/// The verdict on draws whose work `steps` counts, from their words.
fn verdict(steps: impl Fn(u64) -> u32) -> Verdict {
    let counted = Cell::new(0);
    let timed = |tape: &mut Tape| {
        for _ in 0..DRAWS {
            counted.set(counted.get() + steps(tape.next_u64()));
        }
    };
    let mut subject = Outcomes::new(draw, timed).expect("sixteen magnitudes");
    let mut cost = |run: &mut dyn FnMut()| {
        run();
        counted.take()
    };
    measure_by(&mut subject, 20_000, 1, &mut cost).expect("the same words")
}

#[test]
fn a_sampler_that_works_longer_for_large_outcomes_is_caught() {
    let verdict = verdict(|word| {
        let magnitude = u32::try_from(word & 15).expect("four bits");
        steps_apart_from_the_magnitude(word) + magnitude
    });
    assert!(verdict.t > 50.0, "{verdict:?}");
    // Above the median the magnitude is 8 more on average, in each of 16 draws. What is cropped,
    // one in twenty, is of the slower class.
    assert!(
        (100.0..128.0).contains(&verdict.difference_ns),
        "{verdict:?}"
    );
    assert!(verdict.null_t.abs() < THRESHOLD, "{verdict:?}");
}

#[test]
fn a_sampler_that_works_alike_for_all_outcomes_is_not_accused() {
    let verdict = verdict(steps_apart_from_the_magnitude);
    assert!(verdict.samples >= 20_000);
    assert!(
        verdict.t.abs() < THRESHOLD && verdict.null_t.abs() < THRESHOLD,
        "{verdict:?}"
    );
}

#[test]
fn draws_of_one_magnitude_have_no_classes() {
    let constant = |tape: &mut Tape| {
        tape.next_u64();
        7
    };
    assert!(Outcomes::new(constant, |_: &mut Tape| ()).is_err());
}

#[test]
fn a_subject_that_does_not_repeat_its_draws_is_refused() {
    let greedy = |tape: &mut Tape| {
        for _ in 0..=DRAWS {
            black_box(draw(tape));
        }
    };
    let mut subject = Outcomes::new(draw, greedy).expect("sixteen magnitudes");
    assert!(measure(&mut subject, Cache::Warm, 1000, 1).is_err());
}

/// Lines of a table that are in a cache, and what reading costs: 1 for a line that is there, 10 for one that
/// is not and then is.
struct ModelCache {
    state: Cache,
    lines: Rc<RefCell<Lines>>,
}

#[derive(Default)]
struct Lines {
    there: VecDeque<u64>,
    cost: u32,
}

/// Lines that the model holds, those that were read in last; the table may have more.
const HELD: usize = 24;

impl Lines {
    fn read(&mut self, line: u64) {
        if self.there.contains(&line) {
            self.cost += 1;
            return;
        }
        self.cost += 10;
        self.there.push_back(line);
        if self.there.len() > HELD {
            self.there.pop_front();
        }
    }
}

impl Clock for ModelCache {
    fn before(&mut self, coins: &mut ChaCha8Rng) -> bool {
        let mut lines = self.lines.borrow_mut();
        match self.state {
            Cache::Warm => return false,
            Cache::Evicted => lines.there.clear(),
            Cache::Thrashed => {
                let gone = coins.next_u64();
                lines.there.retain(|line| gone >> (line % 64) & 1 == 0);
            }
        }
        true
    }

    fn cost(&mut self, run: &mut dyn FnMut()) -> u32 {
        self.lines.borrow_mut().cost = 0;
        run();
        self.lines.borrow().cost
    }
}

/// The verdict on draws of which each reads a line that the word names.
fn verdict_on_lines(state: Cache, line: impl Fn(u64) -> u64) -> Verdict {
    let lines = Rc::new(RefCell::new(Lines::default()));
    let table = Rc::clone(&lines);
    let timed = move |tape: &mut Tape| {
        for _ in 0..DRAWS {
            table.borrow_mut().read(line(tape.next_u64()));
        }
    };
    let mut subject = Outcomes::new(draw, timed).expect("sixteen magnitudes");
    let mut clock = ModelCache { state, lines };
    measure_by(&mut subject, 20_000, 1, &mut clock).expect("the same words")
}

#[test]
fn a_table_in_the_order_of_the_outcomes_is_caught_in_every_state_of_the_cache() {
    // Four outcomes to a line if they are small, a line for each of eight cells if they are large.
    let line = |word: u64| match word & 15 {
        small @ 0..8 => small / 4,
        large => large * 8 + (word >> 61),
    };
    for state in Cache::ALL {
        let verdict = verdict_on_lines(state, line);
        assert!(verdict.t > 50.0, "{state:?}: {verdict:?}");
        assert!(verdict.null_t.abs() < THRESHOLD, "{state:?}: {verdict:?}");
    }
}

#[test]
fn a_table_whose_lines_do_not_depend_on_the_outcome_is_not_accused() {
    for state in Cache::ALL {
        let verdict = verdict_on_lines(state, |word| word >> 58);
        assert!(
            verdict.t.abs() < THRESHOLD && verdict.null_t.abs() < THRESHOLD,
            "{state:?}: {verdict:?}"
        );
    }
}

#[test]
fn before_each_disturbed_measurement_a_twin_is_run_with_other_words() {
    let (timed, twins) = (Rc::new(Cell::new(0_u32)), Rc::new(Cell::new(0_u32)));
    let counting = |count: &Rc<Cell<u32>>| {
        let count = Rc::clone(count);
        move |tape: &mut Tape| {
            count.set(count.get() + 1);
            for _ in 0..DRAWS {
                black_box(draw(tape));
            }
        }
    };
    for (cache, warmed) in [(Cache::Warm, false), (Cache::Thrashed, true)] {
        let subject = Outcomes::new(draw, counting(&timed)).expect("sixteen magnitudes");
        let mut subject = subject.with_twin(counting(&twins));
        measure(&mut subject, cache, 1000, 1).expect("the same words");
        let (timed, twins) = (timed.take(), twins.take());
        assert!(timed >= 2000, "both classes and the null control: {timed}");
        assert_eq!(twins, if warmed { timed } else { 0 });
    }
}

#[test]
fn every_constant_time_sampler_is_tested_in_every_state_and_the_planted_leak_comes_first() {
    let all = tests().expect("valid parameters");
    let of = |row: &dp_measure::timing::Test| (row.implementation(), row.cache());
    for (test, cache) in all.iter().zip(Cache::ALL) {
        assert_eq!(of(test), (Implementation::Planted, cache));
    }
    let in_state = |state| {
        let ours = all.iter().map(of);
        ours.filter(|(implementation, cache)| implementation.is_constant_time() && *cache == state)
            .count()
    };
    let counts = Cache::ALL.map(in_state);
    assert!(counts[0] >= 40, "{counts:?}");
    assert_eq!(counts, [counts[0]; 3]);
}
