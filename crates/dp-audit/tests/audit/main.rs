//! The public interface.

mod catalogue;
mod conformance;
mod edges;
mod many;
mod planted;
mod policies;
mod sound;
mod support;
