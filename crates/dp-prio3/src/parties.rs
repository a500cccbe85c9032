//! The parties: the client, the aggregators and the collector, and the messages between them.

mod aggregator;
mod batch;
mod binding;
mod checksum;
mod client;
mod collector;
mod context;
mod fresh_seeds;
mod margins;
mod rejection;
mod report_id;
mod shared;
mod store_error;
mod window;

pub mod message;
pub mod releases;
pub mod replay;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod spending;
pub mod verification;

pub use aggregator::{Aggregator, Pending};
pub use batch::{Batch, BatchError, VerifiedOutput};
pub use binding::{BatchName, MAX_BATCH_NAME_LENGTH, TaskDigest};
pub use checksum::ReportChecksum;
pub use client::Client;
pub use collector::{CollectError, Collection, Collector};
pub use context::{MAX_CONTEXT_LENGTH, VerifyKey};
pub use rejection::{Rejection, Rejections, Stage};
pub use window::Window;
