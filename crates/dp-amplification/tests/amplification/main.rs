//! The tests of the public interface, in one program that is linked once.

mod common;
mod composed;
mod datasets;
mod drops;
mod figures;
mod noisy_answers;
mod properties;
