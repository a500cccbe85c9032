//! The tests of the public interface, in one program that is linked once.

mod common;
mod composition;
mod contours;
mod corners;
mod hedged;
mod privacy_loss;
mod schedules;
mod unlike;
mod whole_range;
mod work;
