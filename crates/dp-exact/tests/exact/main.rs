//! The tests of the exact parameters and the certified numerics, in one program that is linked once.

mod convex;
mod directed;
mod exp_and_ln;
mod gaussian_sum;
mod half_line;
mod interval;
mod messages;
mod normal_tail;
mod rational;
mod rounding;
mod search;
mod tightness;
