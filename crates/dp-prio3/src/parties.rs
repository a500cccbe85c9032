//! The parties: the client, the aggregators and the collector, and the messages between them.

mod aggregator;
mod batch;
mod client;
mod collector;
mod rejection;
mod report_id;
mod stores;
mod task;

pub mod message;
pub mod releases;
pub mod replay;
pub mod spending;
pub mod verification;

pub use aggregator::{Aggregator, Pending};
pub use batch::{Batch, BatchError, VerifiedOutput};
pub use client::Client;
pub use collector::{CollectError, Collection, Collector};
pub use rejection::{Rejection, Stage};
pub use replay::TimeWindow;
pub use report_id::ReportChecksum;
pub use stores::Stores;
pub use task::{BatchName, MAX_CONTEXT_LENGTH, TaskDigest, VerifyKey};
