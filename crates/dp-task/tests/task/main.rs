//! Documents of tasks: reading, refusals, and the policies that are built.

mod common;
mod digest;
mod document;
mod hostile;
mod refusals;
