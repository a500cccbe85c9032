//! The parties: the client, the aggregators and the collector, and the messages between them.

mod aggregator;
mod batch;
mod binding;
mod client;
mod collector;
mod context;
mod rejection;
mod replay;

pub mod message;
pub mod releases;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod spending;
pub mod verification;

pub use aggregator::{Aggregator, Pending};
pub use batch::{Batch, BatchError, VerifiedOutput};
pub use binding::{BatchName, MAX_BATCH_NAME_LENGTH, ReportChecksum, TaskDigest};
pub use client::Client;
pub use collector::{CollectError, Collection, Collector};
pub use context::{MAX_CONTEXT_LENGTH, VerifyKey};
pub use rejection::{Rejection, Rejections, Stage};
