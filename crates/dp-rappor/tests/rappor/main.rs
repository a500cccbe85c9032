//! Local randomizers and their estimates, through the public interface.

mod debias;
mod estimates;
mod flips;
mod kary_randomized_response;
mod local_privacy;
mod reference;
mod sent_bits;
mod support;
mod unary_encoding;
mod weight_bound;
