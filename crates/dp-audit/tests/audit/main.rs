//! The public interface.

mod policies;
mod sound;
mod support;
