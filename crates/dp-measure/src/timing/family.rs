//! The tests of one law: each of its implementations, and what of it is put before the clock.

use std::hint::black_box;
use std::rc::Rc;

use num_bigint::BigInt;

use super::DRAWS;
use super::classes::{Outcomes, Subject};
use super::tape::{PAGE, Tape};
use super::test::{Implementation, Test};
use crate::Error;

/// A law, in all its implementations.
pub(super) struct Family {
    sampler: &'static str,
    parameter: &'static str,
    undecided: Option<u64>,
    /// What the noise is around.
    centre: i64,
}

impl Family {
    pub(super) fn new(
        sampler: &'static str,
        parameter: &'static str,
        undecided: Option<u64>,
    ) -> Self {
        Self {
            sampler,
            parameter,
            undecided,
            centre: 0,
        }
    }

    /// The same, where the noise is around another number than 0.
    pub(super) fn around(self, centre: i64) -> Self {
        Self { centre, ..self }
    }

    pub(super) fn one_by_one(
        &self,
        one: impl Fn(&mut Tape) -> i64 + 'static,
    ) -> Result<Test, Error> {
        self.draws(Implementation::ConstantTime, one)
    }

    pub(super) fn simulation(
        &self,
        one: impl Fn(&mut Tape) -> i64 + 'static,
    ) -> Result<Test, Error> {
        self.draws(Implementation::Simulation, one)
    }

    fn draws(
        &self,
        implementation: Implementation,
        one: impl Fn(&mut Tape) -> i64 + 'static,
    ) -> Result<Test, Error> {
        let (one, centre) = (Rc::new(one), self.centre);
        let timed = Rc::clone(&one);
        let subject = Outcomes::new(
            move |tape| one(tape).abs_diff(centre),
            move |tape| {
                // Nothing is stored between the draws but the state of the tape.
                black_box((0..DRAWS).fold(0, |all, _| all ^ timed(tape)));
            },
        )?;
        Ok(self.test(implementation, subject))
    }

    /// Sorts draws made one by one, and times the same draws in a slice.
    pub(super) fn in_bulk(
        &self,
        one: impl Fn(&mut Tape) -> i64 + 'static,
        fill: impl Fn(&mut Tape, &mut [i64]) + 'static,
    ) -> Result<Test, Error> {
        // The slice moves through a page, as the tape and the stack do.
        let (centre, mut out, mut place) = (self.centre, vec![0; PAGE + DRAWS], 0);
        let subject = Outcomes::new(
            move |tape| one(tape).abs_diff(centre),
            move |tape| {
                // 34 and 512 have only the factor 2 in common: every second place is visited.
                place = (place + 34) % PAGE;
                fill(tape, black_box(&mut out[place..place + DRAWS]));
            },
        )?;
        Ok(self.test(Implementation::ConstantTimeBulk, subject))
    }

    pub(super) fn reference(
        &self,
        one: impl Fn(&mut Tape) -> BigInt + 'static,
    ) -> Result<Test, Error> {
        let one = Rc::new(one);
        let timed = Rc::clone(&one);
        let subject = Outcomes::new(
            move |tape| u64::try_from(one(tape).magnitude()).unwrap_or(u64::MAX),
            move |tape| {
                for _ in 0..DRAWS {
                    black_box(timed(tape));
                }
            },
        )?;
        Ok(self.test(Implementation::Reference, subject))
    }

    pub(super) fn test(
        &self,
        implementation: Implementation,
        subject: impl Subject + 'static,
    ) -> Test {
        Test {
            sampler: self.sampler,
            parameter: self.parameter,
            implementation,
            undecided: self.undecided.filter(|_| implementation.is_constant_time()),
            subject: Box::new(subject),
        }
    }
}
