//! How fast the samplers are, beside their peers.
//!
//! A [`Workload`] is a line of the table: some noise with some parameter. In a [`Contest`] all who
//! can do that work do it side by side, each on a generator of its own of the same kind. What comes
//! out are [`Row`]s, and [`Row::judgements`] says how far ours should be ahead.
//!
//! | column | what is timed, for one item |
//! |---|---|
//! | bulk | ours, `fill` of a slice of 4096 `i64` |
//! | bulk 256 | ours, `fill` of a slice of 256 `i64` |
//! | single | ours, one draw after the other into a slice of `i64` |
//! | reference | ours, line by line after the paper, on big integers |
//! | prio | libprio's sampler of the same law |
//! | float | an inexact sampler on floats, mostly of `rand_distr` |

mod binomial;
mod contest;
mod discrete_gaussian;
mod discrete_laplace;
mod generator;
mod histogram_share;
mod measure;
mod rappor;
mod row;
mod target;
mod text;
mod work;

pub use contest::{Call, Column, Contest, Engine};
pub use generator::Generator;
pub use row::{Mode, Row};
pub use target::{Judgement, Peer, Target};
pub use text::{HEADER, Line, Summary};
pub use work::{Work, Workload};
