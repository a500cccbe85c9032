//! What was found for a sampler.

use serde::Serialize;

use crate::timing::{Implementation, Test};

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which sampler.
    pub sampler: &'static str,
    /// With which parameter.
    pub parameter: &'static str,
    /// By which engine; `None` where there is one alone.
    pub variant: Option<&'static str>,
    /// In which implementation.
    pub implementation: Implementation,
    /// Instructions of the measurements of small draws, or on bits that are 0.
    pub small: u64,
    /// Instructions of as many of large draws, or on bits that are 1.
    pub large: u64,
    /// The total variation between the lines that small and large outcomes touch: [`lines_tv`]. `None` where
    /// nothing is promised.
    ///
    /// [`lines_tv`]: crate::timing::lines_tv
    pub lines_tv: Option<f64>,
}

/// A sampler whose instructions are not as they must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{sampler} {parameter}, {implementation}: {small} instructions for small draws, {large} for large ones: \
         {accepted} is accepted"
)]
pub struct Differs {
    sampler: &'static str,
    parameter: &'static str,
    implementation: &'static str,
    small: u64,
    large: u64,
    accepted: &'static str,
}

impl Row {
    pub(super) fn new(test: &Test, small: u64, large: u64) -> Self {
        Self {
            sampler: test.sampler(),
            parameter: test.parameter(),
            variant: test.variant(),
            implementation: test.implementation(),
            small,
            large,
            lines_tv: test.lines_tv(),
        }
    }

    /// Demands the same number for both classes of a constant-time sampler, and not of the reference.
    ///
    /// # Errors
    /// If it is otherwise.
    pub fn judge(&self) -> Result<(), Differs> {
        let constant = self.implementation.is_constant_time();
        if constant == (self.small == self.large) {
            return Ok(());
        }
        Err(Differs {
            sampler: self.sampler,
            parameter: self.parameter,
            implementation: self.implementation.name(),
            small: self.small,
            large: self.large,
            accepted: if constant {
                "one number"
            } else {
                "a difference, which is there,"
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(implementation: Implementation, large: u64) -> Row {
        Row {
            sampler: "discrete_gaussian",
            parameter: "5.1904",
            variant: Some("scan"),
            implementation,
            small: 100,
            large,
            lines_tv: Some(0.0),
        }
    }

    #[test]
    fn one_instruction_more_for_large_draws_is_an_error() {
        let ours = Implementation::ConstantTimeBulk;
        assert_eq!(row(ours, 100).judge(), Ok(()));
        let said = row(ours, 101).judge().expect_err("one more").to_string();
        assert_eq!(
            said,
            "discrete_gaussian 5.1904, constant_time_bulk: 100 instructions for small draws, 101 for large ones: \
             one number is accepted"
        );
    }

    #[test]
    fn a_count_that_does_not_see_the_reference_is_an_error() {
        assert_eq!(row(Implementation::Reference, 101).judge(), Ok(()));
        assert!(row(Implementation::Reference, 100).judge().is_err());
    }
}
