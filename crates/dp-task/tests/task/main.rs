//! Documents of tasks: what is read, what is refused, what is built.

mod by_name;
mod common;
mod compensation;
mod contradictions;
mod digest;
mod document;
mod fields;
mod grid;
mod hostile;
mod policy;
mod refusal;
mod values;
