//! Measurements that follow a law, without a file.

use dp_exact::{ParameterError, Refusal};
use dp_simulation::Measurements;

use super::{Kind, Question};
use crate::Error;
use crate::sweep::Sweep;

/// The most numbers in the rows of which clients draw.
const MAX_NUMBERS: usize = 50_000_000;

/// Which of n values 0, 1, …, n − 1 a client measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Each with the same probability.
    Uniform,
    /// Value i with a probability in proportion to ⌊n/(i + 1)⌋: Zipf's law, exponent 1, in integers.
    Zipf,
}

impl Law {
    /// The law of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        [Self::Uniform, Self::Zipf]
            .into_iter()
            .find(|law| law.name() == name)
    }

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Zipf => "zipf",
        }
    }

    /// How often each of `count` values stands in the data of which clients draw.
    fn weights(self, count: usize) -> Vec<u64> {
        let all = u64::try_from(count).unwrap_or(u64::MAX);
        let weights = (1..=all).map(|value| match self {
            Self::Uniform => 1,
            Self::Zipf => all / value,
        });
        weights.collect()
    }
}

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
    let count = match kind {
        Kind::Bit => 2,
        Kind::Bucket | Kind::OneHot | Kind::Bits => length,
        Kind::Number | Kind::Numbers | Kind::BoundedSum => values_up_to(max)?,
    };
    let width = match kind {
        Kind::Numbers | Kind::BoundedSum => length,
        Kind::Bit | Kind::Number | Kind::Bucket | Kind::OneHot | Kind::Bits => 1,
    };
    check_rows(count, width)?;
    let values = 0..count;
    let number = |value: usize| u128::try_from(value).unwrap_or(u128::MAX);
    let rows = match kind {
        Kind::Bit => Measurements::from(values.map(|value| value == 1).collect::<Vec<_>>()),
        Kind::Number => Measurements::from(values.map(number).collect::<Vec<_>>()),
        Kind::Bucket => Measurements::from(values.collect::<Vec<_>>()),
        Kind::OneHot | Kind::Bits => {
            Measurements::from(values.collect::<Vec<_>>()).one_hot(length)?
        }
        Kind::Numbers => {
            Measurements::integer_vectors(values.map(|value| vec![number(value); length]))?
        }
        Kind::BoundedSum => Measurements::integer_vectors(values.map(|value| {
            let mut vector = vec![0; length];
            if let Some(entry) = vector.get_mut(value % length.max(1)) {
                *entry = number(value);
            }
            vector
        }))?,
    };
    Ok(Question {
        length,
        max_measurement: max,
        weight,
        rows: rows.counted(law.weights(count))?,
    })
}

fn largest(sweep: &Sweep) -> Result<u128, Refusal> {
    let accepted = "the largest number that is measured, of policies that add numbers up";
    sweep
        .max_measurement
        .ok_or_else(|| Refusal::missing("max_measurement", accepted))
}

fn values_up_to(max: u128) -> Result<usize, ParameterError> {
    let count = usize::try_from(max).ok().map(|max| max.saturating_add(1));
    count.filter(|count| *count <= 1_000_000).ok_or_else(|| {
        let accepted = "an integer from 1 to 999999 with synthetic data";
        ParameterError::new("max_measurement", max, accepted)
    })
}

/// Refuses rows that take too much memory.
fn check_rows(count: usize, width: usize) -> Result<(), ParameterError> {
    let numbers = count.saturating_mul(width);
    if numbers <= MAX_NUMBERS {
        return Ok(());
    }
    let accepted = format!(
        "a shorter vector or a smaller max_measurement: {numbers} numbers of synthetic data are more than {MAX_NUMBERS}"
    );
    Err(ParameterError::new("lengths", width, accepted))
}
