//! The parameters of a sum of answers, and the odds that follow from them.

use dp_exact::directed::{Bounds, add_down, add_up, count, div_down, div_up};

/// The parameters of a sum of answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    /// E, of which e^ε₀ is certainly on the safe side.
    pub(super) e: f64,
    /// k, at least 3.
    pub(super) answers: u64,
    /// n
    pub(super) clients: u64,
}

impl Survey {
    /// The odds of a probability over its complement, enclosed: `numerator`/(E + `plus`).
    pub(super) fn odds(&self, numerator: u64, plus: f64) -> Bounds {
        let numerator = count(numerator);
        if numerator <= 0.0 {
            return Bounds {
                lower: 0.0,
                upper: 0.0,
            };
        }
        let below = add_down(self.e, plus);
        Bounds {
            lower: div_down(numerator, add_up(self.e, plus)),
            upper: div_up(numerator, below),
        }
    }

    /// 2/(E + k − 3), the odds of one of the two values.
    pub(super) fn of_the_two(&self) -> Bounds {
        self.odds(2, count(self.answers) - 3.0)
    }
}
