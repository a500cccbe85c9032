//! Measurements that follow a law, without a file.

use crate::{Law, Shape};
use dp_exact::Refusal;

use super::{Kind, Question};
use crate::sweep::Error;
use crate::sweep::file::Sweep;

/// The measurements of this kind.
pub(super) fn question(
    sweep: &Sweep,
    law: Law,
    kind: Kind,
    choice: usize,
) -> Result<Question, Error> {
    let length = match kind.has_length() {
        false => 1,
        true => sweep.lengths.get(choice).copied().ok_or_else(|| {
            Refusal::missing("lengths", "how long the vectors are, such as [12, 1000]")
        })?,
    };
    let (max, weight) = match kind {
        Kind::Bit | Kind::Bucket => (1, None),
        Kind::OneHot => (1, Some(1)),
        Kind::Bits => (1, Some(sweep.max_weight.unwrap_or(1))),
        Kind::Number | Kind::Numbers | Kind::BoundedSum => (largest(sweep)?, None),
    };
    let shape = match kind {
        Kind::Bit => Shape::Bit,
        Kind::Number => Shape::Number { max },
        Kind::Bucket => Shape::Bucket { length },
        Kind::OneHot | Kind::Bits => Shape::Bits {
            length,
            weight: weight.unwrap_or(1),
        },
        Kind::Numbers => Shape::Numbers { length, max },
        Kind::BoundedSum => Shape::BoundedSum { length, max },
    };
    Ok(Question {
        length,
        max_measurement: max,
        weight,
        rows: law.measurements(&shape, sweep.seed.unwrap_or_default())?,
    })
}

fn largest(sweep: &Sweep) -> Result<u128, Refusal> {
    let accepted = "the largest number that is measured, of policies that add numbers up";
    sweep
        .max_measurement
        .ok_or_else(|| Refusal::missing("max_measurement", accepted))
}
