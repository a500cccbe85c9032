//! What `calibrate rappor` is asked.

use clap::Args;

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
