//! **Simulation mode**: the same exact laws, several samples a random word, in a running time
//! that depends on the outcome.
//!
//! With the feature `simulation`. Nothing here may protect anybody. The types have the names and the laws of those at the root,
//! and cost a half to a quarter of them. They draw words of 16 or 32 bits; the rest of a
//! probability that is not a multiple of such a word is drawn from a second table, so unlikely
//! outcomes take longer, and whoever measures the time learns about the outcome. At σ = 5.19 the
//! longer path is taken by about one in a hundred of the draws of 0 and by every draw beyond
//! ±21. Use these types to simulate mechanisms, never to run them.
//!
//! `fill` uses a word for several draws, so its values are not those of repeated `sample`.

mod binomial;
mod discrete_gaussian;
mod discrete_laplace;
mod expansion;
mod fits64;
mod geometric;
mod lanes;

pub use binomial::Binomial;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use fits64::Fits64;
pub use geometric::Geometric;
