//! Why a measurement cannot be made.

use dp_exact::ParameterError;

/// An error of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A sampler refused its parameter.
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    /// A local randomizer refused its parameter.
    #[error(transparent)]
    Rappor(#[from] dp_rappor::Error),
    /// A policy refused its parameters.
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    /// A peer refused a parameter that its documentation admits.
    #[error("{peer}: {reason}")]
    Peer {
        /// Which library.
        peer: &'static str,
        /// What it says.
        reason: String,
    },
    /// The parties take more instructions than they may.
    #[error(transparent)]
    Exceeded(#[from] crate::instructions::Exceeded),
    /// All draws have the same magnitude, so none are small beside others.
    #[error("a magnitude is {0} in thousands of draws: two classes of draws need two magnitudes")]
    OneMagnitude(u64),
    /// No words were found of which all draws of a slice are of one class.
    #[error("a slice has draws of both classes whatever words are drawn: all were to be {0:?}")]
    Mixed(crate::timing::Class),
    /// A sampler used other words when it was timed than when they were recorded, so what was
    /// timed is not what was drawn.
    #[error("a sampler used {used} random words of the {recorded} that were recorded for it")]
    Replay {
        /// How many words were laid out.
        recorded: usize,
        /// How many the sampler asked for.
        used: usize,
    },
}

impl Error {
    pub(crate) fn peer(peer: &'static str, reason: impl ToString) -> Self {
        Self::Peer {
            peer,
            reason: reason.to_string(),
        }
    }
}
