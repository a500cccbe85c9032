//! Exact laws at toy size: every outcome of every draw, with its probability.

mod enumerated;
mod from_coins;
mod of_clients;
