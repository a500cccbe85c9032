//! The public interface.

mod conformance;
mod policies;
mod sound;
mod support;
