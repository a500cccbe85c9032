//! The tests of the exact parameters and the certified numerics, in one program that is linked once.

mod exp_and_ln;
mod gaussian_sum;
mod interval;
mod normal_tail;
mod rational;
mod search;
mod work;
