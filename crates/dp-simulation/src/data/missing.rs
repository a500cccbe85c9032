//! Values that are not there.

use std::str::FromStr;

use dp_exact::ParameterError;

use super::Category;

/// Values that say that there is none, in capital letters or not; the empty one does so too.
pub const MARKERS: [&str; 4] = ["NA", "N/A", "NaN", "NULL"];

/// What becomes of a row in which a value is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingAction {
    /// The data are refused, with the line.
    #[default]
    Refuse,
    /// The row is left out: its person sends no report. **That a person sends none is seen by the
    /// aggregators**: it is not protected.
    Skip,
    /// The value counts as the number 0, which has to be accepted where it stands, and of codes for yes
    /// and no as no.
    Zero,
}

impl FromStr for MissingAction {
    type Err = ParameterError;

    /// Reads `refuse`, `skip` or `zero`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "skip" => Ok(Self::Skip),
            "zero" => Ok(Self::Zero),
            _ => Err(ParameterError::new("missing", text, "skip, zero or refuse")),
        }
    }
}

/// Which values are missing, and what becomes of their rows.
///
/// Missing are values that are empty, one of [`MARKERS`] or one of `codes`, unless they are declared
/// as bins or as codes for yes or no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingRule {
    /// What becomes of their rows.
    pub values: MissingAction,
    /// Further values that say that there is none. These are never declared otherwise.
    pub codes: Vec<Category>,
}

impl MissingRule {
    /// Whether the value is one of the further ones.
    pub(super) fn names(&self, value: &str) -> bool {
        !self.codes.is_empty() && self.codes.contains(&Category::of(value))
    }

    /// Refuses codes that have a meaning.
    ///
    /// # Errors
    /// If one of `declared` says that a value is missing.
    pub(super) fn check(&self, declared: &[Category]) -> Result<(), ParameterError> {
        let twice = self.codes.iter().find(|code| declared.contains(code));
        twice.map_or(Ok(()), |code| {
            let accepted = "a value that is not declared otherwise";
            Err(ParameterError::new("missing-value", code, accepted))
        })
    }
}

/// Whether the value is empty or one of [`MARKERS`].
pub(super) fn is_marker(value: &str) -> bool {
    value.is_empty() || MARKERS.iter().any(|marker| marker.eq_ignore_ascii_case(value))
}

/// Why a missing value is refused.
pub(super) fn refused(value: &str) -> ParameterError {
    let accepted = "a value, or --missing skip or zero, as this says that there is none";
    ParameterError::new("value", value, accepted)
}

/// Why a missing value cannot count as 0 where that is none of the values.
pub(super) fn no_zero() -> ParameterError {
    let accepted = "a value, or --missing skip: it cannot count as 0, which is none of the bins or \
                    beyond the grid";
    ParameterError::new("value", "", accepted)
}
