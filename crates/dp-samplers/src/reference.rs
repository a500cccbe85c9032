//! The algorithms of Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy"
//! (NeurIPS 2020, arXiv 2004.00010), section 5, line by line on big integers.
//!
//! They are exact for every parameter and short enough to check against the paper by eye. That
//! makes them the oracle for any faster implementation.
//!
//! Probabilities and exponents are fractions of two big integers that are never reduced: the
//! algorithms only compare and divide them, so no greatest common divisor is ever computed.
//!
//! # Timing
//! Every loop here runs a number of rounds that depends on the value that comes out, so the
//! running time betrays the magnitude of the noise (Jin, McMurtry, Rubinstein, Ohrimenko,
//! "Are We There Yet? Timing and Floating-Point Attacks on Differential Privacy Systems",
//! IEEE S&P 2022, arXiv 2112.05307). Use these samplers where nobody who is to be kept from the
//! data can time them: offline, in batches, in simulations and tests. Do not use them to answer
//! an adversary's queries one at a time.

mod bernoulli;
mod bernoulli_exp;
mod discrete_gaussian;
mod discrete_laplace;
mod geometric;
mod uniform;

pub use bernoulli::Bernoulli;
pub use bernoulli_exp::BernoulliExp;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use geometric::Geometric;
