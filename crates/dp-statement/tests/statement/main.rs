//! Statements of every task: what is said, what is refused, and that both forms say the same.

mod common;
mod deployment;
mod figures;
mod hostile;
mod people;
mod record;
