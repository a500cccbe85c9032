//! Documents of tasks: what is read, what is refused, what is built.

mod common;
mod digest;
mod document;
mod hostile;
mod policy;
mod refusals;
