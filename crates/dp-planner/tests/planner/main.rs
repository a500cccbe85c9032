//! Plans, against known figures, against brute force and against observed errors.

mod answers;
mod crossover;
mod extremes;
mod minimal;
mod tight;
mod workloads;
mod written;
