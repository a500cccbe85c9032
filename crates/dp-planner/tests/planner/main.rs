//! Plans, against known figures, against brute force and against observed errors.

mod answers;
mod crossover;
