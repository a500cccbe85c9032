//! The public interface.

mod conformance;
mod planted;
mod policies;
mod sound;
mod support;
