//! What `calibrate rappor` is asked.

use clap::Args;

use crate::options::{Given, given};

/// The epsilon of a sum of randomized one-hot vectors, for every dataset of the others
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// RAPPOR's parameter: privacy loss of one bit
    #[arg(long, allow_hyphen_values = true)]
    pub(super) epsilon0: Option<String>,
    /// Honest clients, the protected one among them
    #[arg(long, aliases = ["n", "users", "num-clients"], allow_hyphen_values = true)]
    pub(super) clients: Option<String>,
    /// Slack
    #[arg(long, allow_hyphen_values = true)]
    pub(super) delta: Option<String>,
    /// replacement or deletion
    #[arg(long, default_value = "replacement")]
    pub(super) adjacency: String,
    /// Length of the vectors, where heavy reports are dropped
    #[arg(long, allow_hyphen_values = true)]
    pub(super) length: Option<String>,
    /// Reports with more bits than this are dropped
    #[arg(long, allow_hyphen_values = true)]
    pub(super) max_weight: Option<String>,
    /// The promise that is wanted: tell the largest epsilon0 for --clients, or the least clients for
    /// --epsilon0, that keep it
    #[arg(long, aliases = ["target-epsilon", "eps"], allow_hyphen_values = true)]
    pub(super) epsilon: Option<String>,
}

impl Options {
    /// What makes an answer costly.
    pub(crate) fn costly(&self) -> Given {
        given([
            ("epsilon0", self.epsilon0.as_ref()),
            ("epsilon", self.epsilon.as_ref()),
            ("clients", self.clients.as_ref()),
            ("delta", self.delta.as_ref()),
            ("length", self.length.as_ref()),
            ("max-weight", self.max_weight.as_ref()),
        ])
    }
}
