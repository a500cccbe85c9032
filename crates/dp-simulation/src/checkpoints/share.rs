//! Shares of a run: 2/4 is the second of four.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::str::FromStr;

use dp_exact::ParameterError;

/// The largest number of shares that a run is divided into.
const MAX: u64 = 1_000_000;

/// One of several equal shares of a run.
///
/// ```
/// use dp_simulation::checkpoints::Share;
///
/// let share: Share = "2/4".parse()?;
/// assert_eq!(share.of_blocks(10), 2..5);
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// I, the number of the share, from 1.
    number: u64,
    /// N, how many shares there are.
    of: u64,
}

impl Share {
    /// The whole run.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// The blocks of this share of a run with `blocks` blocks: from ⌊blocks·(I − 1)/N⌋ up to, but
    /// not including, ⌊blocks·I/N⌋. The shares 1/N to N/N have every block once.
    #[must_use]
    pub fn of_blocks(self, blocks: u64) -> Range<u64> {
        let boundary = |number: u64| {
            let place = u128::from(blocks) * u128::from(number) / u128::from(self.of);
            u64::try_from(place).unwrap_or(blocks)
        };
        boundary(self.number - 1)..boundary(self.number)
    }
}

impl FromStr for Share {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let digits = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|_| is_plain)
        };
        let share = || {
            let (number, of) = text.split_once('/')?;
            let (number, of) = (digits(number)?, digits(of)?);
            (1 <= number && number <= of && of <= MAX).then_some(Self { number, of })
        };
        share().ok_or_else(|| {
            let accepted = format!("I/N, the I-th of N shares, such as 2/4, with N up to {MAX}");
            ParameterError::new("range", text, accepted)
        })
    }
}

impl Display for Share {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}
