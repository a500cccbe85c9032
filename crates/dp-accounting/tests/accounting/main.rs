//! The tests of the public interface, in one program that is linked once.

mod common;
mod composition;
mod contours;
mod hedged;
mod outcomes;
mod privacy_loss;
mod ranges;
mod schedules;
mod unlike;
