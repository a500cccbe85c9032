#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

extern crate alloc;

pub mod binomial;
mod constants;
pub mod convex;
pub mod convolution;
pub mod directed;
mod dyadic;
pub mod elementary;
mod error;
pub mod euler_maclaurin;
mod exp;
pub mod fixed;
mod gaussian_sum;
mod integer;
mod interval;
mod ln;
mod normal_tail;
mod parameter;
mod rational;
mod rational_text;
mod refine;
pub mod search;
#[cfg(feature = "serde")]
mod serde;
mod text;

pub use constants::pi;
pub use dyadic::Dyadic;
pub use error::ParameterError;
pub use euler_maclaurin::tangent_numbers;
pub use gaussian_sum::{Shift, gaussian_sum};
pub use integer::{parse_integer, parse_number, two_readings};
pub use interval::Interval;
pub use parameter::{Delta, Epsilon, Rho};
pub use rational::{Rational, Rounding};
pub use refine::{MAX_PRECISION, PrecisionError, Real, refine, square_root_up};
#[cfg(feature = "std")]
pub use text::{escaped, shown};
pub use text::{figure, grouped, hexadecimal, parse_hexadecimal};
