//! The public interface.

mod catalogue;
mod conformance;
mod planted;
mod policies;
mod sound;
