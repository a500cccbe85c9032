//! Why there is no statement. Each message is one line.

use dp_exact::work::Refused;
use dp_exact::{ParameterError, Refusal, shown};

/// Why there is no statement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The deployment is longer than [`MAX_BYTES`](crate::MAX_BYTES).
    #[error("the deployment is longer than {max} bytes")]
    TooLong {
        /// The most that is read.
        max: usize,
    },
    /// It is not TOML.
    #[error("not a deployment in TOML: {reason}")]
    Syntax {
        /// Where and why.
        reason: String,
    },
    /// Fields that only the deployer can fill in.
    #[error("the deployment leaves out {}: a statement has none of them blank", listed(.fields))]
    Missing {
        /// Each by its path, with what it is.
        fields: Vec<String>,
    },
    /// A value that is not accepted; its name is the path of the field.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Something is too costly or contradicts something else.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A promise cannot be computed.
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    /// The record cannot be written as YAML.
    #[error("the record cannot be written: {reason}")]
    Yaml {
        /// Why.
        reason: String,
    },
}

/// The most fields that a message lists.
const LISTED: usize = 30;

/// Fields, as many as a line has room for.
fn listed(fields: &[String]) -> String {
    let first: Vec<&str> = fields.iter().take(LISTED).map(String::as_str).collect();
    let more = match fields.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join(", ") + &more
}

impl Error {
    pub(crate) fn syntax(reason: impl ToString) -> Self {
        Self::Syntax {
            reason: shown(reason.to_string().replace('\n', " ")),
        }
    }
}

impl Refused for Error {
    fn is_too_costly(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_too_costly(),
            Self::Calibration(error) => error.is_too_costly(),
            _ => false,
        }
    }
}
