//! What compiles with the feature `simulation` alone: each example is a test both with the feature,
//! where it has to compile, and without it, where it must not.

#![cfg_attr(feature = "simulation", doc = "```")]
#![cfg_attr(not(feature = "simulation"), doc = "```compile_fail")]
//! dp_rappor::simulation::SymmetricRappor::new(&"1".parse().unwrap()).unwrap();
//! ```
