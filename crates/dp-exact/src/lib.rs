#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

extern crate alloc;

pub mod bernoulli_numbers;
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
mod grouped;
mod hexadecimal;
mod integer;
mod interval;
mod line;
mod ln;
#[cfg(feature = "serde")]
mod named;
mod normal_tail;
mod parameter;
mod precision;
mod printable;
#[cfg(feature = "std")]
mod process;
mod rational;
mod rational_text;
mod real;
mod refine;
mod root;
pub mod search;
#[cfg(feature = "serde")]
mod serde;
mod shown;
pub mod work;

pub use constants::{ln_2, pi};
pub use dyadic::Dyadic;
pub use error::{ParameterError, Refusal};
pub use gaussian_sum::{Shift, gaussian_sum};
pub use grouped::{figure, grouped};
pub use hexadecimal::hexadecimal;
pub use integer::integer;
pub use interval::Interval;
pub use line::{MAX_NAME, check_line, check_name};
#[cfg(feature = "serde")]
pub use named::Named;
pub use parameter::{Delta, Epsilon, Rho};
pub use precision::MAX_PRECISION;
pub use printable::is_printable;
#[cfg(feature = "std")]
pub use process::{Forked, Process};
pub use rational::{Rational, Rounding};
pub use real::Real;
pub use refine::{PrecisionError, refine};
pub use root::square_root_up;
#[cfg(feature = "std")]
pub use shown::{escaped, shown};
