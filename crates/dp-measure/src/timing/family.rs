//! The tests of one law: each of its implementations, and what of it is put before the clock.

use std::hint::black_box;
use std::rc::Rc;

use dp_samplers::{Touch, Variant};
use num_bigint::BigInt;

use super::DRAWS;
use super::cache::Cache;
use super::classes::{Outcomes, Subject};
use super::lines::lines_tv;
use super::slices::Slices;
use super::tape::Tape;
use super::test::{Implementation, Test};
use crate::{Error, variant};

/// A law, in all its implementations.
#[derive(Clone, Copy)]
pub(super) struct Family {
    sampler: &'static str,
    parameter: &'static str,
    variant: Option<&'static str>,
    undecided: Option<u64>,
    lines_tv: Option<f64>,
    /// What the noise is around.
    centre: i64,
}

impl Family {
    /// Of which nothing is promised.
    pub(super) fn new(sampler: &'static str, parameter: &'static str) -> Self {
        Self {
            sampler,
            parameter,
            variant: None,
            undecided: None,
            lines_tv: None,
            centre: 0,
        }
    }

    /// The same, where so many words of 2^64 are undecided.
    pub(super) fn promising(self, undecided: Option<u64>) -> Self {
        Self { undecided, ..self }
    }

    /// The same, drawn by this engine, whose tables are read so.
    pub(super) fn by(self, variant: Variant, touches: &[Touch]) -> Self {
        Self {
            variant: Some(variant::name(variant)),
            lines_tv: Some(lines_tv(touches, self.centre)),
            ..self
        }
    }

    /// The same, where no address depends on a secret.
    pub(super) fn without_tables(self) -> Self {
        let lines_tv = Some(0.0);
        Self { lines_tv, ..self }
    }

    /// The same, where the noise is around another number than 0.
    pub(super) fn around(self, centre: i64) -> Self {
        Self { centre, ..self }
    }

    /// Draws one by one. `make` builds the tables each time that it is called.
    pub(super) fn draws<F, M>(self, implementation: Implementation, make: M) -> Vec<Test>
    where
        F: Fn(&mut Tape) -> i64 + 'static,
        M: Fn() -> Result<F, Error> + 'static,
    {
        let centre = self.centre;
        self.tests(implementation, move || {
            let one = Rc::new(make()?);
            let draw = Rc::clone(&one);
            let magnitude = move |tape: &mut Tape| draw(tape).abs_diff(centre);
            let subject = Outcomes::new(magnitude, several(one))?;
            Ok(subject.with_twin(several(Rc::new(make()?))))
        })
    }

    /// Draws in a slice.
    pub(super) fn in_bulk<F, M>(self, make: M) -> Vec<Test>
    where
        F: Fn(&mut Tape, &mut [i64]) + 'static,
        M: Fn() -> Result<F, Error> + 'static,
    {
        self.tests(Implementation::ConstantTimeBulk, move || {
            Slices::new(make()?, make()?, self.centre)
        })
    }

    /// Draws one by one by the paper, of big integers.
    pub(super) fn reference(self, one: impl Fn(&mut Tape) -> BigInt + 'static) -> Vec<Test> {
        let one = Rc::new(one);
        self.tests(Implementation::Reference, move || {
            let (draw, timed) = (Rc::clone(&one), Rc::clone(&one));
            Outcomes::new(
                move |tape: &mut Tape| u64::try_from(draw(tape).magnitude()).unwrap_or(u64::MAX),
                move |tape: &mut Tape| {
                    for _ in 0..DRAWS {
                        black_box(timed(tape));
                    }
                },
            )
        })
    }

    /// A test for each state of the caches; with warm ones alone where no time is promised.
    pub(super) fn tests<S, M>(self, implementation: Implementation, make: M) -> Vec<Test>
    where
        S: Subject + 'static,
        M: Fn() -> Result<S, Error> + 'static,
    {
        let make = Rc::new(make);
        let states: &[Cache] = match implementation {
            Implementation::Simulation | Implementation::Reference => &[Cache::Warm],
            _ => &Cache::ALL,
        };
        let test = |&cache: &Cache| {
            let make = Rc::clone(&make);
            Test {
                sampler: self.sampler,
                parameter: self.parameter,
                variant: self.variant,
                implementation,
                cache,
                undecided: self.undecided.filter(|_| implementation.is_constant_time()),
                lines_tv: self.lines_tv,
                make: Box::new(move || Ok(Box::new(make()?))),
            }
        };
        states.iter().map(test).collect()
    }
}

/// So many draws. Nothing is stored between them but the state of the tape.
fn several<F: Fn(&mut Tape) -> i64>(one: Rc<F>) -> impl FnMut(&mut Tape) {
    move |tape| {
        black_box((0..DRAWS).fold(0, |all, _| all ^ one(tape)));
    }
}
