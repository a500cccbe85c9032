//! Reports of plans and of runs, in every form: the same figures, whole documents, nothing loaded
//! from elsewhere.

mod pages;
mod plans;
mod runs;
