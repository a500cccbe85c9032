//! The tests of the accountant's public interface, in one program that is linked once.

mod common;
mod composition;
mod contours;
mod outcomes;
mod privacy_loss;
mod ranges;
mod schedules;
mod unlike;
