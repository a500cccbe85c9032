//! Code that must compile only with the feature `simulation`: the example is tested with
//! the feature, where it has to compile, and without it, where it must not.

#![cfg_attr(feature = "simulation", doc = "```")]
#![cfg_attr(not(feature = "simulation"), doc = "```compile_fail")]
//! dp_samplers::Seed::from_u64(7);
//! ```
