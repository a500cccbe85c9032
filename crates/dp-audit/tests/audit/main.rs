//! The public interface.

mod bounds;
mod catalogue;
mod conformance;
mod planted;
