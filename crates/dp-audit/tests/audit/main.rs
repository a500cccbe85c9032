//! The public interface.

mod catalogue;
mod conformance;
mod coupling;
mod planted;
mod policies;
mod sound;
