//! Local randomizers over bit vectors, and their debiasing
